"""Pictures of solved games: the value and trajectories, in the frame of `solution_maps`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from steer_env.errors import needing

with needing("baselines"):
    from matplotlib import colormaps, patheffects
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap, to_rgb
    from matplotlib.figure import Figure, FigureBase
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle, Patch, Polygon
    from matplotlib.ticker import MaxNLocator

from steer_env.baselines.measures import payoff_of
from steer_env.baselines.plots import add_scale, in_use, themed, ticks
from steer_env.baselines.solution_maps import SolutionMap, Trajectory
from steer_env.baselines.solved_games import IN_WORDS, in_words
from steer_env.game.config import Game

_LEVELS = 9  # contour lines
_SHARE = 0.62  # of cividis in the colors of a value; the rest is the ground
_WIDE = 8.3  # inches: at 830 pixels, the smallest text has 11
_DASHES: Any = "-", (0, (2.5, 1.2))  # of perfect play's paths, and of a policy's
_EQUIVOCAL: Any = {"lw": 1.3, "ls": (0, (4, 1.6))}


@themed()
def value_figure(found: SolutionMap) -> Figure:
    """Draws the value's contours, the barrier, the equivocal line and the regions' names."""
    figure = Figure((4.9, 4.7), layout=ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06))
    axes = _draw_map(figure, found, has_contours=True)
    style: Any = {"color": in_use().ink, "path_effects": _cased(2.2), "weight": "bold"}
    for name, place in found.names().items():
        _write(axes, place, name, size=11.0, **style)
    named = [name for name in found.names() if name in IN_WORDS]
    keys = [Line2D([], [], ls="", label=f"{name}: {IN_WORDS[name]}") for name in named]
    _add_legend(figure, keys + _map_keys(found))
    return figure


@themed()
def trajectories_figure(
    found: SolutionMap, played: Mapping[str, Sequence[Trajectory]]
) -> Figure:
    """Draws trajectories over the value and, at their side, each of them in the plane."""
    colors, several = in_use(), [*zip(*played.values())]
    figure = Figure((_WIDE, 4.5), layout=ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06))
    parts: Any = figure.subfigures(1, 2, width_ratios=[1.1, 1.0])
    left, right = parts
    axes = _draw_map(left, found, has_contours=False)
    for episodes, dashes in zip(played.values(), _DASHES):
        for episode in episodes:
            _draw_path(axes, episode.places, colors.evader, dashes, 1.7)
    panels = right.subplots(-(-len(several) // 2), 2, squeeze=False).ravel()
    for panel in panels[len(several) :]:
        panel.remove()
    for number, (panel, compared) in enumerate(zip(panels, several), 1):
        _mark_start(axes, compared[0].places[0], number)
        _draw_plane(panel, number, compared, found)
        panel.set_ylabel("y [m]" if number % 2 == 1 else "", size=8.0)
        panel.set_xlabel("x [m]" if number + 1 >= len(several) else "", size=8.0)
    lines = [(name, colors.ink, dashes) for name, dashes in zip(played, _DASHES)]
    lines += [("pursuer", colors.pursuer, "-"), ("evader", colors.evader, "-")]
    keys = [Line2D([], [], label=name, color=color, ls=ls, lw=1.6) for name, color, ls in lines]
    _add_legend(figure, _map_keys(found) + keys)
    return figure


def _draw_path(axes: Axes, path: Any, color: str, dashes: Any, width: float) -> None:
    casing = _cased(width + 1.4) if dashes == "-" else None
    style: Any = {"color": color, "lw": width, "ls": dashes, "path_effects": casing}
    axes.plot(path.real, path.imag, zorder=6, **style)


def _mark_start(axes: Axes, place: complex, number: int) -> None:
    box = {"boxstyle": "circle,pad=0.2", "fc": in_use().evader, "ec": in_use().ground}
    _write(axes, place, str(number), size=8.0, color=in_use().ground, bbox=box)


def _write(axes: Axes, place: complex, text: str, **style: Any) -> None:
    axes.text(place.real, place.imag, text, ha="center", va="center", zorder=8, **style)


def _draw_plane(
    axes: Axes, number: int, compared: Sequence[Trajectory], found: SolutionMap
) -> None:
    """Draws trajectories from one start in the plane, an only pursuer's from the origin."""
    colors = in_use()
    if found.stands:
        _draw_target(axes, found)
    for episode, dashes in zip(compared, _DASHES):
        position = episode.bodies["position"]
        paths = position if found.stands else position - position[0, 0]
        teams = [colors.pursuer] * (paths.shape[1] - 1) + [colors.evader]
        for path, color in zip(paths.T, teams):
            _draw_path(axes, path, color, dashes, 1.4)
            axes.plot(path.real[-1:], path.imag[-1:], marker="o", ms=3, color=color, zorder=7)
        if dashes == "-":
            for path in paths.T[:-1]:
                style: Any = {"fill": False, "ec": colors.pursuer, "lw": 0.9, "zorder": 5}
                _add_circle(axes, found.config, path[-1], style)
                style = {"marker": "^", "ms": 5, "color": colors.pursuer, "zorder": 7}
                axes.plot(path.real[:1], path.imag[:1], **style)
            _mark_start(axes, complex(paths[0, -1]), number)
    perfect, shown, unit = compared[0], compared[-1], payoff_of(found.config.payoff).unit
    over = "over " * (unit == "s" and not shown.captured)
    numbers = f"value {perfect.value:.2f} {unit}, played {over}{shown.payoff:.2f} {unit}"
    axes.set_title(f"{in_words(perfect.region)}\n{numbers}", loc="left", size=7.5, x=-0.08)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.12)
    _set_ticks(axes, labelsize=7.0)
    axes.grid(color=colors.faint, alpha=0.25, lw=0.5)
    axes.set_axisbelow(True)


