"""A student of the class server, for tests and measurements: signs in, opens a lesson, runs its cells, saves.

It sends the same requests as the pages, without rendering them.
"""

import contextlib
import json
import re
import secrets
import shutil
import socket
import subprocess
import time
import uuid
from pathlib import Path

import requests
import websocket

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ROOT / ".venv-hub" / "bin" / "python"
CLASS_SERVER = ROOT / "classroom" / "hub" / "class_server.py"


class Refused(Exception):
    """The hub did not let the student in."""


class Student:
    """One person at one browser. url: the address of the class server, without a slash at the end."""

    def __init__(self, url, name, password):
        self.url, self.name, self.password = url, name, password
        self.pages = requests.Session()
        self.server = f"{url}/user/{name}"

    def sign_in(self, seconds=300):
        """Sign in and wait for the student's JupyterLab. Raises Refused or TimeoutError."""
        page = self.pages.get(f"{self.url}/hub/login", timeout=60)
        form = {"username": self.name, "password": self.password, "_xsrf": self._xsrf("/hub/")}
        page = self.pages.post(f"{self.url}/hub/login?next=%2Fhub%2Fspawn", data=form, timeout=300)
        if page.url.split("?")[0].endswith("/hub/login"):
            raise Refused(f"{self.name}: {page.status_code}")
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            page = self.pages.get(f"{self.server}/lab/tree/00_start_here.ipynb", timeout=300)
            if page.ok and "jupyter-config-data" in page.text:
                return
            time.sleep(0.5)
        raise TimeoutError(f"{self.name}: no JupyterLab in {seconds} s, {page.status_code} at {page.url}")

    def read(self, path):
        """Return a file of the student's home, as the contents API gives it."""
        return self._request("GET", f"contents/{path}")

    def save(self, path, notebook):
        """Save a notebook there, as JupyterLab does."""
        return self._request("PUT", f"contents/{path}", {"type": "notebook", "format": "json", "content": notebook})

    def open(self, path):
        """Start a kernel for a notebook. The caller closes the returned Kernel."""
        body = {"path": path, "name": path, "type": "notebook", "kernel": {"name": "python3"}}
        return Kernel(self, self._request("POST", "sessions", body)["kernel"]["id"])

    def _request(self, method, path, content=None):
        headers = {"X-XSRFToken": self._xsrf(f"/user/{self.name}/")}
        answer = self.pages.request(method, f"{self.server}/api/{path}", json=content, headers=headers, timeout=300)
        answer.raise_for_status()
        return answer.json()

    def _xsrf(self, path):
        return next(
            (cookie.value for cookie in self.pages.cookies if (cookie.name, cookie.path) == ("_xsrf", path)), ""
        )


class Kernel:
    """A running kernel of a student, over a websocket."""

    def __init__(self, student, number):
        self.student, self.kernel_id, self.session = student, number, uuid.uuid4().hex
        self.connect()

    def connect(self):
        """Open the websocket, or reopen it: the kernel outlives it."""
        request = requests.Request("GET", self.student.server + "/api/kernels")
        cookie = self.student.pages.prepare_request(request).headers["Cookie"]
        address = self.student.server.replace("http", "ws", 1) + f"/api/kernels/{self.kernel_id}/channels"
        self.socket = websocket.create_connection(f"{address}?session_id={self.session}", cookie=cookie, timeout=900)

    def run(self, code, seconds=900):
        """Run one cell and return what it printed. Raises RuntimeError with the cell's error, or TimeoutError.

        Where the kernel ends under the cell, no reply ever comes, but the server says that it starts a new one.
        """
        header = {
            "msg_id": uuid.uuid4().hex,
            "msg_type": "execute_request",
            "version": "5.3",
            "username": "",
            "date": "",
        }
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": False}
        who = {"session": self.session, "username": "", "date": ""}
        message = {"header": header | who, "content": content, "channel": "shell"}
        self.socket.send(json.dumps(message | {"parent_header": {}, "metadata": {}, "buffers": []}))
        printed, waiting = [], {"execute_reply", "idle"}
        deadline = time.monotonic() + seconds
        while waiting:
            kind, content = self._next_reply(header["msg_id"], deadline)
            if kind == "stream":
                printed.append(content["text"])
            if kind == "execute_reply" and content["status"] != "ok":
                raise RuntimeError(f"{content.get('ename')}: {content.get('evalue')}")
            waiting -= {kind, content.get("execution_state")}
        return "".join(printed)

    def _next_reply(self, message_id, deadline):
        """Return the type and content of the next reply to a request."""
        while time.monotonic() < deadline:  # the server's pings keep the socket's own limit from ever ending
            kind, received = self.socket.recv_data(control_frame=True)
            message = json.loads(received) if kind == websocket.ABNF.OPCODE_TEXT else {}  # widgets' buffers are binary
            content = message.get("content", {})
            if message.get("parent_header", {}).get("msg_id") == message_id:
                return message["header"]["msg_type"], content
            if content.get("execution_state") in ("restarting", "dead"):
                raise RuntimeError("The kernel ended under the cell.")
        raise TimeoutError("No reply from the kernel.")

    def close(self):
        with contextlib.suppress(Exception):
            self.socket.close()


class ClassServer:
    """A class server on loopback with its own folder; the accounts are created before it starts."""

    def __init__(self, folder, names, *options):
        self.folder, self.options, self.log = Path(folder), options, Path(folder) / "hub.log"
        self.port, self.was_away = free_ports(), False
        self.url = f"http://127.0.0.1:{self.port}"
        self.command("students", *names)
        lines = (self.folder / "passwords.csv").read_text(encoding="utf-8").split()
        self.passwords = dict(line.split(",") for line in lines)

    def command(self, *words):
        """Run a command, as an instructor does, and return its output. Raises CalledProcessError."""
        command = [PYTHON, CLASS_SERVER, "--folder", self.folder, *self.options, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def start(self, seconds=120):
        """Start the hub, and wait until it answers. Raises TimeoutError with the end of its log."""
        command = [PYTHON, CLASS_SERVER, "--folder", self.folder, "--port", str(self.port), *self.options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(requests.RequestException):
                if requests.get(f"{self.url}/hub/health", timeout=5).ok:
                    return
            time.sleep(0.3)
        raise TimeoutError(self.log.read_text(encoding="utf-8")[-2000:])

    def crash_and_start(self):
        """Kill the hub without cleanup and restart it. Returns the downtime in seconds."""
        before = time.monotonic()
        self.process.kill()
        self.process.wait()
        self.start()
        self.was_away = True
        return time.monotonic() - before

    def stop(self):
        """End everything that was started."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self.command("stop")
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder / "homes", ignore_errors=True)

    def student(self, name):
        return Student(self.url, name, self.passwords[name])


def free_ports(first=9120, last=9900):
    """Return the first of three consecutive free ports, chosen at random."""
    while True:
        port = first + secrets.randbelow((last - first) // 3) * 3
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for number in range(port, port + 3):
                stack.enter_context(contextlib.closing(socket.socket())).bind(("127.0.0.1", number))
            return port


def cells(notebook):
    """Return the code of all non-empty code cells."""
    sources = ("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    return [source for source in sources if re.search(r"\S", source)]
