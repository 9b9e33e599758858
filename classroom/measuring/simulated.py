"""Simulated classes with a known gain, and how often the intervals contain it.

Each student knows each question with an individual probability and otherwise guesses or leaves it open. After the
course, each wrong answer becomes right with probability `gain`, so the normalised gain of the population is `gain`.
"""

from functools import cache

import numpy as np
from measuring import formulas

from course_utils.inventory.answers import write
from course_utils.inventory.codes import draw_code, form_of
from course_utils.inventory.items import LETTERS, UNKNOWN, load

N_PAIRS = 14
SIZES, GAINS = (10, 30, 300), (0.0, 0.3, 0.6)
FORM_B_HARDER = 0.05  # difference between the forms of a simulated class, as a share of right answers
MANY = 200_000


def draw_answers(n, gain, rng):
    """Return which answers are right before and after (n, N_PAIRS) each, and which students begin with form A (n,)."""
    ability = rng.normal(size=(n, 1))
    easiness = np.linspace(-1.2, 0.8, N_PAIRS)
    chance = 0.1 + 0.85 / (1 + np.exp(-0.8 * ability - easiness))
    a_first = rng.random((n, 1)) < 0.5
    harder = FORM_B_HARDER * np.where(a_first, 1, -1) / 2  # form A first: easier before, harder after
    before, after = chance + harder, chance + gain * (1 - chance) - harder * (1 - gain)
    return tuple((rng.random((n, N_PAIRS)) < np.clip(p, 0, 1)).astype(float) for p in (before, after)) + (
        a_first[:, 0],
    )


@cache
def truth(gain):
    """Return the population values: the gain, the mean of own changes, the effect size."""
    before, after, _ = draw_answers(MANY, gain, np.random.default_rng(0))
    before, after = before.mean(axis=1), after.mean(axis=1)
    spread = np.sqrt((before.var() + after.var()) / 2)
    changes = formulas.mean_of_changes(before, after)[0].value
    return {"class gain": gain, "mean of own changes": changes, "effect size": (after.mean() - before.mean()) / spread}


def estimates(before, after):
    """Return the estimates of one class, (n, N_PAIRS) each, by the names of `truth`."""
    before, after = before.mean(axis=1), after.mean(axis=1)
    return {
        "class gain": formulas.class_gain(before, after),
        "mean of own changes": formulas.mean_of_changes(before, after)[0],
        "effect size": formulas.effect_size(before, after),
    }


def coverage(n, gain, draws, seed=0):
    """Return how often each interval contains the truth, and the median width for the class gain."""
    rng, true_values = np.random.default_rng([seed, n, round(100 * gain)]), truth(gain)
    hits, widths = dict.fromkeys([*true_values, "gain of a concept"], 0), []
    for _ in range(draws):
        before, after, _ = draw_answers(n, gain, rng)
        estimate_by_name = estimates(before, after)
        for name, estimate in estimate_by_name.items():
            hits[name] += estimate.contains(true_values[name])
        concept_gain = formulas.class_gain(before[:, 6:8].mean(axis=1), after[:, 6:8].mean(axis=1))
        hits["gain of a concept"] += concept_gain.contains(gain)
        _, low, high = estimate_by_name["class gain"]
        widths.append(np.inf if low is None else high - low)
    return {name: count / draws for name, count in hits.items()}, float(np.median(widths))


def files_of(n, gain, rng):
    """Yield the contents of the files of a simulated class."""
    before, after, a_first = draw_answers(n, gain, rng)
    for i in range(n):
        code = draw_code("A" if a_first[i] else "B")
        content = {"inventory": load().version, "code": code}
        for name, right in (("before", before[i]), ("after", after[i])):
            form = form_of(code, name)
            chosen = {item.id: draw_letter(item, right[item.pair - 1], rng) for item in load().form(form)}
            content[name] = {"form": form, "answers": chosen, "seconds": int(rng.integers(240, 900)), "finished": True}
        yield content


def write_class(folder, n, gain, seed=0):
    """Write the files of a simulated class into a folder, as students hand them in."""
    folder.mkdir(parents=True, exist_ok=True)
    for content in files_of(n, gain, np.random.default_rng(seed)):
        write(content, folder)


def draw_letter(item, right, rng):
    """Draw the letter that a student chooses: the right one, a wrong one, or "I do not know yet"."""
    if right:
        return item.right
    return str(rng.choice([*(letter for letter in LETTERS if letter != item.right), UNKNOWN]))
