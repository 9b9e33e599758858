"""Run every answer of tests/data/odd.jsonl in a real kernel and print one line of results for each.

    python workshop/try_odd.py [WORD]    only those with this word in their kind or name

A kernel is reused while it is healthy.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from jupyter_client.manager import start_new_kernel

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 20  # seconds
HEADER = ["name", "kind", "state", "seconds", "ids", "changed", "threads left", "next cell works", "message", "printed"]
PREPARE = """
import builtins as _b, math as _m, random as _r, signal as _s, threading as _t, os as _o, sys as _y, time as _c
import warnings as _w, gc as _g, json as _j, resource as _re
import numpy as _n
_re.setrlimit(_re.RLIMIT_AS, (7 << 30, _re.getrlimit(_re.RLIMIT_AS)[1]))
_re.setrlimit(_re.RLIMIT_CORE, (0, 0))
_clock, _dump, _print, _vars, _callable = _c.monotonic, _j.dumps, print, vars, callable
_id, _set, _sorted, _repr = id, set, sorted, repr
_name = "".join
_get_ident, _enumerate, _getsignal, _mask = _t.get_ident, _t.enumerate, _s.getsignal, _s.pthread_sigmask

def _state():
    return {
        "builtins": {n: _id(v) for n, v in _vars(_b).items() if n != "_"},
        "math": {n: _id(v) for n, v in _vars(_m).items()},
        "np": {n: _id(v) for n, v in _vars(_n).items() if n not in ("__warningregistry__",)},
        "np.linalg": {n: _id(v) for n, v in _vars(_n.linalg).items()},
        "folder": _o.getcwd(), "environ": dict(_o.environ), "path": list(_y.path),
        "trace": (_repr(_y.gettrace()), _repr(_y.getprofile())),
        "signals": [_repr(_getsignal(number)) for number in (_s.SIGINT, _s.SIGALRM, _s.SIGTERM)],
        "mask": _sorted(_mask(_s.SIG_BLOCK, ())), "timer": [x > 0 for x in _s.getitimer(_s.ITIMER_REAL)],
        "streams": [_id(_y.stdin), _id(_y.stdout), _id(_y.stderr), _y.stdout is not None and _y.stdout.closed],
        "hooks": [_repr(_y.excepthook), _repr(_y.displayhook)],
        "random": _repr((_r.getstate(), _n.random.get_state())), "gc": _g.isenabled(),
        "limit": _y.getrecursionlimit(), "errors": _repr((_n.geterr(), _n.get_printoptions())),
        "filters": _repr(list(_w.filters)),
        "functions": [_id(f) for f in (_c.monotonic, _c.sleep, _t.Thread.start, _s.signal, _s.setitimer, _o._exit)],
    }
"""
BEGIN = """from course_utils.checks import check\nimport numpy as np\n"""
CHECK = """
_before, _threads, _started = _state(), _set(_enumerate()), _clock()
try:
    _v = check({exercise!r}, answer)
    _said = [_v.state, list(_v.mistakes), _v.message]
except BaseException as _e:
    _said = ["raised", [type(_e).__name__], _repr(_e)[:200]]
_took = _clock() - _started
_after = _state()
_changed = [k for k in _before if _before[k] != _after[k]]
_left = [t.name for t in _enumerate() if t not in _threads]
_print("@@" + _dump([_took, *_said, _changed, _left]) + "@@")
"""
NEXT = """
import builtins as _b0
_ok = check('softmax', lambda S: (lambda e: e / e.sum(-1, keepdims=True))(np.exp(S - S.max(-1, keepdims=True))))
print("@@" + repr(_ok.state in ("done", "ran")) + "@@")
"""


class Kernel:
    """A kernel of this Python that imports the course from here, with the names that the cells below need."""

    def __init__(self):
        env = {"PYTHONPATH": str(ROOT), "LEARNING_TO_LOOK_DATA": "off", "TF_CPP_MIN_LOG_LEVEL": "3"}
        env |= {"PYTHONDONTWRITEBYTECODE": "1", "KERAS_BACKEND": "tensorflow"}
        folder = tempfile.mkdtemp(prefix="odd")
        self.manager, self.client = start_new_kernel(kernel_name="python3", cwd=folder, env=os.environ | env)
        for code in (PREPARE, BEGIN):
            status, text = self.run(code, 120)
            assert status == "ok", text

    def run(self, code, seconds):
        """Return the outcome (ok, error, slow, dead) and the output."""
        printed = []
        options = {"allow_stdin": False, "timeout": seconds, "output_hook": lambda one: printed.append(text_of(one))}
        try:
            status = self.client.execute_interactive(code, **options)["content"]["status"]
        except (TimeoutError, RuntimeError):  # RuntimeError: the kernel died
            status = "slow" if self.manager.is_alive() else "dead"
        return status, "".join(printed)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def text_of(message):
    """Return what a message of the kernel shows."""
    content = message["content"]
    shown = "<display>" if "data" in content else ""
    return content.get("text") or "\n".join(content.get("traceback", ())) or shown


def split_report(text):
    """Return the report between the @@ marks (None without one), and the rest of the output."""
    parts = text.split("@@")
    return (parts[1], parts[0] + parts[2]) if len(parts) == 3 else (None, text)


def try_one(kernel, odd, limit):
    status, text = kernel.run(odd["code"], 30)
    assert status == "ok", text
    start = time.monotonic()
    status, text = kernel.run(CHECK.format(**odd), limit)
    seconds = time.monotonic() - start
    report, rest = split_report(text)
    if report is None:
        outcome = {"slow": "no verdict", "dead": "kernel died"}.get(status, "cell broke: " + text[-300:])
        return [outcome, f"{seconds:.1f}", "", "", "", "no", "", rest[:80]], False
    seconds, state, ids, message, changed, threads_left = json.loads(report)
    status, text = kernel.run(NEXT, limit)
    works = status == "ok" and split_report(text)[0] == "True"
    row = [
        state,
        f"{seconds:.1f}",
        ",".join(ids),
        ",".join(changed),
        ",".join(threads_left),
        "yes" if works else "no",
        message[:300],
        rest[:80],
    ]
    return row, works and not changed and seconds < limit - 1


def answers():
    """Return the odd answers, each with name, kind, exercise and code."""
    lines = (ROOT / "tests" / "data" / "odd.jsonl").read_text(encoding="utf-8").splitlines()
    return list(map(json.loads, lines))


def rows(word):
    """Try the odd answers with this word in turn and yield a row for each; an unhealthy kernel is replaced."""
    kernel = None
    for odd in answers():
        if word not in f"{odd['kind']}: {odd['name']}":
            continue
        kernel = kernel or Kernel()
        row, healthy = try_one(kernel, odd, LIMIT)
        yield [odd["name"], odd["kind"], *row]
        if not healthy:
            kernel.close()
            kernel = None
    if kernel:
        kernel.close()


if __name__ == "__main__":
    for cells in [HEADER], rows("".join(sys.argv[1:])):
        for row in cells:
            print(" | ".join(" ".join(str(cell).split()) for cell in row), flush=True)
