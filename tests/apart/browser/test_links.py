"""A link to a picture of the book is taken whole or refused in a sentence, for any state that it holds.

Python's traits are the judge: what they refuse, the page may not take.
"""

import json
from urllib.parse import quote

import page_scripts
import pytest
import traitlets
from samples import ORDINARY, any_classifier
from widget_states import kind_and_state

from course_utils.explorables import AttentionExplorer, LookPlayground, NextWord, TheMachine
from course_utils.explorables.example_sentences import SENTENCES, by_letters

REFUSED = "The link does not fit"
LONGEST_BLOCK = 2  # seconds that a link may keep the page busy; how soon a page loads is the machine's affair
HOSTILE = [
    *(
        "1e308",
        "-1e308",
        "1e400",
        "-1",
        "0",
        "1",
        "0.5",
        "99",
        "100000000",
        "9007199254740993",
        "1e-320",
        "NaN",
        "null",
    ),
    *("true", "[]", "{}", "[null]", '""', '"nonsense"', '"<img src=x onerror=alert(1)>"', "%E0%A4%A", ""),
    *(
        "[1e308,1e308]",
        "[1e-320,0]",
        "[1,2,3]",
        "[[0,0]]",
        "[[0,99]]",
        "[[-1,0,0,0]]",
        "[[null,null,null,0]]",
        "[[1,2],3]",
    ),
    *("[[0,0,0,0,2]]", "[[0,0,0,0,0.5],[0,0,0,1,0.5]]", '["The",".","movie"]', '["The","unheard-of"]'),
    json.dumps([1] * 5000),
    json.dumps([[0.5] * 2] * 5000),
    json.dumps(["The"] * 5000),
    json.dumps([[0] * 5000]),
    "[" * 5000 + "]" * 5000,
]
SEVERAL = [
    ("LookPlayground", {"question": "above", "target": 50}),  # nothing is above it: no sentence has a yes
    ("LookPlayground", {"length": 2}),  # the question is about position 4
    ("LookPlayground", {"question": "equal", "position": 3, "other": 3}),
    ("TheMachine", {"sentence": "good"}),  # the word that looks is not there
    ("TheMachine", {"hide": [[0, 0, 0, key] for key in range(13)]}),  # nothing is left to look at
    ("AttentionExplorer", {"tokens": ["a", "b"]}),  # the vectors are those of twelve
    ("Own classifier", {"length": 9}),  # its weights are those of six tokens
    ("VectorPad", {"__proto__": 1}),
    ("VectorPad", {"names": ["p", "q"]}),  # no part of the state
]
OWN_WORDS = {
    "tokens": ["a", "b"],
    **{name: [by_letters("a"), by_letters("b")] for name in "QKV"},
    "query": 1,
    "padding": 1,
}
THREE_WIDE = next(one for one in SENTENCES if len(one["tokens"]) != len(SENTENCES[0]["tokens"]))
# What a hand can reach, and a link has to bring back; also the states that began as null.
REACHED = [
    ("NextWord", {"head": 2, "seed": 4294967295}),
    ("NextWord of a lesson", {"head": 0, "seed": 0, "words": [], "hide": [[0, 0], [1, 3]]}),
    ("NextWord", {"head": None, "seed": None, "verdict": "blame", "temperature": 0.1}),
    ("AttentionExplorer", OWN_WORDS),
    ("AttentionExplorer", {name: THREE_WIDE[name] for name in ("tokens", "Q", "K", "V", "query")}),
    ("LookPlayground", {"question": "equal", "position": 2, "other": 5, "length": 9, "opened": 1, "learning_rate": 1}),
    ("TheMachine", {"sentence": "The movie was good", "query": 4, "hide": [[None, None, None, 3]], "step": "mix"}),
    ("TheMachine", {"given": [[0, 1, 5, 4, 0.5]], "hide": []}),
    ("Vectors", {"sentence": "a b", "query": 1, "key": 0, "given": [[0, 0, 1, 0, 1]]}),
    ("Classifier", {"sentence": "1 2 3 4 5 6", "hide": [[0, 0, 0, 4]]}),
    ("VectorPad", {"a": [1000000, -1e-300], "b": [0, 0], "snap": False}),
    ("TrainingReplay", {"epoch": 0, "tokens": [0, 1, 2, 3, 4, 5, 50]}),
    ("SoftmaxDial", {"scores": [100, -100, 0.1], "temperature": 0.01, "d_k": 1024, "scaled": False}),
    ("HeadGallery", {"layer": 0, "head": 3, "query": 5}),
]
MADE = ORDINARY | {
    "LookPlayground": lambda: LookPlayground("full", seeds=2),
    "Own classifier": lambda: LookPlayground(classifier=any_classifier(0), seeds=1),
    "NextWord of a lesson": lambda: NextWord(ORDINARY["NextWord"]().writer, words=["The"]),
    "Classifier": lambda: TheMachine(any_classifier(0), "7 42 19 42 3 28"),
    "Vectors": lambda: TheMachine([[[1, 0], [0, 2], [1, 1]]] * 3, "a b c"),
    "AttentionExplorer": AttentionExplorer,
}
STATES = {name: kind_and_state(json.loads(json.dumps(make().get_state()))) for name, make in MADE.items()}
PAGE = """<!doctype html><meta charset="utf-8"><script defer src="book.js"></script>
<link rel="stylesheet" href="explorables.css"><body><div class="book-widget" id="it" data-kind="{kind}">
<script type="application/json">{state}</script><script defer src="explorables/{kind}.js"></script></div>"""
STATE = """holder => { const { model } = holder;
  return Object.fromEntries(Object.keys(model.get("_initial")).map((name) => [name, model.get(name)])); }"""
