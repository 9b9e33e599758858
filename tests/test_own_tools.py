"""What a student wrote goes on working: into a file with keep, out of it with mine, and never lost or in the way."""

import linecache
import sys
import zipfile

import numpy as np
import pytest

from course_utils.attention import attention_scores
from course_utils.checks import check, keep, mine, take_away
from course_utils.checks.student import own_tools, record

SCORES = "def scores_of(Q, K):\n    return Q @ K.T / np.sqrt(Q.shape[-1])\n"
HELPED = "ROOT = 0.5\n\n\ndef root(Q):\n    return Q.shape[-1] ** ROOT\n\n\n"
HELPED += "def scores_of(Q, K):\n    return Q @ K.T / root(Q)\n"
WRONG = "def scores_of(Q, K):\n    return Q @ K.T\n"
OTHER = "def scores_of(Q, K):\n    return np.einsum('id,jd->ij', Q, K) / Q.shape[-1] ** 0.5\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(record, "done_answers", {})
    return tmp_path / "my_attention.py"


def cell(text, **names):
    """Run a cell as a notebook does: its source can be found, and its functions belong to __main__."""
    file = f"<cell {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {"np": np, "__name__": "__main__", **names}
    exec(compile(text, file, "exec"), space)
    return space


def solved(text=SCORES, exercise="scores", function="scores_of", **names):
    answer = cell(text, **names)[function]
    check(exercise, answer)
    return answer


def new_kernel():
    record.done_answers.clear()
    sys.modules.pop("my_attention", None)


def test_a_solved_exercise_runs_from_then_on_here_and_in_the_next_lesson(place, capsys):
    answer = solved()
    assert mine("scores") is answer and keep("scores") is answer
    new_kernel()
    kept = mine("scores")
    assert capsys.readouterr().out.splitlines() == [
        "your scores",
        "scores: yours, now in my_attention.py",
        "your scores",
    ]
    assert kept.__module__ == "my_attention" and "def scores_of(Q, K):" in place.read_text()
    import my_attention

    assert my_attention.scores_of is kept


LISTS = """
def label_of(tokens, position, target):
    print("counting")
    return [int(row[position] == target) for row in tokens]
"""


def test_an_answer_that_gives_lists_goes_on_as_one_that_gives_arrays(place, capsys):
    solved(LISTS, "cls_labels", "label_of")
    labels = keep("cls_labels")
    assert (labels(np.array([[0, 4, 2], [0, 1, 2]]), 1, 4) == np.array([1, 0])).all()
    assert "return [int(" in place.read_text()
    new_kernel()
    assert isinstance(mine("cls_labels")(np.array([[0, 4]]), 1, 4), np.ndarray)
    assert capsys.readouterr().out.count("counting") == 2


@pytest.mark.parametrize("answer", [None, WRONG], ids=["nothing", "a wrong one"])
def test_what_is_not_done_is_the_courses_and_writes_nothing(place, capsys, answer):
    if answer:
        solved(answer)
    Q, K = np.eye(2, 4), np.ones((3, 4))
    for take in (keep, mine):
        np.testing.assert_allclose(take("scores")(Q, K), attention_scores(Q, K))
    assert capsys.readouterr().out.splitlines() == [
        "scores: the course's, until yours is done",
        "the course's scores, until yours is done",
    ]
    assert not place.exists()


def test_what_a_function_reads_from_the_notebook_comes_with_it(place):
    solved(HELPED)
    keep("scores")
    text = place.read_text()
    assert text.index("ROOT = 0.5") < text.index("def root(Q)") < text.index("def scores_of")
    new_kernel()
    assert mine("scores").__module__ == "my_attention"


def test_a_lambda_another_name_and_a_tool_of_an_earlier_lesson_are_kept_too(place, capsys):
    check("scores", cell("f = lambda Q, K: Q @ K.T / np.sqrt(K.shape[1])\n")["f"])
    keep("scores")
    lines = "def mine_of(s):\n    e = np.exp(s - s.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)\n"
    soft = cell(lines)
    check("stable_softmax", soft["mine_of"])
    keep("stable_softmax")
    new_kernel()
    softmax, scores_of = mine("stable_softmax", "scores")
    text = "def attention(Q, K, V):\n    return softmax(scores_of(Q, K)) @ V\n"
    solved(text, "attention", "attention", softmax=softmax, scores_of=scores_of)
    keep("attention")
    new_kernel()
    capsys.readouterr()
    mine("attention", "stable_softmax", "scores")
    assert capsys.readouterr().out == "your attention, stable_softmax and scores\n"


