"""Draw a mask, for question 7 of form A of the inventory."""

import inventory_parts
import style

NAME = "mask_grid_a"
TITLE = "A mask: who may look at whom"
ALT = inventory_parts.mask_alt(NAME)


def draw():
    """Return the figure."""
    return inventory_parts.draw_mask(NAME)


if __name__ == "__main__":
    style.save(__file__, draw, TITLE, ALT)