def _draw_map(figure: FigureBase, found: SolutionMap, has_contours: bool) -> Axes:
    """Draws the lines and, of finite values, the colors and their scale."""
    axes = figure.subplots()
    ground, half = np.array(to_rgb(in_use().ground)), found.half_width
    own = colormaps["cividis" if ground.sum() < 1.5 else "cividis_r"](np.linspace(0, 1, 256))
    mixed = _SHARE * own[:, :3] + (1.0 - _SHARE) * ground
    value = np.where(np.isfinite(found.value) & found.has_values, found.value, np.nan)
    colors = LinearSegmentedColormap.from_list("solution", mixed)
    kind = "bilinear" if np.isfinite(value).all() else "nearest"
    extent = (-half, half, -half, half)
    image = axes.imshow(value, colors, origin="lower", extent=extent, interpolation=kind)
    if has_contours:
        _draw_contours(axes, found)
    _draw_lines(axes, found)
    labels = "x of the evader", "y of the evader"
    if not found.stands:
        turns = found.config.model("pursuer") == "car"
        words = ("right of", "ahead of") if turns else ("x from", "y from")
        labels = f"{words[0]} the pursuer", f"{words[1]} the pursuer"
    axes.set(xlim=(-half, half), ylim=(-half, half), aspect="equal")
    axes.set(xlabel=f"{labels[0]} [m]", ylabel=f"{labels[1]} [m]")
    _set_ticks(axes)
    axes.spines[:].set_visible(False)
    axes.set_title(found.title, loc="left")
    if np.isfinite(value).any():
        label = f"value V [{payoff_of(found.config.payoff).unit}]"
        add_scale(figure, image, label, cax=axes.inset_axes((1.03, 0.0, 0.04, 1.0)))
    return axes


def _draw_contours(axes: Axes, found: SolutionMap) -> None:
    """Draws lines of equal value as far as the barrier, with labels in the right half."""
    if not found.has_values:
        return
    finite = found.value[np.isfinite(found.value)]
    levels = MaxNLocator(_LEVELS, steps=[1, 2, 5, 10]).tick_values(0.0, finite.max())
    levels = levels[(levels > finite.min()) & (levels < finite.max())]
    if found.behavior == "optimal_two_cars":  # that one is the barrier
        levels = levels[np.abs(levels - found.config.capture_radius) > 1e-9]
    right = np.broadcast_to(found.coordinates > 0.0, found.value.shape)
    halves = [right, ~right] if found.is_symmetric else [np.ones_like(right)]
    jumps = found.behavior == "optimal_chauffeur"
    is_outside = ~np.isin(found.region, ("S", "W", "free"))
    sides = [is_outside, ~is_outside] if jumps else [np.ones_like(right)]
    style: Any = {"colors": in_use().ink, "linewidths": 0.6, "alpha": 0.75}
    for half, side in product(halves, sides):
        shown = half & side & np.isfinite(found.value)
        if shown.any() and len(levels):
            level = np.where(shown, found.value, np.nan)
            drawn = axes.contour(found.coordinates, found.coordinates, level, levels, **style)
            if half is halves[0]:
                axes.clabel(drawn, fontsize=7, fmt="%g", inline_spacing=3)


