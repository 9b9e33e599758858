"""README.md says what is true: its two commands, which CI runs, the lessons with their minutes, the short way."""

import re
from pathlib import Path

from course_map import SHORT_WAY

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
LESSONS = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "notebooks").glob("*.ipynb")}
OPEN, TEST = ('pip install "nox[uv]" && nox -s lab', 'pip install "nox[uv]" && nox -s test')


def test_the_two_commands_stand_first():
    blocks = re.findall(r"```sh\n(.*?)\n```", README, re.DOTALL)
    assert blocks[:2] == [OPEN, TEST]


def test_ci_runs_the_command_of_the_readme():
    assert (ROOT / ".ci" / "run").read_text().splitlines().count(TEST) == 1
    assert f"- run: {TEST}" in (ROOT / ".github" / "workflows" / "test.yml").read_text()


def test_the_table_lists_each_lesson_with_its_minutes():
    rows = re.findall(r"^\| \[(\d\d) .*?\]\(notebooks/(\w+)\.ipynb\) \| .+ \| (\d+) \|$", README, re.MULTILINE)
    listed = {name: int(minutes) for _, name, minutes in rows}
    stated = {name: int(re.search(r"\*\*Time:\*\* (\d+) minutes", text)[1]) for name, text in LESSONS.items()}
    assert listed == stated
    assert [name for _, name, _ in rows] == sorted(listed) and all(name.startswith(number) for number, name, _ in rows)


def test_the_short_way_is_that_of_the_map():
    [numbers] = re.findall(r"^- \*\*The short way\*\*, an afternoon: (.+)\.$", README, re.MULTILINE)
    assert tuple(re.findall(r"\d\d", numbers)) == SHORT_WAY
