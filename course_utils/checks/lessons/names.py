"""The exercises of each lesson, in the order in which they come. One name, one exercise, in the whole course."""

from difflib import get_close_matches
from importlib import import_module

from course_utils.arguments import wrong

LESSONS = {
    "00": ("first_check", "bag_of_words", "fool_the_counter"),
    "01": ("dot_product", "cosine", "can_win", "one_query_scores"),
    "02": ("softmax", "temperature", "softmax_axes", "stable_softmax"),
    "03": ("score_variance", "scale_for_unit_variance", "softmax_gradient_size", "broken_conditions"),
    "04": ("embed", "project", "scores", "weights", "attention"),
    "05": ("good_row", "good_output", "conceptual_keys"),
    "06": ("causal_mask", "masked_weights", "padding_mask", "mask_label", "sat_row"),
    "07": ("batched_attention", "split_heads", "merge_heads", "multi_head", "cross_attention"),
    "08": ("permutation", "sinusoidal_positions", "add_positions", "rotate", "rotary_attention"),
    "09": ("softmax_gradient", "one_query_gradient", "attention_gradient", "test_sizes"),
    "10": ("train_step", "reader_gradient", "without_where"),
    "11": ("layer_norm", "feed_forward", "block", "deep_stack"),
    "12": (
        "cls_labels",
        "positional_embedding",
        "attend",
        "add_and_norm",
        "build_model",
        "count_weights",
        "compile_model",
        "recall",
    ),
    "13": ("look_reward", "patience", "set_reward"),
    "14": ("balanced_accuracy", "uniform_attention", "hide", "swap", "furthest_row", "experiments"),
    "15": ("verdict_label", "twins_told_apart", "cut_edge", "turned_by_cut", "doubts"),
    "16": ("attention_bytes", "online_step", "cached_step", "which_tool"),
    "17": ("next_words", "causal_attention", "writing_loss", "too_good", "sample_next", "block_step"),
    "18": ("mean_pooling", "previous_token", "which_control", "search"),
    "19": ("my_question", "claim", "control_places", "my_study", "my_sentences"),
}

# The stub's name, where a short name would be taken by an array or by the course's own function.
FUNCTIONS = {
    "softmax": "softmax_of",
    "temperature": "softmax_at",
    "scores": "scores_of",
    "weights": "weights_of",
    "causal_mask": "causal_mask_of",
    "padding_mask": "padding_mask_of",
    "sinusoidal_positions": "positions_of",
    "positional_embedding": "PositionalEmbedding",
}


def function_name(name):
    """Return the name of the function that an exercise asks for.

    >>> function_name("scores"), function_name("cosine")
    ('scores_of', 'cosine')
    """
    return FUNCTIONS.get(name, name)


def lesson_of(name):
    """Return the number of the lesson that asks for this exercise, None for a name that no lesson has.

    >>> lesson_of("cosine")
    '01'
    """
    return next((lesson for lesson, names in LESSONS.items() if name in names), None)


def exercises_of(lesson):
    """Return the exercises of the lesson with this number. No other lesson's module is imported."""
    return import_module(f"course_utils.checks.lessons.lesson_{lesson}").EXERCISES


def close_names(text):
    """Return the names of exercises that are written almost so, the closest first.

    >>> close_names("Dot product")
    ['dot_product']
    """
    known = [exercise for names in LESSONS.values() for exercise in names]
    return get_close_matches(text.lower().replace(" ", "_"), known)


def exercise_of(name):
    """Return the exercise with this name. Raises ValueError for a name that no lesson has; it says which are close."""
    lesson = lesson_of(name)
    if lesson is None:
        close = close_names(name)
        known = ", ".join(close or [exercise for names in LESSONS.values() for exercise in names])
        raise wrong("name", name, f"an exercise of the course, {'such as' if close else 'one of these'}: {known}")
    from course_utils.checks.exercises import FOLDER, exercise_on_page

    if (FOLDER / f"{name}.md").exists():
        return exercise_on_page(name)
    return next(exercise for exercise in exercises_of(lesson) if exercise.name == name)