def _cased(width: float) -> list[Any]:
    """Effects that set a line or a text off from any color below it."""
    return [patheffects.withStroke(linewidth=width, foreground=in_use().ground)]


def _draw_lines(axes: Axes, found: SolutionMap) -> None:
    colors = in_use()
    strong: Any = {"color": colors.ink, "lw": 1.8, "path_effects": _cased(3.2)}
    for line in found.barrier:
        axes.plot(line.real, line.imag, solid_capstyle="round", zorder=4, **strong)
    if found.behavior == "optimal_two_cars":
        beyond = found.value - found.config.capture_radius
        at = found.coordinates
        drawn = axes.contour(at, at, beyond, [0.0], colors=colors.ink, zorder=4)
        drawn.set(linewidth=1.8, path_effects=_cased(3.2))
    weak: Any = {"color": colors.ink, "path_effects": _cased(2.6), **_EQUIVOCAL}
    for line in found.equivocal_line:
        axes.plot(line.real, line.imag, zorder=4, **weak)
    fill = "none" if found.config.payoff == "final_distance" else colors.ground
    edge: Any = {"fc": fill, "ec": colors.pursuer, "lw": 1.2, "zorder": 5}
    marker, size = ("^", 5.0) if found.config.model("pursuer") == "car" else ("o", 3.5)
    for stand in found.stands or (0j,):
        _add_circle(axes, found.config, stand, edge)
        dot: Any = {"marker": marker, "ms": size, "color": colors.pursuer, "zorder": 6}
        axes.plot(stand.real, stand.imag, **dot)
    _draw_target(axes, found)


def _add_circle(axes: Axes, config: Game, place: complex, style: Any) -> None:
    if radius := config.capture_circle:
        axes.add_patch(Circle((place.real, place.imag), radius, **style))


def _draw_target(axes: Axes, found: SolutionMap) -> None:
    style: Any = {"fc": in_use().ground, "ec": in_use().ink, "hatch": "...", "zorder": 3}
    for zone in found.config.zones:
        axes.add_patch(Polygon([(one.real, one.imag) for one in zone], **style))


def _map_keys(found: SolutionMap) -> list[Any]:
    """The legend of the lines of `_draw_lines`, and of places without a value."""
    colors, keys = in_use(), list[Any]()
    if found.barrier or found.behavior == "optimal_two_cars":
        label = "edge of reach" if found.behavior == "optimal_drag" else "barrier"
        keys.append(Line2D([], [], color=colors.ink, lw=1.8, label=label))
    if found.equivocal_line:
        keys.append(Line2D([], [], color=colors.ink, label="equivocal line", **_EQUIVOCAL))
    if found.config.capture_circle:
        circle: Any = {"ls": "", "marker": "o", "ms": 7, "mfc": colors.ground}
        keys.append(Line2D([], [], mec=colors.pursuer, label="capture circle", **circle))
    if np.isinf(found.value).any():
        blank: Any = {"fc": colors.ground, "ec": colors.faint, "lw": 0.6}
        keys.append(Patch(label="capture cannot be forced", **blank))
    return keys


def _add_legend(figure: Figure, keys: list[Any]) -> None:
    width = sum(0.7 + 0.062 * len(key.get_label()) for key in keys)  # in inches, about
    rows = math.ceil(width / figure.get_figwidth())
    style: Any = {"frameon": False, "fontsize": 8.0, "handlelength": 2.2, "columnspacing": 1.6}
    columns = -(-len(keys) // rows)
    figure.legend(handles=keys, loc="outside lower center", ncols=columns, **style)


def _set_ticks(axes: Axes, **style: Any) -> None:
    axes.xaxis.set_major_locator(ticks())
    axes.yaxis.set_major_locator(ticks())
    axes.tick_params(length=2.0, **style)
