"""What the presenter does in each step of talk/talk.toml, by its words: a step with other words has no test."""

import re


def press(name):
    return lambda page, look: look.get_by_role("button", name=name).first.click()


def lengthen(page, look):
    look.get_by_role("slider", name="a", exact=True).click()
    for key in ("Right", "Up", "Up"):
        page.keyboard.press(f"Shift+Arrow{key}")


def widen(page, look):
    d_k = look.get_by_label("d_k", exact=True)
    box = d_k.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.6 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] + 9, middle, steps=5)
    page.mouse.up()
    assert d_k.get_attribute("aria-valuetext") == "1024" and look.get_by_label("divide by √d_k").is_checked()


def choose_good(page, look):
    look.get_by_role("radio", name="good").click()
    assert look.get_by_role("button", name="1 Project").get_attribute("aria-pressed") == "true"


def shorten(page, look):
    press("1 Project")(page, look)
    for number in (1, 2):
        look.get_by_label(f"key k of not, number {number}").fill("18")


def play(page, look):
    press("Play")(page, look)
    look.get_by_text("The model of epoch 10 says").wait_for()


def write_three(page, look):
    for place in (1, 2, 3):
        look.get_by_label(f"token at position {place}").fill("42")
        assert look.locator(".look-reply strong").first.text_content() == "no"


def train(page, look):
    """Go on to the next scene, and wait until it has trained."""
    look.locator(".look-say strong").wait_for()  # the worker has begun
    before = look.locator(".look-say").text_content()
    page.keyboard.press("PageDown")
    look.locator(".look-say", has_not_text=before).wait_for()
    look.locator(".look-say", has_text=re.compile(r"epoch (\d+) of \1\b")).wait_for(timeout=60_000)


# how the words begin -> what the hand does, unless the words only say which button to press
DO = {
    "Click the tip of *a*, press Shift + → once and Shift + ↑ twice": lengthen,
    "Drag *d_k* to its right end, 1,024.": widen,
    "Take the tick away.": lambda page, look: look.get_by_label("divide by √d_k").uncheck(),
    "Choose *good* on the left.": choose_good,
    "Press *1 Project*, and type 18 and 18 as the key of *not*": shorten,
    "Click *animal* in the lower row of words.": (
        lambda page, look: look.locator(".look-looked", has_text="animal").click()
    ),
    "Search for *the token before*.": (
        lambda page, look: look.get_by_label("pattern to search for").select_option("the token before")
    ),
    "Press *Play* and wait for epoch 10.": play,
    "Write 42 at position 1, then 2, then 3, and let them guess each time.": write_three,
    "Write 42 at position 5.": lambda page, look: look.get_by_label("token at position 5").fill("42"),
    "Page Down: ": train,
}


def do(words, page, look):
    """Do what the words of a step say."""
    if button := re.fullmatch(r"Press \*([^*]+)\*(\.|: .*)", words):
        press(button[1])(page, look)
    elif words not in ("Ask, and let everybody write down a number.", "Read the review aloud.", "Ask, and end."):
        (deed,) = [deed for begin, deed in DO.items() if words.startswith(begin)]
        deed(page, look)
