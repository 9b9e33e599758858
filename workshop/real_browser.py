"""A real browser and a real JupyterLab for tests and benchmarks, both local.

Chromium comes from the system or from `playwright install chromium`.
JupyterLab listens on loopback, with a token, and with its own folders for settings and data, deleted when it stops.
"""

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import jupyterlab_files
from playwright.sync_api import TimeoutError as TooLate
from playwright.sync_api import sync_playwright

# The first is Chromium without windows: it draws the same pages with a fifth less CPU time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NAMES += ("chrome", "msedge")
MISSING = (
    "no Chromium or Chrome found. Get it with `apt-get install chromium` or your system's way, "
    "or with `.venv/bin/python -m playwright install chromium`"
)
# No sandbox, since containers run as root; no background requests.
OPTIONS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LOOPBACK = "127.0.0.1"
# JupyterLab's debugger queries a new kernel that the test has already shut down.
JUPYTERLAB_NOISE = ("Could not restore the debugger state", "Canceled future for debug_request message")


def executable(playwright):
    """Return the path of a Chromium, or None."""
    installed = next(filter(None, map(shutil.which, NAMES)), None)
    bundled = playwright.chromium.executable_path
    return installed or (bundled if Path(bundled).exists() else None)


@contextlib.contextmanager
def chromium():
    """A running headless Chromium, as Playwright's Browser; None if none is installed."""
    with sync_playwright() as playwright:
        path = executable(playwright)
        browser = path and playwright.chromium.launch(executable_path=path, args=OPTIONS)
        try:
            yield browser
        finally:
            if browser:
                browser.close()


def watch(page, allowed=()):
    """Return two lists that fill while the page lives: console errors, and hosts that it contacts."""
    errors, hosts = [], []

    def add_error(text):
        if not text.startswith(JUPYTERLAB_NOISE):
            errors.append(text)

    page.on("console", lambda message: message.type == "error" and add_error(message.text))
    page.on("pageerror", lambda error: add_error(str(error)))

    def add_host(request):
        host = request.url.split("/")[2] if request.url.startswith(("http", "ws")) else ""
        if host and host not in allowed:
            hosts.append(host)

    page.on("request", add_host)
    page.on("websocket", add_host)
    return errors, hosts


class Lab:
    """A JupyterLab on loopback that shows one folder.

    options: for its command line. environment: additional variables for it and its kernels.
    `url` has no trailing slash; `host` is the only host that its pages may contact.
    """

    def __init__(self, folder, *options, **environment):
        self.scratch = Path(tempfile.mkdtemp(prefix="lab-"))
        self.token = secrets.token_hex(16)
        with socket.socket() as free:
            free.bind((LOOPBACK, 0))
            self.host = f"{LOOPBACK}:{free.getsockname()[1]}"
        self.url = f"http://{self.host}"
        self.log = self.scratch / "lab.log"
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--ip={LOOPBACK}", "--expose-app-in-browser"]
        command += [f"--port={self.host.split(':')[1]}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={folder}"]
        command += ["--LabApp.extension_manager=readonly", "--allow-root", *options]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, env=self._environment() | environment, stdout=log, stderr=subprocess.STDOUT
            )
        self._wait()

    def _environment(self):
        folders = {
            f"JUPYTER_{name}_DIR": str(self.scratch / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")
        } | {f"JUPYTERLAB_{name}_DIR": str(self.scratch / name.lower()) for name in ("SETTINGS", "WORKSPACES")}
        notifications = (
            self.scratch / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
        )
        notifications.parent.mkdir(parents=True)
        notifications.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
        self._install_course_files()
        own = {"JUPYTER_TOKEN": self.token, "IPYTHONDIR": str(self.scratch / "ipython"), "LEARNING_TO_LOOK_DATA": "off"}
        return os.environ | folders | own  # not on the command line, which other users can read

    def _install_course_files(self):
        """Install what `nox -s lab` installs; the settings go into this JupyterLab's own configuration."""
        data, config = self.scratch / "data", self.scratch / "config" / "labconfig"
        jupyterlab_files.install(data)
        config.mkdir(parents=True)
        shutil.copy(
            jupyterlab_files.FILES_FOLDER / jupyterlab_files.SETTINGS, config / "default_setting_overrides.json"
        )

    def _wait(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{self.url}/api/status?token={self.token}", timeout=2).close()
                return
            time.sleep(0.1)
        log = self.log.read_text(errors="replace")
        self.stop()
        raise RuntimeError(f"JupyterLab did not start within {seconds} s:\n{log}")

    def open(self, page, name, *, dark=False):
        """Open a notebook and wait until its kernel is idle. A page that already shows JupyterLab is not reloaded."""
        if page.url.startswith(self.url):
            self.command(page, "docmanager:open", {"path": name})
        else:
            page.goto(f"{self.url}/lab/tree/{name}?token={self.token}&reset")
        try:
            page.wait_for_function(READY, arg=name, timeout=90_000)
        except TooLate as late:
            raise RuntimeError(f"{name} is not open with an idle kernel after 90 s: {page.evaluate(SHOWN)}") from late
        self.theme(page, dark=dark)

    def theme(self, page, *, dark):
        """Switch JupyterLab to its light or dark theme."""
        theme, light = ("JupyterLab Dark", "false") if dark else ("JupyterLab Light", "true")
        if page.evaluate("() => document.body.dataset.jpThemeLight") != light:
            self.command(page, "apputils:change-theme", {"theme": theme})
            page.wait_for_function("(light) => document.body.dataset.jpThemeLight === light", arg=light)

    def command(self, page, name, arguments=None):
        """Run a JupyterLab command and wait until it is done."""
        page.evaluate("([n, a]) => window.jupyterapp.commands.execute(n, a).then(() => null)", [name, arguments or {}])

    def run_all(self, page, *, seconds=120):
        """Run every cell, and wait until the last one is done."""
        page.evaluate(RUN_ALL, seconds)

    def close(self, page):
        """Shut down the kernel of the open notebook and close it without saving."""
        page.evaluate(CLOSE)

    def stop(self):
        """Stop JupyterLab and remove its folders."""
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.scratch, ignore_errors=True)


RUN_ALL = """(seconds) => Promise.race([
  window.jupyterapp.commands.execute('notebook:run-all-cells').then(() => null),
  new Promise((_, refuse) => {
    setTimeout(() => refuse(new Error(`Run All is not done after ${seconds} s`)), 1000 * seconds);
  }),
])"""
# A kernel may report that it is idle before JupyterLab 4.5 listens; any request makes it report again.
READY = """(name) => {
  const current = window.jupyterapp?.shell.currentWidget;
  const kernel = current?.context?.path === name && current.sessionContext.session?.kernel;
  const silent = kernel?.connectionStatus === 'connected' && kernel.status === 'unknown';
  if (silent) kernel.askedAgain ??= setTimeout(() => kernel.requestKernelInfo().catch(() => {}), 3000);
  return kernel?.status === 'idle' && !document.querySelector('.jp-Dialog');
}"""
SHOWN = """() => {
  const current = window.jupyterapp?.shell.currentWidget;
  const kernel = current?.sessionContext?.session?.kernel;
  const dialogs = [...document.querySelectorAll('.jp-Dialog')].map((dialog) => dialog.innerText);
  return { shows: current?.context?.path, kernel: kernel?.status, connection: kernel?.connectionStatus, dialogs };
}"""
CLOSE = """async () => {
  const current = window.jupyterapp.shell.currentWidget;
  await current.sessionContext.shutdown();
  current.context.model.dirty = false;
  current.close();
}"""