def test_a_function_that_reads_data_of_the_notebook_is_used_and_not_kept(place, capsys):
    solved("def scores_of(Q, K):\n    return Q @ K.T / np.sqrt(Q.shape[-1]) + bias\n", bias=np.zeros(1))
    keep("scores")
    assert "because it reads `bias`, which stands in a cell of the lesson" in capsys.readouterr().out
    assert not place.exists()


def test_a_new_version_goes_below_the_old_one(place, capsys):
    for text in (SCORES, OTHER, OTHER):
        solved(text)
        keep("scores")
    text = place.read_text()
    assert text.count("def scores_of") == 2 and text.index("@ K.T") < text.index("einsum")
    assert capsys.readouterr().out.splitlines()[-1] == "scores: yours, in my_attention.py"


CLASS = """class Mine(layers.Layer):
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        return added(self.tokens(token_ids), self.positions(keras.ops.arange(token_ids.shape[1])))
"""
ADDED = "def added(X, P):\n    return X + P\n\n\n"


def test_a_class_is_kept_with_what_it_reads_among_the_parts_in_keras(place, capsys):
    import keras

    answer = cell(ADDED + CLASS, keras=keras, layers=keras.layers)["Mine"]
    assert check("positional_embedding", answer).state == "done"
    assert keep("positional_embedding") is answer
    text = (place.parent / "my_model.py").read_text()
    assert text.index("import keras") < text.index("def added") < text.index("class Mine") < text.index("Embedding = M")
    compiled = "def compile_model(model):\n    model.compile('adam', 'binary_crossentropy', metrics=['accuracy'])\n"
    check("compile_model", cell(compiled + "    return model\n")["compile_model"])
    keep("compile_model")
    new_kernel()
    capsys.readouterr()
    kept, _ = mine("positional_embedding", "compile_model")
    assert capsys.readouterr().out == "your positional_embedding and compile_model\n"
    assert kept(9, 4, 3)(np.zeros((2, 4), int)).shape == (2, 4, 3)
    assert not place.exists()


def test_a_function_that_reads_only_numpy_is_no_part_in_keras(place):
    (place.parent / "my_model.py").write_text("import numpy as np\nfrom keras import layers\n")
    solved()
    keep("scores")
    assert "def scores_of" in place.read_text()


def test_a_part_in_keras_that_is_missing_is_the_courses(place, capsys):
    from course_utils import cls_model

    assert keep("positional_embedding") is cls_model.PositionalEmbedding
    assert mine("build_model")().count_params() == 777
    stub = "class PositionalEmbedding:\n    def call(self, token_ids):\n        ...  # your code\n"
    assert check("positional_embedding", cell(stub)["PositionalEmbedding"]).state == "not started"


def test_what_the_student_changed_in_the_file_stays(place, capsys):
    solved()
    keep("scores")
    edited = place.read_text().replace("np.sqrt(Q.shape[-1])", "Q.shape[-1] ** 0.5  # mine")
    place.write_text(edited)
    solved(OTHER)
    keep("scores")
    assert place.read_text() == edited
    assert "goes on with the version that you changed there" in capsys.readouterr().out


def test_a_version_that_the_student_broke_in_the_file_stays_above_the_new_one(place):
    solved()
    keep("scores")
    place.write_text(place.read_text().replace("Q @ K.T", "Q @ Q.T"))
    solved(OTHER)
    keep("scores")
    text = place.read_text()
    assert text.index("Q @ Q.T") < text.index("einsum")


@pytest.mark.parametrize(
    "damage, said",
    [
        (lambda text: text + "\ndef half(:\n", "my_attention.py cannot be read: line 11"),
        (lambda text: text + "\nraise RuntimeError('no')\n", "my_attention.py stops with RuntimeError: no."),
        (lambda text: text.replace("@ K.T", "@ K.T * 2"), "scores_of in my_attention.py is not right any more"),
        (
            lambda text: text.replace("return Q @", "... # Q @"),
            "scores_of in my_attention.py is not right any more",
        ),
        (lambda text: text + "\nimport sys; sys.exit()\n", "my_attention.py stops with SystemExit"),
    ],
    ids=["syntax", "raises", "wrong", "unfinished", "exit"],
)
def test_a_broken_tool_falls_back_to_the_courses_with_a_sentence(place, capsys, damage, said):
    solved()
    keep("scores")
    place.write_text(damaged := damage(place.read_text()))
    new_kernel()
    capsys.readouterr()
    Q = np.eye(2)
    np.testing.assert_allclose(mine("scores")(Q, Q), attention_scores(Q, Q))
    first, second = capsys.readouterr().out.splitlines()
    assert first == "the course's scores, until yours is done" and second.startswith(said)
    solved(OTHER)
    keep("scores")
    assert place.read_text().startswith(damaged.rstrip("\n"))  # nothing that stood there is gone


