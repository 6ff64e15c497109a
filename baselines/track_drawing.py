"""Draws the tracks of episodes into the panels of a matplotlib figure; see `plots`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from baselines.figure_style import EVADER, INK, OBSTACLE, PURSUER, WALL
from baselines.trajectories import Trajectory

_MARGIN = 0.03  # of the view's side, around the arena
_INTERVALS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)  # seconds
_MOST_DOTS, _MOST_LABELS = 30, 5  # along a track
_MOST_LABELED = 4  # players; the labels of more would hide the tracks
_DIRECTIONS = 16  # from a dot, in which its label is tried


def draw_trajectories(
    figure: Figure, panels: Sequence[Axes], trajectories: Sequence[Trajectory]
) -> None:
    """Fills each panel with a trajectory, all to one scale, and adds the legend.

    Args:
        figure: of the panels.
        panels: as many as there are trajectories, of equal size.
        trajectories: the episodes.
    """
    views = [_view(found) for found in trajectories]
    side = max(side for _, side in views)
    longest = max(float(found.times[-1]) for found in trajectories)
    every = interval(longest, _MOST_DOTS)
    for number, (axes, found, (center, _)) in enumerate(zip(panels, trajectories, views)):
        axes.set(
            xlim=(center.real - side / 2, center.real + side / 2),
            ylim=(center.imag - side / 2, center.imag + side / 2),
            aspect="equal",
            xlabel="x [m]",
            ylabel="y [m]" if number % 2 == 0 else "",
            title=f"{found.pursuer} v {found.evader}\nseed {found.seed}: {ending(found)}",
        )
        _draw_arena(axes, found)
        _draw_tracks(axes, found, every)
        _draw_ends(axes, found)
        if found.positions.shape[1] <= _MOST_LABELED:
            _label_times(axes, found, every, side)
    _draw_legend(figure, every)


def ending(found: Trajectory) -> str:
    """How an episode ended, in words."""
    seconds = f"{found.times[-1]:.1f} s"
    if found.captured:
        return f"caught after {seconds}"
    evaders = found.config.evaders
    caught = evaders - int(found.active[-1, found.config.pursuers :].sum())
    return f"free for {seconds}" + (f", {caught} of {evaders} caught" if evaders > 1 else "")


def interval(longest: float, most: int) -> int:
    """Whole seconds between marks, so that there are at most so many on the longest track."""
    return next((gap for gap in _INTERVALS if longest / gap <= most), _INTERVALS[-1])


def split_where_it_wraps(track: NDArray[np.complex128], size: float) -> NDArray[np.complex128]:
    """A track on a torus of that side with nan wherever it leaves the square, for lines."""
    steps = np.diff(track)
    jumps = np.maximum(np.abs(steps.real), np.abs(steps.imag)) > size / 2
    return np.insert(track, np.flatnonzero(jumps) + 1, complex(np.nan, np.nan))


def _view(found: Trajectory) -> tuple[complex, float]:
    """The center and the side of the square that has to be seen."""
    if found.config.arena.kind != "open":
        return 0j, (1.0 + 2.0 * _MARGIN) * found.config.arena.size
    x, y, reach = found.positions.real, found.positions.imag, found.config.capture_radius
    center = complex(x.max() + x.min(), y.max() + y.min()) / 2
    return center, 1.1 * max(float(np.ptp(x)), float(np.ptp(y))) + 2.0 * reach


def _draw_arena(axes: Axes, found: Trajectory) -> None:
    arena = found.config.arena
    corner, size = (-arena.half_size, -arena.half_size), arena.size
    frame = Rectangle(corner, size, size, fill=False, ec=WALL, lw=1.5)
    images = [0j]
    if arena.kind == "torus":
        frame.set_linestyle((0, (4, 3)))
        images = [complex(column, row) * size for row in (-1, 0, 1) for column in (-1, 0, 1)]
    if arena.kind == "open":
        axes.spines[:].set_visible(True)
    else:
        axes.add_patch(frame)
    for x, y, radius in found.obstacles:
        for image in images:
            place = complex(x, y) + image
            disc = Circle((place.real, place.imag), radius, fc=OBSTACLE, lw=0, zorder=0.5)
            axes.add_patch(disc)
            if arena.kind != "open":
                disc.set_clip_path(frame)


def _color(found: Trajectory, player: int) -> str:
    return PURSUER if player < found.config.pursuers else EVADER


def _time_in_play(found: Trajectory, player: int) -> int:
    """How many moments a player's track has: the last is that of its capture."""
    return min(int(found.active[:, player].sum()) + 1, len(found.times))


def _samples(found: Trajectory, player: int, every: int) -> NDArray[np.int64]:
    """The moments every so many seconds after the start, while the player is in play."""
    times = found.times[: _time_in_play(found, player)]
    seconds = np.arange(every, times[-1] + 1e-9, every)
    return np.abs(times - seconds[:, None]).argmin(axis=1)


