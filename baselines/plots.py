"""Pictures of evaluations, trajectories, cross-play and start maps, for papers and pages.

Each ``..._figure`` builds a matplotlib `Figure`, and each ``save_..._plot`` writes it to a PNG,
SVG or PDF file. None of them touches pyplot or its backend. Colors are those of Okabe and Ito,
and cividis, which people with any color vision can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle
from numpy.typing import ArrayLike, NDArray

from baselines.crossplay import CrossPlay
from baselines.evaluation import Evaluation
from baselines.figure_style import (
    FAINT_INK,
    INK,
    LINES,
    WIDTH,
    make_panels,
    save,
    styled,
    ticks,
)
from baselines.track_drawing import draw_trajectories
from baselines.trajectories import StartMap, Trajectory
from steer_env.errors import InvalidType, InvalidValue, check_choice

_LINE_HEIGHT = 0.19  # of the names of curves, in inches


def _listed(what: str, given: Any, kind: type) -> list[Any]:
    listed = [given] if isinstance(given, kind) else list(given)
    if not listed:
        raise InvalidValue(f"there are no {what} to draw; give at least one")
    for member in listed:
        if not isinstance(member, kind):
            raise InvalidType(f"{what} must be {kind.__name__} objects, got {member!r}")
    return listed


def save_survival_plot(
    path: str | Path,
    evaluations: Evaluation | Sequence[Evaluation],
    title: str | None = None,
) -> None:
    """Draws survival curves: the share of evaders still free over time, with 95 % bands.

    Args:
        path: ends in .png, .svg or .pdf.
        evaluations: one curve each.
        title: None for a side that all have in common, or none.

    Raises:
        ValueError: for another ending, a folder that is not there, or no evaluations.
        TypeError: if they are something else.
    """
    save(path, lambda: survival_figure(evaluations, title))


@styled
def survival_figure(
    evaluations: Evaluation | Sequence[Evaluation], title: str | None = None
) -> Figure:
    """The figure that `save_survival_plot` writes; one line of its axes is one curve."""
    listed: list[Evaluation] = _listed("evaluations", evaluations, Evaluation)
    height = max(3.6, 0.7 + _LINE_HEIGHT * len(listed))
    figure = Figure((WIDTH, height), layout="constrained")
    axes = figure.subplots()
    labels, shared = _labels(listed)
    ends = []
    for number, (evaluation, label) in enumerate(zip(listed, labels)):
        curve, (color, dashes) = evaluation.survival, _line(number)
        axes.fill_between(
            curve.times, curve.low, curve.high, step="post", color=color, alpha=0.18, lw=0
        )
        axes.step(
            curve.times,
            curve.share,
            dashes,
            where="post",
            color=color,
            label=label,
            clip_on=False,
        )
        ends.append((float(curve.times[-1]), float(curve.share[-1])))
    one_each = all(evaluation.config.evaders == 1 for evaluation in listed)
    what = "share of evaders still free" if one_each else "share of episodes still running"
    latest = max(end for end, _ in ends)
    for number, (end, share) in enumerate(ends):
        color, dashes = _line(number)
        axes.plot([end, latest], [share, share], dashes, color=color, lw=0.8, clip_on=False)
    axes.xaxis.set_major_locator(ticks())
    axes.set(
        xlim=(0.0, latest),
        ylim=(0.0, 1.0),
        xlabel="time [s]",
        ylabel=f"{what}, with 95 % band",
    )
    axes.set_title(shared if title is None else title, loc="left")
    axes.grid(axis="y", color=FAINT_INK, alpha=0.25, lw=0.6)
    axes.set_axisbelow(True)
    _label_ends(axes, [share for _, share in ends], labels, _LINE_HEIGHT / (height - 0.65))
    return figure


def _line(number: int) -> tuple[str, str]:
    """Color and dashes of a curve."""
    return LINES[number % len(LINES)], ("-", "--", ":", "-.")[number // len(LINES) % 4]


def _labels(listed: list[Evaluation]) -> tuple[list[str], str]:
    """The name of each curve, and what all have in common: no name is repeated in vain."""
    pursuers = [evaluation.pursuer for evaluation in listed]
    evaders = [evaluation.evader for evaluation in listed]
    if len(listed) > 1 and len(set(evaders)) == 1 and len(set(pursuers)) > 1:
        return pursuers, f"evader: {evaders[0]}"
    if len(listed) > 1 and len(set(pursuers)) == 1 and len(set(evaders)) > 1:
        return evaders, f"pursuer: {pursuers[0]}"
    return [f"{one} v {other}" for one, other in zip(pursuers, evaders)], ""


def _label_ends(axes: Axes, shares: list[float], labels: list[str], gap: float) -> None:
    """Writes each curve's name beside its end: nearer to it than any legend could be."""
    heights = _spread(shares, gap)
    for number, (share, label, height) in enumerate(zip(shares, labels, heights)):
        color, dashes = _line(number)
        axes.annotate(
            label,
            (1.0, share),
            (1.04, height),
            xycoords=axes.get_yaxis_transform(),
            textcoords=axes.get_yaxis_transform(),
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": color,
                "lw": 0.8,
                "linestyle": dashes,
                "relpos": (0.0, 0.5),
                "shrinkA": 1.0,
                "shrinkB": 0.0,
            },
        )


