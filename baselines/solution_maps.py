"""The value of a solved game by place, and episodes from such places.

A place is where the evader starts, seen from the pursuer, which faces +y: a complex number,
right + 1j * ahead, in meters. The frame turns with a car; with other pursuers it keeps its
axes. Where more than the evader's place counts, as with a target, the frame is the world's, and
pursuers start at the map's `stands`. Vehicles that can rest start at rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue, check_number, needing

with needing("baselines"):
    from scipy import ndimage

from steer_env.baselines.measures import payoff_of
from steer_env.baselines.rollouts import play_to_the_end, records_of_episodes, start_games
from steer_env.baselines.solved_games import (
    behavior_of_game,
    games_from,
    known_values,
    regions_of,
    with_horizon,
)
from steer_env.game.config import AnyGame, Game
from steer_env.game.config.keywords import given_game
from steer_env.game.run.optimal import chauffeur_parameters, speed_ratio
from steer_env.players.player import AnyPlayer
from steer_env.players.resolver import name_of, resolve_pair
from steer_env.scripts.script import Script
from steer_env.sides import Side
from steer_env.solved import chauffeur, drag, perimeter, reach_avoid
from steer_env.steering.trigonometry import direction

Numbers = NDArray[np.float64]
Places = NDArray[np.complex128]

PSI = 0.5 * math.pi  # the heading of the pursuer of two cars in the evader's frame
_STAND = 0.8 + 0.6j  # the direction in which a guard stands, seen from its target
_FEWEST_STARTS = 4  # of the trajectories of a picture


@dataclass(frozen=True, eq=False)
class SolutionMap:
    """The value of a game by place."""

    config: Game
    psi: float  # the pursuer's heading in the evader's frame, in radians
    coordinates: Numbers  # (R,), the centers of the cells to the right and ahead, in meters
    value: Numbers  # (R, R), rows (ahead) by columns (right): the size of `KnownValues.value`
    region: NDArray[np.str_]  # (R, R), the names of the regions
    barrier: tuple[Places, ...]  # lines across which the value jumps, or at the edge of reach
    equivocal_line: tuple[Places, ...]  # lines on which two courses are equally good
    stands: tuple[complex, ...]  # of the pursuers

    @property
    def half_width(self) -> float:
        """Half the width of the map, in meters."""
        return float(1.5 * self.coordinates[-1] - 0.5 * self.coordinates[-2])

    @property
    def is_symmetric(self) -> bool:
        """True if the left half mirrors the right one."""
        return self.is_seen_from_pursuer and behavior_of_game(self.config) != "optimal_two_cars"

    @property
    def is_seen_from_pursuer(self) -> bool:
        """True if the pursuer is the origin of the map, False if it is the world's."""
        return not stands_of(self.config)

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """(R, R): False where the game is over before the first step."""
        places, is_open = grid_of(self.coordinates), np.ones_like(self.value, np.bool_)
        if self.config.payoff != "final_distance":
            for stand in self.stands:
                is_open &= np.abs(places - stand) > self.config.capture_radius
        if self.config.target is not None:
            far = self.config.distances_to_target(places.ravel())
            is_open &= far.reshape(places.shape) > 0.0
        return is_open

    @property
    def has_values(self) -> bool:
        """True if the value is finite somewhere that the game is open."""
        return bool(np.isfinite(self.value[self.is_open]).any())

    def inner_places(self, region: str, count: int = 1) -> list[complex]:
        """Returns places in a region's shown half, far from its edges and from each other."""
        places = grid_of(self.coordinates)
        is_free = self._inside(region)
        found: list[complex] = []
        for _ in range(count):
            # The cells from each free one to the others and to the edge.
            depth = ndimage.distance_transform_edt(np.pad(is_free, 1))[1:-1, 1:-1]
            deepest = int(depth.argmax())
            if depth.flat[deepest] <= 0.0:
                break
            found.append(complex(places.flat[deepest]))
            width = self.coordinates[1] - self.coordinates[0]
            is_free &= np.abs(places - found[-1]) > 0.5 * width * depth.flat[deepest]
        return found

    def names(self) -> dict[str, complex]:
        """Returns a place for the name of each region of several, on the left if mirrored."""
        regions = regions_of(self.config)
        return {
            name: -place.conjugate() if self.is_symmetric else place
            for name in (regions if len(regions) > 1 else ())
            for place in self.inner_places(name)
        }

    def _inside(self, region: str) -> NDArray[np.bool_]:
        places = grid_of(self.coordinates)
        is_shown = places.real > 0.0 if self.is_symmetric else np.ones_like(self.is_open)
        return np.asarray((self.region == region) & self.is_open & is_shown)

    def starts(self) -> list[complex]:
        """Returns places to start from: a few in each region with a finite value."""
        regions = regions_of(self.config)
        known = [n for n in regions if np.isfinite(self.value[self._inside(n)]).any()]
        each = -(-_FEWEST_STARTS // max(1, len(known)))
        found = [place for name in known for place in self.inner_places(name, each)]
        if self.config.model("pursuer") == "car" or not self.is_seen_from_pursuer:
            return found
        # Only the distance matters here, and directions that differ show more.
        turns = 1.25 - (np.arange(len(found)) + 0.5) * 0.5 / len(found)  # of a whole one
        shown = np.minimum(np.abs(found), 0.92 * self.half_width)
        return (shown * np.exp(2j * np.pi * turns)).tolist()


def solution_map(game: AnyGame, psi: float = PSI, cells: int = 301) -> SolutionMap:
    """Computes the value of a solved game by place, on a map of cells * cells."""
    config = given_game(game, "game", "psi")
    barrier, equivocal_line, half_width = _lines(config)
    half_width = min(half_width, 1.9 * config.region.half_size)  # where games can start
    coordinates = ((2 * np.arange(cells) + 1) / cells - 1.0) * half_width
    known = known_values(config, states_at(config, grid_of(coordinates), psi))
    value = np.abs(known.value).reshape(cells, -1)  # of distances from a target the length
    region, stands = known.region.reshape(cells, -1), stands_of(config) or (0j,)
    return SolutionMap(config, psi, coordinates, value, region, barrier, equivocal_line, stands)


def stands_of(config: Game) -> tuple[complex, ...]:
    """The places of the pursuers on a map of the world, none if it is seen from the pursuer."""
    if config.target is not None and config.payoff == "breach_distance":
        return (complex(config.target.radius),)
    if config.pursuers > 1:  # evenly around the middle
        turns = 2.0 * np.pi * np.arange(config.pursuers) / config.pursuers
        return tuple((0.5 * config.region.half_size * np.exp(1j * turns)).tolist())
    if config.target is not None:
        return (complex(*config.target.position) + 0.25 * config.arena_size * _STAND,)
    return ()


def grid_of(coordinates: Numbers) -> Places:
    """Returns the places of a map's cells, rows (ahead) by columns (right)."""
    return np.asarray(coordinates + 1j * coordinates[:, None])


def _lines(config: Game) -> tuple[tuple[Places, ...], tuple[Places, ...], float]:
    """Returns the barrier, the equivocal line, and half the width of a map that shows them."""
    behavior = behavior_of_game(config)
    if behavior == "optimal_chauffeur":
        nu, l, radius = chauffeur_parameters(config)  # noqa: E741
        pairs = chauffeur.barrier(nu, l, 400), chauffeur.equivocal_line(nu, l)
        right = [np.asarray(radius * (pair @ (1.0, 1j)), np.complex128) for pair in pairs]
        both: list[tuple[Places, ...]] = [
            (line, np.asarray(-line.conj())) if len(line) else () for line in right
        ]
        farthest = max(float(np.abs(pair).max(initial=0.0)) for pair in pairs)
        return both[0], both[1], max(1.25 * farthest, 4.0 * l) * radius
    if behavior == "optimal_drag":
        pursuer, evader = (config.vehicles(side)[0] for side in ("pursuer", "evader"))
        push = pursuer.max_force / pursuer.mass - evader.max_force / evader.mass
        _, integral = drag.coasting(config.horizon * config.dt, pursuer.drag)
        reach = push * float(integral)
        circle = reach * np.exp(1j * np.linspace(0.0, 2.0 * math.pi, 400))
        return ((circle,) if reach > 0.0 else ()), (), max(1.6 * reach, config.region.half_size)
    if behavior == "optimal_reach_avoid":
        about: Any = speed_ratio(config), config.capture_radius, config.target_shape
        line = reach_avoid.barrier(stands_of(config)[0], *about)
        return (line,), (), config.region.half_size
    if behavior == "optimal_perimeter" and config.target is not None:
        line = config.target.radius * perimeter.barrier(speed_ratio(config), 400)
        return (line, np.asarray(line.conj())), (), config.region.half_size
    return (), (), 1.5 * config.region.half_size


def states_at(config: Game, places: Places, psi: float = PSI) -> NDArray[np.void]:
    """Returns the states (N,) in which evaders stand in places, seen from their pursuers."""
    psi = check_number("psi", psi, -1e6, 1e6)
    flat, target = np.ravel(places), config.target
    if target is not None and target.on_rim:  # where evaders are outside it, or on the rim
        away = np.where(flat == 0.0, 1.0, flat)
        flat = away * np.maximum(target.radius / np.abs(away), 1.0)
    perfect = Script(behavior=behavior_of_game(config))
    engine = start_games(config, resolve_pair(perfect, perfect), 0, len(flat))
    states = engine.get_state()
    engine.close()
    body = states["players"]["body"]
    stands = stands_of(config)
    pursuers = [np.full(len(flat), stand) for stand in stands] or [-0.5 * flat]
    body["position"] = np.stack([*pursuers, flat if stands else 0.5 * flat], axis=-1)
    is_car = [config.model(side) == "car" for side in ("pursuer", "evader")]
    body["heading"] = 1j
    if all(is_car):
        body["heading"][:, -1] = 1j * direction(-psi)
    moves = np.repeat(is_car, (config.pursuers, config.evaders))
    body["velocity"] = np.where(moves, body["heading"] * body["max_speed"], 0.0)
    body["acceleration"] = 0.0
    offsets = body["position"][:, -1:] - body["position"][:, :-1]
    states["game"]["distance"] = np.abs(offsets).min(axis=1)
    return states


def seen_places(config: Game, bodies: NDArray[np.void]) -> Places:
    """Returns the places of evaders on the map of a game, from bodies (..., players)."""
    if stands_of(config):
        return np.asarray(bodies["position"][..., -1])
    offset = bodies["position"][..., 1] - bodies["position"][..., 0]
    if config.model("pursuer") != "car":
        return np.asarray(offset)
    return np.asarray(offset * bodies["heading"][..., 0].conj() * 1j)


class Episode(NamedTuple):
    """An episode of T steps from a place."""

    start: complex  # the place
    region: str  # of the start
    value: float  # V of the start
    payoff: float  # J
    captured: bool  # whether the evader came within the capture radius
    bodies: NDArray[np.void]  # (T + 1, players) records, the evader's the last
    places: Places  # (T + 1,), of the evader on the map


def episodes_from(
    pursuer: AnyPlayer, evader: AnyPlayer, config: Game, places: list[complex]
) -> list[Episode]:
    """Plays an episode of a solved game from each of several places."""
    states = states_at(config, np.array(places))
    known = known_values(config, states)
    players = resolve_pair(pursuer, evader)
    engine = games_from(with_horizon(config, known.value), players, states)
    moments = [engine.get_state()]
    measures = play_to_the_end(engine, players, lambda _: moments.append(engine.get_state()), 1)
    records = records_of_episodes(engine, measures)
    payoffs = records[payoff_of(config.payoff).column]
    bodies = np.array([moment["players"]["body"] for moment in moments])
    found = []
    for k, (start, steps) in enumerate(zip(places, moments[-1]["game"]["steps"])):
        path = bodies[: steps + 1, k]
        numbers = abs(float(known.value[k])), abs(float(payoffs[k]))
        about = start, str(known.region[k]), *numbers, bool(records["captured"][k])
        found.append(Episode(*about, path, seen_places(config, path)))
    return found


class EpisodePair(NamedTuple):
    """Perfect play from a few places, and a policy's play from the same ones."""

    solution: SolutionMap
    perfect: list[Episode]
    played: list[Episode]  # empty without a policy
    policy: str
    side: Side


def episode_pair(
    game: AnyGame,
    policy: AnyPlayer | None = None,
    side: str = "pursuer",
    cells: int = 301,
    name: str | None = None,
) -> EpisodePair:
    """Plays perfect episodes, and a policy's from the same places, in a game as of `gap`."""
    learner, solution = Side.named(side), solution_map(game, cells=cells)
    config, places = solution.config, solution.starts()
    if not places:
        raise InvalidValue(
            "the map of this game has no start outside the capture circle from which capture "
            "can be forced, so there are no trajectories to draw"
        )
    best = Script(behavior=behavior_of_game(config))
    perfect, played = episodes_from(best, best, config, places), list[Episode]()
    if policy is not None:
        played = episodes_from(*learner.ordered(policy, best), config, places)
    shown = name if name is not None else "" if policy is None else name_of(policy)
    return EpisodePair(solution, perfect, played, shown, learner)
