"""A mirror for the voice of lessons: how long their sentences are, and how they speak to the reader.

    python workshop/voice.py [LESSON ...]    python workshop/voice.py 05 12

It judges nothing and fails on nothing; CONTRIBUTING.md says what to look for. Never write for these figures.
"""

import re
import statistics
import sys
from pathlib import Path

import sentences
from lesson_time import prose

SOURCES = Path(__file__).resolve().parents[1] / "notebooks" / "source"
FOLDED = re.compile(r"<details>.*?</details>", re.S)
SHORT, LONG, RUN = 8, 25, 4  # words of a short and of a long sentence; sentences under 10 words that make a run
SHARES = {  # of the sentences, in per cent
    "reason": r"\b(because|since|which|so that|therefore|that is why)\b",
    "example": r"\b(for example|for instance|such as|say,|imagine|suppose|picture|like a)\b",
    "you": r"\byou(r|rs|rself)?\b",
    "we": r"\b(we|us|our|let's)\b",
}


def spoken_sentences(text):
    """The sentences of a text in Markdown, one after the other, as lists of words; None stands between paragraphs.

    >>> spoken_sentences("A row sums to 1.\\n\\nWhy?")
    [['A', 'row', 'sums', 'to', '1'], None, ['Why'], None]
    """
    found, opened = [], ""
    for token in sentences.MARKDOWN.parse(FOLDED.sub("", text)):
        if opened == "paragraph_open" and token.type == "inline":
            lines = (re.findall(r"[\w’'.\-]*\w", prose(line)) for line in token.content.splitlines())
            found += [*(words for words in lines if len(words) > 0), None]
        opened = token.type
    return found


def figures(text):
    """What the mirror shows of a text, by name."""
    found = spoken_sentences(text)
    said = [words for words in found if words]
    lengths, shares = [len(words) for words in said], {}
    for name, pattern in SHARES.items():
        shares[name] = 100 * sum(bool(re.search(pattern, " ".join(words), re.I)) for words in said) / len(said)
    runs = "".join(" " if words is None else "s" if len(words) < 10 else "." for words in found)
    return {
        "sentences": len(said),
        "mean": statistics.mean(lengths),
        f"under {SHORT} %": 100 * sum(n < SHORT for n in lengths) / len(said),
        f"over {LONG} %": 100 * sum(n > LONG for n in lengths) / len(said),
        "runs": len(re.findall(f"s{{{RUN},}}", runs)),
        **{f"{name} %": share for name, share in shares.items()},
    }


def main(names):
    """Print a line for each lesson, and one for all."""
    paths = [path for path in sorted(SOURCES.glob("*.py")) if not names or path.stem.startswith(tuple(names))]
    texts = {path.stem: sentences.markdown(path) for path in paths}
    rows = {name: figures(text) for name, text in {**texts, "all": "\n\n".join(texts.values())}.items()}
    print(f"{'':24}" + "".join(f"{name:>11}" for name in rows["all"]))
    for name, row in rows.items():
        print(f"{name:24}" + "".join(f"{value:11.1f}" if value % 1 else f"{value:11.0f}" for value in row.values()))


if __name__ == "__main__":
    main(sys.argv[1:])
