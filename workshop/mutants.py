"""How many small mistakes in the code would the tests notice? Make each once, and see whether a test fails.

    python workshop/mutants.py                              all of attention, the block and the task, 300 of the engine
    python workshop/mutants.py attention --function softmax one function of one room
    python workshop/mutants.py engine --sample 40 --seed 5  another sample of a room that is too large

Prints the share of mutants that the tests kill, and every survivor. Mutants that no test can kill, since they behave
like the original code, are listed in equivalent_mutants.toml. Fails below 95 %, and if that list is wrong.
"""

import argparse
import random
import sys
import time
from pathlib import Path
from typing import NamedTuple

from equivalent_mutants import read_equivalents
from judge_mutants import judge
from make_mutants import make_mutants

ROOT = Path(__file__).resolve().parents[1]
LEAST_KILLED = 0.95
PROGRESS_EVERY = 50  # mutants


class Room(NamedTuple):
    """Modules, and the tests that judge their mutants, the quickest first.

    sample: how many mutants represent a room that has too many; None for all. slow_imports: of its tests.
    """

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    sample: int | None = None
    slow_imports: tuple[str, ...] = ()


def modules_in(folder, pattern="[!_]*.py"):  # an __init__.py is a list of names
    return tuple(sorted(str(path.relative_to(ROOT)) for path in (ROOT / folder).glob(pattern)))


ROOMS = {
    "attention": Room(
        ("course_utils/attention.py", "course_utils/arrays/attention_arguments.py"),
        (
            "tests/test_attention.py",
            "tests/test_attention_bad_input.py",
            "course_utils/attention.py",
            "course_utils/arrays/attention_arguments.py",
            "tests/test_attention_properties.py",
        ),
    ),
    "block": Room(("course_utils/layers.py",), ("tests/test_layers.py", "course_utils/layers.py")),
    "task": Room(("course_utils/tasks/cls_task.py",), ("tests/test_cls_task.py", "course_utils/tasks/cls_task.py")),
    "engine": Room(
        (*modules_in("pagecheck"), "course_utils/checks/steps.py"),
        (
            *modules_in("pagecheck/tests", "test_*.py"),
            "tests/test_checks.py",
            "tests/test_checks_engine.py",
            "tests/test_checks_errors.py",
            "tests/test_checks_steps.py",
            "tests/test_checks_pages.py",
            "tests/test_checks_explanations.py",
            "tests/test_checks_sets.py",
            "tests/test_checks_promises.py",
            "tests/test_checks_survive.py",
            "tests/test_checks_messages.py",
            *modules_in("pagecheck"),
        ),
        sample=300,
        slow_imports=("course_utils", "keras"),  # the first silences TensorFlow and loads nothing else
    ),
}


def main(arguments=None):
    """Judge the named rooms. Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", default=list(ROOMS), metavar="room", help=f"{', '.join(ROOMS)}")
    parser.add_argument("--function", help="only mutants of this function, or Class.method")
    parser.add_argument(
        "--sample", type=int, help="this many mutants of each room, drawn with --seed; else 300 of engine"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    options = parser.parse_args(arguments)
    if not set(options.rooms) <= set(ROOMS):
        parser.error(f"there is no such room; these are there: {', '.join(ROOMS)}")
    complaints = [complaint for name in options.rooms for complaint in judge_room(name, options)]
    print("\n".join(complaints))
    return 1 if complaints else 0


def judge_room(name, options):
    """Judge the mutants of one room, print the result, and return a sentence for every problem."""
    room, start = ROOMS[name], time.monotonic()
    mutants = [mutant for path in room.modules for mutant in make_mutants(path)]
    equivalents = [entry for entry in read_equivalents() if entry.path in room.modules]
    chosen = select(mutants, options, room.sample)
    print(f"{name}: {len(chosen)} of {len(mutants)} mutants", flush=True)

    def progress(n_judged):
        if n_judged % PROGRESS_EVERY == 0:
            print(f"  {n_judged} judged, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)

    judgements = judge(chosen, room.tests, options.workers, progress, room.slow_imports)
    alive = {mutant for mutant, judgement in zip(chosen, judgements, strict=True) if judgement == "survived"}
    listed = {mutant for mutant in chosen if any(entry.is_for(mutant) for entry in equivalents)}
    low = [f"{name}: fewer than {LEAST_KILLED:.0%} of the mutants are killed"]
    complaints = low if report(chosen, alive, listed) < LEAST_KILLED else []
    print(f"  {time.monotonic() - start:.0f} s")
    complaints += [f"listed as equivalent, and yet a test kills it: {describe(mutant)}" for mutant in listed - alive]
    obsolete = [entry for entry in equivalents if not any(entry.is_for(mutant) for mutant in mutants)]
    return complaints + [f"listed as equivalent, but there is no such mutant: {entry}" for entry in obsolete]


def select(mutants, options, default_sample=None):
    """Return the mutants of the named function, or a sample, in their order in the code."""
    mutants = [mutant for mutant in mutants if options.function in (None, mutant.function)]
    size = options.sample or (default_sample if options.function is None else None) or len(mutants)
    chosen = random.Random(options.seed).sample(range(len(mutants)), min(size, len(mutants)))
    return [mutants[i] for i in sorted(chosen)]


def report(chosen, alive, listed):
    """Print the survivors, and the score of each module and of the room. Returns the share of killed mutants."""
    for mutant in sorted(alive - listed):
        print(f"  survived: {describe(mutant)}")
    for path in [*dict.fromkeys(mutant.path for mutant in chosen), None]:
        here = {mutant for mutant in chosen if path in (mutant.path, None)}
        equivalent = len(here & alive & listed)
        counted, killed = len(here) - equivalent, len(here - alive)
        share = killed / counted if counted else 1.0
        print(f"  {path or 'in all'}: {killed} of {counted} killed, {share:.1%}; {equivalent} more are equivalent")
    return share


def describe(mutant):
    """Return the location of the mutant and its change as a diff."""
    removed = [f"    - {line}" for line in mutant.before.splitlines()]
    added = [f"    + {line}" for line in mutant.after.splitlines()]
    return "\n".join([f"{mutant.path}:{mutant.line} {mutant.function}", *removed, *added])


if __name__ == "__main__":
    sys.exit(main())
