"""Pictures of solved games: the value, trajectories and gaps, seen from the pursuer.

Each ``..._figure`` builds a matplotlib `Figure` in a theme, "light" or "dark", which
`figure_style.save` writes to a file. Maps are cividis, made paler where lines are drawn over
them; `solution_maps` explains the frame.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch

from baselines.figure_style import LINES, Palette, themed, ticks
from baselines.solution_drawing import (
    add_legend,
    add_scale,
    cased,
    draw_contours,
    draw_lines,
    draw_value,
    extent_of,
    map_keys,
    name_regions,
    set_frame,
    title_of,
    unit_of,
)
from baselines.solution_maps import GapMap, SolutionMap
from baselines.solution_play import Episode, EpisodePair
from steer_env.sides import PURSUER

_NEVER = {theme: lines[3] for theme, lines in LINES.items()}  # cells without a capture
_WIDE = 8.3  # inches: at 830 pixels, the smallest text has 11
_DASHES = (0, (2.5, 1.2))  # of a policy's paths; perfect play is solid


def _layout() -> ConstrainedLayoutEngine:
    return ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06)


def value_figure(found: SolutionMap, theme: str = "light") -> Figure:
    """Draws the contours of the value, the barrier, the equivocal line and the regions' names.

    Args:
        found: from `solution_map`.
        theme: "light" or "dark".

    Raises:
        ValueError: for another theme.
    """
    with themed(theme) as colors:
        figure = Figure((4.9, 4.7), layout=_layout())
        axes = figure.subplots()
        image = draw_value(axes, found, theme)
        draw_contours(axes, found, colors)
        draw_lines(axes, found, colors)
        name_regions(axes, found, colors)
        set_frame(axes, found, title_of(found))
        add_legend(figure, map_keys(found, colors))
        add_scale(figure, image, axes, f"value V [{unit_of(found)}]")
        return figure


def trajectories_figure(found: EpisodePair, theme: str = "light") -> Figure:
    """Draws episodes over the value and, at their side, each of them in the plane.

    Args:
        found: from `episode_pair`.
        theme: "light" or "dark".

    Raises:
        ValueError: for another theme.
    """
    with themed(theme) as colors:
        solution = found.solution
        rows = -(-len(found.perfect) // 2)
        figure = Figure((_WIDE, 4.5), layout=_layout())
        parts: Any = figure.subfigures(1, 2, width_ratios=[1.1, 1.0])
        left, right = parts
        axes = left.subplots()
        image = draw_value(axes, solution, theme)
        draw_lines(axes, solution, colors)
        for episodes, dashes in ((found.perfect, "-"), (found.played, _DASHES)):
            for episode in episodes:
                _draw_path(axes, episode.places, colors.evader, colors, dashes, 1.7)
        for number, episode in enumerate(found.perfect, 1):
            _mark_start(axes, episode.start, number, colors)
        set_frame(axes, solution, title_of(solution))
        add_scale(left, image, axes, f"value V [{unit_of(solution)}]")
        panels = right.subplots(rows, 2, squeeze=False).ravel()
        for panel in panels[len(found.perfect) :]:
            panel.remove()
        for number, (panel, perfect) in enumerate(zip(panels, found.perfect)):
            played = found.played[number] if found.played else None
            is_last = number + 2 >= len(found.perfect)
            _draw_plane(panel, number + 1, perfect, played, solution, colors, is_last)
        keys = map_keys(solution, colors)
        ink: Any = {"color": colors.ink, "lw": 1.6}
        keys.append(Line2D([], [], label="perfect play", **ink))
        if found.played:
            label = f"{found.policy} as the {found.side.name}"
            keys.append(Line2D([], [], ls=_DASHES, label=label, **ink))
        for side, color in (("pursuer", colors.pursuer), ("evader", colors.evader)):
            keys.append(Line2D([], [], color=color, lw=1.6, label=side))
        add_legend(figure, keys)
        return figure


def _draw_path(
    axes: Axes, path: Any, color: str, colors: Palette, dashes: Any, width: float
) -> None:
    casing = cased(colors, width + 1.4) if dashes == "-" else None
    axes.plot(
        path.real, path.imag, color=color, lw=width, ls=dashes, path_effects=casing, zorder=6
    )


def _mark_start(axes: Axes, place: complex, number: int, colors: Palette) -> None:
    axes.text(
        place.real,
        place.imag,
        str(number),
        ha="center",
        va="center",
        size=8.0,
        color=colors.ground,
        bbox={"boxstyle": "circle,pad=0.2", "fc": colors.evader, "ec": colors.ground},
        zorder=8,
    )


def _draw_plane(
    axes: Axes,
    number: int,
    perfect: Episode,
    played: Episode | None,
    solution: SolutionMap,
    colors: Palette,
    is_last: bool,
) -> None:
    """Draws an episode in the plane, in which the pursuer starts at the origin."""
    own = (colors.pursuer, colors.evader)
    for episode, dashes in ((perfect, "-"), (played, _DASHES)):
        if episode is None:
            continue
        paths = episode.bodies["position"] - episode.bodies["position"][0, 0]
        for side, color in enumerate(own):
            _draw_path(axes, paths[:, side], color, colors, dashes, 1.4)
            last = paths[-1, side]
            axes.plot([last.real], [last.imag], marker="o", ms=3.0, color=color, zorder=7)
        if episode is perfect:
            circle = (paths[-1, 0].real, paths[-1, 0].imag), solution.config.capture_radius
            axes.add_patch(Circle(*circle, fill=False, ec=colors.pursuer, lw=0.9, zorder=5))
            axes.plot([0.0], [0.0], marker="^", ms=5, color=colors.pursuer, zorder=7)
            _mark_start(axes, complex(paths[0, 1]), number, colors)
    numbers = f"V = {perfect.value:.2f}, J = "
    numbers += _payoff(perfect if played is None else played, unit_of(solution))
    axes.set_title(f"{perfect.region}: {numbers}", loc="left", size=7.5, x=-0.08)
    axes.set_ylabel("y [m]" if number % 2 == 1 else "", size=8.0)
    axes.set_xlabel("x [m]" if is_last else "", size=8.0)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.12)
    axes.xaxis.set_major_locator(ticks())
    axes.yaxis.set_major_locator(ticks())
    axes.tick_params(length=2.0, labelsize=7.0)
    axes.grid(color=colors.faint, alpha=0.25, lw=0.5)
    axes.set_axisbelow(True)


def _payoff(episode: Episode, unit: str) -> str:
    is_over = unit == "s" and not episode.captured
    return f"{'over ' if is_over else ''}{episode.payoff:.2f} {unit}"


def gap_figure(found: GapMap, theme: str = "light", cap: float | None = None) -> Figure:
    """Draws how far a policy is from perfect play, by the evader's place at the start.

    Args:
        found: from `gap_map`.
        theme: "light" or "dark".
        cap: the end of the scale of colors, in the value's unit; larger gaps have its last
            color. None for the 95th percentile, rounded up, or ten steps if that is more.

    Raises:
        ValueError: for another theme.
    """
    with themed(theme) as colors:
        solution, gaps = found.solution, found.gap
        limit = _cap(found) if cap is None else cap
        figure = Figure((4.9, 4.75), layout=_layout())
        axes = figure.subplots()
        own: Any = colormaps["cividis"].copy()
        above = np.nanmax(gaps, initial=0.0) > limit
        below = np.nanmin(gaps, initial=0.0) < -solution.config.dt
        extends = {(True, True): "both", (True, False): "max", (False, True): "min"}
        own.colorbar_extend = extends.get((bool(above), bool(below)), "neither")
        image = axes.imshow(
            gaps, origin="lower", extent=extent_of(solution), cmap=own, vmin=0.0, vmax=limit
        )
        never = np.where(found.never_caught & np.isfinite(solution.value), 1.0, np.nan)
        axes.imshow(
            never,
            origin="lower",
            extent=extent_of(solution),
            cmap=LinearSegmentedColormap.from_list("never", [_NEVER[theme]] * 2),
        )
        draw_lines(axes, solution, colors)
        name_regions(axes, solution, colors)
        who = f"{found.policy} as the {found.side.name}"
        set_frame(axes, solution, f"{who}\n{title_of(solution)}")
        keys = map_keys(solution, colors)
        if np.isfinite(never).any():
            keys.append(Patch(fc=_NEVER[theme], label="never caught"))
        add_legend(figure, keys)
        gap = " \N{MINUS SIGN} ".join("JV" if found.side is PURSUER else "VJ")
        unit = unit_of(solution)
        capped = f", capped at {limit:g} {unit}" if above else ""
        add_scale(figure, image, axes, f"gap {gap} [{unit}]{capped}")
        return figure


def _cap(found: GapMap) -> float:
    gaps = found.gap[np.isfinite(found.gap)]
    least = 10.0 * found.solution.config.dt
    wanted = max(float(np.percentile(gaps, 95.0)) if gaps.size else 0.0, least)
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(step * power for step in (1.0, 2.0, 3.0, 5.0, 10.0) if step * power >= wanted)
