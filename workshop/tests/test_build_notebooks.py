"""The build itself, on lessons of a few cells: what it makes, and what it refuses, with the line to mend."""

import base64
import io
from urllib.parse import quote

import build_notebooks
import compare_notebooks
import matplotlib.image
import nbformat
import numpy as np
import pytest
from derive_notebooks import derive
from lesson_paths import BuildError

TINY = '''# %% [markdown]
# # 01 · Tiny
# ![The [CLS] token & its
# friends](../images/map.svg) and [02](02_next.ipynb)

# %%
import os

print("one", end=" ", flush=True)
print("line", os.environ["TF_CPP_MIN_LOG_LEVEL"], os.environ["LEARNING_TO_LOOK_DATA"])

# %% [markdown]
# ### Exercise: `twice` · 3 minutes
# Double it.

# %% [markdown]
# <details><summary>Hint</summary>Add.</details>


# %%
def twice(x):
    """Double."""
    # solution
    y = x + x
    return y
    # end solution


twice(2)

# %%
# solution
keys, (values, _hidden) = 1, (2, 3)
rows: int = 4
rows += len([n for n in range(3)])
# end solution
keys
'''
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><text>größe</text></svg>\n'


def lesson_in(folder, text=TINY, name="01_tiny"):
    """Write a source file, and the figure it shows, into a course of its own."""
    source = folder / "notebooks" / "source" / f"{name}.py"
    source.parent.mkdir(parents=True, exist_ok=True)
    (folder / "images").mkdir(exist_ok=True)
    (folder / "images" / "map.svg").write_text(SVG, encoding="utf-8")
    source.write_text(text, encoding="utf-8")
    return source


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of one lesson, built once."""
    root = tmp_path_factory.mktemp("course")
    lesson_in(root)
    assert build_notebooks.main([], root) == 0
    return root


def files(root):
    return {path: path.read_bytes() for path in sorted((root / "notebooks").rglob("*.ipynb"))}


def test_stubs_and_solutions(tmp_path):
    lesson = derive(lesson_in(tmp_path))
    assert lesson.student.cells[4].source == (
        'def twice(x):\n    """Double."""\n    ...  # your code\n\ntwice(2)'  # the fence's own indentation
    )
    assert lesson.solved.cells[4].source == (
        'def twice(x):\n    """Double."""\n    y = x + x\n    return y\n\ntwice(2)'  # only the fence lines are gone
    )
    assert lesson.student.cells[5].source == (
        "keys = ...  # your code\nvalues = ...  # your code\nrows = ...  # your code\nkeys"
    )
    assert lesson.solved.cells[5].source.startswith("keys, (values, _hidden) = 1, (2, 3)\n")


def test_ids_metadata_lines_and_figures(tmp_path):
    lesson = derive(lesson_in(tmp_path))
    for notebook in (lesson.student, lesson.solved):
        assert [cell.id for cell in notebook.cells] == [f"01-{n:03d}" for n in range(1, 7)]
        assert {key for cell in notebook.cells for key in cell.metadata} == set()
        assert notebook.metadata.language_info == {"name": "python"}
    text = TINY.split("\n")
    assert [text[line - 1][:4] for line in lesson.lines] == ["# %%"] * 6
    assert lesson.location(1) == f"notebooks/source/01_tiny.py:{text.index('# %%') + 1}"
    figure = f"data:image/svg+xml;base64,{base64.b64encode(SVG.encode()).decode()}"
    assert f'alt="The [CLS] token &amp; its friends" src="{figure}"' in lesson.student.cells[0].source


def test_exercise_and_solution_lead_to_each_other(tmp_path):
    lesson = derive(lesson_in(tmp_path))
    solution = "[Solution](solutions/01_tiny.ipynb#cell-id=01-003)"
    exercise = "[Exercise](../01_tiny.ipynb#cell-id=01-003)"
    for notebook, link in ((lesson.student, solution), (lesson.solved, exercise)):
        assert [link in cell.source for cell in notebook.cells] == [False, False, False, True, False, False]
        assert notebook.cells[3].source.endswith(f"</details>\n\n{link}")
    no_hints = derive(lesson_in(tmp_path, TINY.replace("<summary>Hint", "<summary>Note")))
    assert no_hints.student.cells[2].source.endswith(f"\n\n{solution}")


FENCE = "# %% [markdown]\n# Text\n\n# %%\n"
PREDICTED = FENCE + "predict('q', {'a': True})\n\n# %%\n# answers prediction {}\nprint(1)\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (FENCE + "# solution\n# solution\nx = 1\n# end solution\n", 5, "not closed with # end solution before line 6"),
        (FENCE + "x = 1\n# end solution\n", 6, "# end solution without # solution"),
        (FENCE + "# Solution:\nx = 1\n", 5, "a fence is written"),
        (FENCE + "# solution\nprint(1)\n# end solution\n", 5, "assigns a name"),
        (FENCE + "# solution\nx = 1\ny = = 2\n# end solution\n", 7, "invalid syntax"),
        (FENCE + "\n", 4, "an empty cell"),
        (FENCE + "x = 1\n\n# %% a title\nx\n", 7, "a cell begins with"),
        ("x = 1\n" + FENCE, 1, "the first line is # %% [markdown]"),
        ('# %% [markdown]\n# Text\n\n# %%\nx = """\n# %%\n"""\n', 1, "cells"),
        ("# %% [markdown]\n# Text\n#\n# and ![map](../images/nap.svg)\n", 4, "no figure ../images/nap.svg"),
        ("# %% [markdown]\n# ![ ](../images/map.svg)\n", 2, "no alt text"),
        ('# %% [markdown]\n# Text\n# <img src="../images/map.svg">\n', 3, "in place of <img>"),
        ("# %% [markdown]\n# Text\n# ### Exercise: `a` - 3 minutes\n", 3, "write ### Exercise: `name` · N minutes"),
        (FENCE + "x = 1\npredict('q', {'a': True})\n", 4, "a prediction has a cell of its own"),
        (PREDICTED.replace("{}", "2"), 7, "no prediction 2 stands above"),
    ],
)
def test_refuses_what_it_cannot_build_and_names_the_line(tmp_path, text, line, words):
    with pytest.raises(BuildError) as refusal:
        derive(lesson_in(tmp_path, text))
    assert str(refusal.value).startswith(f"notebooks/source/01_tiny.py:{line}: ")
    assert words in str(refusal.value)


