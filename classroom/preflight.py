"""Is this machine ready for the course, now? One line for each item, in under a minute: ✓, or what to do.

    nox -s preflight
    nox -s preflight -- --port 9000   ask about the port that JupyterLab will be given

The exit status is 1 when something is missing. A line with ○ is worth knowing, and stops nobody.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty

import shipped
from shipped import REINSTALL, Missing, Notice

sys.path.append(str(Path(__file__).resolve().parents[1] / "workshop"))
try:
    import demo
    import psutil
    import real_browser as machine
    from build_notebooks import ENVIRONMENT
    from jupyter_client.manager import start_new_kernel
    from lesson_imports import reaches
    from playwright.sync_api import Error as BrowserError
    from preflight_lab import jupyterlab

    from course_utils.computer import toolbox
    from course_utils.computer.notebook import WIDGET
    from course_utils.models import encoder
    from pagecheck.words import listed
except (ImportError, OSError) as error:  # preflight itself needs the course
    sys.exit(shipped.explain_failure(error))

ROOT = Path(__file__).resolve().parents[1]
FIRST, LAST = 8888, 65535  # ports: JupyterLab's own, and the highest
FIT = """
import keras, numpy, tensorflow
model = keras.Sequential([keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(numpy.ones((4, 2)), numpy.ones(4), verbose=0)
print(tensorflow.__version__, "with Keras", keras.version())
"""


def main(arguments=()):
    """Run all checks and print a line for each. Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, help="the first port that JupyterLab will try")
    options = parser.parse_args(arguments)
    results = run_all(QUICK if options.port is None else QUICK | {"port": lambda: port(options.port)})
    for name, (sign, text) in results:
        print(f"{sign} {name:<11} {text}")
    return int(any(sign == "✗" for _, (sign, _) in results))


def run_all(advice):
    """Return (item, (sign, text)) for each check, slow ones in parallel."""
    quick = [(name, run_check(check)) for name, check in advice.items()]
    with ThreadPoolExecutor(len(SLOW)) as pool:  # they mostly wait
        runs = [(name, pool.submit(run_check, check)) for name, check in SLOW.items()]
        slow = [(name, run.result()) for name, run in runs]
    if culprit := next((name for name, (sign, _) in quick if sign == "✗" and name in ("files", "packages")), None):
        advice = f"first mend what the line {culprit} names"
        slow = [(name, (sign, text.replace(REINSTALL, advice))) for name, (sign, text) in slow]
    return [*quick, *slow]


def run_check(check):
    """Return (sign, text) for one check, whatever it raises."""
    try:
        return "✓", check()
    except Notice as problem:
        return "○", str(problem)
    except Missing as problem:
        return "✗", str(problem)
    except Exception as error:  # a crashing check must not stop the others
        return "✗", f"could not be asked, {type(error).__name__}: {str(error).strip()[-300:]}; {REINSTALL}"


def packages():
    """All packages of the course, in versions that fit, and the font of the pictures."""
    wrong = [" ".join(line.split()) for line in toolbox.toolbox() if not line.endswith(" ready")]
    if wrong:
        raise Missing("; ".join(wrong))
    return "all there, the font of the pictures too"


def weights(load=encoder.load_encoder):
    """The model of lesson 19 and of the demo's HeadGallery, whole."""
    try:
        load()
    except (FileNotFoundError, ValueError) as error:
        state = "altered" if isinstance(error, ValueError) else "not there"
        consequence = "until then lesson 19 shows its stored outputs, and the demo three heads made by hand"
        raise Missing(f"the model of lesson 19 is {state}: go online, {REINSTALL}; {consequence}") from None
    return "the model of lesson 19 is there, whole"


def memory(needed=1.0):
    """Enough free memory, in GB, for TensorFlow and a lesson beside the browser."""
    free = psutil.virtual_memory().available / 1e9
    if free < needed:
        advice = "close other programs and other notebooks' kernels"
        raise Missing(f"{free:.1f} GB are free, lesson 12 needs {needed:g}: {advice}")
    return f"{free:.1f} GB free"


def disk(folder=ROOT / "notebooks", needed=0.5):
    """Enough free disk space, in GB, and a writable folder of notebooks."""
    free = shutil.disk_usage(folder).free / 1e9
    if free < needed:
        raise Missing(f"{free:.1f} GB are free, {needed:g} are needed: empty the bin, or delete old downloads")
    if not os.access(folder, os.W_OK):
        raise Missing(f"{folder} cannot be written: copy the course into your own folder")
    return f"{free:.0f} GB free, notebooks can be saved"


def port(first=FIRST, tries=50):
    """A free port for JupyterLab, which itself takes the first free one of these."""
    tries = min(tries, LAST - first + 1)
    if first < 1 or tries < 1:
        raise Missing(f"there is no port {first}: they go from 1 to {LAST}")
    for number in range(first, first + tries):
        with socket.socket() as probe:
            try:
                probe.bind((machine.LOOPBACK, number))
            except OSError:
                continue
            return f"{number} is free" + (f"; {first} is taken, is another JupyterLab open?" if number > first else "")
    free = first + 1000 if first + 1000 + tries <= LAST else FIRST
    advice = (
        f"close other JupyterLabs, or begin at another: nox -s preflight -- --port {free}, and the same for lab or demo"
    )
    raise Missing(f"{first} to {first + tries - 1} are all taken: {advice}")


def kernel(name="python3", cells=None, seconds=40):
    """The kernel starts, is this Python, and shows every explorable of the demo as widget and static picture."""
    cells = demo.cells() if cells is None else cells
    manager, client = start_new_kernel(
        kernel_name=name, startup_timeout=seconds, env=os.environ | ENVIRONMENT, extra_arguments=["--log-level=ERROR"]
    )
    try:
        python = run_code(client, "import sys; print(sys.prefix)", seconds)[0]["text"].strip()
        if Path(python) != Path(sys.prefix):
            advice = f"type .venv/bin/jupyter kernelspec remove {name}"
            raise Missing(f"the kernel {name} is another Python, {python}: {advice}")
        for cell in cells:
            shown = [output["data"] for output in run_code(client, cell, seconds) if "data" in output]
            if not any(WIDGET in data and "text/html" in data for data in shown):
                raise Missing(f"no widget came from {cell.splitlines()[-1]!r}; {REINSTALL}")
    except (Empty, TimeoutError):
        raise Missing(f"the kernel gave no answer in {seconds} s: close other programs, and try again") from None
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return f"starts and answers; all {len(cells)} explorables can be made"


def run_code(client, code, seconds):
    """Run code in a kernel and return the outputs. Raises Missing with the error."""
    outputs = []
    reply = client.execute_interactive(
        code, timeout=seconds, output_hook=lambda message: outputs.append(message["content"]), allow_stdin=False
    )
    if reply["content"]["status"] != "ok":
        raise Missing(f"{reply['content']['ename']}: {reply['content']['evalue']}; {REINSTALL}")
    return [output for output in outputs if output.get("name") == "stdout" or "data" in output]


def tensorflow(code=FIT, seconds=50):
    """TensorFlow can be imported, and fits one step."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=seconds, env=os.environ | ENVIRONMENT
        )
    except subprocess.TimeoutExpired:
        advice = f"close other programs, and try again; {who_needs_tensorflow()}"
        raise Missing(f"no step fitted in {seconds} s: {advice}") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
        raise Missing(f"{last}; {REINSTALL}; {who_needs_tensorflow()}")
    return f"fits a step ({done.stdout.strip()})"


def who_needs_tensorflow():
    sources = sorted((ROOT / "notebooks" / "source").glob("*.py"))
    lessons = listed([path.stem[:2] for path in sources if reaches(path, "tensorflow")])
    return f"lessons {lessons} need it, the others and the demo do not"


def browser(chromium=machine.chromium):
    """Render the demo's page in Chromium if there is one, else name the browser that will open."""
    try:
        with tempfile.TemporaryDirectory() as folder, chromium() as running:
            return draw_demo_page(running, folder) if running else other_browser()
    except BrowserError as error:
        advice = "close other programs, and try again; or open the addresses in another browser"
        raise Missing(f"Chromium did not draw the demo's page, {str(error).splitlines()[0]}: {advice}") from None


def draw_demo_page(running, folder):
    """Render each part of the demo's page in Chromium. Raises Missing for an error on its console."""
    page = running.new_page()
    errors, _ = machine.watch(page)
    page.goto(demo.write_page(Path(folder) / "page.html").as_uri())
    n_widgets = len(demo.widgets())
    for number in range(n_widgets):
        page.frame_locator("iframe").nth(number).locator("section.look").wait_for(state="attached", timeout=20_000)
    for _ in range(page.locator("section.part").count()):
        shown = page.locator("section.now iframe")
        if shown.count():
            shown.content_frame.locator("section.look").wait_for(timeout=20_000)
        page.keyboard.press("PageDown")
    if errors:
        raise Missing(f"the page of the demo has errors: {errors[0]}")
    return f"Chromium draws the demo's page, all {n_widgets} explorables"


def other_browser():
    """The name of the browser that Python opens. Raises Notice if there is none."""
    try:
        name = webbrowser.get().name
    except webbrowser.Error:
        raise Notice("none found here: open the address that JupyterLab prints in the browser of your choice") from None
    return f"{name} will open; without a Chromium nothing was drawn in it"


QUICK = {"packages": packages, "files": shipped.files, "weights": weights, "memory": memory, "disk": disk, "port": port}
SLOW = {"kernel": kernel, "JupyterLab": jupyterlab, "TensorFlow": tensorflow, "browser": browser}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
