"""The buttons of a prediction.

The only module of the course's checks that imports ipywidgets, and only when one is shown.
"""

from html import escape

import ipywidgets

STYLE = """<style>
.look-choice { height: auto !important; white-space: normal !important; text-align: left !important;
  line-height: 1.4 !important; padding: 6px 12px !important; max-width: 46em; }
.look-choice[disabled] { opacity: 0.8 !important; }
.look-choice.look-chosen { border-left: 5px solid var(--jp-brand-color1, #1976D2) !important;
  font-weight: 600 !important; opacity: 1 !important; }
</style>"""


def widget_of(asked):
    """Return new buttons for a prediction."""
    question = ipywidgets.HTML(f"{STYLE}<strong>{escape(asked.question)}</strong>")
    buttons = [ipywidgets.Button(description=str(choice), layout={"width": "auto"}) for choice in asked.said]
    answer = ipywidgets.HTML(_live("Choose one: the answer shows after you choose."))
    for button, choice in zip(buttons, asked.said, strict=True):
        button.add_class("look-choice")
        button.on_click(lambda _, choice=choice: _commit(asked, choice, buttons, answer))
    if asked.chosen is not None:
        _commit(asked, asked.chosen, buttons, answer)
    return ipywidgets.VBox([question, *buttons, answer])


def _commit(asked, choice, buttons, answer):
    """Keep the choice; it cannot be changed, since the answer shows now.

    The chosen button is not disabled: that would take the focus from it, and then Shift+Enter goes nowhere.
    """
    asked.chosen = choice
    for button, other in zip(buttons, asked.said, strict=True):
        button.disabled = other != choice
        if other == choice:
            button.add_class("look-chosen")
    answer.value = _live(asked.feedback())


def _live(html):
    """A line that a screen reader speaks when it changes."""
    return f'<div role="status" aria-live="polite" style="line-height: 1.5; max-width: 46em">{html}</div>'
