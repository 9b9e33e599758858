"""LookPlayground: the time of an epoch beside Keras's for the same work, twenty seeds live, and the frames meanwhile.

LOOK_REFERENCE names another module with `Training` and `makeTask`, such as a prototype, to time in the same run.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import real_browser as machine

from course_utils.explorables import LookPlayground, export_html
from course_utils.explorables.assets import bundle

RECIPES = {"usual": 32, "full": 250}  # name -> batch
ROUNDS = 5
EPOCHS = """async ([module, reference, recipes, rounds]) => {
  const load = (text) => import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
  const [own, other] = [await load(module), reference && await load(reference)];
  const ask = { question: 'target', position: 4, target: 42, other: 2, length: 6, vocabulary: 51 };
  const times = {};
  const time = (name, training, done) => {
    const start = performance.now();
    while (!done(training)) training.advance();
    (times[name] ??= []).push((performance.now() - start) / training.epoch);
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { learning_rate: rate, batch_size: batch, ...rest }] of Object.entries(recipes)) {
      const recipe = { ...ask, ...rest, rate, batch };
      time(name, new own.asked.Training(recipe, own.asked.tasksOf(recipe), round), (one) => one.done);
      if (!other) continue;
      const task = other.makeTask({ decoys: rest.decoys });
      const options = { seed: round, batch, rate, focus: rest.reward };
      time(`${name}, reference`, new other.Training(task, options), (one) => one.epoch >= rest.epochs);
    }
  }
  return times;
}"""
LIVE = """async () => {
  const go = document.querySelector('.look-go'), frames = [], start = performance.now();
  let last = start;
  go.click();
  while (go.textContent !== 'Again' && last - start < 120000) {
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  return { all: last - start, frames };
}"""


def recipes():
    """The timed recipes, as the page sees them."""
    scenes = {name: LookPlayground(name).get_state() for name in RECIPES}
    names = ("decoys", "reward", "patience", "learning_rate", "batch_size", "epochs")
    return {name: {trait: scene[trait] for trait in names} for name, scene in scenes.items()}


def keras_epoch(name):
    """Milliseconds of an epoch in Keras, from three epochs minus one, so that tracing does not count."""
    from course_utils.cls_model import FOCUSED, build_classifier, train
    from course_utils.cls_task import make_task

    task, options = (make_task(), {}) if name == "usual" else (make_task(decoys=0.5), FOCUSED)
    times = []
    for epochs in (1, 3):
        start = time.perf_counter()
        train(build_classifier(), task, **options | {"epochs": epochs})
        times.append(time.perf_counter() - start)
    return 1000 * (times[1] - times[0]) / 2


def time_live(browser, name, folder):
    """Milliseconds from Start to the last epoch of twenty seeds, and of each frame."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(export_html(LookPlayground(name), Path(folder) / "page.html").as_uri())
    page.wait_for_function("() => document.querySelector('.look-say').textContent")
    times = page.evaluate(LIVE)
    page.close()
    return times["all"], times["frames"]


def figures():
    """Yield (what, figure, unit, goal) for bench.py."""
    reference = os.environ.get("LOOK_REFERENCE")
    text = reference and Path(reference).read_text(encoding="utf-8")
    module = bundle("look_worker.js") + "\nexport const asked = { Training, tasksOf };"
    with tempfile.TemporaryDirectory() as folder, machine.chromium() as browser:
        if browser is None:
            print(machine.MISSING)
            return
        page = browser.new_page()
        times = page.evaluate(EPOCHS, [module, text, recipes(), ROUNDS])
        live = {name: time_live(browser, name, folder) for name in RECIPES}
    for name, batch in RECIPES.items():
        epoch, keras = statistics.median(times[name]), keras_epoch(name)
        yield f"playground, {name}, batch {batch}: an epoch in the page", epoch, "ms", None
        if reference:
            yield "  as part of the reference's", epoch / statistics.median(times[f"{name}, reference"]), "x", 1
        yield "  an epoch in Keras", keras, "ms", None
        yield "  page / Keras", epoch / keras, "x", 0.2
        total, frames = live[name]
        yield "  twenty seeds live", total / 1000, "s", 5
        yield "  frames meanwhile: p99", statistics.quantiles(frames, n=100, method="inclusive")[-1], "ms", 34


if __name__ == "__main__":
    for line in figures():
        print(*line)
