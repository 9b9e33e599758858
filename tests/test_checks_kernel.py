"""In a real kernel: after an answer of an odd kind the kernel is as before, the next cell works, and so does Ctrl-C."""

import sys
import threading

import pytest
import try_odd

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture(scope="module")
def kernel():
    started = try_odd.Kernel()
    yield started
    started.close()


ODD = ["sleep 60", "7**10**8", "bare except around sleep", "recursion in except", "recursion through apply_along_axis"]
ODD += [
    "limit raised, then endless through C",
    "input()",
    "getpass",
    "quit()",
    "os._exit(0)",
    "os.fork()",
    "breakpoint()",
]
ODD += ["timer cancelled, then a loop", "displays an image of itself", "checks itself", "checks another in a thread"]
ODD += ["asyncio.run inside", "endless __del__", "closes sys.stdout", "KeyboardInterrupt"]
ODD += ["endless __del__ after a sleep", "generator that swallows GeneratorExit", "sys.settrace(None) in a loop"]


@pytest.mark.parametrize("name", ODD)
def test_a_kernel_goes_on_as_before(kernel, name):
    odd = next(odd for odd in try_odd.answers() if odd["name"] == name)
    row, healthy = try_odd.try_one(kernel, odd, 20)
    assert healthy, row  # and there was a verdict
    assert row[7].strip() == ""  # nothing reaches the page


def test_an_interrupt_of_the_kernel_reaches_the_cell(kernel):
    kernel.run("def answer(Q, K):\n    while True:\n        pass", 5)
    threading.Timer(0.3, kernel.manager.interrupt_kernel).start()
    status, text = kernel.run("import pagecheck.run as r; r.run(answer, [(1, 2)], 1, None)", 10)
    assert status == "error" and "KeyboardInterrupt" in text
    assert kernel.run("await __import__('asyncio').sleep(0); print(check('softmax', lambda S: S).state)", 10) == (
        "ok",
        "not yet\n",
    )
