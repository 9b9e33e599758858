"""What a class gained: from the answers that students handed in to numbers with intervals, a page and a picture.

    nox -s gain -- FOLDER [--compare FOLDER] [--out FOLDER]
    nox -s gain -- --codes 30            codes to hand out: half begins with form A
    nox -s gain -- --sizes               how many students a study needs
    nox -s gain -- --coverage [1000]     how often the intervals hold the gain of simulated classes
    nox -s gain -- --made-up FOLDER 30   a simulated class, to try all this

docs/GAIN.md says how to run a study. Nothing leaves this machine.
"""

import argparse
import re
import sys
from pathlib import Path

from measuring import simulated, sizes

from course_utils.inventory.answers import SITTINGS
from course_utils.inventory.codes import draw_code

MADE_UP_GAIN = 0.3


def options_of(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="docs/GAIN.md says more.")
    parser.add_argument("folder", type=Path, nargs="?", help="the files answers_CODE.json that students handed in")
    parser.add_argument("--compare", type=Path, help="the same of a comparison group")
    parser.add_argument("--out", type=Path, default=Path("gain"), help="where the page and the picture go")
    parser.add_argument("--codes", type=int, help="print this many codes, half of each form")
    parser.add_argument("--sizes", action="store_true", help="print how many students a study needs")
    parser.add_argument("--coverage", type=int, nargs="?", const=1000, help="print how often the intervals are right")
    parser.add_argument("--made-up", nargs=2, metavar=("FOLDER", "N"), help="write the answers of a simulated class")
    options = parser.parse_args(arguments)
    numbers = (options.codes, options.coverage, options.made_up and options.made_up[1])
    if not all(number is None or re.fullmatch(r"[1-9]\d*", str(number)) for number in numbers):
        parser.error("a number of codes, classes or students is at least 1, in digits")
    return options


def main(arguments=None):
    """Run the requested command. Returns the exit status."""
    options = options_of(arguments)
    if options.codes:
        print("\n".join(draw_code("AB"[i % 2]) for i in range(options.codes)))
    elif options.sizes:
        print("\n".join(sizes.tables()))
    elif options.coverage:
        print_coverage(options.coverage)
    elif options.made_up:
        folder, n = Path(options.made_up[0]), int(options.made_up[1])
        simulated.write_class(folder, n, MADE_UP_GAIN)
        print(f"{folder}: {n} students who do not exist, with a gain of {MADE_UP_GAIN}")
    elif options.folder:
        return evaluate(options)
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


def evaluate(options):
    """Read the folder, write the page and the picture, and print the page. Returns the exit status."""
    from measuring.report import page
    from measuring.returned import read_class

    try:
        group = read_class(options.folder)
        other = read_class(options.compare) if options.compare else None
    except ValueError as problem:
        print(problem, file=sys.stderr)
        return 1
    if not group.students:
        print(f"{options.folder}: no finished answers here.", *group.problems, sep="\n", file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    text = page(group, *draw_picture(group, options.out), other)
    (options.out / "gain.md").write_text(text, encoding="utf-8")
    print(text)
    return 0


def draw_picture(group, out):
    """Draw the picture if anybody answered both times. Returns its file name and description."""
    if not group.respondents(*SITTINGS):
        return "", ""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot
    from measuring import picture

    figure = picture.draw(group)
    figure.savefig(out / "gain.png")
    matplotlib.pyplot.close(figure)
    return "gain.png", picture.describe(group)


def print_coverage(draws):
    """Print how often each interval contained the truth, in `draws` simulated classes of each kind."""
    print(f"{draws} simulated classes of each kind; intervals of 95 %\n")
    names = ("class gain", "mean of own changes", "effect size", "gain of a concept")
    print("students  gain  " + "  ".join(names) + "  width (class gain)")
    for n in simulated.SIZES:
        for gain in simulated.GAINS:
            shares, width = simulated.coverage(n, gain, draws)
            cells = [f"{shares[name]:{len(name) + 2}.3f}" for name in names]
            print(f"{n:8d}{gain:6.1f}{''.join(cells)}{width:20.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
