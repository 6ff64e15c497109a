"""The parts of a map of a solved game: colors, contours, lines, names of regions, legend."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib import colormaps, patheffects
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure, FigureBase
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch
from matplotlib.ticker import MaxNLocator

from baselines.figure_style import Palette, palette, ticks
from baselines.payoffs import payoff_of
from baselines.solution_maps import SolutionMap, grid_of
from steer_env.game.known_value import behavior_of_game
from steer_env.game.optimal import chauffeur_parameters

_LEVELS = 9  # contour lines
_SHARE = 0.62  # of cividis in the colors of a map; the rest is the ground
_ROOM = 0.065  # of half a map: around a name, which no contour crosses

_NAMES_OF_LINES = {
    "optimal_chauffeur": "barrier",
    "optimal_two_cars": "barrier",
    "optimal_drag": "edge of reach",
}


def unit_of(found: SolutionMap) -> str:
    """Returns the unit of the value."""
    return payoff_of(found.config.payoff).unit


def _colors_of_map(theme: str) -> Colormap:
    """Returns cividis, paler, since lines are drawn over it."""
    ground = np.array(to_rgb(palette(theme).ground))
    own = colormaps["cividis" if theme == "dark" else "cividis_r"](np.linspace(0.0, 1.0, 256))
    mixed = _SHARE * own[:, :3] + (1.0 - _SHARE) * ground
    return LinearSegmentedColormap.from_list("solution", mixed)


def extent_of(found: SolutionMap) -> tuple[float, float, float, float]:
    """Returns the edges of a map, as `imshow` takes them."""
    half = found.half_width
    return (-half, half, -half, half)


def draw_value(axes: Axes, found: SolutionMap, theme: str) -> Any:
    """Draws the colors of the value; places from which capture cannot be forced have none."""
    value = np.where(np.isfinite(found.value) & found.has_values, found.value, np.nan)
    return axes.imshow(
        value,
        origin="lower",
        extent=extent_of(found),
        cmap=_colors_of_map(theme),
        interpolation="bilinear" if np.isfinite(value).all() else "nearest",
    )


def draw_contours(axes: Axes, found: SolutionMap, colors: Palette) -> None:
    """Draws lines of equal value, which end at the barrier, with labels in the right half."""
    if not found.has_values:
        return
    finite = found.value[np.isfinite(found.value)]
    levels = MaxNLocator(_LEVELS, steps=[1, 2, 5, 10]).tick_values(0.0, finite.max())
    levels = levels[(levels > finite.min()) & (levels < finite.max())]
    if behavior_of_game(found.config) == "optimal_two_cars":  # that one is the barrier
        levels = levels[np.abs(levels - found.config.capture_radius) > 1e-9]
    places = grid_of(found.coordinates)
    is_clear = np.isfinite(found.value)
    for name, (_, place) in found.names().items():
        across, up = (places - place).real, (places - place).imag
        room = _ROOM * found.half_width
        is_clear &= np.hypot(across / max(1.0, 0.6 * len(name)), up) > room
    right = places.real > 0.0
    halves = [right, ~right] if found.is_symmetric else [np.ones_like(right)]
    jumps = behavior_of_game(found.config) == "optimal_chauffeur"
    sides = [found.is_outside, ~found.is_outside] if jumps else [np.ones_like(right)]
    style: Any = {"colors": colors.ink, "linewidths": 0.6, "alpha": 0.75}
    for number, half in enumerate(halves):
        for side in sides:
            shown = half & side & is_clear
            if not shown.any() or not len(levels):
                continue
            level = np.where(shown, found.value, np.nan)
            drawn = axes.contour(found.coordinates, found.coordinates, level, levels, **style)
            if number == 0:
                _label_contours(axes, drawn, found)


def _label_contours(axes: Axes, drawn: Any, found: SolutionMap) -> None:
    """Writes a level in the middle of its longest line, if the line is not short."""
    places = []
    for lines in drawn.allsegs:
        paths = [line[:, 0] + 1j * line[:, 1] for line in lines if len(line) > 1]
        lengths = [float(np.abs(np.diff(path)).sum()) for path in paths]
        if lengths and max(lengths) > 0.25 * found.half_width:
            path = paths[int(np.argmax(lengths))]
            along = np.abs(np.diff(path)).cumsum()
            middle = path[int(np.searchsorted(along, 0.5 * along[-1]))]
            places.append((float(middle.real), float(middle.imag)))
    if places:
        labels = axes.clabel(drawn, fontsize=7, fmt="%g", inline_spacing=3, manual=places)
        for text in labels:
            text.set_alpha(1.0)


def cased(colors: Palette, width: float) -> list[Any]:
    """Returns effects that set a line or a text off from any color below it."""
    return [patheffects.withStroke(linewidth=width, foreground=colors.ground)]


def draw_lines(axes: Axes, found: SolutionMap, colors: Palette) -> None:
    """Draws the barrier, the equivocal line and the capture circle."""
    strong: Any = {"color": colors.ink, "lw": 1.8, "path_effects": cased(colors, 3.2)}
    for line in found.barrier:
        axes.plot(line.real, line.imag, solid_capstyle="round", zorder=4, **strong)
    if behavior_of_game(found.config) == "optimal_two_cars":
        beyond = found.value - found.config.capture_radius
        drawn = axes.contour(
            found.coordinates, found.coordinates, beyond, [0.0], colors=colors.ink, zorder=4
        )
        drawn.set(linewidth=1.8, path_effects=cased(colors, 3.2))
    for line in found.equivocal_line:
        axes.plot(
            line.real,
            line.imag,
            color=colors.ink,
            lw=1.3,
            ls=(0, (4, 1.6)),
            path_effects=cased(colors, 2.6),
            zorder=4,
        )
    axes.add_patch(
        Circle(
            (0.0, 0.0),
            found.config.capture_radius,
            fc="none" if found.config.payoff == "final_distance" else colors.ground,
            ec=colors.pursuer,
            lw=1.2,
            zorder=5,
        )
    )
    if found.config.model("pursuer") == "car":
        axes.plot([0.0], [0.0], marker="^", ms=5, color=colors.pursuer, zorder=6)
    else:
        axes.plot([0.0], [0.0], marker="o", ms=3.5, color=colors.pursuer, zorder=6)


def map_keys(found: SolutionMap, colors: Palette) -> list[Any]:
    """Returns the legend of the lines of `draw_lines`, and of places without a value."""
    keys: list[Any] = []
    behavior = behavior_of_game(found.config)
    if found.barrier or behavior == "optimal_two_cars":
        label = _NAMES_OF_LINES[behavior]
        keys.append(Line2D([], [], color=colors.ink, lw=1.8, label=label))
    if found.equivocal_line:
        dashes: Any = (0, (4, 1.6))
        keys.append(Line2D([], [], color=colors.ink, lw=1.3, ls=dashes, label="equivocal line"))
    circle: Any = {"ls": "", "marker": "o", "ms": 7, "mfc": colors.ground}
    keys.append(Line2D([], [], mec=colors.pursuer, label="capture circle", **circle))
    if np.isinf(found.value).any():
        blank: Any = {"fc": colors.ground, "ec": colors.faint, "lw": 0.6}
        keys.append(Patch(label="capture cannot be forced", **blank))
    return keys


def add_legend(figure: Figure, keys: list[Any]) -> None:
    """Writes the legend below a figure, in as many rows as it needs."""
    width = sum(0.7 + 0.062 * len(key.get_label()) for key in keys)  # in inches, about
    rows = math.ceil(width / figure.get_figwidth())
    figure.legend(
        handles=keys,
        loc="outside lower center",
        ncols=-(-len(keys) // rows),
        frameon=False,
        fontsize=8.0,
        handlelength=2.2,
        columnspacing=1.6,
    )


def name_regions(axes: Axes, found: SolutionMap, colors: Palette) -> None:
    """Writes the regions' names inside them."""
    for name, (place, text) in found.names().items():
        if text != place:  # a line leads to a region that is too small for its name
            axes.plot(
                [place.real, text.real],
                [place.imag, text.imag],
                color=colors.ink,
                lw=0.9,
                path_effects=cased(colors, 2.0),
                zorder=7,
            )
        axes.text(
            text.real,
            text.imag,
            name,
            ha="center",
            va="center",
            size=11.0,
            weight="bold",
            color=colors.ink,
            path_effects=cased(colors, 2.2),
            zorder=8,
        )