def test_a_file_that_cannot_be_read_does_not_hide_what_is_right_in_the_other(place, capsys):
    place.write_text("def half(\n")
    (place.parent / "my_model.py").write_text(f"import numpy as np\n\n\n{SCORES}")
    _, scores_of = mine("stable_softmax", "scores")
    assert scores_of.__module__ == "my_model"
    whose, problem = capsys.readouterr().out.splitlines()
    assert whose == "your scores, the course's stable_softmax, until yours is done"
    assert problem.startswith("my_attention.py cannot be read: line 1")


def test_a_function_of_the_courses_that_a_kept_one_reads_is_not_taken_for_the_students(place, capsys):
    scores_of, softmax = keep("scores"), keep("stable_softmax")  # neither is done
    text = "def attention(Q, K, V):\n    return softmax(scores_of(Q, K)) @ V\n"
    solved(text, "attention", "attention", scores_of=scores_of, softmax=softmax)
    keep("attention")
    new_kernel()
    mine("attention", "scores")
    solved()
    keep("scores")
    new_kernel()
    assert "return Q @ K.T" in place.read_text() and mine("scores").__module__ == "my_attention"
    assert capsys.readouterr().out.splitlines()[2:] == [
        "attention: yours, now in my_attention.py",
        "your attention, the course's scores, until yours is done",
        "scores: yours, now in my_attention.py",
        "your scores",
    ]


def test_nothing_is_read_or_written_where_all_is_off(place, monkeypatch, capsys):
    solved()
    keep("scores")
    before = place.read_text()
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", "off")
    new_kernel()
    mine("scores")
    solved(OTHER)
    keep("scores")
    assert capsys.readouterr().out.splitlines()[1:] == ["the course's scores, until yours is done", "scores: yours"]
    assert place.read_text() == before


def test_the_solutions_take_the_place_of_the_students_files_and_nothing_is_kept_among_them(place, capsys):
    (place.parent / "solved_attention.py").write_text(f"import numpy as np\n\n\n{OTHER}")
    assert mine("scores").__module__ == "solved_attention"
    solved()
    keep("scores")
    assert not place.exists()
    assert capsys.readouterr().out == "your scores\nscores: yours\n"


def test_names_that_are_no_exercise_with_a_function(place):
    for wrong in ("score", "first_check"):
        with pytest.raises(ValueError, match=r"^name is"):
            mine(wrong)
    with pytest.raises(ValueError, match=r"^names is"):
        mine()


def test_a_file_that_cannot_be_written_costs_the_file_and_nothing_else(place, monkeypatch, capsys):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    answer = solved()
    assert keep("scores") is answer
    assert "my_attention.py cannot be written: Permission denied" in capsys.readouterr().out


def test_a_file_that_changes_while_a_function_is_proved_stays_and_a_line_says_so(place, monkeypatch, capsys):
    answer, edited = solved(), "# my own note\n"
    monkeypatch.setattr(own_tools, "_problem_with", lambda name, module: place.write_text(edited) and "")
    assert keep("scores") is answer and place.read_text() == edited
    said = "It is not in my_attention.py: my_attention.py was changed meanwhile. Run the cell again."
    assert capsys.readouterr().out == f"scores: yours. {said}\n"


def test_one_action_takes_the_work_away(place):
    solved()
    keep("scores")
    (place.parent / "04_lesson.ipynb").write_text("{}")
    take_away()
    names = set(zipfile.ZipFile(place.parent / "my_work.zip").namelist())
    assert names == {"my_attention.py", "04_lesson.ipynb", "progress.json"}


def test_a_question_of_ones_own_is_kept_and_a_claim_stays_in_its_lesson(place, capsys):
    text = 'def my_question(tokens):\n    """Is the last token odd?"""\n    return tokens[:, 6] % 2 == 1\n'
    answer = solved(text, "my_question", "my_question")
    assert keep("my_question") is answer and "Is the last token odd?" in place.read_text()
    before, own = place.read_text(), {"places": [6], "at_least": 0.4, "seeds": 5, "refuted_by": "Less on any of them."}
    assert keep("claim")["places"] == [5]
    check("claim", own)
    assert keep("claim") is own and place.read_text() == before
    assert capsys.readouterr().out.splitlines()[-2:] == ["claim: the course's, until yours is done", "claim: yours"]
    with pytest.raises(ValueError, match="whose answer the lesson goes on with"):
        keep("my_study")
