"""The exercises of each lesson, in the order in which they come. One name, one exercise, in the whole course."""

LESSONS = {
    "01": ("dot_product", "cosine", "one_query_scores"),
    "02": ("softmax", "stable_softmax", "temperature"),
    "04": ("project", "scores", "weights", "attention"),
    "05": ("good_row", "good_output", "conceptual_keys"),
    "10": ("cls_labels", "recall", "count_weights"),
}


def lesson_of(name):
    """Return the number of the lesson that asks for this exercise, None for a name that no lesson has.

    >>> lesson_of("cosine")
    '01'
    """
    return next((lesson for lesson, names in LESSONS.items() if name in names), None)
