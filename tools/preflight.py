"""Is this machine ready for the course, now? One line for each item, in under a minute: ✓, or what to do.

    nox -s preflight

The exit status is 1 when something is missing. A line with ○ is worth knowing, and stops nobody.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty

import demo
import psutil
import real_browser as machine
from build_notebooks import ENVIRONMENT
from jupyter_client.manager import start_new_kernel

from course_utils import toolbox
from course_utils.notebook import WIDGET

ROOT = Path(__file__).resolve().parents[1]
FRONT_ENDS = ("anywidget", "@jupyter-widgets/jupyterlab-manager")
AGAIN = "delete the folder .venv and type: nox -s preflight"
FIT = """
import keras, numpy, tensorflow
model = keras.Sequential([keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(numpy.ones((4, 2)), numpy.ones(4), verbose=0)
print(tensorflow.__version__, "with Keras", keras.version())
"""


class Missing(Exception):
    """Something is missing. The text says what, and what to do."""


class Worth(Missing):
    """Something is worth knowing, and the course works without it."""


class OwnLab(machine.Lab):
    """A JupyterLab with the settings and extensions of whoever asks, as `nox -s lab` starts it."""

    def _environment(self):
        return os.environ | {"JUPYTER_TOKEN": self.token, "LEARNING_TO_LOOK_DATA": "off"}


def main():
    """Ask all, print one line for each. Returns the exit status."""
    quick = [(name, tried(check)) for name, check in QUICK.items()]
    with ThreadPoolExecutor(len(SLOW)) as pool:  # they mostly wait
        runs = [(name, pool.submit(tried, check)) for name, check in SLOW.items()]
        asked = [*quick, *((name, run.result()) for name, run in runs)]
    for name, (sign, words) in asked:
        print(f"{sign} {name:<11} {words}")
    return int(any(sign == "✗" for _, (sign, _) in asked))


def tried(check):
    """Return (sign, words) for one check, whatever happens in it."""
    try:
        return "✓", check()
    except Worth as found:
        return "○", str(found)
    except Missing as found:
        return "✗", str(found)
    except Exception as error:  # a check that breaks off says so, and the others go on
        return "✗", f"could not be asked, {type(error).__name__}: {str(error).strip()[-300:]}; {AGAIN}"


def packages():
    """All packages of the course, in versions that fit, and the font of the pictures."""
    wrong = [" ".join(line.split()) for line in toolbox.toolbox() if not line.endswith(" ready")]
    if wrong:
        raise Missing("; ".join(wrong))
    return "all there, the font of the pictures too"


def memory(needed=1.0):
    """Free memory, in GB: TensorFlow and a lesson beside the browser."""
    free = psutil.virtual_memory().available / 1e9
    if free < needed:
        close = "close other programs and other notebooks' kernels"
        raise Missing(f"{free:.1f} GB are free, lesson 12 needs {needed:g}: {close}")
    return f"{free:.1f} GB free"


def disk(folder=ROOT / "notebooks", needed=0.5):
    """Free disk, in GB, and a folder of notebooks that can be saved."""
    free = shutil.disk_usage(folder).free / 1e9
    if free < needed:
        raise Missing(f"{free:.1f} GB are free, {needed:g} are needed: empty the bin, or delete old downloads")
    if not os.access(folder, os.W_OK):
        raise Missing(f"{folder} cannot be written: copy the course into your own folder")
    return f"{free:.0f} GB free, notebooks can be saved"


def port(first=8888, tries=50):
    """A port for JupyterLab; it takes the first free one of these by itself."""
    for number in range(first, first + tries):
        with socket.socket() as one:
            try:
                one.bind((machine.LOOPBACK, number))
            except OSError:
                continue
            return f"{number} is free" + (f"; {first} is taken, is another JupyterLab open?" if number > first else "")
    mend = f"close other JupyterLabs, or add -- --port {first + 1000}"
    raise Missing(f"{first} to {first + tries - 1} are all taken: {mend}")


def kernel(name="python3", cells=None, seconds=40):
    """The kernel starts, is this Python, and makes every explorable of the demo with widget and static picture."""
    cells = demo.cells() if cells is None else cells
    manager, client = start_new_kernel(
        kernel_name=name, startup_timeout=seconds, env=os.environ | ENVIRONMENT, extra_arguments=["--log-level=ERROR"]
    )
    try:
        python = answers(client, "import sys; print(sys.prefix)", seconds)[0]["text"].strip()
        if Path(python) != Path(sys.prefix):
            mend = f"remove it with jupyter kernelspec remove {name}"
            raise Missing(f"the kernel {name} is another Python, {python}: {mend}")
        for cell in cells:
            shown = [output["data"] for output in answers(client, cell, seconds) if "data" in output]
            if not any(WIDGET in data and "image/png" in data for data in shown):
                raise Missing(f"no widget came from {cell.splitlines()[-1]!r}; {AGAIN}")
    except (Empty, TimeoutError):
        raise Missing(f"the kernel gave no answer in {seconds} s: close other programs, and try again") from None
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return f"starts and answers; all {len(cells)} explorables can be made"


def answers(client, code, seconds):
    """Run code in a kernel. Returns the outputs. Raises Missing with the error's last line."""
    outputs = []
    reply = client.execute_interactive(
        code, timeout=seconds, output_hook=lambda message: outputs.append(message["content"]), allow_stdin=False
    )
    if reply["content"]["status"] != "ok":
        raise Missing(f"{reply['content']['ename']}: {reply['content']['evalue']}; {AGAIN}")
    return [output for output in outputs if output.get("name") == "stdout" or "data" in output]


def jupyterlab(lab=OwnLab):
    """JupyterLab starts, keeps its door shut, and serves the pages' half of the widgets."""
    with tempfile.TemporaryDirectory() as folder:
        running = lab(folder)
        try:
            page = fetched(running, "/lab").decode()
            config = json.loads(re.search(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
            for path in front_ends(config):
                fetched(running, path)
            if opens(f"{running.url}/api/contents"):
                where = "look for `token` or `password` in your jupyter_server_config"
                raise Missing(f"it answers without its token: {where}")
        finally:
            running.stop()
    return "answers on this machine only, with its token; serves the widgets"


def front_ends(config):
    """The paths of the pages' halves of the widgets. Raises Missing for one that is not there, or switched off."""
    there = {
        one["name"]: f"{config['fullLabextensionsUrl']}/{one['name']}/{one['load']}"
        for one in config["federated_extensions"]
    }
    off = [name for name in FRONT_ENDS if any(one.split(":")[0] == name for one in config["disabledExtensions"])]
    for name in FRONT_ENDS:
        if name not in there:
            raise Missing(f"it does not find {name}, so widgets stay blank; {AGAIN}")
        if name in off:
            raise Missing(f"{name} is switched off: type .venv/bin/jupyter labextension enable {name}")
    return [there[name] for name in FRONT_ENDS]


def fetched(running, path):
    """Return the bytes of a page of a JupyterLab, asked for with its token."""
    request = urllib.request.Request(running.url + path, headers={"Authorization": f"token {running.token}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read()


def opens(address):
    """Whether an address is given to who has no token."""
    try:
        urllib.request.urlopen(address, timeout=10).close()
    except urllib.error.HTTPError as refused:
        return refused.code not in (401, 403)
    return True


def tensorflow(code=FIT, seconds=50):
    """TensorFlow can be imported, and fits one step."""
    stage = "lessons 07, 09, 11, 12, 13, 15, 17 and 19 need it, the others and the demo do not"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=seconds, env=os.environ | ENVIRONMENT
        )
    except subprocess.TimeoutExpired:
        raise Missing(f"no step fitted in {seconds} s: close other programs, and try again; {stage}") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
        raise Missing(f"{last}; {AGAIN}; {stage}")
    return f"fits a step ({done.stdout.strip()})"


def browser(chromium=machine.chromium):
    """Draw the demo's page in a Chromium where there is one; else name the browser that will open."""
    with tempfile.TemporaryDirectory() as folder, chromium() as running:
        if running is None:
            return other_browser()
        page = running.new_page()
        errors, _ = machine.watch(page)
        page.goto(demo.write_page(Path(folder) / "page.html").as_uri())
        wanted = len(demo.widgets())
        for number in range(wanted):
            page.frame_locator("iframe").nth(number).locator("section.look").wait_for(timeout=20_000)
        if errors:
            raise Missing(f"the page of the demo has errors: {errors[0]}")
    return f"Chromium draws the demo's page, all {wanted} explorables"


def other_browser():
    """The name of the browser that Python opens. Raises Worth where there is none."""
    try:
        name = webbrowser.get().name
    except webbrowser.Error:
        raise Worth("none found here: open the address that JupyterLab prints in the browser of your choice") from None
    return f"{name} will open; without a Chromium nothing was drawn in it"


QUICK = {"packages": packages, "memory": memory, "disk": disk, "port": port}
SLOW = {"kernel": kernel, "JupyterLab": jupyterlab, "TensorFlow": tensorflow, "browser": browser}

if __name__ == "__main__":
    sys.exit(main())
