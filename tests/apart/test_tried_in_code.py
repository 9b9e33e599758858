"""Every "Try it" is a test: done as its words say. Those with an explorable stand in browser/test_try_it.py."""

import re
from pathlib import Path

import numpy as np
import pytest
from runner.in_process import SOURCES, space_of

TESTS = Path(__file__).parent
TITLES = [
    f"{path.name[:2]}: {title}"
    for path in sorted(SOURCES.glob("*.py"))
    for title in re.findall(r"^# ### Try it: (.+)$", path.read_text(encoding="utf-8"), re.M)
]


@pytest.mark.parametrize("title", TITLES)
def test_it_has_a_test(title):
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py")]
    assert sum(f'"""{title}' in text for text in texts) == 1, f"no test begins with {title}"


def test_another_start_leaves_the_pictures_alike():
    """11: another start"""
    last, change = "reactions = {name: reaction(*how)", ("32, seed) for seed", "32, 100 + seed) for seed")
    first, other = (space_of("11", last, how)["reactions"] for how in (("", ""), change))
    assert len(first) == 5
    for name, reaction in first.items():  # each stays a curve of its kind: it explodes, fades, or neither
        sizes = [np.log10(one[24]) for one in (reaction, other[name])]
        assert abs(sizes[0] - sizes[1]) < 0.2 * max(10, *map(abs, sizes)), name


def test_with_a_second_head_attention_alone_gets_all_four():
    """11: a second head"""
    change = ('"n_heads": 1, "norm": "none"', '"n_heads": 2, "norm": "none"')
    found = space_of("11", "answers prediction 2", change, skip=("depth=24", "accuracies"))
    trained = found["train_stack"](found["reviews"], found["verdicts"], feed_forward=False, **found["ten"])
    assert [found["right"](model, False) for model in trained].count(4) > 5, "with most seeds"


def test_in_the_next_study_every_seed_looks_at_the_claimed_place_alone():
    """19: the next study"""
    study = space_of("19", "recap()", ("FOCUS = 0 ", "FOCUS = 0.3 "))
    assert study["same"], "the claim is as it was filed"
    assert all(study["held"]) and study["looks"][:, study["places"]].min() > 0.99
