"""What lesson 19 asks of a study: a question, a claim, the parts of the study, and three sentences about it."""

import re

import numpy as np

from course_utils.checks.engine import errors
from course_utils.checks.engine.running import run
from course_utils.checks.engine.verdict import DONE, NOT_YET, Finding, first_of, not_yet
from course_utils.cls_task import best_counter, make_task

SEQ_LEN, SEEDS = 7, range(5)
TOO_EASY = 0.95  # the best counter is right more often: the question is about words, and not about places
TOO_RARE = 0.003  # make_task would not find enough of one answer
PATIENCE = 20  # seconds for the best counter: it asks 720 times
CLAIM = ("places", "at_least", "seeds", "refuted_by")
STUDY = ("seeds", "learned_from", "measured_on", "claimed", "control", "base_rate")
FEWEST_WORDS = 5
# Said of anybody; or said of a model, where nobody else comes in between: "we do not know whether it ..." may stay.
MIND = re.compile(
    r"\b(understands|understood|thinks|thought|knows|knew|wants|wanted|believes|decides|decided|reali[sz]es|feels)\b"
    r"|\b(models?|networks?|cls|it|they)\b(?:(?!\b(?:we|i|nobody)\b)[^.;,])*"
    r"\b(understand|think|know|want|believe|decide|reali[sz]e|feel)\b",
    re.I,
)
PROVES = re.compile(r"\b(?<!not )(?<!no )(prove[sdn]?|proof|always|certain(?:ly)?)\b", re.I)
LIMIT = re.compile(r"\b(not|no|nothing|never|only|cannot|nobody|open|unknown)\b|n't\b", re.I)


def judge_question(ask):
    """Say what is found in a question, a function from tokens (n, 7) to n answers, yes or no."""
    tokens = np.insert(np.random.default_rng(0).integers(1, 51, size=(5000, SEQ_LEN - 1)), 0, 0, axis=1)
    other = tokens.copy()
    other[:, 0] = tokens[:, 1]  # another token in the place of [CLS]
    probes = [(tokens,), (tokens,), (other,), (tokens[::-1],), *((tokens[i : i + 1],) for i in range(40))]
    ran = run(ask, probes, 1, seconds=PATIENCE)
    if problem := next(filter(None, map(_not_answered, ran.outcomes, probes)), None):
        return problem
    if ran.changed:
        return not_yet("changes-input", argument="tokens", owned="array")
    first, again, without_cls, turned, *alone = (outcome.parts[0].astype(bool) for outcome in ran.outcomes)
    found = {
        "question-tosses": (first != again).any(),
        "question-neighbours": (first != turned[::-1]).any() or (first[: len(alone)] != np.ravel(alone)).any(),
        "question-reads-cls": (first != without_cls).any(),
        "question-one-answer": len(set(first)) == 1,
        "question-rare": not TOO_RARE < first.mean() < 1 - TOO_RARE,
        "question-no-words": not (getattr(ask, "__doc__", None) or "").strip(),
    }
    if id := next((id for id, is_so in found.items() if is_so), ""):
        return not_yet(id)
    return _against_counting(ask, first.mean())


def _not_answered(outcome, probe):
    """What is wrong with what came back for some sentences; None where each got a yes or a no."""
    (tokens,) = probe
    if outcome.problem in ("raises", "too-slow"):
        return not_yet(outcome.problem, errors.in_words(outcome.detail) if outcome.detail else "")
    if outcome.problem:
        return not_yet("question-not-yes-no")
    answers = outcome.parts[0]
    if answers.shape == tokens.shape[1:]:
        return not_yet("question-one-sentence")
    yes_or_no = answers.shape == tokens.shape[:1] and np.isin(answers, (0, 1)).all()
    return None if yes_or_no else not_yet("question-not-yes-no")


def _against_counting(ask, share):
    counted = run(lambda: best_counter(make_task(600, question=ask)), [()], 1, seconds=PATIENCE).outcomes[0]
    if counted.problem:
        return not_yet("too-slow")
    best = float(counted.parts[0])
    if best > TOO_EASY:
        return not_yet("question-counting")
    said = f"{share:.0%} of random sentences get a yes, and on 300 sentences the best counter is right in {best:.2f}."
    return Finding(DONE, (), said)


