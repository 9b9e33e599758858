"""What the checks say to every answer that the project has: recorded once, and compared ever after. nox -s oracle

    nox -s oracle                     judge all answers again, and print where state, ids or words differ
    nox -s oracle -- scores weights   those of these exercises only
    nox -s oracle -- --kernel         the seeded sample, each answer in a cell of a real kernel
    nox -s oracle -- --record         write down what the checks say now, for all or for the exercises named; of a new
                                      exercise the answers that its page makes
    nox -s oracle -- --times          print how long the checks take, and compare nothing
    nox -s oracle -- weights --add cell.py "no root"   take in a cell that ends with `answer = ...`; right without words

tests/answers/ holds one answer a line: listed.jsonl, pairs.jsonl, right.jsonl, and a file for each hand of each wave of
answers that nobody had listed. helpers.jsonl holds code that many of them share.
"""

import argparse
import contextlib
import hashlib
import json
import linecache
import os
import random
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "answers"
SAMPLE, SEED = 300, 31  # of the answers that a real kernel judges, too
SAID = ("state", "ids", "says", "more")


def read(folder=FOLDER):
    """Return the code of the helpers by their names, and the answers, one dictionary each, with its file."""
    helpers, answers = {}, []
    for path in sorted(folder.glob("*.jsonl")):
        for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if "name" in record:
                helpers[record["name"]] = record["code"]
            elif "key" in record:  # the first line of a wave says when the checks were frozen
                answers.append(record | {"file": path.name})
    return helpers, answers


def of_page(name):
    """Return the answers that the page of a new exercise makes: its solution, and each wrong line in its place."""
    from course_utils.checks.exercises import page_of, shared
    from pagecheck.course import wrong_answers

    page = page_of(name)
    others = [block.text for block in page.blocks if not block.text.startswith("def ")]
    head = "\n".join([f"from {shared.__name__} import *", *others])
    texts = [page.blocks[0].text, *(text for _, text in wrong_answers(page, page_of))]
    ends = [f"{head}\n{text}\nanswer = {text[4 : text.index('(')]}" for text in texts]
    fixed = {"exercise": name, "uses": [], "file": "listed.jsonl"}
    labels = ["right", *["wrong"] * (len(ends) - 1)]
    return [
        {"key": f"page/{name}/{i}", "label": label, "code": end} | fixed
        for i, (label, end) in enumerate(zip(labels, ends, strict=True))
    ]


def of_cell(name, file, what):
    """Return the answer of a cell in a file, right where there are no words for what is wrong."""
    code = Path(file).read_text(encoding="utf-8").strip()
    key = hashlib.sha256(code.encode()).hexdigest()[:12]
    place = {"uses": [], "file": "listed.jsonl" if what else "right.jsonl"}
    return {
        "key": f"cell/{key}",
        "exercise": name,
        "label": "wrong" if what else "right",
        "what": what,
        "code": code,
    } | place


def new_answers(names, answers):
    """Return the answers of the pages of those exercises that have none yet."""
    return [one for name in names if name not in {known["exercise"] for known in answers} for one in of_page(name)]


def write(answers, folder=FOLDER):
    """Write the answers to their files, one a line, so that a change of one is a change of one line."""
    for name in dict.fromkeys(one["file"] for one in answers):
        path = folder / name
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        head = [line for line in lines[:1] if "key" not in json.loads(line)]
        some = [{part: one[part] for part in one if part != "file"} for one in answers if one["file"] == name]
        path.write_text(
            "\n".join([*head, *(json.dumps(one, ensure_ascii=False) for one in some), ""]), encoding="utf-8"
        )


def code_of(parts, answer):
    """Return the text of an answer: a cell that ends with `answer = ...`."""
    return "\n".join([*(parts[name] for name in answer["uses"]), answer["code"]])


def sample(answers):
    """Return the names of the answers that a kernel judges, too: the same ones on every machine."""
    keys = sorted(
        one["key"] for one in answers if not one["key"].startswith(("page/", "cell/", "wave"))
    )  # those came later
    return set(random.Random(SEED).sample(keys, SAMPLE))


