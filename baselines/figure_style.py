"""The common style of the figures: their size and colors, and how they are saved."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from steer_env.drawing import THEMES, Color
from steer_env.errors import check_choice
from steer_env.files import check_endings, write_bytes

FORMATS = (".png", ".svg", ".pdf")
"""The endings of the files that a figure can be saved to."""

LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colors, the clearest on white first, without yellow."""

WIDTH = 6.0
"""The width of a figure in inches: at 600 pixels, the smallest text (8 points) has 11."""

_DPI = 200


class Palette(NamedTuple):
    """The colors of a theme, as matplotlib reads them."""

    pursuer: str
    evader: str
    ink: str
    faint: str
    ground: str


def palette(theme: str) -> Palette:
    """Returns the colors of a theme: "light" or "dark".

    Raises:
        ValueError: for another theme; the message has the nearest match.
    """
    check_choice("theme", theme, THEMES)
    found = THEMES[theme]
    return Palette(
        pursuer=_hexadecimal(found.pursuer),
        evader=_hexadecimal(found.evader),
        ink=_hexadecimal(found.ink),
        faint=_hexadecimal(found.faint),
        ground="#ffffff" if theme == "light" else _hexadecimal(found.ground),
    )


def _hexadecimal(color: Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


PURSUER, EVADER, INK, FAINT_INK, _ = palette("light")

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
    "hatch.linewidth": 0.5,
    "svg.hashsalt": "steer_env",  # so that the same picture is the same file
    "pdf.fonttype": 42,  # TrueType, which journals ask for
}

styled = matplotlib.rc_context(_STYLE)
"""Decorates a function that builds a figure, so that the figure has the common style."""


def themed(theme: str) -> Any:
    """Returns a context in which figures are built in the colors of a theme.

    Raises:
        ValueError: as `palette`.
    """
    colors = palette(theme)
    changed: dict[Any, Any] = {
        name: colors.ink if color == INK else colors.faint
        for name, color in _STYLE.items()
        if color in (INK, FAINT_INK)
    }
    changed |= dict.fromkeys(("figure.facecolor", "axes.facecolor"), colors.ground)
    return matplotlib.rc_context({**_STYLE, **changed})


@styled
def save(path: str | Path, build: Callable[[], Figure]) -> None:
    """Builds a figure and writes it to a file, after checking that this is possible.

    Args:
        path: ends in .png, .svg or .pdf.
        build: returns the figure.

    Raises:
        ValueError: for another ending, or a folder that does not exist.
        OSError: if the file cannot be written.
    """
    path = Path(path)
    check_endings([path], FORMATS)
    dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    kind, content = path.suffix.removeprefix("."), io.BytesIO()
    build().savefig(content, format=kind, dpi=_DPI, metadata=dates.get(path.suffix))
    write_bytes(path, content.getvalue())


def ticks() -> MaxNLocator:
    """Returns a locator of round numbers that cut an axis into at most five parts."""
    return MaxNLocator(5, steps=[1, 2, 5, 10])
