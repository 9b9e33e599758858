"""Run every answer of tests/data/odd.jsonl in a real kernel and write one line of results for each.

    python workshop/try_odd.py PYTHON OUT.tsv [--path FOLDER] [--only TEXT] [--limit 20]

PYTHON: the executable of the kernel, which imports course_utils from --path. A kernel is reused while it is healthy.
"""

import argparse
import json
import os
import queue
import sys
import tempfile
import time
from pathlib import Path

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).resolve().parents[1]
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
_monotonic_before = (_c.monotonic, _c.sleep, _t.Thread.start, _s.signal, _s.setitimer, _o._exit)

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
_FIRST = [_id(f) for f in _monotonic_before]
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
    def __init__(self, python, path):
        self.manager = KernelManager()
        self.manager._kernel_spec = KernelSpec(
            argv=[os.path.abspath(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            language="python",
            display_name="odd",
        )
        folder = tempfile.mkdtemp(prefix="odd")
        env = {**os.environ, "PYTHONPATH": path, "LEARNING_TO_LOOK_DATA": "off", "TF_CPP_MIN_LOG_LEVEL": "3"}
        env |= {"PYTHONDONTWRITEBYTECODE": "1", "KERAS_BACKEND": "tensorflow"}
        self.manager.start_kernel(cwd=folder, env=env)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        for code in (PREPARE, BEGIN):
            status, text = self.run(code, 120)
            assert status == "ok", text

    def run(self, code, seconds):
        """Return the outcome (ok, error, slow, dead) and the output."""
        request = self.client.execute(code, allow_stdin=False)
        deadline, text, status = time.monotonic() + seconds, [], "ok"
        while True:
            if time.monotonic() > deadline:
                return "slow", "".join(text)
            try:
                message = self.client.get_iopub_msg(timeout=0.5)
            except queue.Empty:
                if not self.manager.is_alive():
                    return "dead", "".join(text)
                continue
            if message["parent_header"].get("msg_id") != request:
                continue
            content = message["content"]
            if message["msg_type"] == "stream":
                text.append(content["text"])
            elif message["msg_type"] == "error":
                status = "error"
                text.append("\n".join(content["traceback"]))
            elif message["msg_type"] in ("display_data", "execute_result"):
                text.append("<display>")
            elif message["msg_type"] == "status" and content["execution_state"] == "idle":
                return status, "".join(text)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("python")
    parser.add_argument("out")
    parser.add_argument("--path", default=str(ROOT))
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=20)
    options = parser.parse_args()
    with open(options.out, "w", encoding="utf-8") as file:
        print(*HEADER, sep="\t", file=file, flush=True)
        for cells in rows(options):
            print(*cells, sep="\t", file=file, flush=True)
            print(*cells[:8], sep=" | ", flush=True)


def rows(options):
    """Try the odd answers in turn and yield a row for each; an unhealthy kernel is replaced."""
    kernel = None
    for odd in answers():
        if options.only not in f"{odd['kind']}: {odd['name']}":
            continue
        kernel = kernel or Kernel(options.python, options.path)
        try:
            row, healthy = try_one(kernel, odd, options.limit)
        except Exception as problem:
            row, healthy = ["harness: " + repr(problem)[:200]] + [""] * 7, False
        yield [" ".join(str(cell).split()) for cell in (odd["name"], odd["kind"], *row)]
        if not healthy:
            kernel.close()
            kernel = None
    if kernel:
        kernel.close()


if __name__ == "__main__":
    sys.exit(main())
