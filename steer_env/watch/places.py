"""Places of the panels, the inspector and the status line in a window."""

from __future__ import annotations

from typing import NamedTuple

from steer_env.interface.grid import Rectangle, cells

_INSPECTOR_WIDTH = 320  # pixels
_INSPECTOR_SHARE = 0.48  # of the window, at most


class Places(NamedTuple):
    """Places in a window.

    Attributes:
        panels: places of the games, in their order.
        inspector: place of the inspector; None without one.
        status: place of the line at the bottom.
    """

    panels: tuple[Rectangle, ...]
    inspector: Rectangle | None
    status: Rectangle


def places_in(
    size: tuple[int, int], panels: int, columns: int, status_height: int, has_inspector: bool
) -> Places:
    """Divides a window.

    Args:
        size: width and height of the window, in pixels.
        panels: number of panels.
        columns: number of columns of panels, if that costs little space.
        status_height: height of the status line, in pixels.
        has_inspector: whether to leave space for the inspector: beside the panels in a wide
            window, below them in a tall one.
    """
    width, height = size
    status = Rectangle(0, height - status_height, width, status_height)
    inspector, right, bottom = None, width, status.top
    if has_inspector and width >= 0.9 * height:
        right = width - min(_INSPECTOR_WIDTH, round(_INSPECTOR_SHARE * width))
        inspector = Rectangle(right, 0, width - right, status.top)
    elif has_inspector:
        bottom = round((1 - _INSPECTOR_SHARE) * status.top)
        inspector = Rectangle(0, bottom, width, status.top - bottom)
    return Places(cells(Rectangle(0, 0, right, bottom), panels, columns), inspector, status)
