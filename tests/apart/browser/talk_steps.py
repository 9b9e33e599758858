"""What the presenter does in each step of talk/talk.toml, by its words: a step with other words has no test."""


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


def train(epochs):
    """Go on to the next scene, and wait until it has trained."""

    def act(page, look):
        page.keyboard.press("PageDown")
        look.get_by_role("button", name="Pause").wait_for()
        look.get_by_role("button", name="Again").wait_for(timeout=60_000)
        look.locator(".look-say", has_text=f"Epoch {epochs} of {epochs}").wait_for()

    return act


DO = {
    "Read the review aloud.": lambda page, look: None,
    "Press *90°*.": press("90°"),
    "Press *180°*.": press("180°"),
    "Press *Reset*: *b* stands where it began.": press("Reset"),
    "Click the tip of *a*, press Shift + → once and Shift + ↑ twice: "
    "its tip is at (2, 4), and *a* is twice as long.": lengthen,
    "Drag *d_k* to its right end, 1,024. The tick at *divide by √d_k* is still there.": widen,
    "Take the tick away.": lambda page, look: look.get_by_label("divide by √d_k").uncheck(),
    "Choose *good* on the left. Step *1 Project* shows queries, keys and values.": choose_good,
    "Press *2 Score*.": press("2 Score"),
    "Press *3 Normalise*.": press("3 Normalise"),
    "Press *4 Mix*.": press("4 Mix"),
    "Press *1 Project*, and type 18 and 18 as the key of *not*: the same direction, and shorter.": shorten,
    "Click *animal* in the lower row of words. The search below names the heads that look there most.": (
        lambda page, look: look.locator(".look-looked", has_text="animal").click()
    ),
    "Press *layer 3, head 1*.": press("layer 3, head 1"),
    "Search for *the token before*.": (
        lambda page, look: look.get_by_label("pattern to search for").select_option("the token before")
    ),
    "Press *Play* and wait for epoch 10.": play,
    "Write 42 at position 1, then 2, then 3, and let them guess each time.": write_three,
    "Write 42 at position 5.": lambda page, look: look.get_by_label("token at position 5").fill("42"),
    "Page Down: the usual recipe trains.": train(10),
    "Page Down: decoys.": train(12),
    "Page Down: a reward for looking, too early.": train(12),
    "Page Down: the same reward, with patience.": train(12),
    "Ask, and end.": lambda page, look: None,
}
