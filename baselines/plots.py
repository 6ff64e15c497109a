"""Pictures of evaluations, episodes, cross-play and start maps, for papers and pages.

Each ``..._figure`` builds a matplotlib `Figure`, which `figure_style.save` writes to a file.
None of them touches pyplot or its backend. Colors are those of Okabe and Ito, and cividis,
which people with any color vision can read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import FancyArrowPatch, Rectangle
from numpy.typing import ArrayLike

from baselines.cross_play import CrossPlay
from baselines.evaluation import Evaluation
from baselines.figure_style import WIDTH, in_use, styled, ticks
from baselines.payoffs import DISTANCE, Payoff
from baselines.rollouts import StartMap
from baselines.tables import payoff_in, ranked_names
from steer_env.episodes.recording import Recording
from steer_env.errors import InvalidType, InvalidValue, check_choice, shown
from steer_env.files import check_endings
from steer_env.record.writers import save_picture
from steer_env.rendering.plate import Plate

_PANEL = 400  # pixels: the side of a panel in a picture of whole episodes
_LINE_HEIGHT = 0.19  # of the names of curves, in inches


def _listed(what: str, given: Any, kind: type) -> list[Any]:
    listed = [given] if isinstance(given, kind) else list(given)
    if not listed:
        raise InvalidValue(f"there are no {what} to draw; give at least one")
    for member in listed:
        if not isinstance(member, kind):
            raise InvalidType(f"{what} must be {kind.__name__} objects, got {shown(member)}")
    return listed


def _shared_payoff(listed: Sequence[Evaluation | StartMap]) -> Payoff:
    payoffs = {found.payoff for found in listed}
    if len(payoffs) > 1:
        raise InvalidValue(
            "a figure shows capture times or distances; got games of both kinds, so draw two"
        )
    return payoffs.pop()


@styled
def survival_figure(
    evaluations: Evaluation | Sequence[Evaluation], title: str | None = None
) -> Figure:
    """Draws survival curves: the share of evaders still free over time, with 95 % bands.

    Where a distance is the payoff, it is the share of the episodes with a larger distance.

    Args:
        evaluations: one for each curve.
        title: None for the player that all have in common, if any.

    Raises:
        ValueError: if there are no evaluations, or some are of a time and some of a distance.
        TypeError: for anything but evaluations.
    """
    listed: list[Evaluation] = _listed("evaluations", evaluations, Evaluation)
    payoff = _shared_payoff(listed)
    height = max(3.6, 0.7 + _LINE_HEIGHT * len(listed))
    figure = Figure((WIDTH, height), layout="constrained")
    axes = figure.subplots()
    labels, shared = _labels(listed)
    ends = [float(evaluation.survival.times[-1]) for evaluation in listed]
    shares = [float(evaluation.survival.share[-1]) for evaluation in listed]
    for number, (evaluation, label) in enumerate(zip(listed, labels)):
        curve, line = evaluation.survival, _line(number)
        band = {"step": "post", "color": line["color"], "alpha": 0.18, "lw": 0}
        axes.fill_between(curve.times, curve.low, curve.high, **band)
        axes.step(curve.times, curve.share, where="post", label=label, clip_on=False, **line)
    for number, (end, share) in enumerate(zip(ends, shares)):  # level until the latest end
        axes.plot([end, max(ends)], [share, share], lw=0.8, clip_on=False, **_line(number))
    if payoff is DISTANCE:
        what = "share with a larger distance"
    elif all(evaluation.config.evaders == 1 for evaluation in listed):
        what = "share of evaders still free"
    else:
        what = "share of episodes still running"
    axes.xaxis.set_major_locator(ticks())
    axes.set(
        xlim=(0.0, max(ends)),
        ylim=(0.0, 1.0),
        xlabel="distance [m]" if payoff is DISTANCE else "time [s]",
        ylabel=f"{what}, with 95 % band",
    )
    axes.set_title(shared if title is None else title, loc="left")
    axes.grid(axis="y")
    _label_ends(axes, shares, labels, _LINE_HEIGHT / (height - 0.65))
    return figure


def _line(number: int) -> dict[str, Any]:
    """Returns the color and the dashes of a curve."""
    colors = in_use().lines
    dashes = ("-", "--", ":", "-.")[number // len(colors) % 4]
    return {"color": colors[number % len(colors)], "linestyle": dashes}


def _labels(listed: list[Evaluation]) -> tuple[list[str], str]:
    """Returns the label of each curve, and the name of the player that all have in common."""
    pursuers = [evaluation.pursuer for evaluation in listed]
    evaders = [evaluation.evader for evaluation in listed]
    if len(set(evaders)) == 1 < len(set(pursuers)):
        return pursuers, f"evader: {evaders[0]}"
    if len(set(pursuers)) == 1 < len(set(evaders)):
        return evaders, f"pursuer: {pursuers[0]}"
    return [f"{one} v {other}" for one, other in zip(pursuers, evaders)], ""


def _label_ends(axes: Axes, shares: list[float], labels: list[str], gap: float) -> None:
    """Writes each curve's label beside its end: nearer to it than a legend could be."""
    for number, (share, label, height) in enumerate(zip(shares, labels, _spread(shares, gap))):
        axes.annotate(
            label,
            (1.0, share),
            (1.04, height),
            xycoords=axes.get_yaxis_transform(),
            va="center",
            annotation_clip=False,
            arrowprops={
                **_line(number),
                "arrowstyle": "-",
                "lw": 0.8,
                "relpos": (0.0, 0.5),
                "shrinkA": 1.0,
                "shrinkB": 0.0,
            },
        )


