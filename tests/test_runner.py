"""The test run itself: what a change touches, which tests come first, and the table at the end."""

from types import SimpleNamespace

import pytest
from runner import changed, covered, order, slowest

LESSON, BROWSER = "notebooks/source/05_not_good.py", "tests/apart/browser"


@pytest.mark.parametrize(
    ("file", "some"),
    [
        (LESSON, {"notebooks/05_not_good.ipynb", "notebooks/solutions/05_not_good.ipynb", "tests/test_notebooks.py"}),
        ("notebooks/source/04_queries_keys_values.py", {"tests/test_notebooks.py", f"{BROWSER}/test_lessons.py"}),
        ("course_utils/checks/exercises/good_row.md", {"tests/test_oracle.py", "tests/test_checks_pages.py"}),
        ("course_utils/checks/check.py", {"tests/test_checks.py", "course_utils/checks/check.py"}),
        ("course_utils/explorables/vector_pad.js", {f"{BROWSER}/test_vector_pad.py", "tests/test_explorables.py"}),
        ("course_utils/layers.py", {"course_utils/layers.py", "tests/test_layers.py"}),
        ("workshop/derive_notebooks.py", {"tests/test_build_notebooks.py", "tests/test_notebooks.py"}),
        ("tests/apart/browser/conftest.py", {"tests/apart/browser"}),
        ("tests/test_live_training.py", {"tests/test_live_training.py"}),
        ("course_utils/cls_task.py", {"tests/test_cls_task.py", "tests/test_studies.py"}),  # the studies train with it
        ("course_utils/checks/exercises/shared.py", {"tests/test_checks_pages.py"}),
        ("course_utils/checks/exercises/lessons.json", {"tests/test_checks_pages.py"}),
        ("course_utils/keras_answers.py", {"tests/test_oracle.py", "tests/test_checks_pages.py"}),
        ("course_utils/inventory/answer_codes.js", {"tests/apart/browser/test_questionnaire.py"}),
        ("pagecheck/page.py", {"pagecheck/page.py", "pagecheck/tests/test_page.py"}),
        ("pagecheck/run.py", {"pagecheck/run.py", "pagecheck/tests/test_judge.py"}),
        ("pagecheck/general.md", {"pagecheck/tests/test_judge.py"}),
        ("requirements.lock", {"tests/test_versions.py"}),
        (".ci/run", {"tests/test_readme.py"}),
        ("course_utils/inventory/items.toml", {"tests/test_inventory_items.py"}),
        ("course_utils/checks/student/predict_cards.js", {"tests/test_checks_predictions.py"}),
        ("course_utils/data/cls/usual.npz", {"tests/test_reading.py"}),
        ("tests/answers/listed.jsonl", {"tests/test_oracle.py"}),
        ("notebooks/inventory/before.py", {"tests/test_inventory_notebooks.py"}),
    ],
)
def test_a_change_touches(file, some):
    assert (changed.ROOT / file).exists()
    found = changed.tests_of(file)
    assert some <= found.keys()
    assert all((changed.ROOT / name).exists() for name in found)
    assert len(found) < 15


def test_each_module_of_the_course_leads_to_a_test_of_it():
    paths = [*changed.PACKAGE.rglob("*.py"), *changed.ENGINE.glob("*.*"), *changed.ENGINE.glob("example/*.*")]
    files = [path.relative_to(changed.ROOT).as_posix() for path in sorted(paths)]
    alone = [file for file in files if not changed.tests_of(file).keys() - {file}]
    assert alone == ["course_utils/__init__.py"]  # that wants a full run, and the run says that it knows no test


@pytest.mark.parametrize(
    "file", ["conftest.py", "classroom/grade.py", "classroom/hub/class_server.py", "classroom/hub_student.py"]
)
def test_what_has_a_command_of_its_own_is_not_run_here(file):
    """It needs what this environment does not hold."""
    assert (changed.ROOT / file).exists()
    assert not [name for name in changed.tests_of(file) if name.startswith(("classroom/tests/", "book/tests/"))]


def test_through_the_door_only_what_a_test_names_counts():
    """tests/test_checks_predictions.py has `from course_utils.checks import predict`, and no more."""
    predictions = "tests/test_checks_predictions.py"
    assert predictions in changed.tests_of("course_utils/checks/student/predictions.py")
    assert predictions not in changed.tests_of("course_utils/checks/check.py")
    assert "tests/apart/test_tools_matter.py" in changed.tests_of("course_utils/checks/check.py")  # the door itself


