"""The verdicts of the checks on every answer in the project, compared with the recorded ones. nox -s oracle

    nox -s oracle                     judge all answers again, and print where state, ids or message differ
    nox -s oracle -- scores weights   only the answers of these exercises
    nox -s oracle -- --kernel         the seeded sample, each answer in a cell of a real kernel
    nox -s oracle -- --record         record the current verdicts, of all or of the named exercises; for a new exercise,
                                      the answers derived from its page
    nox -s oracle -- --times          print how long the checks take, without comparing
    nox -s oracle -- weights --add cell.py "no root"   add a cell that ends with `answer = ...`; right without words

tests/answers/ holds one answer per line: listed.jsonl, pairs.jsonl, right.jsonl, and a file per author of each wave of
unlisted answers. helpers.jsonl holds code that many of them share.
"""

import argparse
import ast
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
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "answers"
SAMPLE, SEED = 300, 31  # of the answers that a real kernel judges as well
FIELDS = ("state", "ids", "says", "more")


def read(folder=FOLDER):
    """Return {helper: code}, and the answers as dictionaries, each with the name of its file."""
    helpers, answers = {}, []
    for path in sorted(folder.glob("*.jsonl")):
        for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if "name" in record:
                helpers[record["name"]] = record["code"]
            elif "key" in record:  # the first line of a wave says when the checks were frozen
                answers.append(record | {"file": path.name})
    return helpers, answers


def page_answers(name):
    """Return the answers derived from an exercise page: its solution, and a wrong answer for each mistake.

    There are none for an answer in Keras, because a page has the same in NumPy: take them in with --add.
    """
    from course_utils.checks.exercises import exercise_of, page_of, shared
    from pagecheck.course import wrong_answers

    page = page_of(name)
    if exercise_of(name).adapt:
        return []
    first, *blocks = (block.text for block in page.blocks)
    is_function = "\nanswer = " not in f"\n{first}"
    others = [text for text in blocks[:-1] if not text.startswith("def ")]
    # The last block says what is asked; an answer needs what it imports and defines.
    kinds = ast.Import | ast.ImportFrom | ast.FunctionDef
    needed = [ast.unparse(node) for node in ast.parse("".join(blocks[-1:])).body if isinstance(node, kinds)]
    head = "\n".join([f"from {shared.__name__} import *", *others, *needed])
    wrong = [text for _, text in wrong_answers(page, page_of)] if is_function else []
    ends = [f"\nanswer = {text[4 : text.index('(')]}" if is_function else "" for text in (first, *wrong)]
    cells = [f"{head}\n{text}{end}" for text, end in zip((first, *wrong), ends, strict=True)]
    labels = ["right", *["wrong"] * len(wrong)]
    fixed = {"exercise": name, "uses": [], "file": "listed.jsonl"}
    return [
        {"key": f"page/{name}/{i}", "label": label, "code": cell} | fixed
        for i, (label, cell) in enumerate(zip(labels, cells, strict=True))
    ]


def cell_answer(name, file, what):
    """Return the answer in a file; `what` describes what is wrong, and is empty for a right one."""
    code = Path(file).read_text(encoding="utf-8").strip()
    key = hashlib.sha256(code.encode()).hexdigest()[:12]
    source = {"uses": [], "file": "listed.jsonl" if what else "right.jsonl"}
    return {
        "key": f"cell/{key}",
        "exercise": name,
        "label": "wrong" if what else "right",
        "what": what,
        "code": code,
    } | source


def new_answers(names, answers):
    """Return the page answers of the exercises that have no answers yet."""
    return [one for name in names if name not in {known["exercise"] for known in answers} for one in page_answers(name)]


def write(answers, folder=FOLDER):
    """Write the answers to their files, one per line, so that diffs stay small."""
    for name in dict.fromkeys(one["file"] for one in answers):
        path = folder / name
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        head = [line for line in lines[:1] if "key" not in json.loads(line)]
        entries = [{key: one[key] for key in one if key != "file"} for one in answers if one["file"] == name]
        path.write_text(
            "\n".join([*head, *(json.dumps(one, ensure_ascii=False) for one in entries), ""]), encoding="utf-8"
        )


def code_of(helpers, answer):
    """Return the code of an answer: a cell that ends with `answer = ...`."""
    return "\n".join([*(helpers[name] for name in answer.get("uses", ())), answer["code"]])


def sample(answers):
    """Return the keys of the answers that a kernel judges as well, the same on every machine."""
    keys = sorted(
        one["key"] for one in answers if not one["key"].startswith(("page/", "cell/", "wave"))
    )  # added after the sample was drawn
    return set(random.Random(SEED).sample(keys, SAMPLE))


