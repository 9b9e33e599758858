"""First cells of hostile returns, and of some that are only odd. {CANARY} is a file on the host."""

import json

SPEAKS = """
import gc, json, os, struct
from grading.wire import Wire
wire = next(one for one in gc.get_objects() if isinstance(one, Wire))
inside = next(one for one in gc.get_objects() if isinstance(one, type) and one.__name__ == "SandboxedAnswers")
def say(text, *arrays):
    sizes = [len(text), *map(len, arrays)]
    message = b"".join([struct.pack(f">I{len(sizes)}Q", len(sizes), *sizes), text, *arrays])
    left = struct.pack(">Q", len(message)) + message
    while left:
        left = left[os.write(wire.sink, left):]
"""
ADDRESS = [["text", "data"], ["tuple", [["int", "1000"], False]]], [["text", "shape"], ["tuple", [["int", "ff"]]]]
ADDRESS = ["dict", [*ADDRESS, [["text", "typestr"], ["text", "<f8"]], [["text", "version"], ["int", "3"]]]]
POINTS_AT_MEMORY = ["named", [ADDRESS, ["int", "1"]], "Pair", ["__array_interface__", "y"]]
ASKS = [["text", "check"], ["text", "conceptual_keys"]], [["text", "stub"], False], [["text", "late"], False]
POINTS_AT_MEMORY = json.dumps(["dict", [*ASKS, [["text", "answer"], POINTS_AT_MEMORY]]])
HOSTILE = {
    "points the judge at memory": f"{SPEAKS}say({POINTS_AT_MEMORY!r}.encode())",
    "breaks a comparison of the judge": f"""{SPEAKS}say(b'["dict", [[["text", "ran"], ["list", []]]]]')""",
    "fills the memory of the judge": f"""{SPEAKS}say(b"[" + b"[]," * 15_000_000 + b"[]]")""",
    "raises what stops a grader": f"""{SPEAKS}
inside.answer_call = lambda self, asked: self.wire.send({{"raised": ["KeyboardInterrupt", "x", "", ""]}})""",
    "answers no question": f"""{SPEAKS}
inside.answer_call = lambda self, asked: self.wire.send({{"what": 1}})""",
    "calls functions that are none": f"""{SPEAKS}
inside.answer_call = lambda self, asked: [self.wire.send({{"back": 7, "arguments": []}}) for _ in range(9)]""",
    "says what steers a screen": f"""{SPEAKS}
said = "[/red] \\x1b[2J \\u2028 \\ud800 <script> | `"
inside.answer_call = lambda self, asked: self.wire.send({{"raised": ["ValueError", said, said, ""]}})""",
    "patches json": 'import json\njson.dumps = lambda *a, **k: \'{"state": "done"}\'',
    "forges the judge": """
import sys, course_utils.checks
from pagecheck.words import Verdict
sys.modules["course_utils.checks.check"].judge = lambda exercise, *_: Verdict("done", name=exercise.name)""",
    "forges check": """
import course_utils.checks
course_utils.checks.check = lambda name, answer: course_utils.checks.Verdict("done", name=name)""",
    "writes verdicts": """
import os
for line in range(3, 40):
    try:
        os.write(line, b'{"exercise": "scores", "state": "done", "mistakes": []}\\n')
    except OSError:
        pass""",
    "writes a message of its own": """
import struct
from grading.plain_values import pack
import os
message = pack({"check": "scores", "stub": False, "late": False, "answer": 1, "state": "done", "end": []})
for line in range(3, 40):
    try:
        os.write(line, struct.pack(">Q", len(message)) + message)
    except OSError:
        pass""",
    "touches files": """
import os, pathlib
for path in ("{CANARY}", "/course/course_utils/checks/check.py", "/usr/x"):
    try:
        pathlib.Path(path).write_text("gone")
    except OSError:
        pass
os.system("rm -rf {CANARY}")""",
    "plants a pth": """
import pathlib, site, sys
for folder in site.getsitepackages():
    try:
        pathlib.Path(folder, "evil.pth").write_text("import os; os.system('touch {CANARY}.pth')")
    except OSError:
        pass""",
    "leaves a child": """
import os, time
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        open("/tmp/{MARK}", "w")
        time.sleep(120)
    os._exit(0)""",
    "calls home": "import socket\nsocket.create_connection(('127.0.0.1', {PORT}), 2).send(b'x')",
}
TOO_MUCH = {
    "takes 2 GB": "import numpy as np\nhuge = np.ones(250_000_000)\nhuge_is_there = True\n",
    "forks without end": "import os\nwhile True:\n    os.fork()",
    "fills the disk": "with open('big', 'wb') as file:\n    while True:\n        file.write(bytes(10_000_000))",
    "ends the process": "import os; os._exit(0)",
    # With the inner loop, every exception is raised inside the `try`. It prints nothing, because IPython buffers output
    # until memory is full, and the resulting error could end the loop.
    "fills sockets": """
import os, socket, time
pairs = []
for child in range(2):
    if os.fork() == 0:
        break
for pair in range(7_000):
    pairs.append(socket.socketpair())
    for one in pairs[-1]:
        one.setblocking(False)
        try:
            while True:
                one.send(bytes(60_000))
        except BlockingIOError:
            pass
time.sleep(20)""",
    "never ends": """
while True:
    try:
        while True:
            pass
    except BaseException:
        pass""",
}
ODD = {
    "asks": "input('your name? ')",
    "exits": "import sys; sys.exit()",
    "prints": "print('x' * 300_000_000)",
    "is no Python": "def (:",
}
# Each collects in `reached` what it could reach of the host; `scores` is right only if that is empty.
REACHING = {
    "reads the neighbours": """
import os, pathlib
tops = "/home", "/root", "/tmp", "/work", "/course"
reached = [str(path) for top in tops for path in pathlib.Path(top).rglob("*.ipynb")]
told = [*pathlib.Path("/proc").glob("[0-9]*/environ"), *pathlib.Path("/proc").glob("[0-9]*/cmdline")]
reached += [str(path) for path in told if b"SECRET_OF_THE_GRADER" in path.read_bytes()]""",
    "writes to the machine": """
reached = []
for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/x", "/dev/x", "/home/x", "/course/x"):
    try:
        open(path, "a").close()
    except OSError:
        continue
    reached.append(path)""",
    "memory that nobody counts": """
import ctypes, os
reached = [place for place in ("/dev/shm", "/tmp", ".") if os.statvfs(place).f_blocks * 4096 > 500_000_000]
kernel = ctypes.CDLL(None, use_errno=True)
reached += ["a file of memory"] * (kernel.memfd_create(b"x", 0) >= 0)
reached += ["shared memory"] * (kernel.shmget(0, 1_000_000, 0o1600) >= 0)
reached += ["semaphores"] * (kernel.semget(0, 30_000, 0o1600) >= 0)
reached += ["a queue of messages"] * (kernel.msgget(0, 0o1600) >= 0)
reached += ["rights of its own"] * (kernel.unshare(0x10000000 | 0x20000) == 0)
reached += ["a place of its own"] * (kernel.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0)""",
}
UNREACHED = "assert not reached, reached; return Q @ K.T / np.sqrt(Q.shape[1])"
# Replacements for the cell that checks `scores`; the lesson later continues with `keep`.
WITHOUT_A_CHECK = {
    "a check deleted, and right": ("def scores_of(Q, K): return Q @ K.T / np.sqrt(Q.shape[1])", "done"),
    "a check deleted, and wrong": ("def scores_of(Q, K): return Q @ K.T", "not yet"),
    "a check deleted, and nothing there": ("1", "missing"),
    "a check in a cell with an error": (
        'def scores_of(Q, K): return Q @ @ K.T\ncheck("scores", scores_of)',
        "syntax error",
    ),
}
GOES_ON = 'from course_utils.checks import keep\nscores_of = keep("scores")'
