"""Pictures of solved games: the value, in the frame of `solution_maps`."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from steer_env.errors import needing

with needing("baselines"):
    from matplotlib import colormaps, patheffects
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap, to_rgb
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle, Patch, Polygon
    from matplotlib.ticker import MaxNLocator

from steer_env.baselines.measures import payoff_of
from steer_env.baselines.plots import add_scale, in_use, themed, ticks
from steer_env.baselines.solution_maps import SolutionMap
from steer_env.baselines.solved_games import IN_WORDS
from steer_env.game.config import Game

_LEVELS = 9  # contour lines
_SHARE = 0.62  # of cividis in the colors of a value; the rest is the ground
_EQUIVOCAL: Any = {"lw": 1.3, "ls": (0, (4, 1.6))}


@themed()
def value_figure(found: SolutionMap) -> Figure:
    """Draws the value's contours, the barrier, the equivocal line and the regions' names."""
    figure = Figure((4.9, 4.7), layout=ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06))
    axes = _draw_map(figure, found)
    style: Any = {"color": in_use().ink, "path_effects": _cased(2.2), "weight": "bold"}
    for name, place in found.names().items():
        _write(axes, place, name, size=11.0, **style)
    named = [name for name in found.names() if name in IN_WORDS]
    keys = [Line2D([], [], ls="", label=f"{name}: {IN_WORDS[name]}") for name in named]
    _add_legend(figure, keys + _map_keys(found))
    return figure


def _write(axes: Axes, place: complex, text: str, **style: Any) -> None:
    axes.text(place.real, place.imag, text, ha="center", va="center", zorder=8, **style)


def _draw_map(figure: Figure, found: SolutionMap) -> Axes:
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