def test_built_notebooks_are_run_and_quiet(course):
    student, solved = (nbformat.reads(text.decode(), as_version=4) for text in files(course).values())
    for notebook, counts in ((student, [0, 0, 0]), (solved, [1, 2, 3])):
        assert [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"] == counts
        (printed,) = notebook.cells[1].outputs  # two pieces, joined
        assert printed.text == "one line 2 off\n"
        assert notebook.metadata.language_info == {"name": "python"}  # not the patch version of this Python
    assert student.cells[4].outputs == []
    assert student.cells[5].outputs[0].data == {"text/plain": "Ellipsis"}
    assert solved.cells[4].outputs[0].data == {"text/plain": "4"}
    assert all(text.endswith(b"}\n") for text in files(course).values())


def test_two_builds_give_the_same_bytes(course, capsys):
    before = files(course)
    assert build_notebooks.main(["01", "--check"], course) == 0
    assert build_notebooks.main(["01_tiny"], course) == 0
    assert files(course) == before
    assert not list(course.rglob("*.part"))
    assert "notebooks/solutions/01_tiny.ipynb  as built" in capsys.readouterr().out


def changed(course, change):
    """What a check says of the solved notebook after a change of it, without another run."""
    lesson = derive(course / "notebooks" / "source" / "01_tiny.py")
    path = lesson.path("solved")
    text = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    change(notebook)
    try:
        nbformat.write(notebook, path)
        return "\n".join(build_notebooks.compare(lesson, "solved", text))
    finally:
        path.write_bytes(text.encode())


@pytest.mark.parametrize(
    ("cell", "change"),
    [
        (1, lambda nb: nb.cells[0].update(source=nb.cells[0].source + "!")),
        (2, lambda nb: nb.cells[1].outputs[0].update(text="one line 3 off\n")),
        (3, lambda nb: nb.cells[2].update(id="another")),
        (6, lambda nb: nb.cells.pop()),
        (7, lambda nb: nb.cells.append(nbformat.v4.new_markdown_cell("More"))),
    ],
)
def test_check_finds_a_hand_edit(course, cell, change):
    line = derive(course / "notebooks" / "source" / "01_tiny.py").lines[min(cell, 6) - 1]
    expected = f"notebooks/solutions/01_tiny.ipynb: cell {cell} is not what notebooks/source/01_tiny.py:{line} gives; "
    assert changed(course, change).startswith(expected + "run nox -s build -- 01\n")


def test_check_finds_other_metadata(course):
    assert "metadata" in changed(course, lambda nb: nb.metadata.language_info.update(version="3.11.7"))
    assert "by hand" in changed(course, lambda nb: nb.metadata.learning_to_look.update(digest="0"))
    assert changed(course, lambda nb: None) == ""


def test_check_finds_a_change_of_the_source(tmp_path, course, capsys):
    source = lesson_in(tmp_path, TINY.replace("twice(2)", "twice(3)"))
    for path, text in files(course).items():
        (copy := tmp_path / path.relative_to(course)).parent.mkdir(exist_ok=True)
        copy.write_bytes(text)
    before = files(tmp_path)
    assert build_notebooks.main(["--check"], tmp_path) == 1
    said = capsys.readouterr().err
    assert f"cell 5 is not what notebooks/source/01_tiny.py:{derive(source).lines[4]} gives" in said
    assert "there:" in said and "twice(3)" in said
    assert files(tmp_path) == before


def test_lessons_and_notebooks_without_each_other(tmp_path, capsys):
    lesson_in(tmp_path)
    (tmp_path / "notebooks" / "solutions").mkdir()
    (tmp_path / "notebooks" / "solutions" / "03_gone.ipynb").write_text("{}")
    said = "\n".join(build_notebooks.orphans(tmp_path))
    assert "notebooks/solutions/03_gone.ipynb: no source" in said
    assert "notebooks/01_tiny.ipynb: not there; run nox -s build -- 01" in said
    assert build_notebooks.main(["05"], tmp_path) == 1
    assert "no lesson 05 in notebooks/source; there are: 01_tiny" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("code", "words"),
    [("import sys\nprint('careful', file=sys.stderr)", "writes to stderr:\ncareful"), ("1 / 0", "ZeroDivisionError")],
)
def test_refuses_errors_and_stderr(tmp_path, capsys, code, words):
    lesson_in(tmp_path, f"# %% [markdown]\n# Text\n\n# %%\nx = 1\n\n# %%\n{code}\n")
    assert build_notebooks.main([], tmp_path) == 1
    said = capsys.readouterr().err
    assert "notebooks/source/01_tiny.py:7: " in said and words in said
    assert files(tmp_path) == {}