def judge_claim(claim):
    """Say what is found in a claim: could it fail, and could it hold?"""
    if not isinstance(claim, dict) or set(claim) != set(CLAIM):
        return not_yet("not-a-value", f"A dict with these four is wanted: {', '.join(CLAIM)}.")
    places, at_least, seeds = np.atleast_1d(claim["places"]), float(claim["at_least"]), claim["seeds"]
    inside = places.size and places.dtype.kind in "iu" and np.isin(places, range(SEQ_LEN)).all()
    found = {
        "claim-outside": not inside,
        "claim-twice": len(set(places.ravel())) < places.size,
        "claim-too-many": 2 * places.size > SEQ_LEN,
        "claim-cannot-fail": at_least <= 0 or seeds <= 0,
        "claim-part-of-a-seed": 0 < seeds < 1,
        "claim-uniform": 0 < at_least <= 1 / SEQ_LEN and 2 * places.size <= SEQ_LEN,
        "claim-cannot-hold": at_least * places.size > 1 or seeds > len(SEEDS),
        "claim-no-words": len(str(claim["refuted_by"]).split()) < FEWEST_WORDS,
    }
    where = " and ".join(map(str, places.ravel()))
    said = f"Each claimed place ({where}) has to get {at_least:g}, on {seeds} of 5 seeds."
    uniform = (
        f"A model that looks nowhere in particular gives each place {1 / SEQ_LEN:.3f}, and you ask for {at_least:g}."
    )
    return _with_another(found, "claim-uniform", uniform) or first_of(_so(found), said)


def _so(found):
    return [id for id, is_so in found.items() if is_so]


def _with_another(found, id, sentence):
    """Return the finding of the first mistake and of this one, said in a sentence; None where not both are there."""
    first, *others = _so(found) or [""]
    return Finding(NOT_YET, (first, id), f"{not_yet(first).message} {sentence}") if id in others else None


def judge_study(study):
    """Say what is found in the parts of a study."""
    if not isinstance(study, dict) or set(study) != set(STUDY):
        return not_yet("not-a-value", f"A dict with these six is wanted: {', '.join(STUDY)}.")
    claimed, control = (set(np.ravel(study[name]).tolist()) for name in ("claimed", "control"))
    labels = np.asarray(study["measured_on"].labels)
    known = {sentence.tobytes() for sentence in np.asarray(study["learned_from"].tokens)}
    found = {
        "study-seeds-picked": sorted(study["seeds"]) != list(SEEDS),
        "study-leak": any(sentence.tobytes() in known for sentence in np.asarray(study["measured_on"].tokens)),
        "study-no-control": not control,
        "study-control-claimed": bool(claimed & control) or len(claimed) != len(control),
        "study-base-rate": abs(float(study["base_rate"]) - max(labels.mean(), 1 - labels.mean())) > 0.006,
    }
    return first_of(_so(found))


def judge_sentences(sentences):
    """Say what is found in three sentences: the claim, what was measured, what was not shown."""
    if not isinstance(sentences, list | tuple) or len(sentences) != 3 or not all(isinstance(s, str) for s in sentences):
        return not_yet("not-a-value", "Three texts are wanted: the claim, what was measured, what was not shown.")
    _, measured, not_shown = sentences
    whole = " ".join(sentences)
    found = {
        "sentences-mind": MIND.search(whole),
        "sentences-prove": PROVES.search(whole),
        "sentences-no-number": not re.search(r"\d", measured),
        "sentences-no-seeds": not re.search(r"\bseeds?\b", measured, re.I),
        "sentences-no-control": not re.search(r"\bcontrol", measured, re.I),
        "sentences-no-limit": not LIMIT.search(not_shown),
    }
    besides = "Besides, the third sentence does not say what you have not shown."
    return _with_another(found, "sentences-no-limit", besides) or first_of(_so(found))
