"""What a student wrote goes on working: into a file with keep, out of it with mine, and never lost or in the way."""

import linecache
import sys

import numpy as np
import pytest

from course_utils.attention import attention_scores
from course_utils.checks import check, keep, mine
from course_utils.checks.student import own_tools, record

SCORES = "def scores_of(Q, K):\n    return Q @ K.T / np.sqrt(Q.shape[-1])\n"
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


def solve(text=SCORES, exercise="scores", function="scores_of", **names):
    answer = cell(text, **names)[function]
    check(exercise, answer)
    return answer


def solve_and_keep(text=SCORES, exercise="scores", function="scores_of", **names):
    """Solve an exercise and keep it; the next kernel begins. Returns the function that goes on."""
    solve(text, exercise, function, **names)
    function = keep(exercise)
    new_kernel()
    return function


def new_kernel():
    record.done_answers.clear()
    sys.modules.pop("my_attention", None)


def test_a_solved_exercise_runs_from_then_on_here_and_in_the_next_lesson(place, capsys):
    answer = solve()
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
def edges(n, query, key):
    print("counting")
    return [[(i, j) != (query, key) for j in range(n)] for i in range(n)]
"""


def test_an_answer_that_gives_lists_goes_on_as_one_that_gives_arrays(place, capsys):
    edges = solve_and_keep(LISTS, "cut_edge", "edges")
    assert (edges(2, 1, 0) == np.array([[True, True], [False, True]])).all()
    assert "return [[(i, j)" in place.read_text()
    assert isinstance(mine("cut_edge")(2, 0, 1), np.ndarray)
    assert capsys.readouterr().out.count("counting") == 2


def test_what_a_function_reads_is_kept_with_it_where_it_is_code(place, capsys):
    """A number, a function of the notebook, a tool of an earlier lesson; not the data of a lesson."""
    bias = "def scores_of(Q, K):\n    return Q @ K.T / np.sqrt(Q.shape[-1]) + bias\n"
    solve_and_keep(bias, bias=np.zeros(1))
    assert "because it reads `bias`, which stands in a cell of the lesson" in capsys.readouterr().out
    assert not place.exists()
    root = "ROOT = 0.5\n\n\ndef root(Q):\n    return Q.shape[-1] ** ROOT\n\n\n"
    solve_and_keep(root + "def scores_of(Q, K):\n    return Q @ K.T / root(Q)\n")
    solve_and_keep(
        "e = lambda s: np.exp(s - s.max(-1, keepdims=True))\nmine_of = lambda s: e(s) / e(s).sum(-1, keepdims=True)\n",
        "stable_softmax",
        "mine_of",
    )
    softmax, scores_of = mine("stable_softmax", "scores")
    text = "def attention(Q, K, V):\n    return softmax(scores_of(Q, K)) @ V\n"
    solve_and_keep(text, "attention", "attention", softmax=softmax, scores_of=scores_of)
    text = place.read_text()
    assert text.index("ROOT = 0.5") < text.index("def root(Q)") < text.index("def scores_of")
    capsys.readouterr()
    mine("attention", "stable_softmax", "scores")
    assert capsys.readouterr().out == "your attention, stable_softmax and scores\n"


@pytest.mark.parametrize("answer", [None, WRONG], ids=["nothing", "a wrong one"])
def test_what_is_not_done_is_the_courses_and_writes_nothing(place, capsys, answer):
    if answer:
        solve(answer)
    Q, K = np.eye(2, 4), np.ones((3, 4))
    for take in (keep, mine):
        np.testing.assert_allclose(take("scores")(Q, K), attention_scores(Q, K))
    assert capsys.readouterr().out.splitlines() == [
        "scores: the course's, until yours is done",
        "the course's scores, until yours is done",
    ]
    assert not place.exists()


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


def test_a_part_in_keras_that_is_missing_is_the_courses(place, capsys):
    from course_utils.models import cls_model

    assert keep("positional_embedding") is cls_model.PositionalEmbedding
    assert mine("build_model")().count_params() == 777
    stub = "class PositionalEmbedding:\n    def call(self, token_ids):\n        ...  # your code\n"
    assert check("positional_embedding", cell(stub)["PositionalEmbedding"]).state == "not started"


def test_a_new_version_goes_below_the_old_one_and_below_one_that_the_student_broke(place, capsys):
    (place.parent / "my_model.py").write_text("import numpy as np\nfrom keras import layers\n")
    for text in (SCORES, OTHER, OTHER):
        solve_and_keep(text)
    text = place.read_text()
    assert text.count("def scores_of") == 2 and text.index("@ K.T") < text.index("einsum")
    assert capsys.readouterr().out.splitlines()[-1] == "scores: yours, in my_attention.py"
    place.write_text(text.replace("Q, K) / Q", "Q, Q) / Q"))
    solve_and_keep()
    text = place.read_text()
    assert text.count("def scores_of") == 3 and text.index("Q, Q) / Q") < text.rindex("Q @ K.T")


def test_what_the_student_changed_in_the_file_stays(place, monkeypatch, capsys):
    solve_and_keep()
    edited = place.read_text().replace("np.sqrt(Q.shape[-1])", "Q.shape[-1] ** 0.5  # mine")
    place.write_text(edited)
    solve_and_keep(OTHER)
    assert place.read_text() == edited
    assert "goes on with the version that you changed there" in capsys.readouterr().out
    meanwhile = "# my own note\n"
    monkeypatch.setattr(own_tools, "_problem_with", lambda name, module: place.write_text(meanwhile) and "")
    place.unlink()
    solve_and_keep()
    assert place.read_text() == meanwhile
    said = "It is not in my_attention.py: my_attention.py was changed meanwhile. Run the cell again."
    assert capsys.readouterr().out == f"scores: yours. {said}\n"


@pytest.mark.parametrize(
    "damage, said",
    [
        (lambda text: text + "\ndef half(:\n", "my_attention.py cannot be read: line 11"),
        (lambda text: text.replace("@ K.T", "@ K.T * 2"), "scores_of in my_attention.py is not right any more"),
        (lambda text: text + "\nimport sys; sys.exit()\n", "my_attention.py stops with SystemExit"),
    ],
    ids=["syntax", "wrong", "exit"],
)
def test_a_broken_tool_falls_back_to_the_courses_with_a_sentence(place, capsys, damage, said):
    solve_and_keep()
    place.write_text(damaged := damage(place.read_text()))
    capsys.readouterr()
    Q = np.eye(2)
    np.testing.assert_allclose(mine("scores")(Q, Q), attention_scores(Q, Q))
    first, second = capsys.readouterr().out.splitlines()
    assert first == "the course's scores, until yours is done" and second.startswith(said)
    solve_and_keep(OTHER)
    assert place.read_text().startswith(damaged.rstrip("\n"))  # nothing that stood there is gone
    (place.parent / "my_model.py").write_text(f"import numpy as np\n\n\n{SCORES}")
    place.write_text("def half(\n")
    new_kernel()
    assert mine("stable_softmax", "scores")[1].__module__ == "my_model"  # what is right in the other file goes on


STUDENT = """import numpy as np

