"""With which settings an answer is wrong: text, True, False and None among the arguments choose a way through it."""

from itertools import combinations

from course_utils.checks.engine import promises
from course_utils.checks.engine.outcome import same

SETTINGS = str | bool | None
MOST_CASES = 2  # that are named: more of them say no longer where to look


def wrong_with(case, wrong="Your answer is wrong with {}, and right with all other settings that were tried."):
    """Return a sentence about the settings with which the answer is wrong, always and only; "" for none.

    All probes and all promised inputs are held to it. wrong: the sentence, with a blank for the settings.
    """
    exercise = case.exercise
    if not any(isinstance(value, SETTINGS) for value in exercise.probes[0]):
        return ""
    outcomes = [*case.run.outcomes[: len(exercise.probes)], *promises.given(case)]
    inputs = (*exercise.probes, *exercise.promised)
    if len(outcomes) < len(inputs):
        return ""
    found = {False: set(), True: set()}
    for arguments, got in zip(inputs, outcomes, strict=True):
        found[same(got, exercise.give(arguments))].add(_settings(exercise, arguments))
    bad, good = found[False], found[True]
    if not bad or not good or bad & good:
        return ""
    cases = _fewest(bad, good)
    return wrong.format(", or with ".join(map(_in_words, cases))) if len(cases) <= MOST_CASES else ""


def _settings(exercise, arguments):
    pairs = zip(exercise.arguments, arguments, strict=True)
    return frozenset((name, value) for name, value in pairs if isinstance(value, SETTINGS))


def _fewest(bad, good):
    """Return the cases, each of one setting or two, that cover the bad settings and none of the good; else all of them.

    One setting is tried before two, and what covers most comes first.
    """
    parts = {frozenset(part) for one in bad for size in (1, 2) for part in combinations(sorted(one, key=str), size)}
    parts = [part for part in parts if not any(part <= one for one in good)]
    left, cases = set(bad), []
    while left:
        covers = [(len(part), -sum(part <= one for one in left), sorted(map(str, part)), part) for part in parts]
        useful = [cover for cover in covers if cover[1]]
        if not useful:
            return list(bad)
        cases.append(min(useful, key=lambda cover: cover[:3])[3])
        left -= {one for one in left if cases[-1] <= one}
    return cases


def _in_words(part):
    """Return settings as they stand in a call: `norm="after"` and `residual=False`."""
    plain = {name: f'"{value}"' if isinstance(value, str) else value for name, value in sorted(part)}
    return " and ".join(f"`{name}={value}`" for name, value in plain.items())
