"""The value of a solved game by place.

A place is where the evader starts, seen from the pursuer, which faces +y: a complex number,
right + 1j * ahead, in meters. The frame turns with a car; with other pursuers it keeps its
axes. Where more than the evader's place counts, as with a target, the frame is the world's, and
pursuers start at the map's `stands`. Vehicles that can rest start at rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import needing

with needing("baselines"):
    from scipy import ndimage

from steer_env.baselines.rollouts import start_games
from steer_env.baselines.solved_games import (
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