# The page begins anew for each of many links, as it does when it is loaded, which would take longer.
EACH = """([links, state]) => links.map((link) => {
  const old = document.getElementById("it"), holder = old.cloneNode(true), begun = performance.now();
  holder.querySelector(".book-live").remove();
  old.replaceWith(holder);
  begin(holder, readAddress(link));
  return { state: eval(state)(holder), text: holder.innerText, seconds: (performance.now() - begun) / 1000 };
})"""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("links") / "site"
    page_scripts.write_scripts(place)
    for name, (kind, state) in STATES.items():
        text = PAGE.format(kind=kind, state=json.dumps(state).replace("<", "\\u003c"))
        (place / f"{name}.html").write_text(text, encoding="utf-8")
    return place


def open_link(page, folder, name, query=""):
    """Open a link. Returns the state, and the words of the page."""
    page.goto("about:blank")
    page.goto(f"{(folder / name).as_uri()}.html#it{query}")
    holder = page.locator("#it.book-alive")
    holder.wait_for()
    loaded = holder.evaluate(STATE), holder.inner_text()
    (again,) = page.evaluate(EACH, [[f"#it{query}"], STATE])
    assert again["seconds"] < LONGEST_BLOCK
    return loaded


def query_of(state):
    return "?" + "&".join(f"{name}={quote(json.dumps(value))}" for name, value in state.items())


def python_takes(name, state):
    """Return whether the traits accept a state that was read from a link."""
    try:
        MADE[name]()._take(STATES[name][1]["_initial"] | state)
    except (ValueError, TypeError, traitlets.TraitError):
        return False
    return True


def parsed(text):
    """Return [the value] that a link holds, or [] where it holds none."""
    try:
        return [json.loads(text, parse_constant=lambda word: json.loads(""))]
    except (ValueError, RecursionError):
        return []


@pytest.mark.parametrize("name", ORDINARY)
def test_what_python_would_refuse_a_link_does_not_show(page, folder, name):
    initial = STATES[name][1]["_initial"]
    for trait in initial:
        open_link(page, folder, name)
        links = [f"#it?{trait}={text}" for text in HOSTILE]
        for text, seen in zip(HOSTILE, page.evaluate(EACH, [links, STATE]), strict=True):
            case, value, taken = (trait, text[:60]), parsed(text), REFUSED not in seen["text"]
            assert not taken or (value and python_takes(name, {trait: value[0]})), case
            assert seen["state"][trait] == (value[0] if taken else initial[trait]), case
            assert seen["seconds"] < LONGEST_BLOCK, case
        page.evaluate(DRAWN)


@pytest.mark.parametrize(("name", "state"), SEVERAL)
def test_values_that_do_not_go_together_are_refused(page, folder, name, state):
    seen, text = open_link(page, folder, name, query_of(state))
    assert REFUSED in text and seen == STATES[name][1]["_initial"]


@pytest.mark.parametrize(("name", "state"), REACHED)
def test_a_link_brings_back_what_a_hand_can_reach(page, folder, name, state):
    assert python_takes(name, state)
    seen, text = open_link(page, folder, name, query_of(state))
    assert REFUSED not in text and {trait: seen[trait] for trait in state} == state