def _spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Returns heights near the wanted ones, in the same order, at least a gap apart."""
    order = sorted(range(len(wanted)), key=lambda place: -wanted[place])
    heights = [0.0] * len(wanted)
    highest = np.inf
    for place in order:  # downward: make room below each
        heights[place] = min(wanted[place], highest)
        highest = heights[place] - gap
    lowest = 0.0
    for place in reversed(order):  # upward: none lies below the axis
        heights[place] = max(heights[place], lowest)
        lowest = heights[place] + gap
    return heights


def save_trajectory_plot(
    path: str | Path, recordings: Recording | Sequence[Recording], theme: str = "light"
) -> None:
    """Draws whole episodes, two in a row and all to one scale; see `Plate`.

    Args:
        path: ends in .png or .svg.
        recordings: one for each panel.
        theme: "light" or "dark".

    Raises:
        ValueError: for another ending or theme, a folder that does not exist, or no recordings.
        TypeError: for anything but recordings.
        gymnasium.error.DependencyNotInstalled: for a .png without pygame.
    """
    path = Path(path)
    check_endings([path], (".png", ".svg"))
    listed: list[Recording] = _listed("trajectories", recordings, Recording)
    plate = Plate(listed, min(len(listed), 2), _PANEL, theme)
    title = "; ".join(f"{' v '.join(found.names)}: {found.status.result}" for found in listed)
    save_picture(path.suffix.removeprefix("."), path, plate, title)


@styled
def crossplay_figure(
    crossplay: CrossPlay | Mapping[str, Any],
    metric: str | None = None,
    title: str | None = None,
) -> Figure:
    """Draws every pursuer against every evader as a heat map, the best of each side first.

    Args:
        crossplay: the episodes, or the numbers that `CrossPlay.to_dict` returned.
        metric: "capture_rate", or the game's mean payoff: "mean_capture_time" or
            "mean_distance"; None for the payoff. The ranking is by the payoff in either case.
        title: None for no title.

    Raises:
        ValueError: for another metric.
    """
    numbers = crossplay.to_dict() if isinstance(crossplay, CrossPlay) else crossplay
    payoff = payoff_in(numbers)
    metric = metric or payoff.mean
    check_choice("metric", metric, (payoff.mean, "capture_rate"))
    name, digits, times = payoff.label, 1, 1.0
    if metric == "capture_rate":
        name, digits, times = "capture rate [%]", 0, 100.0
    pursuers, evaders = ranked_names(numbers)
    table = np.array(
        [[times * numbers[metric][p][e]["estimate"] for e in evaders] for p in pursuers]
    )
    margin = 1.2 + 0.065 * max(map(len, pursuers))
    width = max(WIDTH, margin + 0.27 * len(evaders))
    height = 1.0 + 0.22 * len(pursuers) + 0.05 * max(map(len, evaders))
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
        text, color = f"{value:.{digits}f}", _readable_on(image.to_rgba(value))
        axes.text(column, row, text, ha="center", va="center", color=color, size=8)
    _colorbar(figure, image, [axes], name)
    return figure


def _readable_on(color: ArrayLike) -> str:
    """Returns black or white: one of them has a contrast (WCAG 2) above 4.5 to any color."""
    channels = np.asarray(color, np.float64)[:3]
    linear = np.where(
        channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
    )
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    return "white" if luminance < 0.179 else "black"


def _colorbar(figure: Figure, image: Any, panels: list[Axes], label: str) -> None:
    bar = figure.colorbar(image, ax=panels, label=label, fraction=0.05, pad=0.02, aspect=30)
    bar.locator = ticks()
    bar.outline.set_visible(False)


@styled
def start_map_figure(maps: StartMap | Sequence[StartMap], title: str | None = None) -> Figure:
    """Draws the mean payoff by the evader's start, all maps in one scale of colors.

    An arrow in the middle is the pursuer and its heading; the frame is the arena.

    Args:
        maps: one for each panel.
        title: of the whole figure; None for no title. Each panel has one of its own.

    Raises:
        ValueError: if there are no maps, or some are of a time and some of a distance.
        TypeError: for anything but maps.
    """
    listed: list[StartMap] = _listed("maps", maps, StartMap)
    payoff = _shared_payoff(listed)
    columns = min(len(listed), 2)
    rows = -(-len(listed) // columns)
    width, height = (WIDTH, 2.8) if columns == 2 else (4.68, 4.03)
    height = rows * height + (0.0 if title is None else 0.3)
    figure = Figure((width, height), layout=ConstrainedLayoutEngine(h_pad=0.07, compress=True))
    panels = list(figure.subplots(rows, columns, squeeze=False).ravel())
    if len(panels) > len(listed):
        panels.pop().remove()
    if title is not None:
        figure.suptitle(title)
    largest = max(float(found.mean_payoffs.max()) for found in listed)
    for number, (axes, found) in enumerate(zip(panels, listed)):
        room = -found.coordinates[0] + 0.5 * (found.coordinates[1] - found.coordinates[0])
        image = axes.imshow(
            found.mean_payoffs,
            vmin=0.0,
            vmax=largest,
            origin="lower",
            extent=(-room, room, -room, room),
        )
        half, size = found.config.arena.half_size, found.config.arena.size
        axes.add_patch(
            Rectangle((-half, -half), size, size, fill=False, ec=in_use().ink, lw=1.2)
        )
        axes.add_patch(
            FancyArrowPatch(
                (0.0, 0.0),
                (0.22 * half, 0.0),
                arrowstyle="simple,head_width=7,head_length=7,tail_width=2.5",
                shrinkA=0.0,
                shrinkB=0.0,
                fc="white",
                ec="black",
                lw=0.8,
                label="pursuer",
            )
        )
        axes.xaxis.set_major_locator(ticks())
        axes.yaxis.set_major_locator(ticks())
        axes.tick_params(length=2.0)
        axes.spines[:].set_visible(False)
        axes.set(
            xlim=(-1.02 * half, 1.02 * half),
            ylim=(-1.02 * half, 1.02 * half),
            aspect="equal",
            xlabel="evader's start, x [m]",
            ylabel="y [m]" if number % 2 == 0 else "",
            title=f"{found.pursuer} v {found.evader}",
        )
    _colorbar(figure, image, panels, payoff.label)
    return figure
