"""Pictures of evaluations and of cross-play, for papers and pages, and the style of figures.

Each ``..._figure`` builds a matplotlib `Figure`, which `save` writes to a file.
None of them touches pyplot. People with any color vision can read the colors.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steer_env.errors import InvalidValue, check_choice, needing

with needing("baselines"):
    import matplotlib
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase
    from matplotlib.ticker import EngFormatter, MaxNLocator

from steer_env.baselines.command_options import PICTURES
from steer_env.baselines.cross_play import ranked_names
from steer_env.baselines.episodes import Episodes, given_episodes
from steer_env.baselines.measures import DISTANCE, payoff_of
from steer_env.drawing import RUN_COLORS, THEMES, contrast, places_of
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
def themed(theme: str | None = None) -> Iterator[Palette]:
    """Gives a theme, by default that in use, to figures that are built within, or decorated."""
    theme = _theme.get() if theme is None else theme
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


def save(path: str | Path, build: Callable[[], Figure], theme: str = "light") -> None:
    """Builds a figure and writes it to a file ending in .png, .svg or .pdf.

    Raises:
        ValueError: for another ending, another theme, or a folder that does not exist.
        OSError: if the file cannot be written.
    """
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


@themed()
def survival_figure(evaluations: Episodes | Sequence[Episodes]) -> Figure:
    """Draws survival curves: the share of evaders still free over time, with 95% bands.

    Evaluations of a distance, which are not drawn with those of a time, have the share of the
    episodes with a larger one. Of several pairs each has a curve.
    """
    listed = [evaluations] if isinstance(evaluations, Episodes) else list(evaluations)
    if not listed:
        raise InvalidValue("there are no evaluations to draw; give at least one")
    found = [given_episodes("evaluations", one).by("pursuer", "evader") for one in listed]
    listed = [pair for pairs in found for pair in pairs.values()]
    payoff = listed[0].payoff
    if any(one.payoff is not payoff for one in listed):
        raise InvalidValue(
            "a figure shows capture times or distances; got games of both kinds, so draw two"
        )
    figure = Figure((WIDTH, 3.6 + 0.06 * len(listed)), layout="constrained")
    axes = figure.subplots()
    labels, shared = _labels(listed)
    curves = [evaluation.survival for evaluation in listed]
    end = max(float(curve.times[-1]) for curve in curves)
    lines = in_use().of(labels)
    for curve, label, line in zip(curves, labels, lines):
        band = {"step": "post", "color": line["color"], "alpha": 0.18, "lw": 0}
        axes.fill_between(curve.times, curve.low, curve.high, **band)
        axes.step(curve.times, curve.share, where="post", label=label, clip_on=False, **line)
    for curve, line in zip(curves, lines):  # level until the latest end
        level = [float(curve.times[-1]), end], [float(curve.share[-1])] * 2
        axes.plot(*level, lw=0.8, clip_on=False, **line)
    if payoff is DISTANCE:
        what = "share with a larger distance"
    elif all(evaluation.config.evaders == 1 for evaluation in listed):
        what = "share of evaders still free"
    else:
        what = "share of episodes still running"
    axes.xaxis.set_major_locator(ticks())
    axes.set(
        xlim=(0.0, end),
        ylim=(0.0, 1.0),
        xlabel="distance [m]" if payoff is DISTANCE else "time [s]",
        ylabel=f"{what}, with 95% band",
    )
    axes.set_title(shared, loc="left")
    axes.grid(axis="y")
    add_legend(figure, axes.get_legend_handles_labels()[0])
    return figure


def add_legend(figure: Figure, keys: list[Any]) -> None:
    """Adds a legend below, in as many rows as its texts need."""
    width = sum(0.7 + 0.062 * len(key.get_label()) for key in keys)  # in inches, about
    rows = math.ceil(width / figure.get_figwidth())
    style: Any = {"frameon": False, "fontsize": 8.0, "handlelength": 2.2, "columnspacing": 1.6}
    columns = -(-len(keys) // rows)
    figure.legend(handles=keys, loc="outside lower center", ncols=columns, **style)


def count_steps(axes: Axes, seconds: float = 0.0) -> None:
    """Gives axes steps of training across, and the time above them for known seconds."""
    axes.set(xlabel="steps of training, all games together", xlim=(0.0, None))
    axes.xaxis.set_major_locator(ticks())
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(axis="y")
    low, high = axes.get_ylim()
    axes.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))
    if seconds > 0.0:
        scales = (lambda steps: seconds * steps), (lambda time: time / seconds)
        time = axes.secondary_xaxis("top", functions=scales)
        time.set_xlabel("time of training [s]")
        time.xaxis.set_major_locator(ticks())


def _labels(listed: list[Episodes]) -> tuple[list[str], str]:
    """The label of each curve, and the name of the player that all have in common."""
    pursuers = [evaluation.pursuer for evaluation in listed]
    evaders = [evaluation.evader for evaluation in listed]
    if len(set(evaders)) == 1 < len(set(pursuers)):
        return pursuers, f"evader: {evaders[0]}"
    if len(set(pursuers)) == 1 < len(set(evaders)):
        return evaders, f"pursuer: {pursuers[0]}"
    return [f"{one} vs {other}" for one, other in zip(pursuers, evaders)], ""


@themed()
def crossplay_figure(numbers: Mapping[str, Any]) -> Figure:
    """Draws the mean payoff of every pair as a heat map, the best of each side first.

    The numbers are those that `Episodes.to_dict` returns for several pairs.
    """
    payoff = payoff_of(numbers["config"]["payoff"])
    pursuers, evaders = ranked_names(numbers)
    table = np.array(
        [[numbers[payoff.mean][p][e]["estimate"] for e in evaders] for p in pursuers]
    )
    margin = 1.2 + 0.065 * max(map(len, pursuers))
    width = max(WIDTH, margin + 0.27 * len(evaders))
    height = 1.0 + 0.22 * len(pursuers) + 0.05 * max(map(len, evaders))
    figure = Figure((width, max(height, 2.6)), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(table, aspect="auto")
    tilted: Any = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(evaders)), evaders, **tilted)
    axes.set_yticks(range(len(pursuers)), pursuers)
    axes.set(xlabel="evader, best first", ylabel="pursuer, best first")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for (row, column), value in np.ndenumerate(table):
        ground: Any = tuple(np.rint(255 * np.asarray(image.to_rgba(value))[:3]).astype(int))
        # Black or white, whichever has more contrast: above 4.5 to any color.
        inks = {(255, 255, 255): "white", (0, 0, 0): "black"}
        color = inks[max(inks, key=lambda ink: contrast(ink, ground))]
        axes.text(column, row, f"{value:.1f}", ha="center", va="center", color=color, size=8)
    add_scale(figure, image, payoff.label, ax=[axes], fraction=0.05, pad=0.02, aspect=30)
    return figure