def _spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Heights from 0 up in the same order as the wanted ones, at least a gap apart."""
    order = sorted(range(len(wanted)), key=lambda place: -wanted[place])
    heights = [0.0] * len(wanted)
    for rank, place in enumerate(order):
        above = heights[order[rank - 1]] - gap if rank > 0 else np.inf
        heights[place] = min(wanted[place], above)
    for rank, place in enumerate(reversed(order)):
        below = heights[order[len(order) - rank]] + gap if rank > 0 else 0.0
        heights[place] = max(heights[place], below)
    return heights


def save_trajectory_plot(
    path: str | Path,
    trajectories: Trajectory | Sequence[Trajectory],
    title: str | None = None,
) -> None:
    """Draws where players went, side by side and to one scale, with a dot every second.

    Args:
        path: ends in .png, .svg or .pdf.
        trajectories: one panel each.
        title: of all; each panel has one of its own.

    Raises:
        ValueError: for another ending, a folder that is not there, or no trajectories.
        TypeError: if they are something else.
    """
    save(path, lambda: trajectory_figure(trajectories, title))


@styled
def trajectory_figure(
    trajectories: Trajectory | Sequence[Trajectory], title: str | None = None
) -> Figure:
    """The figure that `save_trajectory_plot` writes; lines named "track" are the tracks."""
    listed: list[Trajectory] = _listed("trajectories", trajectories, Trajectory)
    figure, panels = make_panels(len(listed), title, side=2.35, around=0.9, below=0.65)
    draw_trajectories(figure, panels, listed)
    return figure


def save_crossplay_plot(
    path: str | Path,
    crossplay: CrossPlay,
    metric: str = "mean_capture_time",
    title: str | None = None,
) -> None:
    """Draws every pursuer against every evader as a heat map, the best of each side first.

    Args:
        path: ends in .png, .svg or .pdf.
        crossplay: the episodes.
        metric: "mean_capture_time" or "capture_rate". The ranking is by time in any case.
        title: None for none.

    Raises:
        ValueError: for another ending or metric, or a folder that is not there.
    """
    save(path, lambda: crossplay_figure(crossplay, metric, title))


@styled
def crossplay_figure(
    crossplay: CrossPlay, metric: str = "mean_capture_time", title: str | None = None
) -> Figure:
    """The figure that `save_crossplay_plot` writes; its axes' texts are the numbers."""
    check_choice("metric", metric, ("mean_capture_time", "capture_rate"))
    if metric == "capture_rate":
        table, name, digits = 100.0 * crossplay.capture_rates, "capture rate [%]", 0
    else:
        table, name, digits = crossplay.mean_capture_times, "mean capture time [s]", 1
    pursuers = [rank.name for rank in crossplay.ranking("pursuer")]
    evaders = [rank.name for rank in crossplay.ranking("evader")]
    rows = [crossplay.pursuers.index(pursuer) for pursuer in pursuers]
    columns = [crossplay.evaders.index(evader) for evader in evaders]
    table = table[np.ix_(rows, columns)]
    margin = 1.5 + 0.065 * max(map(len, pursuers))
    width = max(WIDTH, margin + 0.42 * len(evaders))
    height = 1.0 + 0.28 * len(pursuers) + 0.05 * max(map(len, evaders))
    figure = Figure((width, max(height, 2.6)), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(table, aspect="auto")
    axes.set_xticks(
        range(len(evaders)), evaders, rotation=35, ha="right", rotation_mode="anchor"
    )
    axes.set_yticks(range(len(pursuers)), pursuers)
    axes.set(xlabel="evader, best first", ylabel="pursuer, best first")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if title is not None:
        axes.set_title(title, loc="left")
    for (row, column), value in np.ndenumerate(table):
        color = _readable_on(image.to_rgba(value))
        axes.text(
            column, row, f"{value:.{digits}f}", ha="center", va="center", color=color, size=8
        )
    _colorbar(figure, image, [axes], name)
    return figure


def luminance(color: ArrayLike) -> float:
    """The relative luminance of a color (WCAG 2), from 0 for black to 1 for white.

    Args:
        color: (red, green, blue) or more, from 0 to 1.
    """
    channels: NDArray[np.float64] = np.asarray(color, np.float64)[:3]
    linear = np.where(
        channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
    )
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(one: ArrayLike, other: ArrayLike) -> float:
    """The contrast ratio of two colors (WCAG 2), from 1 to 21; text needs 4.5."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _readable_on(background: ArrayLike) -> str:
    """Black or white: one of them always has a contrast above 4.5."""
    return max(("white", "black"), key=lambda color: contrast(to_rgb(color), background))


def _colorbar(figure: Figure, image: Any, panels: list[Axes], label: str) -> None:
    bar = figure.colorbar(image, ax=panels, label=label, fraction=0.05, pad=0.02, aspect=25)
    bar.locator = ticks()
    bar.outline.set_visible(False)


def save_start_map_plot(
    path: str | Path, maps: StartMap | Sequence[StartMap], title: str | None = None
) -> None:
    """Draws the mean capture time by where the evader starts, in one scale of colors.

    An arrow in the middle is the pursuer and its heading; the frame is the arena.

    Args:
        path: ends in .png, .svg or .pdf.
        maps: one panel each.
        title: of all; each panel has one of its own.

    Raises:
        ValueError: for another ending, a folder that is not there, or no maps.
        TypeError: if they are something else.
    """
    save(path, lambda: start_map_figure(maps, title))


@styled
def start_map_figure(maps: StartMap | Sequence[StartMap], title: str | None = None) -> Figure:
    """The figure that `save_start_map_plot` writes; each panel's image is the map."""
    listed: list[StartMap] = _listed("maps", maps, StartMap)
    figure, panels = make_panels(len(listed), title, side=2.05, around=0.75, below=0.0)
    longest = max(float(found.mean_capture_times.max()) for found in listed)
    for number, (axes, found) in enumerate(zip(panels, listed)):
        room = -found.coordinates[0] + 0.5 * (found.coordinates[1] - found.coordinates[0])
        half_size = found.config.arena.half_size
        image = axes.imshow(
            found.mean_capture_times,
            vmin=0.0,
            vmax=longest,
            origin="lower",
            extent=(-room, room, -room, room),
        )
        axes.add_patch(
            Rectangle(
                (-half_size, -half_size),
                2 * half_size,
                2 * half_size,
                fill=False,
                ec=INK,
                lw=1.2,
            )
        )
        axes.add_patch(
            FancyArrowPatch(
                (0.0, 0.0),
                (0.22 * half_size, 0.0),
                arrowstyle="simple,head_width=7,head_length=7,tail_width=2.5",
                shrinkA=0.0,
                shrinkB=0.0,
                fc="white",
                ec="black",
                lw=0.8,
                label="pursuer",
            )
        )
        reach = 1.02 * half_size
        axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
        axes.set(xlabel="evader's start, x [m]", ylabel="y [m]" if number % 2 == 0 else "")
        axes.set_title(f"{found.pursuer} v {found.evader}")
    _colorbar(figure, image, panels, "mean capture time [s]")
    return figure
