"""Arranges several pictures in one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steer_env.errors import InvalidValue
from steer_env.rendering.picture import PAPER, Picture, View

MOST_PANELS = 36  # games side by side: more would be too small


def check_panels(pursuers: int, evaders: int) -> None:
    """Raises a ValueError if the panels of all pairs of players do not fit into a picture."""
    if pursuers * evaders > MOST_PANELS:
        raise InvalidValue(
            f"{pursuers} pursuers against {evaders} evaders are {pursuers * evaders} panels; "
            f"at most {MOST_PANELS} fit side by side"
        )


def square_columns(count: int) -> int:
    """The number of columns for about as many rows."""
    return math.ceil(math.sqrt(count))


def columns_of_pairs(pursuers: int, evaders: int) -> int:
    """The number of columns for all pairs of players: one for each evader of several."""
    if min(pursuers, evaders) > 1:
        return evaders
    count = pursuers * evaders
    return count if count <= 4 else square_columns(count)


def columns_in_window(pursuers: int, evaders: int) -> int:
    """The number of columns in a window: that of `columns_of_pairs` if it fits it well."""
    count, columns = pursuers * evaders, columns_of_pairs(pursuers, evaders)
    return columns if columns <= 4 and count <= columns**2 else square_columns(count)


def side_by_side(pictures: Sequence[Picture], columns: int) -> Picture:
    """Arranges pictures of one size and theme in a new one, row by row."""
    view, drawing, rows = pictures[0].view, pictures[0].drawing, -(-len(pictures) // columns)
    whole = Picture(View(0j, 1.0, view.width * columns, view.height * rows, PAPER), drawing)
    whole.add("fill", drawing.colors.background)
    for number, picture in enumerate(pictures):
        row, column = divmod(number, columns)
        whole.add("part", complex(column * view.width, row * view.height), picture)
    return whole