def run_cell(code, key):
    """Run the cell of an answer, with a source that tracebacks can show, and return the answer."""
    name, space = f"<{key}>", {"__name__": "answer"}
    linecache.cache[name] = len(code), None, code.splitlines(keepends=True), name
    exec(compile(code, name, "exec"), space)
    return space["answer"]


@contextlib.contextmanager
def quiet():
    """Silence the warnings of Python and NumPy about wrong answers."""
    import numpy as np

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def judge(exercise, code, key, explain):
    """Return the verdict on the answer that this code defines, as a dictionary."""
    from course_utils.checks import check
    from course_utils.checks.student import record

    record._this_kernel.clear()  # else earlier answers would count as tries
    with quiet():
        answer, start = run_cell(code, key), time.perf_counter()
        verdict = check(exercise, answer)
        seconds = time.perf_counter() - start
        if explain:
            verdict = check(exercise, answer)
    more = verdict.insight or str(verdict.explanation or "") * explain
    record.done_answers.clear()  # else `mine` would take these
    return recorded_fields(verdict) | {"more": more, "seconds": seconds}


def judge_all(answers, helpers, explained):
    """Judge the answers in this process, discarding what they print."""
    with open(os.devnull, "w", encoding="utf-8") as devnull, contextlib.redirect_stdout(devnull):
        return {
            one["key"]: judge(one["exercise"], code_of(helpers, one), one["key"], one["key"] in explained)
            for one in answers
        }


def judge_in_processes(answers, helpers, explained, workers=2):
    """Judge the answers in worker processes, one exercise at a time."""
    groups = {}
    for one in answers:
        groups.setdefault(one["exercise"], []).append(one)
    verdicts = {}
    with ProcessPoolExecutor(workers) as pool:
        for group in pool.map(judge_all, groups.values(), [helpers] * len(groups), [explained] * len(groups)):
            verdicts |= group
    return verdicts


def judge_in_kernel(answers, helpers):
    """Judge the answers in cells of one real kernel."""
    from try_odd import Kernel

    verdicts, kernel = {}, Kernel()
    kernel.run(f"import sys; sys.path.insert(0, {str(ROOT / 'workshop')!r})", 60)
    for one in answers:
        kernel.run(f"from course_utils.checks import check\n{code_of(helpers, one)}", 120)
        verdict = f"oracle.recorded_fields(check({one['exercise']!r}, answer))"
        _, printed = kernel.run(f"import json, oracle; print('ORACLE' + json.dumps({verdict}))", 120)
        verdicts[one["key"]] = json.loads(printed.rpartition("ORACLE")[2])
    kernel.close()
    return verdicts


def recorded_fields(verdict):
    """Return state, ids and message of a verdict, as they are recorded."""
    return {"state": verdict.state, "ids": list(verdict.mistakes), "says": verdict.message}


def times(verdicts):
    """Yield a line per state with the number of answers and the duration of their checks in ms."""
    for state in ("done", "not yet"):
        seconds = [one["seconds"] for one in verdicts if one["state"] == state]
        middle, slowest = 1000 * median(seconds), 1000 * max(seconds)
        yield f"{len(seconds)} answers {state}: middle {middle:.1f} ms, slowest {slowest:.0f} ms"


def differences(answers, verdicts, keys=FIELDS):
    """Yield a readable text for each answer whose verdict has changed."""
    for one in answers:
        now = verdicts[one["key"]]
        changed = [name for name in keys if name in now and now[name] != one.get(name, "")]
        if changed:
            lines = [f"    {name}: {one.get(name)!r}\n    {' now'.ljust(len(name))}: {now[name]!r}" for name in changed]
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
    sampled = sample(answers)
    new = new_answers(options.exercises, answers) if options.record else []
    new += [cell_answer(options.exercises[0], options.add[0], options.add[1:])] if options.add else []
    selected = [one for one in answers if not options.exercises or one["exercise"] in options.exercises]
    selected = [one for one in selected if one["key"] in sampled or not options.kernel]
    selected = new if options.add else selected + new
    verdicts = judge_in_kernel(selected, helpers) if options.kernel else judge_in_processes(selected, helpers, sampled)
    if options.record or options.add:
        for one in selected:
            one |= {name: verdicts[one["key"]].get(name, "") for name in FIELDS}
        write(answers + new, options.folder)
    texts = list(differences(selected, verdicts))
    texts.append(f"{len(selected) - len(texts)} of {len(selected)} answers have the recorded verdict.")
    print("\n".join(times(verdicts.values()) if options.times else texts))
    return len(texts) > 1 and not options.times


if __name__ == "__main__":
    sys.exit(main())
