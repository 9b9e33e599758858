"""Draw the weights of three words, for question 5 of form B of the inventory."""

import inventory_parts
import style

NAME = "weights_table_b"
TITLE = "The weights of three words"
ALT = inventory_parts.table_alt(NAME)


def draw():
    """Return the figure."""
    return inventory_parts.draw_table(NAME)


if __name__ == "__main__":
    style.save(__file__, draw, TITLE, ALT)
