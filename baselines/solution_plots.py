"""The value of a solved game by place, and its picture.

A place is where the evader starts, seen from the pursuer, which faces +y: a complex number,
right + 1j * ahead, in meters. The frame turns with a car; with other pursuers it keeps its
axes. Where more than the evader's place counts, as with a target, the frame is the world's, and
pursuers start at the map's `stands`. Vehicles that can rest start at rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    from scipy import ndimage

from steer_env.baselines.exact_responses import ExactResponse
from steer_env.baselines.measures import payoff_of
from steer_env.baselines.plots import add_legend, add_scale, in_use, themed, ticks
from steer_env.baselines.rollouts import start_games
from steer_env.baselines.solved_games import (
    IN_WORDS,
    behavior_of_game,
    known_values,
    regions_of,
)
from steer_env.game.config import SIDES, AnyGame, Game
from steer_env.game.config.keywords import given_game
from steer_env.game.run.optimal import chauffeur_parameters, speed_ratio
from steer_env.players.resolver import resolve_pair
from steer_env.scripts.script import Script
from steer_env.solved import chauffeur, drag, perimeter, reach_avoid
from steer_env.steering.trigonometry import direction

Numbers = NDArray[np.float64]
Places = NDArray[np.complex128]

PSI = 0.5 * math.pi  # the heading of the pursuer of two cars in the evader's frame
_STAND = 0.8 + 0.6j  # the direction in which a guard stands, seen from its target
_LEVELS = 9  # contour lines
_SHARE = 0.62  # of cividis in the colors of a value; the rest is the ground
_EQUIVOCAL: Any = {"lw": 1.3, "ls": (0, (4, 1.6))}


@dataclass(frozen=True, eq=False)
class SolutionMap:
    """The value of a game by place."""

    config: Game
    behavior: str  # that plays it perfectly
    stands: tuple[complex, ...]  # of the pursuers in the world; none if it is seen from one
    title: str
    half_width: float  # in meters
    barrier: tuple[Places, ...]  # lines across which the value jumps, or at the edge of reach
    equivocal_line: tuple[Places, ...]  # lines on which two courses are equally good
    coordinates: Numbers  # (R,), the centers of the cells to the right and ahead, in meters
    places: Places  # (R, R), of the cells, rows (ahead) by columns (right)
    value: Numbers  # (R, R): the size of `KnownValues.value`
    region: NDArray[np.str_]  # (R, R), the names of the regions
    is_open: NDArray[np.bool_]  # (R, R): False where the game is over before the first step
    quantity: str = "value V"

    @property
    def is_symmetric(self) -> bool:
        """True if the left half mirrors the right one."""
        return not self.stands and self.behavior != "optimal_two_cars"

    @property
    def has_values(self) -> bool:
        """True if the value is finite somewhere that the game is open."""
        return bool(np.isfinite(self.value[self.is_open]).any())

    def names(self) -> dict[str, complex]:
        """Returns a place for the name of each region of several, on the left if mirrored.

        It is one in which a game can start, as far from the region's edges as can be.
        """
        regions, found = regions_of(self.config), dict[str, complex]()
        is_shown = self.places.real < 0.0 if self.is_symmetric else True
        for name in regions if len(regions) > 1 else ():
            is_inside = np.pad((self.region == name) & self.is_open & is_shown, 1)
            depth = ndimage.distance_transform_edt(is_inside)[1:-1, 1:-1]  # in cells
            if depth.max() > 0.0:
                found[name] = complex(self.places.flat[depth.argmax()])
        return found


def solution_map(game: AnyGame, cells: int = 301) -> SolutionMap:
    """Computes the value of a solved game by place, on a map of cells * cells."""
    config = given_game(game, "game", "cells")
    behavior, stands = behavior_of_game(config), _stands_of(config)
    title, half_width, barrier, equivocal_line = _lines(config, behavior, stands)
    half_width = min(half_width, 1.9 * config.region.half_size)  # where games can start
    coordinates = ((2 * np.arange(cells) + 1) / cells - 1.0) * half_width
    places = coordinates + 1j * coordinates[:, None]
    known = known_values(config, states_at(config, places))
    value = np.abs(known.value).reshape(cells, -1)  # of distances from a target the length
    is_open = np.ones_like(value, np.bool_)
    if config.payoff != "final_distance":
        for stand in stands or (0j,):
            is_open &= np.abs(places - stand) > config.capture_radius
    if config.target is not None:
        is_open &= config.distances_to_target(places.ravel()).reshape(cells, -1) > 0.0
    about = config, behavior, stands, title, half_width, barrier, equivocal_line
    columns: Any = coordinates, places, value, known.region.reshape(cells, -1), is_open
    return SolutionMap(*about, *columns)


def loss_map(response: ExactResponse, cells: int = 301) -> SolutionMap:
    """Computes by place what the opponent of an exact response loses to it.

    Where the grid errs, at a barrier, it may seem to win; that counts as 0.
    """
    found = solution_map(response.played.config, cells)
    loss = response.losses(states_at(found.config, found.places)).reshape(cells, -1)
    shown = np.where(found.is_open, np.maximum(loss, 0.0), np.nan)
    return replace(found, value=shown, quantity="loss to the best response")


def _stands_of(config: Game) -> tuple[complex, ...]:
    """The places of the pursuers on a map of the world, none if it is seen from the pursuer."""
    if config.payoff == "breach_distance":
        return (complex(config.shapes[0].radius),)
    if config.pursuers > 1:  # evenly around the middle
        turns = 2.0 * np.pi * np.arange(config.pursuers) / config.pursuers
        return tuple((0.5 * config.region.half_size * np.exp(1j * turns)).tolist())
    for target in config.targets:
        return (complex(*target.position) + 0.25 * config.arena_size * _STAND,)
    return ()


def _lines(
    config: Game, behavior: str, stands: Sequence[complex]
) -> tuple[str, float, tuple[Places, ...], tuple[Places, ...]]:
    """Returns the title, half the width, the barrier and the equivocal line of a map."""
    half = config.region.half_size
    if behavior == "optimal_chauffeur":
        nu, l, radius = chauffeur_parameters(config)  # noqa: E741
        pairs = chauffeur.barrier(nu, l, 400), chauffeur.equivocal_line(nu, l)
        right = [np.asarray(radius * (pair @ (1.0, 1j)), np.complex128) for pair in pairs]
        barrier, equivocal = ((one, -one.conj()) if len(one) else () for one in right)
        farthest = max(float(np.abs(pair).max(initial=0.0)) for pair in pairs)
        title = f"speed ratio (evader / pursuer) {nu:g}\ncapture radius / turning radius {l:g}"
        return title, max(1.25 * farthest, 4.0 * l) * radius, barrier, equivocal
    if behavior == "optimal_drag":
        pursuer, evader = (config.vehicles(side)[0] for side in SIDES)
        push = pursuer.max_force / pursuer.mass - evader.max_force / evader.mass
        seconds = config.horizon * config.dt
        reach = push * float(drag.coasting(seconds, pursuer.drag)[1])
        circle = reach * np.exp(1j * np.linspace(0.0, 2.0 * math.pi, 400))
        title = f"both at rest, {seconds:g} s left"
        return title, max(1.6 * reach, half), (circle,) if reach > 0.0 else (), ()
    if behavior == "optimal_two_cars":
        title = f"heading of the pursuer, seen from the evader: {math.degrees(PSI):.4g}°"
        return title, 1.5 * half, (), ()
    radius, ratio = config.capture_circle, speed_ratio(config)
    title = f"speed ratio (evader / pursuer) {ratio:g}"
    title += f", capture radius {radius:.4g} m" if radius else ""
    if behavior == "optimal_reach_avoid":
        about: Any = ratio, config.capture_radius, config.shapes[0]
        return title, half, (reach_avoid.barrier(stands[0], *about),), ()
    if behavior == "optimal_perimeter":
        line = config.shapes[0].radius * perimeter.barrier(ratio, 400)
        return title, half, (line, line.conj()), ()
    return title, 1.5 * half, (), ()


def states_at(config: Game, places: Places) -> NDArray[np.void]:
    """Returns the states (N,) in which evaders stand in places, seen from their pursuers."""
    flat = np.ravel(places)
    for target in (
        one for one in config.targets if one.on_rim
    ):  # where evaders are outside it, or on the rim
        away = np.where(flat == 0.0, 1.0, flat)
        flat = away * np.maximum(target.radius / np.abs(away), 1.0)
    perfect = Script(behavior=behavior_of_game(config))
    engine = start_games(config, resolve_pair(perfect, perfect), 0, len(flat))
    states = engine.get_state()
    engine.close()
    body, stands = states["players"]["body"], _stands_of(config)
    pursuers = [np.full(len(flat), stand) for stand in stands] or [-0.5 * flat]
    body["position"] = np.stack([*pursuers, flat if stands else 0.5 * flat], axis=-1)
    is_car = [config.model(side) == "car" for side in SIDES]
    body["heading"] = 1j
    if all(is_car):
        body["heading"][:, -1] = 1j * direction(-PSI)
    moves = np.repeat(is_car, (config.pursuers, config.evaders))
    body["velocity"] = np.where(moves, body["heading"] * body["max_speed"], 0.0)
    body["acceleration"] = 0.0
    offsets = body["position"][:, -1:] - body["position"][:, :-1]
    states["game"]["distance"] = np.abs(offsets).min(axis=1)
    return states


@themed()
def value_figure(found: SolutionMap) -> Figure:
    """Draws the value's contours, the barrier, the equivocal line and the regions' names."""
    figure = Figure((4.9, 4.7), layout=ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06))
    axes = _draw_map(figure, found)
    style: Any = {"color": in_use().ink, "path_effects": _cased(2.2), "weight": "bold"}
    style |= {"size": 11.0, "ha": "center", "va": "center", "zorder": 8}
    for name, place in found.names().items():
        axes.text(place.real, place.imag, name, **style)
    named = [name for name in found.names() if name in IN_WORDS]
    keys = [Line2D([], [], ls="", label=f"{name}: {IN_WORDS[name]}") for name in named]
    add_legend(figure, keys + _map_keys(found))
    return figure


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
    axes.xaxis.set_major_locator(ticks())
    axes.yaxis.set_major_locator(ticks())
    axes.tick_params(length=2.0)
    axes.spines[:].set_visible(False)
    axes.set_title(found.title, loc="left")
    if np.isfinite(value).any():
        label = f"{found.quantity} [{payoff_of(found.config.payoff).unit}]"
        add_scale(figure, image, label, cax=axes.inset_axes((1.03, 0.0, 0.04, 1.0)))
    return axes


def _draw_contours(axes: Axes, found: SolutionMap) -> None:
    """Draws lines of equal value as far as the barrier, with labels in the right half."""
    if not found.has_values or found.quantity != "value V":
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
        if radius := found.config.capture_circle:
            axes.add_patch(Circle((stand.real, stand.imag), radius, **edge))
        dot: Any = {"marker": marker, "ms": size, "color": colors.pursuer, "zorder": 6}
        axes.plot(stand.real, stand.imag, **dot)
    target: Any = {"fc": colors.ground, "ec": colors.ink, "hatch": "...", "zorder": 3}
    for zone in found.config.zones:
        axes.add_patch(Polygon([(one.real, one.imag) for one in zone], **target))


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
