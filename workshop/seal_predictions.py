"""Seal a prediction in the student notebook: the question and its choices stay, the answers are encoded.

The source of a lesson stays readable: predict("...", {choice: what is said about it}).
The student's cell holds the same sentences and the right choice as one text in base64, so that nobody reads them
by accident; it is not a secret. The cell holds it rather than a file of the course, so that an old copy of a lesson
still finds its own answers.
"""

import ast
import base64
import json

QUESTION = "predict("


def is_prediction(source):
    """Return whether this code cell asks for a prediction."""
    return source.startswith(QUESTION)


def seal(source, number):
    """Return the student's form of the cell with prediction `number`. Raises ValueError with the reason.

    A computed answer stays in the code, since it does not give away the result.

    >>> print(seal('predict("Is it?", {"yes": True, "no": "It is not."})', 1))
    predict(
        "Is it?",
        ["yes", "no"],
        number=1,
        sealed="eyJzYWlkIjogWyIiLCAiSXQgaXMgbm90LiJdLCAicmlnaHQiOiAwfQ==",
    )
    """
    question, choices, answer = _parts(source)
    comments = [_comment(value) for value in choices.values]
    right, computed = _right_choice(comments, choices, answer)
    text = json.dumps(
        {"said": ["" if comment is True else comment for comment in comments], "right": right}, ensure_ascii=False
    )
    keys = ", ".join(ast.get_source_segment(source, key) for key in choices.keys)
    parts = [ast.get_source_segment(source, question), f"[{keys}]"]
    parts += [f"answer={ast.get_source_segment(source, computed)}"] if computed else []
    parts += [f"number={number}", f'sealed="{base64.b64encode(text.encode()).decode()}"']
    return "\n".join([QUESTION, *(f"    {part}," for part in parts), ")"])


def _parts(source):
    """The question, the dict of choices and the answer (or None) of the only call in the cell."""
    try:
        statements = ast.parse(source).body
    except SyntaxError as error:
        raise ValueError(f"a prediction that is not Python: {error.msg}") from None
    call = statements[0].value if len(statements) == 1 and isinstance(statements[0], ast.Expr) else None
    if not isinstance(call, ast.Call):
        raise ValueError("a prediction has a cell of its own, since its code is folded")
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if len(call.args) != 2 or not isinstance(call.args[1], ast.Dict) or keywords.keys() - {"answer"}:
        raise ValueError('a prediction is written predict("question", {choice: sentence}), and perhaps answer=')
    return *call.args, keywords.get("answer")


def _right_choice(comments, choices, answer):
    """Return (position of the right choice, None), or (None, the code that computes the answer)."""
    if answer is None:
        return (comments.index(True) if True in comments else None), None
    keys = [getattr(key, "value", None) for key in choices.keys]
    if isinstance(answer, ast.Constant) and answer.value in keys:
        return keys.index(answer.value), None
    return None, answer


def _comment(node):
    """The comment on a choice: a text, or True for the right one."""
    if isinstance(node, ast.Constant) and (node.value is True or isinstance(node.value, str)):
        return node.value
    raise ValueError("what is said about a choice is a text, or True")
