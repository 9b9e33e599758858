"""The exercises of lesson 17: a model that writes."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, Value, fault
from course_utils.checks.engine.verdict import first_of, not_yet
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.causal import CAUSAL_ATTENTION
from course_utils.checks.lessons.drawn_words import SAMPLE_NEXT
from course_utils.checks.lessons.one_token import BLOCK_STEP
from course_utils.checks.lessons.promised.text_17 import PROMISED, questions, reviews
from course_utils.review_task import PAD


def next_words(rows, *, reads=lambda rows: rows[:, :-1], wants=lambda rows: rows[:, 1:], whole=None):
    """Return what the model reads and what it should say, (n, n_tokens - 1) each, of rows (n, n_tokens)."""
    return whole(rows) if whole else (reads(rows), wants(rows))


def padded(rows):
    return np.concatenate([rows[:, 1:], np.full_like(rows[:, :1], PAD)], axis=1)


def highest(scores):
    return scores.max(axis=-1, keepdims=True)


def log_softmax(scores, axis=-1, most=highest):
    shifted = scores - most(scores)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def probabilities(scores):
    return np.exp(log_softmax(scores))


def of_the_right_word(logs, targets):
    return np.take_along_axis(logs, targets[..., None], axis=-1)[..., 0]  # (n, T)


def writing_loss(
    scores,
    targets,
    *,
    pairs=lambda scores, targets: (scores, targets),
    logs=log_softmax,
    take=of_the_right_word,
    real=lambda targets: targets != PAD,
    mean=lambda right, real: right[real].mean(),
    last=lambda mean: -mean,
):
    """Return the cross-entropy of a writer, one number, from scores (n, T, n_words) and targets (n, T)."""
    scores, targets = pairs(scores, targets)
    return last(mean(take(logs(scores), targets), real(targets)))


RIGHT_REPORTS = ("padding", "leak", "memorised", "honest")
WRONG_REPORTS = (  # for each report, the mistake of each wrong word
    {"honest": "report-below", "leak": "report-denominator", "memorised": "report-denominator"},
    {"honest": "report-below", "padding": "report-nonsense", "memorised": "report-nonsense"},
    {"honest": "report-below", "padding": "report-trained", "leak": "report-trained"},
    dict.fromkeys(("padding", "leak", "memorised"), "report-accused"),
)


def judge_reports(answer):
    """Say what is found in four words, one for each report of the lesson."""
    words = list(answer) if isinstance(answer, list | tuple | np.ndarray) and np.ndim(answer) else []
    if len(words) != len(RIGHT_REPORTS) or not all(word in RIGHT_REPORTS for word in words):
        return not_yet("not-a-value", f"Four words are wanted, each of them one of {', '.join(RIGHT_REPORTS)}.")
    return first_of([wrong[word] for word, wrong in zip(words, WRONG_REPORTS, strict=True) if word in wrong])


EXERCISES = (
    Exercise(
        name="next_words",
        reference=next_words,
        solution=solutions.next_words,
        arguments=("rows",),
        gives={"the array of inputs": "(n, n_tokens − 1)", "the array of targets": "(n, n_tokens − 1)"},
        **PROMISED["next_words"],
        probes=(reviews([6, 4, 5], 7, seed=1), reviews([5, 7, 3], 7, seed=2), reviews([5, 2, 4, 3, 5], 5, seed=3)),
        hint="Take one row, and write below each input what comes after it.",
        faults=(
            fault("next-not-shifted", whole=lambda rows: (rows[:, :-1], rows[:, :-1])),
            fault("next-not-shifted", whole=lambda rows: (rows[:, 1:], rows[:, 1:])),
            fault("next-not-shifted", whole=lambda rows: (rows, rows)),
            fault("next-backwards", whole=lambda rows: (rows[:, 1:], rows[:, :-1])),
            fault("next-by-two", whole=lambda rows: (rows[:, :-2], rows[:, 2:])),
            fault("next-verdict-lost", whole=lambda rows: (rows[:, 1:-1], rows[:, 2:])),
            fault("next-review", whole=lambda rows: (rows[:-1], rows[1:])),
            fault("next-wraps", whole=lambda rows: (rows, np.roll(rows, -1, axis=1))),
            fault("next-wraps", wants=lambda rows: np.roll(rows, 1, axis=1)[:, :-1]),
            fault("next-wraps", whole=lambda rows: (rows, np.roll(rows, 1, axis=1))),
            fault("next-last-kept", reads=lambda rows: rows),
            fault("next-last-kept", whole=lambda rows: (rows, padded(rows))),
            fault("next-one-question", wants=lambda rows: rows[:, -1]),
        ),
    ),
    CAUSAL_ATTENTION,
    Exercise(
        name="writing_loss",
        reference=writing_loss,
        solution=solutions.writing_loss,
        arguments=("scores", "targets"),
        gives={"the loss": "one number"},
        **PROMISED["writing_loss"],
        probes=(
            questions([4, 2, 3], 4, 6, seed=1),
            questions([1, 4, 2], 4, 6, seed=2),
            questions([3, 2, 1], 3, 3, seed=3),  # three equal axes: here any of them may be summed
            questions([3, 1], 5, 7, seed=4, base=1000),
            questions([2, 4], 4, 5, seed=5, base=np.array([-1000, 1000])[:, None, None]),
            questions([3, 4], 4, 5, seed=6, size=1000),
        ),
        hint="Take two places and three words, and work out both logarithms by hand.",
        faults=(
            fault("loss-shifted-again", pairs=lambda scores, targets: (scores[:, :-1], targets[:, 1:])),
            fault("loss-shifted-again", pairs=lambda scores, targets: (scores[:, 1:], targets[:, :-1])),
            fault("loss-padding-counted", real=lambda targets: targets >= 0),
            fault("loss-padding-only", real=lambda targets: targets == PAD),
            fault("loss-padding-divided", mean=lambda right, real: right[real].sum() / right.size),
            fault("loss-padding-added", mean=lambda right, real: right.sum() / real.sum()),
            fault("loss-sum", mean=lambda right, real: right[real].sum()),
            fault("loss-per-review", mean=lambda right, real: ((right * real).sum(-1) / real.sum(-1)).mean()),
            fault("loss-per-review", mean=lambda right, real: right[real].sum() / len(right)),
            fault("loss-log-of-mean", mean=lambda right, real: np.log(np.exp(right[real]).mean())),
            fault("loss-perplexity", last=lambda mean: np.exp(-mean)),
            fault("loss-other-log", last=lambda mean: -mean / np.log(2)),
            fault("loss-other-log", "base_10", last=lambda mean: -mean / np.log(10)),
            fault("loss-probability", logs=probabilities),
            fault("loss-probability", logs=lambda s: -probabilities(s)),
            fault("loss-probability", logs=lambda s: probabilities(s) - 1),
            fault("loss-favourite", take=lambda logs, targets: logs.max(axis=-1)),
            fault("loss-all-words", take=lambda logs, targets: logs.mean(axis=-1)),
            fault("loss-all-words", take=lambda logs, targets: logs.sum(axis=-1)),
            fault("softmax-missing", "writing_loss", logs=lambda s: s),
            fault("softmax-unnormalised", "writing_loss", logs=lambda s: s - highest(s)),
            fault("softmax-unnormalised", "writing_loss", logs=lambda s: np.log(np.exp(s - highest(s)))),
            fault("softmax-axis", "writing_loss", logs=lambda s: log_softmax(s, 1)),
            fault("softmax-axis", "writing_loss", logs=lambda s: log_softmax(s, 0)),
            fault("softmax-over-all", logs=lambda s: log_softmax(s, None)),
            fault(
                "softmax-overflow",
                "writing_loss",
                logs=lambda s: np.log(np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)),
            ),
            fault("softmax-overflow", "writing_loss", logs=lambda s: s - np.log(np.exp(s).sum(axis=-1, keepdims=True))),
            fault("softmax-underflow", "writing_loss", logs=lambda s: log_softmax(s, most=np.max)),
            fault("loss-log-of-zero", logs=lambda s: np.log(probabilities(s))),
            *(
                fault("loss-clipped", logs=lambda s, least=least: np.log(probabilities(s) + least))
                for least in (1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-15)
            ),
        ),
    ),
    Value(
        name="too_good",
        judge=judge_reports,
        wanted="four words, one for each report",
        ids=("report-below", "report-denominator", "report-nonsense", "report-trained", "report-accused"),
    ),
    SAMPLE_NEXT,
    BLOCK_STEP,
)
