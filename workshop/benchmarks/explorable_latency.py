"""Key press to painted, for each explorable and for a matplotlib slider that draws a heat map, in one JupyterLab.

A press is timed from the browser's time stamp of the key to the second animation frame after the picture changed: by
then it is on the screen. This method has a floor of about one frame, 17 ms.
"""

import statistics
import tempfile
from pathlib import Path

import nbformat
import real_browser as machine
from timing import p95

SLIDER = "matplotlib slider"
ASKER, WEIGHT = ".look-word[role='radio'][tabindex='0']", ".look-line-row input[type='range']"
LONG = 50  # milliseconds: the browser calls a longer task long
NAMES = """import numpy as np
from course_utils.attention import softmax
from course_utils.explorables import *
from course_utils.models.cls_reader import load_classifier
from course_utils.models.review_reader import load_reader
from course_utils.models.writer_reader import load_writer
scores = lambda n: np.random.default_rng(0).normal(size=(6, 12, n, n))
"""
HEAT_MAP = """import matplotlib.pyplot as plt
from ipywidgets import FloatSlider, interact
from course_utils.pictures.plots import heatmap

@interact(temperature=FloatSlider(1, min=0.1, max=3, step=0.1))
def draw(temperature):
    heatmap(softmax(scores({n})[0, 0] / temperature), [f"token {{i}}" for i in range({n})])
    plt.show()"""
# size -> label -> (cell, selector of what receives the keys); two keys alternate.
# Each size has its own notebook: 64 tokens bring 256 number fields, which slow down the whole page.
CASES = {
    12: {
        "VectorPad": ("VectorPad()", ".look-handle"),
        "SoftmaxDial": ("SoftmaxDial([2, 1, 0.5, 0, -1] * 2, d_k=64)", ".look-score"),
        "AttentionExplorer": ("AttentionExplorer(step='mix')", ".look-asker[tabindex='0']"),
        "TheMachine, classifier": ("TheMachine(load_classifier())", ASKER),
        "  a weight forced": ("TheMachine(load_classifier())", WEIGHT),
        "TheMachine, reviewer": ("TheMachine(load_reader())", ASKER),
        "  a weight forced, all layers": ("TheMachine(load_reader())", WEIGHT),
        "HeadGallery": ("HeadGallery(softmax(scores(12)))", ".look-gallery canvas"),
        "LookPlayground": ("LookPlayground()", ".look-seed[tabindex='0']"),
        "NextWord": ("NextWord(load_writer(), 'blame', ['The', 'movie'])", ".look-cuts input[type='range']"),
        "TrainingReplay": ("TrainingReplay(epoch=6)", ".look-epochs input"),
        SLIDER: (HEAT_MAP.format(n=12), ".noUi-handle"),
    },
    64: {
        "AttentionExplorer": ("AttentionExplorer(['token'] * 64)", ".look-asker[tabindex='0']"),
        "HeadGallery": ("HeadGallery(softmax(scores(64)))", ".look-gallery canvas"),
        SLIDER: (HEAT_MAP.format(n=64), ".noUi-handle"),
    },
}

PROBE = """() => {
  const probe = (window.probe = { pressed: 0, painted: [], longest: 0 });
  const note = (list) => list.getEntries().forEach((task) => (probe.longest = Math.max(probe.longest, task.duration)));
  new PerformanceObserver(note).observe({ entryTypes: ["longtask"] });
  const inside = (node) => (node.nodeType === 1 ? node : node.parentElement);
  const counts = ({ target, type, addedNodes }) => {
    const node = inside(target);
    if (!node?.closest('.jp-Cell-outputArea')) return false;
    if (node.closest('.widget-slider, .widget-readout, .look-hidden')) return false;
    return type !== 'childList' || addedNodes.length > 0; // an output that is cleared is not a new picture
  };
  const mark = () => requestAnimationFrame(() => requestAnimationFrame(() => probe.painted.push(performance.now())));
  new MutationObserver((changes) => {
    const seen = changes.filter(counts);
    if (!seen.length || !probe.pressed) return; // what changed before the key is not its picture
    const added = seen.flatMap((change) => [...change.addedNodes]).filter((node) => node.querySelector);
    const image = added.map((node) => (node.matches('img') ? node : node.querySelector('img'))).find(Boolean);
    if (image) image.decode().then(mark, mark);
    else mark();
  }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  document.addEventListener('keydown', (event) => (probe.pressed = event.timeStamp), true);
}"""
PAINTED = """() => new Promise((done) => {
  const end = performance.now() + 20000;
  const look = () => {
    const { pressed, painted } = window.probe;
    if (painted.length || performance.now() > end) done(painted.length ? painted[0] - pressed : NaN);
    else setTimeout(look, 2);
  };
  look();
})"""