def title_of(found: SolutionMap) -> str:
    """Returns the numbers that a map depends on."""
    behavior, config = behavior_of_game(found.config), found.config
    if behavior == "optimal_chauffeur":
        nu, l, _ = chauffeur_parameters(config)  # noqa: E741
        return f"nu = {nu:g}, l = {l:g}"
    if behavior == "optimal_two_cars":
        return f"psi = {math.degrees(found.psi):.4g}°"
    if behavior == "optimal_drag":
        return f"both at rest, {config.horizon * config.dt:g} s left"
    pursuer, evader = (config.vehicles(side)[0].max_speed for side in ("pursuer", "evader"))
    return f"nu = {evader / pursuer:g}, capture radius = {config.capture_radius:.4g} m"


def set_frame(axes: Axes, found: SolutionMap, title: str) -> None:
    """Sets the limits, the labels and the title of a map."""
    half = found.half_width
    turns = found.config.model("pursuer") == "car"
    labels = ("right of", "ahead of") if turns else ("x from", "y from")
    axes.set(xlim=(-half, half), ylim=(-half, half), aspect="equal")
    axes.set(xlabel=f"{labels[0]} the pursuer [m]", ylabel=f"{labels[1]} the pursuer [m]")
    axes.xaxis.set_major_locator(ticks())
    axes.yaxis.set_major_locator(ticks())
    axes.tick_params(length=2.0)
    axes.spines[:].set_visible(False)
    axes.set_title(title, loc="left")


def add_scale(figure: FigureBase, image: Any, axes: Axes, label: str) -> None:
    """Draws the scale of an image's colors beside a map, as high as the map.

    An image without a finite number has none.
    """
    if not np.ma.count(image.get_array()):
        return
    beside = axes.inset_axes((1.03, 0.0, 0.04, 1.0))
    bar = figure.colorbar(image, cax=beside, label=label)
    bar.locator = ticks()
    bar.outline.set_visible(False)