def test_the_static_form_stands_in_for_a_widget():
    def display(**data):
        return nbformat.v4.new_output(
            "display_data", data={key.replace("__", "/"): value for key, value in data.items()}
        )

    widget = {build_notebooks.WIDGET: {"model_id": "1"}}
    kept = build_notebooks.tidy([display(**widget, text__html="<b>7</b>"), display(**widget)])
    assert [list(output.data) for output in kept] == [["text/html"], [build_notebooks.WIDGET]]


GREY = np.full((40, 60, 3), 128, dtype=np.uint8)
FOLD = "<details>{}</details>"


def plot_cell(*plots, form="{}"):
    """A cell that shows plots, each given as (words, where a bar ends, pixels of its image)."""
    outputs = []
    for words, end, image in plots:
        matplotlib.image.imsave(data := io.BytesIO(), image, format="png")
        png = f"data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}"
        drawing = quote(f"<svg><path d='M 0 1 L {end} 1' fill='#0072b2'/><image href='{png}'/></svg>", safe="/'=:;,+ ")
        page = f'<div class="plot"><img alt="{words}" src="data:image/svg+xml,{drawing}"></div>'
        outputs.append(nbformat.v4.new_output("display_data", data={"text/html": form.format(page)}))
    return nbformat.v4.new_code_cell("plt.show()", outputs=outputs, id="a")


@pytest.mark.parametrize("form", ["{}", FOLD], ids=["a plot", "a plot under a cover"])
def test_plots_are_compared_by_words_numbers_and_pixels_and_those_of_measured_times_must_be_there(form):
    def difference(*cells):
        return compare_notebooks.difference(*(plot_cell(*plots, form=form) for plots in cells))

    plot = ("not 0.67", 70.5, GREY)
    assert difference([plot], [("not 0.67", 71.5, GREY + np.uint8(2))]) == ""
    assert "0.66" in difference([plot], [("not 0.66", 70.5, GREY)])
    assert "moved by 2.0 points" in difference([plot], [("not 0.67", 72.5, GREY)])
    assert "RMS of the pixels of an image 3.0" in difference([plot], [("not 0.67", 70.5, GREY + np.uint8(3))])
    assert "inf" in difference([plot], [("not 0.67", 70.5, GREY[:-1])])
    assert "lines, words or colours" in difference([plot], [("not 0.67", "70.5 L 3", GREY)])
    assert difference([plot], [])
    times = ("Curves. Seconds over n. From 1 to 2.", 70.5, GREY)
    assert difference([times], [("Curves. Seconds over n. From 1 to 3.", 90, GREY)]) == ""
    assert difference([times], []) and difference([times], [plot])


def test_a_student_s_prediction_is_sealed_numbered_and_folded_and_the_solution_s_is_folded(tmp_path):
    lesson = derive(lesson_in(tmp_path, PREDICTED.replace("{}", "1")))
    student, solved = (notebook.cells[1] for notebook in (lesson.student, lesson.solved))
    assert "number=1" in student.source and "True" not in student.source
    assert solved.source == "predict('q', {'a': True})"
    assert student.metadata == solved.metadata == {"jupyter": {"source_hidden": True}}
