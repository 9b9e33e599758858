"""Draw a query and four keys, for question 1 of form A of the inventory."""

import inventory_parts
import style

NAME = "four_keys_a"
TITLE = "A query and four keys"
ALT = inventory_parts.keys_alt(NAME)


def draw():
    """Return the figure."""
    return inventory_parts.draw_keys(NAME)


if __name__ == "__main__":
    style.save(__file__, draw, TITLE, ALT)
