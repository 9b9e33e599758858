"""What a hand does to an explorable, step by step, and what Python says of the state that each step should lead to."""


def text(page):
    """The text version of the first explorable of a page: it says all that is shown."""
    return page.locator(".look-text").first.text_content()


def act(page, where, how):
    """Use the hand on what a selector finds first; None: on what has the focus.

    how: "click", "fill 0.6", "select 3", "at 0.2 0.5" (a click there, in shares of width and height), "over 0.2 0.5",
    or the keys to press.
    """
    place, (verb, _, rest) = page.locator(where or ":focus").first, how.partition(" ")
    if verb in ("click", "hover"):
        getattr(place, verb)()
    elif verb in ("fill", "select"):
        {"fill": place.fill, "select": place.select_option}[verb](rest)
    elif verb in ("at", "over"):
        place.scroll_into_view_if_needed()
        box, (x, y) = place.bounding_box(), map(float, rest.split())
        move = {"at": page.mouse.click, "over": page.mouse.move}[verb]
        move(box["x"] + x * box["width"], box["y"] + y * box["height"])
    else:
        if where:
            place.focus()
        for key in how.split():
            page.keyboard.press(key)


def follow(page, widget, *steps, read=text):
    """Do the steps (where, how, the traits that change, or None for a reset) to the page of a widget.

    After each, the page says what Python says of the widget with these traits. how: as for `act`, or a function of the
    page.
    """
    for where, how, changes in steps:
        how(page) if callable(how) else act(page, where, how)
        widget._take(widget._initial if changes is None else widget._state() | changes)
        assert read(page) == widget.text(), (where, how)


def tasks_reached(page):
    """Which of the tasks the page has confirmed."""
    told = page.locator(".look-goals li").all_text_contents()
    assert all(one.startswith("☑") == one.endswith(": you reached it") for one in told)
    return [one.startswith("☑") for one in told]
