"""Simulated classes with a known gain, and how often the intervals hold it.

Each student knows each question with a probability of their own; what is not known is guessed or left open. After the
course, what was not right is right with the probability `gain`. So the normalised gain of the population is `gain`.
"""

from functools import cache

import numpy as np
from measuring import formulas

from course_utils.inventory.answers import write
from course_utils.inventory.codes import draw_code, form_of
from course_utils.inventory.items import LETTERS, UNKNOWN, load

N_PAIRS = 14
SIZES, GAINS = (10, 30, 300), (0.0, 0.3, 0.6)
FORM_B_HARDER = 0.05  # what the forms of a simulated class differ by, as a share of right answers
MANY = 200_000


def drawn(n, gain, rng):
    """Return which answers are right before and after (n, N_PAIRS) each, and which students begin with form A (n,)."""
    ability = rng.normal(size=(n, 1))
    easy = np.linspace(-1.2, 0.8, N_PAIRS)
    chance = 0.1 + 0.85 / (1 + np.exp(-0.8 * ability - easy))
    a_first = rng.random((n, 1)) < 0.5
    harder = FORM_B_HARDER * np.where(a_first, 1, -1) / 2  # form A first: easier before, harder after
    before, after = chance + harder, chance + gain * (1 - chance) - harder * (1 - gain)
    return tuple((rng.random((n, N_PAIRS)) < np.clip(p, 0, 1)).astype(float) for p in (before, after)) + (
        a_first[:, 0],
    )


@cache
def truth(gain):
    """Return what the intervals should hold: the gain, the mean of own changes, the effect size of the population."""
    before, after, _ = drawn(MANY, gain, np.random.default_rng(0))
    before, after = before.mean(axis=1), after.mean(axis=1)
    spread = np.sqrt((before.var() + after.var()) / 2)
    own = formulas.mean_of_changes(before, after)[0].value
    return {"class gain": gain, "mean of own changes": own, "effect size": (after.mean() - before.mean()) / spread}


def estimates(before, after):
    """Return the estimates of one class, (n, N_PAIRS) each, by the names of `truth`."""
    before, after = before.mean(axis=1), after.mean(axis=1)
    return {
        "class gain": formulas.class_gain(before, after),
        "mean of own changes": formulas.mean_of_changes(before, after)[0],
        "effect size": formulas.effect_size(before, after),
    }


def coverage(n, gain, draws, seed=0):
    """Return how often each interval holds the truth, and how wide the one of the class gain is on average."""
    rng, wanted = np.random.default_rng([seed, n, round(100 * gain)]), truth(gain)
    held, widths = dict.fromkeys([*wanted, "gain of a concept"], 0), []
    for _ in range(draws):
        before, after, _ = drawn(n, gain, rng)
        found = estimates(before, after)
        for name, estimate in found.items():
            held[name] += estimate.holds(wanted[name])
        two = formulas.class_gain(before[:, 6:8].mean(axis=1), after[:, 6:8].mean(axis=1))
        held["gain of a concept"] += two.holds(gain)
        _, low, high = found["class gain"]
        widths.append(np.inf if low is None else high - low)
    return {name: count / draws for name, count in held.items()}, float(np.median(widths))


def files_of(n, gain, rng):
    """Yield what the files of a simulated class hold."""
    before, after, a_first = drawn(n, gain, rng)
    for i in range(n):
        code = draw_code("A" if a_first[i] else "B")
        inside = {"inventory": load().version, "code": code}
        for name, right in (("before", before[i]), ("after", after[i])):
            form = form_of(code, name)
            chosen = {item.id: letter(item, right[item.pair - 1], rng) for item in load().form(form)}
            inside[name] = {"form": form, "answers": chosen, "seconds": int(rng.integers(240, 900)), "finished": True}
        yield inside


def write_class(folder, n, gain, seed=0):
    """Write the files of a simulated class into a folder, as students hand them in."""
    folder.mkdir(parents=True, exist_ok=True)
    for inside in files_of(n, gain, np.random.default_rng(seed)):
        write(inside, folder)


def letter(item, right, rng):
    """The letter that a student chose: the right one, a wrong one, or "I do not know yet"."""
    if right:
        return item.right
    return str(rng.choice([*(one for one in LETTERS if one != item.right), UNKNOWN]))
