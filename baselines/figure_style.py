"""What the pictures of `plots` have in common: size, colors, panels, and how they are saved."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator

from steer_env.drawing import THEMES, Color
from steer_env.errors import InvalidValue, check_choice

FORMATS = (".png", ".svg", ".pdf")
"""What a picture can be saved as, by the ending of its path."""

LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colors, the clearest on white first, without the yellow that is not."""

WIDTH = 6.0
"""Of a picture in inches. So 8 points, the smallest text, are 11 pixels at 600 pixels wide."""

_DPI = 200


def hexadecimal(color: Color) -> str:
    """A color of the renderer as matplotlib takes it."""
    return "#{:02x}{:02x}{:02x}".format(*color)


_LIGHT = THEMES["light"]

PURSUER, EVADER = hexadecimal(_LIGHT.pursuer), hexadecimal(_LIGHT.evader)
INK, FAINT_INK = hexadecimal(_LIGHT.ink), hexadecimal(_LIGHT.faint)
WALL, OBSTACLE = hexadecimal(_LIGHT.wall), hexadecimal(_LIGHT.obstacle)

_STYLE: Any = {  # matplotlib 3.11 types the names of its settings, and 3.8 does not
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.titlesize": 9.0,
    "axes.labelsize": 9.0,
    "figure.titlesize": 10.0,
    "legend.fontsize": 9.0,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.edgecolor": FAINT_INK,
    "xtick.color": FAINT_INK,
    "ytick.color": FAINT_INK,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "image.cmap": "cividis",
    "svg.hashsalt": "steer_env",  # so that the same picture is the same file
    "pdf.fonttype": 42,  # TrueType, which journals ask for
}

_Arguments = ParamSpec("_Arguments")


def styled(function: Callable[_Arguments, Figure]) -> Callable[_Arguments, Figure]:
    """A function that builds a figure, with the common style while it does."""

    @wraps(function)
    def build(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> Figure:
        with matplotlib.rc_context(_STYLE):
            return function(*args, **kwargs)

    return build


def save(path: str | Path, build: Callable[[], Figure]) -> None:
    """Checks the path before the work of building the figure, then writes it."""
    path = Path(path)
    check_choice("ending of the picture's file", path.suffix, FORMATS)
    if not path.absolute().parent.is_dir():
        raise InvalidValue(f"there is no folder {str(path.parent)!r} to write the picture to")
    dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    figure = build()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(path, dpi=_DPI, metadata=dates.get(path.suffix))


def make_panels(
    count: int, title: str | None, *, side: float, around: float, below: float
) -> tuple[Figure, list[Axes]]:
    """Square panels, two to a row, or a larger one alone.

    Args:
        count: how many.
        title: of the whole figure.
        side: of a panel's square where there are two in a row, in inches.
        around: what a row needs for its titles and labels, in inches.
        below: what the figure needs once, in inches.
    """
    columns = min(count, 2)
    rows = -(-count // columns)
    side, width = (side, WIDTH) if columns == 2 else (1.6 * side, 1.6 * side + 1.4)
    height = rows * (side + around) + below + (0.0 if title is None else 0.3)
    figure = Figure((width, height), layout=ConstrainedLayoutEngine(h_pad=0.07, compress=True))
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for unused in grid[count:]:
        unused.remove()
    for axes in grid[:count]:
        axes.xaxis.set_major_locator(ticks())
        axes.yaxis.set_major_locator(ticks())
        axes.tick_params(length=2.0)
        axes.spines[:].set_visible(False)
    if title is not None:
        figure.suptitle(title)
    return figure, list(grid[:count])


def ticks(most: int = 5) -> MaxNLocator:
    """Round numbers along an axis, with so many spaces between them or fewer."""
    return MaxNLocator(most, steps=[1, 2, 5, 10])