def _draw_tracks(axes: Axes, found: Trajectory, every: int) -> None:
    for player in range(found.positions.shape[1]):
        track = found.positions[: _time_in_play(found, player), player]
        dots = track[_samples(found, player, every)]
        if found.config.arena.kind == "torus":
            track = split_where_it_wraps(track, found.config.arena.size)
        color = _color(found, player)
        axes.plot(track.real, track.imag, color=color, lw=1.3, label="track")
        axes.plot(dots.real, dots.imag, "o", color=color, ms=3.2, lw=0, label="dots")


def _draw_ends(axes: Axes, found: Trajectory) -> None:
    """Rings at the starts, crosses where evaders were caught, and the capture circles."""
    for player in range(found.positions.shape[1]):
        color, start = _color(found, player), found.positions[0, player]
        end = found.positions[-1, player]
        axes.plot(
            start.real, start.imag, "o", ms=6.5, mfc="white", mec=color, mew=1.4, label="start"
        )
        if player < found.config.pursuers:
            reach = found.config.capture_radius
            axes.add_patch(
                Circle((end.real, end.imag), reach, fill=False, ec=color, lw=1.1, zorder=3)
            )
        elif not found.active[-1, player]:
            axes.plot(end.real, end.imag, "x", color=color, ms=5.5, mew=1.6, label="caught")


def _label_times(axes: Axes, found: Trajectory, dots_every: int, side: float) -> None:
    """Writes the time beside dots, where they are clear of tracks and each other.

    Args:
        axes: of the panel.
        found: the episode.
        dots_every: seconds from dot to dot.
        side: of the panel, in meters.
    """
    every = interval(float(found.times[-1]), _MOST_LABELS)
    # A label is wider than high: it is its ends, besides its middle, that must keep clear.
    extent = np.array([-0.04, -0.02, 0.0, 0.02, 0.04]) * side
    turns = np.exp(2j * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS)
    # Beside a dot, a label needs more distance than above or below it.
    ring = side * (0.075 * turns.real + 0.045j * turns.imag)
    offsets = np.concatenate([ring, 1.6 * ring])
    center = complex(*(sum(limits) / 2 for limits in (axes.get_xlim(), axes.get_ylim())))
    end_marks = (
        found.positions[-1] + max(found.config.capture_radius, 0.02 * side) * turns[:, None]
    )
    lines = np.concatenate([found.positions.ravel(), end_marks.ravel()])
    labels = np.array([complex(np.inf, np.inf)])
    for player in range(found.positions.shape[1]):
        dots = found.positions[_samples(found, player, dots_every), player]
        for moment in _samples(found, player, every):
            places = found.positions[moment, player] + offsets
            spots = places[:, None] + extent
            to_lines = np.abs(spots[:, :, None] - lines).min(axis=(1, 2))
            to_labels = np.abs(spots[:, :, None] - labels).min(axis=(1, 2))
            from_center = spots - center
            reach = np.maximum(np.abs(from_center.real), np.abs(from_center.imag)).max(axis=1)
            merit = np.minimum(to_lines, 0.03 * side) - 0.2 * np.abs(offsets)
            to_dots = np.abs(places[:, None] - dots).min(axis=1)
            misleads = to_dots < np.abs(offsets) - 1e-9  # it is nearer to another dot
            covers = (to_labels < 0.045 * side) | (to_lines < 0.012 * side)
            merit[misleads | covers | (reach > 0.46 * side)] = -np.inf
            best = np.argmax(merit)
            if merit[best] == -np.inf:
                continue  # no label is better than one that hides or misleads
            labels = np.append(labels, spots[best])
            axes.text(
                places[best].real,
                places[best].imag,
                f"{found.times[moment]:.0f} s",
                color=_color(found, player),
                size=8,
                ha="center",
                va="center",
                path_effects=[withStroke(linewidth=2.0, foreground="white")],
                label="time",
            )


def _draw_legend(figure: Figure, every: int) -> None:
    unit = "second" if every == 1 else f"{every} s"
    dot: dict[str, Any] = {"lw": 0, "marker": "o", "ms": 3.2}
    ring: dict[str, Any] = {"lw": 0, "marker": "o", "mfc": "none"}
    entries = [
        Line2D([], [], color=PURSUER, lw=1.3, label="pursuer"),
        Line2D([], [], color=EVADER, lw=1.3, label="evader"),
        Line2D([], [], color=INK, ms=6.5, mew=1.4, label="start", **ring),
        Line2D([], [], color=INK, label=f"every {unit}", **dot),
        Line2D([], [], color=PURSUER, ms=9, label="capture radius at the end", **ring),
        Line2D([], [], color=EVADER, lw=0, marker="x", ms=5.5, mew=1.6, label="caught"),
    ]
    figure.legend(
        handles=entries, loc="outside lower center", ncols=3, frameon=False, borderpad=0.8
    )
