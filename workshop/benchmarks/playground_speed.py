"""LookPlayground: an epoch in the page and in Keras for the same work, twenty seeds live, and the frames meanwhile."""

import statistics
import tempfile
from pathlib import Path

import real_browser as machine
from timing import call_time

from course_utils.explorables import LookPlayground, export_html
from course_utils.explorables.assets import bundle
from course_utils.explorables.look_playground import RECIPE
from course_utils.models.cls_model import FOCUSED, build_classifier, train
from course_utils.tasks.cls_task import make_task

RECIPES = {"usual": (make_task(), {}), "full": (make_task(decoys=0.5), FOCUSED)}  # the scene, and the same in Keras
EPOCH = """async ([module, { learning_rate: rate, batch_size: batch, ...rest }]) => {
  const own = await import(URL.createObjectURL(new Blob([module], { type: 'text/javascript' })));
  return [0, 1, 2, 3, 4].map((seed) => {
    const recipe = { ...rest, vocabulary: 51, rate, batch };
    const training = new own.asked.Training(recipe, own.asked.tasksOf(recipe), seed);
    const start = performance.now();
    while (!training.done) training.advance();
    return (performance.now() - start) / training.epoch;
  });
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
  return [last - start, frames];
}"""


def figures():
    """Yield (what, figure, unit, goal) for each recipe."""
    train(build_classifier(), make_task(500), epochs=1)  # a first fit loads parts of TensorFlow
    module = bundle("look_worker.js") + "\nexport const asked = { Training, tasksOf };"
    with tempfile.TemporaryDirectory() as folder, machine.chromium() as browser:
        if browser is None:
            print(machine.MISSING)
            return
        for name, (task, options) in RECIPES.items():
            playground, page = LookPlayground(name), browser.new_page(viewport={"width": 1280, "height": 720})
            recipe = {trait: getattr(playground, trait) for trait in RECIPE}
            epoch = statistics.median(page.evaluate(EPOCH, [module, recipe]))
            # Three epochs minus one, so that tracing does not count.
            one, three = (call_time(train, build_classifier(), task, **options | {"epochs": n}) for n in (1, 3))
            keras = 1000 * (three - one) / 2
            page.goto(export_html(playground, Path(folder) / "page.html").as_uri())
            page.wait_for_function("() => document.querySelector('.look-say').textContent")
            total, frames = page.evaluate(LIVE)
            page.close()
            yield f"playground, {name}: an epoch in the page", epoch, "ms"
            yield "  an epoch in Keras", keras, "ms"
            yield "  page / Keras", epoch / keras, "x", 0.2
            yield "  twenty seeds live", total / 1000, "s", 5
            yield "  frames meanwhile: p99", statistics.quantiles(frames, n=100, method="inclusive")[-1], "ms", 34
