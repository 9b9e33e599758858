"""The encoder of lesson 18: a sentence in NumPy, alone and in a batch."""

from timing import median_time

from course_utils.models.encoder import load_encoder, weights_folder

SENTENCE = "The animal didn't cross the street because it was too tired."  # 16 tokens


def figures():
    """A sentence through the encoder of lesson 18, in NumPy."""
    if weights_folder() is None:
        print("the package of model.lock is not installed here")
        return
    encoder = load_encoder()
    alone, batch = (1000 * median_time(encoder, words, runs=50, warm_up=5) for words in (SENTENCE, [SENTENCE] * 16))
    yield f"encoder, {len(encoder(SENTENCE).tokens)} tokens", alone, "ms", 15
    yield "  in a batch of 16 such sentences, each", batch / 16, "ms"
