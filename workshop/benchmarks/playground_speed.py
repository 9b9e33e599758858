"""LookPlayground: an epoch in the page and in Keras for the same work, twenty seeds live, and the frames meanwhile."""

import statistics
import tempfile
from pathlib import Path

import real_browser as machine
from timing import once

from course_utils.explorables import LookPlayground, export_html
from course_utils.explorables.assets import bundle

RECIPES = {"usual": 32, "full": 250}  # name -> batch
ROUNDS = 5
EPOCHS = """async ([module, recipes, rounds]) => {
  const own = await import(URL.createObjectURL(new Blob([module], { type: 'text/javascript' })));
  const ask = { question: 'target', position: 4, target: 42, other: 2, length: 6, vocabulary: 51 };
  const times = {};
  const time = (name, training) => {
    const start = performance.now();
    while (!training.done) training.advance();
    (times[name] ??= []).push((performance.now() - start) / training.epoch);
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { learning_rate: rate, batch_size: batch, ...rest }] of Object.entries(recipes)) {
      const recipe = { ...ask, ...rest, rate, batch };
      time(name, new own.asked.Training(recipe, own.asked.tasksOf(recipe), round));
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
    from course_utils.models.cls_model import FOCUSED, build_classifier, train
    from course_utils.tasks.cls_task import make_task

    task, options = (make_task(), {}) if name == "usual" else (make_task(decoys=0.5), FOCUSED)
    one, three = (once(train, build_classifier(), task, **options | {"epochs": epochs}) for epochs in (1, 3))
    return 1000 * (three - one) / 2


def time_live(browser, name, folder):
    """Milliseconds from Start to the last epoch of twenty seeds, and of each frame."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(export_html(LookPlayground(name), Path(folder) / "page.html").as_uri())
    page.wait_for_function("() => document.querySelector('.look-say').textContent")
    times = page.evaluate(LIVE)
    page.close()
    return times["all"], times["frames"]


def figures():
    """Training in the page beside Keras: an epoch, twenty seeds live, and the frames meanwhile."""
    module = bundle("look_worker.js") + "\nexport const asked = { Training, tasksOf };"
    with tempfile.TemporaryDirectory() as folder, machine.chromium() as browser:
        if browser is None:
            print(machine.MISSING)
            return
        page = browser.new_page()
        times = page.evaluate(EPOCHS, [module, recipes(), ROUNDS])
        live = {name: time_live(browser, name, folder) for name in RECIPES}
    for name, batch in RECIPES.items():
        epoch, keras = statistics.median(times[name]), keras_epoch(name)
        yield f"playground, {name}, batch {batch}: an epoch in the page", epoch, "ms"
        yield "  an epoch in Keras", keras, "ms"
        yield "  page / Keras", epoch / keras, "x", 0.2
        total, frames = live[name]
        yield "  twenty seeds live", total / 1000, "s", 5
        yield "  frames meanwhile: p99", statistics.quantiles(frames, n=100, method="inclusive")[-1], "ms", 34
