"""A prediction in a real browser, with the keyboard alone."""

ASK = """from course_utils.checks import predict
predict("How many?", {"one": "Too few.", "two": True, "three": "Too many."})"""


def test_who_chooses_with_the_keyboard_can_go_on_with_it(cells):
    page = cells(ASK, "", "")
    chosen = page.get_by_role("button", name="one")
    chosen.focus()
    page.keyboard.press("Enter")
    page.get_by_text("Not one.").wait_for()
    assert page.get_by_role("button", name="two").is_disabled()
    page.wait_for_timeout(100)  # a button that is disabled loses the focus a moment later
    assert chosen.evaluate("(node) => node === document.activeElement")
    page.keyboard.press("Shift+Enter")
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 1")