def judged(exercise, code, key, explained):
    """Return what the check says to the answer that this code makes, as a dictionary."""
    import numpy as np

    from course_utils.checks import check
    from course_utils.checks.student import record

    record._this_kernel.clear()  # else what was tried before would count as a try
    name, space = f"<{key}>", {"__name__": "answer"}
    linecache.cache[name] = len(code), None, code.splitlines(keepends=True), name
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        exec(compile(code, name, "exec"), space)
        start = time.perf_counter()
        verdict = check(exercise, space["answer"])
        seconds = time.perf_counter() - start
        if explained:
            verdict = check(exercise, space["answer"])
    more = verdict.insight or str(verdict.explanation or "") * explained
    return said(verdict) | {"more": more, "seconds": seconds}


def judge_all(answers, parts, explained):
    """Judge the answers of one process. An answer that writes does not write into what we print."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        return {
            one["key"]: judged(one["exercise"], code_of(parts, one), one["key"], one["key"] in explained)
            for one in answers
        }


def in_processes(answers, parts, explained, workers=2):
    """Judge the answers, an exercise at a time, in processes of their own."""
    groups = {}
    for one in answers:
        groups.setdefault(one["exercise"], []).append(one)
    found = {}
    with ProcessPoolExecutor(workers) as pool:
        for some in pool.map(judge_all, groups.values(), *([thing] * len(groups) for thing in (parts, explained))):
            found |= some
    return found


def in_kernel(answers, parts):
    """Judge the answers in the cells of one real kernel."""
    from jupyter_client.manager import run_kernel

    found = {}
    with run_kernel(kernel_name="python3") as client:
        for one in answers:
            tell = f"import json, sys; sys.path.insert(0, {str(ROOT / 'workshop')!r}); import oracle; "
            tell += f"print('ORACLE' + json.dumps(oracle.said(check({one['exercise']!r}, answer))))"
            text = f"from course_utils.checks import check\n{code_of(parts, one)}\n"
            printed = []
            hook = partial(_print_into, printed)
            for cell in (text, tell):
                client.execute_interactive(cell, timeout=120, output_hook=hook)
            line = next(line for line in "".join(printed).splitlines()[::-1] if "ORACLE" in line)
            found[one["key"]] = json.loads(line.partition("ORACLE")[2])
    return found


def _print_into(printed, message):
    printed.append(message["content"].get("text", ""))


def said(verdict):
    """Return state, ids and message of a verdict, as they are recorded."""
    return {"state": verdict.state, "ids": list(verdict.mistakes), "says": verdict.message}


def times(found):
    """Yield lines that say how many answers are done, and how long a check of them takes, in ms."""
    for state in ("done", "not yet"):
        seconds = [one["seconds"] for one in found if one["state"] == state]
        middle, slowest = 1000 * median(seconds), 1000 * max(seconds)
        yield f"{len(seconds)} answers {state}: middle {middle:.1f} ms, slowest {slowest:.0f} ms"


def differences(answers, found, keys=SAID):
    """Yield a readable text for each answer of which something else is said now."""
    for one in answers:
        now = found[one["key"]]
        other = [name for name in keys if name in now and now[name] != one.get(name, "")]
        if other:
            lines = [f"    {name}: {one.get(name)!r}\n    {' now'.ljust(len(name))}: {now[name]!r}" for name in other]
            yield "\n".join([f"{one['exercise']}  {one['key']}", *lines])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exercises", nargs="*")
    for choice in ("--record", "--kernel", "--times"):
        parser.add_argument(choice, action="store_true")
    parser.add_argument("--add", nargs="+", metavar=("FILE", "WORDS"))
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    os.environ["LEARNING_TO_LOOK_DATA"] = "off"
    helpers, answers = read(options.folder)
    chosen = sample(answers)
    new = new_answers(options.exercises, answers) if options.record else []
    new += [of_cell(options.exercises[0], options.add[0], options.add[1:])] if options.add else []
    some = [one for one in answers if not options.exercises or one["exercise"] in options.exercises]
    some = [one for one in some if one["key"] in chosen or not options.kernel]
    some = new if options.add else some + new
    found = in_kernel(some, helpers) if options.kernel else in_processes(some, helpers, chosen)
    if options.record or options.add:
        for one in some:
            one |= {name: found[one["key"]].get(name, "") for name in SAID}
        write(answers + new, options.folder)
    texts = list(differences(some, found))
    texts.append(f"{len(some) - len(texts)} of {len(some)} answers are told the same.")
    print("\n".join(times(found.values()) if options.times else texts))
    return len(texts) > 1 and not options.times


if __name__ == "__main__":
    sys.exit(main())