# café, Grüße

def root_of(n):
    return n ** 0.5

def stable_softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)"""
ENCODED = {
    "latin-1": STUDENT.encode("latin-1"),
    "cp1252": f"{STUDENT}  # “mine”\n".encode("cp1252"),
    "a byte that cp1252 has not": STUDENT.encode() + b"  # \x81\n",
    "utf-8, windows": STUDENT.replace("\n", "\r\n").encode(),
    "utf-8 with a mark": STUDENT.encode("utf-8-sig"),
    "utf-16": STUDENT.replace("\n", "\r\n").encode("utf-16"),
    "utf-16, big end first": "\ufeff".encode("utf-16-be") + STUDENT.encode("utf-16-be"),
    "utf-16 without a mark": STUDENT.encode("utf-16-le"),
    "declared": b"# -*- coding: iso-8859-2 -*-\n" + STUDENT.replace("café", "Łódź").encode("iso-8859-2"),
    "declared wrongly": b"# coding: no-such-coding\n" + STUDENT.encode(),
    "many lines at the end": STUDENT.encode() + b"\n" * 7,
}


@pytest.mark.parametrize("before", ENCODED.values(), ids=ENCODED)
def test_a_file_in_any_encoding_is_read_and_goes_on_in_it_without_a_byte_changed(place, capsys, before):
    place.write_bytes(before)
    assert mine("stable_softmax").__module__ == "my_attention"
    solve_and_keep(SCORES.replace("    return", "    # über\n    return"))
    after = place.read_bytes()
    assert after.startswith(before) and len(after) > len(before)
    assert (b"\r" in before) == (b"\r" in after[len(before) :])
    new_kernel()
    scores, softmax = mine("scores", "stable_softmax")
    assert {scores.__module__, softmax.__module__} == {"my_attention"}
    check("scores", scores)
    assert keep("scores") is scores and place.read_bytes() == after
    lines = capsys.readouterr().out.splitlines()
    assert "scores: yours, now in my_attention.py" in lines and lines[-1] == "scores: yours, in my_attention.py"


REFUSED = {
    "has no such sign": (
        STUDENT.encode("latin-1"),
        "it is written in cp1252, which has no '→'. Save the file as UTF-8",
    ),
    "cannot be written at all": (b"# coding: idna\nx = 1\n", "it is written in idna, which has no such characters."),
    "holds a null byte": (b"x = 1\n# \0\n\n", "my_attention.py cannot be read: source code string"),
    "is no text": (b"# coding: unicode_escape\nx = '\\ud800'\n", "surrogates not allowed"),
    "half of a character": (b"\xff\xfeabc", "stops with NameError"),
}


@pytest.mark.parametrize(("before", "said"), REFUSED.values(), ids=REFUSED)
def test_what_an_encoding_cannot_hold_is_said_in_a_sentence_and_changes_nothing(place, capsys, before, said):
    place.write_bytes(before)
    solve_and_keep(SCORES.replace("    return", "    # Q → K\n    return"))
    mine("scores")
    assert place.read_bytes() == before
    out = capsys.readouterr().out
    assert out.startswith("scores: yours. It is not in my_attention.py: ") and said in out and "line None" not in out
    place.unlink()
    place.mkdir()
    solve_and_keep()
    assert "It is not in my_attention.py, which cannot be read: " in capsys.readouterr().out


def test_a_function_of_the_courses_that_a_kept_one_reads_is_not_taken_for_the_students(place, capsys):
    scores_of, softmax = keep("scores"), keep("stable_softmax")  # neither is done
    text = "def attention(Q, K, V):\n    return softmax(scores_of(Q, K)) @ V\n"
    solve_and_keep(text, "attention", "attention", scores_of=scores_of, softmax=softmax)
    mine("attention", "scores")
    solve_and_keep()
    assert "return Q @ K.T" in place.read_text() and mine("scores").__module__ == "my_attention"
    assert capsys.readouterr().out.splitlines()[2:] == [
        "attention: yours, now in my_attention.py",
        "your attention, the course's scores, until yours is done",
        "scores: yours, now in my_attention.py",
        "your scores",
    ]


def refuse(*_, **__):
    raise PermissionError(13, "Permission denied")


def test_nothing_is_read_or_written_where_all_is_off_or_the_disk_refuses(place, monkeypatch, capsys):
    solve_and_keep()
    before = place.read_text()
    with monkeypatch.context() as off:
        off.setenv("LEARNING_TO_LOOK_DATA", "off")
        mine("scores")
        solve_and_keep(OTHER)
    assert capsys.readouterr().out.splitlines()[1:] == ["the course's scores, until yours is done", "scores: yours"]
    monkeypatch.setattr("tempfile.mkstemp", refuse)
    place.unlink()
    assert solve_and_keep().__name__ == "scores_of"
    assert "my_attention.py cannot be written: Permission denied" in capsys.readouterr().out
    place.write_text(before)


def test_the_solutions_take_the_place_of_the_students_files_and_nothing_is_kept_among_them(place, capsys):
    (place.parent / "solved_attention.py").write_text(f"import numpy as np\n\n\n{OTHER}")
    assert mine("scores").__module__ == "solved_attention"
    solve_and_keep()
    assert not place.exists() and capsys.readouterr().out == "your scores\nscores: yours\n"


def test_a_name_that_is_no_exercise_with_a_function_is_refused():
    for names in (["score"], ["first_check"], []):
        with pytest.raises(ValueError, match=r"^names? is"):
            mine(*names)


def test_a_question_of_ones_own_is_kept_and_a_claim_stays_in_its_lesson(place, capsys):
    text = 'def my_question(tokens):\n    """Is the last token odd?"""\n    return tokens[:, 6] % 2 == 1\n'
    answer = solve(text, "my_question", "my_question")
    assert keep("my_question") is answer and "Is the last token odd?" in place.read_text()
    before, own = place.read_text(), {"places": [6], "at_least": 0.4, "seeds": 5, "refuted_by": "Less on any of them."}
    assert keep("claim")["places"] == [5]
    check("claim", own)
    assert keep("claim") is own and place.read_text() == before
    assert capsys.readouterr().out.splitlines()[-2:] == ["claim: the course's, until yours is done", "claim: yours"]
    with pytest.raises(ValueError, match="whose answer the lesson goes on with"):
        keep("my_study")
