"""What the exercises of lesson 00 promise."""

from course_utils.checks.engine.exercise import Promise


def texts(tokens, vocabulary):
    return tokens.split(), vocabulary.split()


PROMISED = {
    "bag_of_words": {
        "shapes": {"tokens": ("n_tokens",), "vocabulary": ("n_words",)},
        "promises": (
            Promise(
                "Ignore words that are not in the vocabulary.",
                "when no token is in the vocabulary",
                (texts("what a movie", "good bad"),),
            ),
            Promise(
                "Capital letters count: *Good* is not *good*.",
                "when words differ in their capital letters only",
                (texts("Good good GOOD good movie", "good Good movie"), texts("The movie was good", "The movie I the")),
            ),
            Promise(
                "Return the counts of the words of `tokens`",
                "when a word occurs many times, or hardly differs from another one",
                (texts("a " * 300 + "b", "a b"), texts("movie movies mov . ,", "movie mov ,")),
            ),
            Promise(
                "one number for each word of the vocabulary",
                "when the vocabulary holds a single word, or many",
                (texts("a bad movie", "bad"), texts("a b b l", "a b c d e f g h i j k l m")),
            ),
        ),
    },
}
