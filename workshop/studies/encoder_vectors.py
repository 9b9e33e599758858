"""Store what lesson 19 shows of the encoder without loading it: python workshop/studies/encoder_vectors.py

Writes the two files in course_utils/data/encoder/, which `good_in_the_review` and `stored_sentence` read.
"""

import numpy as np

from course_utils.models.encoder import GOOD_IN_THE_REVIEW, SENTENCES, STORED, load_encoder, vectors_of
from course_utils.sentences import REVIEW


def store():
    """Write both files: a row of weights of each head, and Q, K and V of three sentences, rounded."""
    encoder, stored = load_encoder(), {}
    reading = encoder(" ".join(REVIEW))
    rows = reading.weights[:2, :, reading.tokens.index("good")]
    np.savez_compressed(GOOD_IN_THE_REVIEW, tokens=reading.tokens, rows=rows)
    for i, text in enumerate(STORED):
        Q, K, V = vectors_of(encoder, text)
        step = np.float32(np.abs(V).max() / 127)
        stored |= {f"{i}.tokens": encoder(text).tokens, f"{i}.Q": Q.astype(np.float16), f"{i}.K": K.astype(np.float16)}
        stored |= {f"{i}.V": np.round(V / step).astype(np.int8), f"{i}.V_step": step}
    np.savez_compressed(SENTENCES, **stored)


if __name__ == "__main__":
    store()