def figures():
    """Key press to painted in a real browser, beside a matplotlib slider that draws a heat map."""
    with tempfile.TemporaryDirectory() as folder, machine.chromium() as browser:
        if browser is None:
            print(machine.MISSING)
            return
        # The pictures of the slider appear in its cell, whatever backend this program has.
        lab = machine.Lab(folder, MPLBACKEND="module://matplotlib_inline.backend_inline")
        try:
            page = browser.new_page(viewport={"width": 1400, "height": 1000})
            for n, cases in CASES.items():
                times = press_all(page, lab, Path(folder) / f"bench{n}.ipynb", cases)
                slider = statistics.median(times[SLIDER][0])
                explorer = statistics.median(next(times[name][0] for name in times if name.startswith("Attention")))
                for name, (milliseconds, longest) in times.items():
                    median, goals = statistics.median(milliseconds), (25, 40) if n == 12 else (50, None)
                    median_goal, p95_goal = (None, None) if name == SLIDER else goals
                    yield f"{name}, {n} x {n}: median", median, "ms", median_goal
                    yield "  p95", p95(milliseconds), "ms", p95_goal
                    if "TheMachine" in name or "forced" in name:
                        yield "  beside AttentionExplorer's", median / explorer, "x", 1 if "class" in name else 2
                    if longest:
                        yield f"  the longest task, of those over {LONG} ms", longest, "ms", None
                    yield "  as part of the slider's time", median / slider, "x", None if name == SLIDER else 0.1
        finally:
            lab.stop()


def press_all(page, lab, path, cases):
    """Press keys in a notebook of these cases. Returns {label: ([milliseconds of each press], the longest task)}."""
    cells = [nbformat.v4.new_code_cell(NAMES + code) for code, _ in cases.values()]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    lab.open(page, path.name)
    lab.run_all(page)
    page.evaluate(PROBE)
    times, outputs = {}, page.locator(".jp-Cell-outputArea")
    for i, (name, (_, target)) in enumerate(cases.items()):
        counts = (400, 16, 2) if name == SLIDER else (120, 40, 5)  # a slider takes half a second and more
        times[name] = press(page, outputs.nth(i).locator(target).first, *counts)
    lab.close(page)
    return times


def press(page, target, rest, presses, warm_up):
    """Press two keys in turn, with `rest` milliseconds between a picture and the next key.

    Returns milliseconds, without the warm-up, and those of the longest task that held the page up (0: none was long).
    """
    target.scroll_into_view_if_needed()
    target.focus()
    times = []
    for i in range(warm_up + presses):
        if i == warm_up:
            page.evaluate("() => { window.probe.longest = 0; }")
        page.wait_for_timeout(rest)
        page.evaluate("() => { Object.assign(window.probe, { pressed: 0, painted: [] }); }")
        page.keyboard.press(("ArrowRight", "ArrowLeft")[i % 2])
        times.append(page.evaluate(PAINTED))
    page.wait_for_timeout(1500)  # what rests until nobody presses runs now, and may not hold the page up either
    return times[warm_up:], page.evaluate("() => window.probe.longest")