def test_a_lesson_with_tensorflow_waits_for_no_browser():
    assert "tests/apart/browser/test_lessons.py" not in changed.tests_of("notebooks/source/12_cls_classifier.py")


def test_of_a_lesson_only_its_own_answers_run():
    parts = changed.select_tests([LESSON])
    assert parts["tests/test_oracle.py"] == {"good_output", "good_row", "conceptual_keys"}
    for name, kept in {
        "tests/test_oracle.py::test_an_answer_gets_the_state[good_row]": True,
        "tests/test_oracle.py::test_an_answer_gets_the_state[project]": False,
        "tests/test_checks_engine.py::test_no_fault_hides_behind_the_tolerance[float16-good_row]": True,
        "tests/apart/browser/test_lessons.py::test_run_all[solutions/05_not_good]": False,
        "tests/apart/browser/test_lessons.py::test_run_all[05_not_good]": True,
        "tests/apart/browser/test_lessons.py::test_run_all[06_masks]": False,
        "tests/test_notebooks.py::test_budgets[notebooks/06_masks.ipynb]": True,
    }.items():
        assert changed.is_selected(name, parts) is kept, name
    both = changed.select_tests([LESSON, "notebooks/source/06_masks.py"])
    assert {"05_not_good", "06_masks"} == both["tests/apart/browser/test_lessons.py"]
    assert changed.select_tests([LESSON, "tests/test_oracle.py"])["tests/test_oracle.py"] == set(), "all of them"
    assert changed.select_tests(["tests/test_oracle.py", LESSON])["tests/test_oracle.py"] == set(), "all of them"


def test_what_the_browser_runs_is_run_once(monkeypatch):
    names = ["notebooks/05_not_good.ipynb::Cell 1", "notebooks/solutions/05_not_good.ipynb::Cell 1"]
    names += ["notebooks/12_learning_not_good.ipynb::Cell 0", "tests/test_checks.py::test_it"]
    in_browser = ["tests/apart/browser/test_lessons.py::test_run_all[solutions/05_not_good]"]
    config = SimpleNamespace(hook=SimpleNamespace(pytest_deselected=lambda items: None))

    def kept(nodeids, chromium):
        monkeypatch.setattr(covered.shutil, "which", lambda name: chromium)
        items = [type("Item", (), {"nodeid": nodeid})() for nodeid in nodeids]
        covered.pytest_collection_modifyitems(config, items)
        return [item.nodeid for item in items]

    assert kept(names + in_browser, "/usr/bin/chromium") == [names[0], *names[2:], *in_browser]
    assert kept(names + in_browser, None) == names + in_browser
    assert kept(names, "/usr/bin/chromium") == names
    assert covered.pytest_collection_modifyitems.pytest_impl["trylast"], "a test may still be left out"


def test_the_long_ones_come_first_and_are_there():
    names = [*(path.relative_to(changed.ROOT).as_posix() for path in changed.ROOT.glob("notebooks/**/*.ipynb"))]
    names += [path.relative_to(changed.ROOT).as_posix() for path in changed.TESTS]
    for long in order.LONG:
        assert any(long.strip("[]") in name for name in names), long
    items = [SimpleNamespace(nodeid=f"{name}::test") for name in sorted(names)]
    order.pytest_collection_modifyitems(SimpleNamespace(workerinput={}), items)
    assert [order.position(item.nodeid) for item in items] == sorted(order.position(item.nodeid) for item in items)
    assert order.position(items[0].nodeid) < len(order.LONG)


def test_the_table_names_the_slowest_files(monkeypatch):
    lines = []
    reporter = SimpleNamespace(section=lines.append, write_line=lines.append)
    monkeypatch.setattr(slowest, "SECONDS", slowest.defaultdict(lambda: slowest.defaultdict(float)))
    for number in range(12):
        for phase in (number, 0.5):
            report = SimpleNamespace(nodeid=f"tests/test_{number}.py::test_it", duration=phase)
            slowest.pytest_runtest_logreport(report)
    slowest.pytest_terminal_summary(reporter)
    assert lines[0] == "the slowest of 12 files, 72 s in all"
    assert lines[1].endswith("11.5 s  tests/test_11.py  (the slowest of 1: 11.5 s test_it)")
    assert len(lines) == 11 and "test_2.py" in lines[-1]
