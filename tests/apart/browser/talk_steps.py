"""What the presenter does in each step of talk/talk.toml, by its words: a step with other words has no test."""

DO = {}


def does(words):
    """Keep a function (page, look) for the step with these words; look is the explorable on the screen."""

    def keep(act):
        assert words not in DO
        DO[words] = act
        return act

    return keep


def press(look, name):
    """Press the button of this name."""
    look.get_by_role("button", name=name).first.click()


def fill(look, label, number):
    """Type a number into a field."""
    look.get_by_label(label).fill(number)


for words in ("Read the review aloud.", "Ask, and end."):
    DO[words] = lambda page, look: None
for words, name in {
    "Press *90°*.": "90°",
    "Press *180°*.": "180°",
    "Press *Reset*: *b* stands where it began.": "Reset",
    "Press *2 Score*.": "2 Score",
    "Press *3 Normalise*.": "3 Normalise",
    "Press *4 Mix*.": "4 Mix",
    "Press *layer 3, head 1*.": "layer 3, head 1",
}.items():
    DO[words] = lambda page, look, name=name: press(look, name)


@does("Click the tip of *a*, press Shift + → once and Shift + ↑ twice: its tip is at (2, 4), and *a* is twice as long.")
def double(page, look):
    look.get_by_role("slider", name="a", exact=True).click()
    for key in ("Right", "Up", "Up"):
        page.keyboard.press(f"Shift+Arrow{key}")


@does("Drag *d_k* to its right end, 1,024. The tick at *divide by √d_k* is still there.")
def widen(page, look):
    box = look.get_by_label("d_k", exact=True).bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.6 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] + 9, middle, steps=5)
    page.mouse.up()
    assert look.get_by_label("d_k", exact=True).get_attribute("aria-valuetext") == "1024"
    assert look.get_by_label("divide by √d_k").is_checked()


@does("Take the tick away.")
def untick(page, look):
    look.get_by_label("divide by √d_k").uncheck()


@does("Choose *good* on the left. Step *1 Project* shows queries, keys and values.")
def choose_good(page, look):
    look.get_by_role("radio", name="good").click()
    assert look.get_by_role("button", name="1 Project").get_attribute("aria-pressed") == "true"


@does("Press *1 Project*, and type 18 and 18 as the key of *not*: the same direction, and shorter.")
def shorten(page, look):
    press(look, "1 Project")
    for number in (1, 2):
        fill(look, f"key k of not, number {number}", "18")


@does("Click *animal* in the lower row of words. The search below names the heads that look there most.")
def click_animal(page, look):
    look.locator(".look-looked", has_text="animal").click()


@does("Search for *the token before*.")
def search(page, look):
    look.get_by_label("pattern to search for").select_option("the token before")


@does("Press *Play* and wait for epoch 10.")
def play(page, look):
    press(look, "Play")
    look.get_by_text("The model of epoch 10 says").wait_for()


@does("Write 42 at position 1, then 2, then 3, and let them guess each time.")
def three(page, look):
    for place in (1, 2, 3):
        fill(look, f"token at position {place}", "42")
        assert look.locator(".look-reply strong").first.text_content() == "no"


@does("Write 42 at position 5.")
def fourth(page, look):
    fill(look, "token at position 5", "42")
    assert look.get_by_label("token at position 4").input_value() != "42"


def train(page, look, epochs):
    page.keyboard.press("PageDown")
    look.get_by_role("button", name="Pause").wait_for()
    look.get_by_role("button", name="Again").wait_for(timeout=60_000)
    look.locator(".look-say", has_text=f"Epoch {epochs} of {epochs}").wait_for()


for words, epochs in {
    "Page Down: the usual recipe trains.": 10,
    "Page Down: decoys.": 12,
    "Page Down: a reward for looking, too early.": 12,
    "Page Down: the same reward, with patience.": 12,
}.items():
    DO[words] = lambda page, look, epochs=epochs: train(page, look, epochs)
