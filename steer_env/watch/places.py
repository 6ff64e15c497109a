"""Where everything is in the window: panels, their headers, the inspector, the status line."""

from __future__ import annotations

from typing import NamedTuple

from steer_env.interface.grid import Rectangle, cells, matrix
from steer_env.watch.inspector_panel import font_size

_INSPECTOR_WIDTH = 20.0  # in sizes of its font
_INSPECTOR_SHARE = 0.48  # of the window, at most
_WHOLE = 0.85  # of the size of panels in several blocks, if a table in one piece has as much
_HEADER_SHARE = 0.2  # of the width of a table, at most, for the headers of its rows


class Header(NamedTuple):
    """The name of a row or a column of panels.

    Attributes:
        place: where it is.
        axis: 0 for the first of the two numbers of `Screening.table`, 1 for the second.
        number: its own, along the axis.
        is_row: whether it is beside a row, not above a column.
    """

    place: Rectangle
    axis: int
    number: int
    is_row: bool


class Table(NamedTuple):
    """Panels in rows and columns.

    Attributes:
        counts: as in `Screening.table`.
        widths: of the headers along each axis beside rows, in pixels.
        height: of a header above a column, in pixels.
    """

    counts: tuple[int, int]
    widths: tuple[int, int]
    height: int


class Places(NamedTuple):
    """Places in a window.

    Attributes:
        panels: places of the games, in their order.
        inspector: place of the inspector; None without one.
        status: place of the line at the bottom.
        headers: of the rows and columns of a table.
    """

    panels: tuple[Rectangle, ...]
    inspector: Rectangle | None
    status: Rectangle
    headers: tuple[Header, ...] = ()


def places_in(
    size: tuple[int, int],
    panels: int,
    columns: int,
    status_height: int,
    has_inspector: bool,
    table: Table | None = None,
) -> Places:
    """Divides a window.

    Args:
        size: width and height of the window, in pixels.
        panels: number of panels.
        columns: number of columns of panels, if that costs little space.
        status_height: height of the status line, in pixels.
        has_inspector: whether to leave space for the inspector: beside the panels in a wide
            window, below them in a tall one.
        table: for panels in rows and columns with headers; None for panels without.
    """
    width, height = size
    status = Rectangle(0, height - status_height, width, status_height)
    inspector, right, bottom = None, width, status.top
    if has_inspector and width >= 0.9 * height:
        wide = _INSPECTOR_WIDTH * font_size(width, height)
        right = width - round(min(wide, _INSPECTOR_SHARE * width))
        inspector = Rectangle(right, 0, width - right, status.top)
    elif has_inspector:
        bottom = round((1 - _INSPECTOR_SHARE) * status.top)
        inspector = Rectangle(0, bottom, width, status.top - bottom)
    area = Rectangle(0, 0, right, bottom)
    if table is None:
        return Places(cells(area, panels, columns), inspector, status)
    ways = [(axis, blocks) for axis in (0, 1) for blocks in range(1, table.counts[axis] + 1)]
    tried = [_tabulated(area, table, *way) for way in ways]
    sides = [
        min(min(cell.width, cell.height) for cell in found) * _WHOLE ** (blocks > 1)
        for (found, _), (_, blocks) in zip(tried, ways)
    ]
    found, headers = tried[sides.index(max(sides))]
    return Places(found, inspector, status, headers)


def _tabulated(
    area: Rectangle, table: Table, row_axis: int, blocks: int
) -> tuple[tuple[Rectangle, ...], tuple[Header, ...]]:
    """The panels in their order, and the headers.

    Args:
        area: for all.
        table: the rows and columns.
        row_axis: the axis of which each number is a row.
        blocks: into how many blocks side by side the rows are divided.
    """
    rows, columns = table.counts[row_axis], table.counts[1 - row_axis]
    in_block = -(-rows // blocks)
    left = min(table.widths[row_axis], round(_HEADER_SHARE * area.width / blocks))
    top = min(table.height, area.height // 8)
    found: list[Rectangle] = []
    headers: list[Header] = []
    for first, block in zip(range(0, rows, in_block), matrix(area, 1, blocks)):
        inner = Rectangle(block.left + left, top, block.width - left, area.height - top)
        cells_of_block = matrix(inner, in_block, columns)
        for column, cell in enumerate(cells_of_block[:columns]):
            place = Rectangle(cell.left, area.top, cell.width, top)
            headers.append(Header(place, 1 - row_axis, column, False))
        for row in range(first, min(first + in_block, rows)):
            cells_of_row = cells_of_block[(row - first) * columns :][:columns]
            place = Rectangle(block.left, cells_of_row[0].top, left, cells_of_row[0].height)
            headers.append(Header(place, row_axis, row, True))
            found += cells_of_row
    if row_axis == 1:  # games are in the order of the first axis
        found = [cell for number in range(columns) for cell in found[number::columns]]
    return tuple(found), tuple(headers)
