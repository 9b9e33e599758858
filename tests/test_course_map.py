"""The map of the course as the record draws it, and the sentence that a right answer is rewarded with."""

from pathlib import Path

import pytest

from course_utils.checks import check, course_map
from course_utils.checks.exercises import LESSONS as EXERCISES
from course_utils.checks.exercises import page_of
from course_utils.checks.student import record
from course_utils.checks.student.course_map import LESSONS, NEXT, PARTS, RESUME

SOURCES = Path(__file__).parent.parent / "notebooks" / "source"
DONE, NOT_YET = {"state": "done", "mistakes": []}, {"state": "not yet", "mistakes": ["softmax-axis"]}


@pytest.fixture
def entries(tmp_path, monkeypatch):
    """A function that writes the record: what is done, and what is not yet."""
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path))
    monkeypatch.setattr(record, "_this_kernel", {})

    def write(done=(), not_yet=()):
        record.write_entries(tmp_path / "progress.json", dict.fromkeys(done, DONE) | dict.fromkeys(not_yet, NOT_YET))

    return write


def all_of(*numbers):
    return [name for number in numbers for name in EXERCISES[number]]


def test_the_map_has_every_lesson_in_one_part():
    assert list(LESSONS) == [path.stem for path in sorted(SOURCES.glob("*.py"))]
    places = [i for first, last in PARTS.values() for i in range(first, last + 1)]
    assert places == list(range(len(LESSONS)))


@pytest.mark.parametrize(
    "done, not_yet, mark",
    [
        ((), (), ("00_start_here", NEXT)),
        (all_of("00"), (), ("01_dot_products", NEXT)),
        (all_of("00")[:1], (), ("00_start_here", RESUME)),
        ((), ["dot_product"], ("01_dot_products", RESUME)),
        ([*all_of("00", "01")[:-1], *all_of("02")], (), ("03_scaling", NEXT)),
        ([*all_of("00"), "conceptual_keys"], ["scores"], ("05_not_good", RESUME)),
        ([name for name in all_of(*EXERCISES) if name != "hide"], (), ("14_reading_attention", NEXT)),
        (all_of("00", max(EXERCISES)), (), ("01_dot_products", NEXT)),
        (all_of(*EXERCISES), (), ("", "")),
    ],
)
def test_where_to_go_on(entries, done, not_yet, mark):
    entries(done, not_yet)
    found = course_map()
    assert found.mark == mark
    assert sum(found.done.values()) == len(done)
    if mark[0]:
        assert f"{mark[1].capitalize()}: {mark[0]}." in repr(found)
        assert repr(found).count(mark[1]) == 1 and f"{mark[1]} · " in found._repr_html_()
    else:
        assert repr(found).startswith(f"{len(done)} of {len(done)} exercises done. All of it is done.")


def test_every_card_leads_to_its_lesson(entries):
    entries(all_of("00"))
    html = course_map()._repr_html_()
    assert [html.count(f'href="{name}.ipynb"') for name in LESSONS] == [1] * len(LESSONS)
    assert "done · 3 of 3" in html


def test_progress_never_goes_backwards(entries):
    entries(all_of("00"))
    check("first_check", 10)
    assert course_map().done["00_start_here"] == 3


def test_every_exercise_has_an_insight_of_its_own():
    insights = [page_of(name).says["insight"] for name in all_of(*EXERCISES)]
    assert len(set(insights)) == len(insights)


def test_a_right_answer_is_told_what_it_was_good_for_and_a_wrong_one_is_not():
    right, wrong = check("first_check", 12), check("first_check", 10)
    assert right.insight == page_of("first_check").says["insight"]
    assert repr(right).endswith(right.insight) and right.insight in right._repr_html_()
    assert wrong.insight == "" and page_of("first_check").says["insight"] not in repr(wrong)
