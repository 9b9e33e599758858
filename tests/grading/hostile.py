"""Returns that mean harm, and some that are only odd: the first cell of each. {CANARY} is a file of the machine."""

HOSTILE = {
    "patches json": 'import json\njson.dumps = lambda *a, **k: \'{"state": "done"}\'',
    "forges the judge": """
import sys, course_utils.checks
from course_utils.checks.engine.verdict import Verdict
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
from grading.plain_values import packed
import os
message = packed({"check": "scores", "stub": False, "late": False, "answer": 1, "state": "done", "end": []})
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
    "never ends": "while True:\n    try:\n        print('x' * 100000)\n    except BaseException:\n        pass",
}
ODD = {
    "asks": "input('your name? ')",
    "exits": "import sys; sys.exit()",
    "prints": "print('x' * 300_000_000)",
    "is no Python": "def (:",
}
# Each of these notes in `reached` what it could reach of the machine, and `scores` is right where that is nothing.
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
reached += ["rights of its own"] * (kernel.unshare(0x10000000 | 0x20000) == 0)
reached += ["a place of its own"] * (kernel.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0)""",
}
UNREACHED = "assert not reached, reached; return Q @ K.T / np.sqrt(Q.shape[1])"
