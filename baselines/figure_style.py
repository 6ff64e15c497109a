"""The common style of the figures: their size and colors, and how they are saved."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec

from steer_env.errors import check_choice, needing

with needing("baselines"):
    import matplotlib
    from matplotlib.figure import Figure, FigureBase
    from matplotlib.ticker import MaxNLocator

from steer_env.baselines.command_options import PICTURES
from steer_env.drawing import RUN_COLORS, THEMES, places_of
from steer_env.files import check_endings, write_bytes

WIDTH = 6.0  # inches: at 600 pixels, the smallest text (8 points) has 11
_DPI = 200


class Palette(NamedTuple):
    """The colors of a theme, as matplotlib reads them."""

    pursuer: str
    evader: str
    ink: str
    faint: str
    ground: str
    lines: tuple[str, ...]  # of curves

    def of(self, names: Iterable[str]) -> list[dict[str, Any]]:
        """The color and the dashes of the curve of each player, by its kind."""
        rounds = [divmod(place, len(self.lines)) for place in places_of([*names])]
        dashes = ("-", "--", ":", "-.")
        return [{"color": self.lines[n], "linestyle": dashes[k % 4]} for k, n in rounds]


def palette(theme: str) -> Palette:
    """Returns the colors of a theme: "light" or "dark"."""
    check_choice("theme", theme, THEMES)
    shades = (*(getattr(THEMES[theme], n) for n in Palette._fields[:5]), *RUN_COLORS[theme])
    a, b, c, d, ground, *lines = ("#{:02x}{:02x}{:02x}".format(*shade) for shade in shades)
    return Palette(a, b, c, d, "#ffffff" if theme == "light" else ground, tuple(lines))


_STYLE: Any = {  # matplotlib 3.11 types the names of its settings, and 3.8 does not
    "font.family": "sans-serif",
    **dict.fromkeys(("font.size", "axes.titlesize", "axes.labelsize", "legend.fontsize"), 9.0),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 8.0),
    "figure.titlesize": 10.0,
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "axes.grid"), False),
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "image.cmap": "cividis",
    "svg.hashsalt": "steer_env",  # so that the same picture is the same file
    "text.parse_math": False,  # names are not formulas
    "pdf.fonttype": 42,  # TrueType, which journals ask for
}

_COLORED = {
    "ink": "text.color axes.labelcolor axes.titlecolor xtick.labelcolor ytick.labelcolor",
    "faint": "axes.edgecolor xtick.color ytick.color grid.color",
    "ground": "figure.facecolor axes.facecolor",
}
_theme = ContextVar("_theme", default="light")


@contextmanager
def themed(theme: str) -> Iterator[Palette]:
    """Gives the style and the colors of a theme to the figures that are built within."""
    colors, style = palette(theme), {**_STYLE}
    for shade, names in _COLORED.items():
        style |= dict.fromkeys(names.split(), getattr(colors, shade))
    before = _theme.set(theme)
    try:
        with matplotlib.rc_context(style):
            yield colors
    finally:
        _theme.reset(before)


def in_use() -> Palette:
    """Returns the colors in which a figure is being built, by default the light ones."""
    return palette(_theme.get())


_Given = ParamSpec("_Given")


def styled(build: Callable[_Given, Figure]) -> Callable[_Given, Figure]:
    """Decorates a function that builds a figure, to give it the style of the theme in use."""

    @wraps(build)
    def built(*args: _Given.args, **kwargs: _Given.kwargs) -> Figure:
        with themed(_theme.get()):
            return build(*args, **kwargs)

    return built


def save(path: str | Path, build: Callable[[], Figure], theme: str = "light") -> None:
    """Builds a figure and writes it to a file ending in .png, .svg or .pdf."""
    path = Path(path)
    check_endings([path], PICTURES)
    dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    kind, content = path.suffix.removeprefix("."), io.BytesIO()
    with themed(theme):
        build().savefig(content, format=kind, dpi=_DPI, metadata=dates.get(path.suffix))
    write_bytes(path, content.getvalue())


def ticks() -> MaxNLocator:
    """Returns a locator of round numbers, at most five parts."""
    return MaxNLocator(5, steps=[1, 2, 5, 10])


def add_scale(figure: FigureBase, image: Any, label: str, **place: Any) -> None:
    """Draws the scale of an image's colors, at a place given as to ``Figure.colorbar``."""
    bar = figure.colorbar(image, label=label, **place)
    bar.locator = ticks()
    bar.outline.set_visible(False)


def both_themes(path: str | Path) -> list[Path]:
    """Returns the names of a picture in the light theme and, beside it, in the dark one."""
    path = Path(path)
    return [path, path.with_stem(f"{path.stem}-dark")]
