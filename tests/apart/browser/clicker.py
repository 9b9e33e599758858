"""What a clicker does to a stage, whichever of the two it is: the page of demo.py or its JupyterLab."""

PROJECTORS = [(1024, 768), (1280, 720), (1920, 1080)]
LEAST = 14  # pixels of type on the first of them, for the last row
AT_3 = "key k of not, number 1"
# what has the focus -> (part, label of the field or None)
FOCUS = {
    "nothing": (3, None),
    "slider": (2, "temperature"),
    "tip": (1, "a"),
    "number": (3, AT_3),
    "typed text": (3, "your own words, with spaces between them"),
}
DARK = """() => { const dark = document.querySelector('.stage-dark'), box = dark?.getBoundingClientRect();
  return Boolean(box && box.width === innerWidth && box.height === innerHeight
    && document.elementFromPoint(9, 9) === dark && getComputedStyle(dark).backgroundColor === 'rgb(0, 0, 0)'); }"""


def least(height):
    """The smallest type that the last row can read, on a screen of this height."""
    return max(LEAST, LEAST * height / PROJECTORS[0][1])


def number_of(page):
    """The number of the part on the screen: it alone is seen, and its heading begins with it."""
    (heading,) = page.locator("h2:not(.lm-Widget)").locator("visible=true").all_inner_texts()
    return int(heading.split(" ")[0])


def reads(field):
    """What a field holds, or says that it holds."""
    return field.evaluate("(node) => node.value ?? node.getAttribute('aria-valuetext')")


def go_to(page, number):
    """Click until a part is on the screen."""
    for _ in range(20):
        if (now := number_of(page)) == number:
            return
        page.keyboard.press("PageDown" if now < number else "PageUp")
        page.wait_for_timeout(50)
    raise AssertionError(f"part {number} does not come")


def click_with_focus_on(page, what, look_of):
    """Press b twice, Page Down and Page Up while something has the focus, and assert what each does."""
    part, label = FOCUS[what]
    go_to(page, part)
    field = label and look_of(page).get_by_label(label, exact=True).first
    if field:
        field.focus()
        before = reads(field)
    page.keyboard.press("b")
    if what == "typed text":
        assert reads(field) == "b" and not page.evaluate(DARK)
        field.fill("")
    else:
        assert page.evaluate(DARK), "b makes the screen dark"
        page.keyboard.press("b")
        assert not page.evaluate(DARK), "and b brings it back"
    page.keyboard.press("PageDown")
    assert number_of(page) == part + 1
    page.keyboard.press("PageUp")
    assert number_of(page) == part
    if field:
        assert reads(field) == before, "no key changed what had the focus"
