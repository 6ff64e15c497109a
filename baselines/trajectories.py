"""Where the players go in an episode, and how the place of the start decides the chase."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.evaluate import given_config, play_to_the_end, start_games
from baselines.players import Player, controllers_of, name_of
from steer_env.episodes.duel import Duel
from steer_env.episodes.history import record_episode
from steer_env.errors import InvalidValue, check_integer
from steer_env.game.config import GameConfig
from steer_env.game.engine import LARGEST_SEED, Engine

_FINEST = 1000  # cells along a side of a start map


@dataclass(frozen=True, eq=False)
class Trajectory:
    """One episode, moment by moment, from the start to the end of its T steps.

    Attributes:
        pursuer: name of the pursuers' policy.
        evader: name of the evaders'.
        config: the game.
        seed: of the episode.
        times: (T + 1,), in seconds.
        positions: (T + 1, players), pursuers first; complex, in meters. On a torus they wrap.
            Who is caught stays where that happened.
        active: (T + 1, players): False once caught.
        captured: whether all evaders are caught at the end.
        obstacles: (x, y, radius) of each, in meters.
    """

    pursuer: str
    evader: str
    config: GameConfig
    seed: int
    times: NDArray[np.float64]
    positions: NDArray[np.complex128]
    active: NDArray[np.bool_]
    captured: bool
    obstacles: tuple[tuple[float, float, float], ...]

    @property
    def steps(self) -> NDArray[np.complex128]:
        """The displacements, (T, players), in meters; on a torus, the short way around."""
        steps = np.diff(self.positions, axis=0)
        if self.config.arena.kind == "torus":
            size = self.config.arena.size
            turns = np.round(steps.real / size) + 1j * np.round(steps.imag / size)
            steps -= size * turns
        return steps

    @property
    def path_lengths(self) -> NDArray[np.float64]:
        """How far each player has gone, (players,), in meters."""
        lengths: NDArray[np.float64] = np.abs(self.steps).sum(axis=0)
        return lengths


def trajectory(
    pursuer: Player, evader: Player, config: GameConfig | None = None, seed: int = 0
) -> Trajectory:
    """Plays the episode of a seed and records where everybody is after every step.

    It is the episode that ``evaluate(pursuer, evader, config, 1, seed)`` plays. Of two
    scripts it is so among more episodes, too. A random policy draws other actions there, and
    a network's may differ in their last digits, since products of float32 matrices are rounded
    otherwise for another number of rows; over an episode that can grow.

    Args:
        pursuer: see `evaluate`.
        evader: likewise.
        config: the game; None for the default one.
        seed: of the episode.

    Raises:
        TypeError, ValueError, FloatingPointError: as `evaluate`.
    """
    config = given_config(config, "seed")
    seed = check_integer("seed", seed, 0, LARGEST_SEED)
    found = record_episode(Duel(config, *controllers_of(pursuer, evader, seed)), seed)
    return Trajectory(
        pursuer=name_of(pursuer),
        evader=name_of(evader),
        config=config,
        seed=seed,
        times=found.times,
        positions=found.positions,
        active=found.states["players"]["active"],
        captured=found.captured,
        obstacles=tuple(
            (float(disc["center"].real), float(disc["center"].imag), float(disc["radius"]))
            for disc in found.states["obstacles"][0]
            if disc["radius"] > 0.0  # 0 stands for one that found no room
        ),
    )


@dataclass(frozen=True, eq=False)
class StartMap:
    """How long an evader stays free, by where it starts; the pursuer starts in the middle.

    Attributes:
        pursuer: name of the pursuer's policy.
        evader: name of the evader's.
        config: the game.
        coordinates: (R,), the x of the columns and, just so, the y of the rows: centers of the
            cells, in meters, rising.
        mean_capture_times: (R, R), rows by columns, in seconds, time-outs at the limit.
        capture_rates: (R, R), from 0 to 1.
    """

    pursuer: str
    evader: str
    config: GameConfig
    coordinates: NDArray[np.float64]
    mean_capture_times: NDArray[np.float64]
    capture_rates: NDArray[np.float64]


def start_map(
    pursuer: Player,
    evader: Player,
    config: GameConfig | None = None,
    resolution: int = 41,
    repeats: int = 8,
    seed: int = 0,
) -> StartMap:
    """Measures the capture time for an evader that starts in each cell of a grid.

    The pursuer starts in the middle of the arena, at rest, heading along +x. The evader starts
    at rest in the middle of a cell, with a random heading. (Cars cannot rest: they start at
    their speed.) In cells within the capture radius, the first step is the last.

    Args:
        pursuer: see `evaluate`.
        evader: likewise.
        config: the game, one against one; None for the default one.
        resolution: cells along each side of the square where vehicles can start.
        repeats: episodes from each cell; what chance draws is drawn for each.
        seed: of the first episode.

    Raises:
        ValueError: for teams, or for obstacles.
        TypeError, ValueError, FloatingPointError: as `evaluate`.
    """
    config = given_config(config, "resolution")
    _check_has_a_map(config)
    resolution = check_integer("resolution", resolution, 2, _FINEST)
    repeats = check_integer("repeats", repeats, 1)
    count = repeats * resolution**2
    seed = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
    sides = controllers_of(pursuer, evader, seed)
    engine = start_games(config, sides, range(seed, seed + count))
    coordinates = _cell_centers(config, resolution)
    starts = (coordinates + 1j * coordinates[:, None]).ravel()
    _put_in_place(engine, np.tile(starts, repeats))
    play_to_the_end(engine, sides)
    game, shape = engine.state["game"], (repeats, resolution, resolution)
    return StartMap(
        pursuer=name_of(pursuer),
        evader=name_of(evader),
        config=config,
        coordinates=coordinates,
        mean_capture_times=(game["steps"] * config.dt).reshape(shape).mean(axis=0),
        capture_rates=game["captured"].reshape(shape).mean(axis=0),
    )


def _check_has_a_map(config: GameConfig) -> None:
    if (config.pursuers, config.evaders) != (1, 1):
        raise InvalidValue(
            "a start map is for one against one, since it has one evader start in each place; "
            f"got {config.pursuers} against {config.evaders}"
        )
    if config.arena.num_obstacles > 0:
        raise InvalidValue(
            "a start map needs an arena without obstacles, since they may stand where a player "
            f"is to start; got {config.arena.num_obstacles}"
        )


def _cell_centers(config: GameConfig, resolution: int) -> NDArray[np.float64]:
    """Where cells lie along an axis: all an evader's center can reach, in equal parts."""
    room = config.arena.half_size
    if config.arena.kind == "walls":
        room -= config.limit_range("evader", "radius")[1]
    return ((2 * np.arange(resolution) + 1) / resolution - 1.0) * room


def _put_in_place(engine: Engine, evaders: NDArray[np.complex128]) -> None:
    """Moves the pursuers of all games to the middle, and the evaders to their starts, (N,)."""
    state = engine.get_state()
    bodies = state["players"]["body"]
    pursuer, evader = bodies[:, 0], bodies[:, 1]
    # Who started at rest is at rest, whatever its heading, and a car has its speed.
    pursuer["velocity"] = np.abs(pursuer["velocity"])
    pursuer["heading"] = 1.0
    pursuer["position"] = 0.0
    evader["position"] = evaders
    state["game"]["distance"] = np.abs(evaders)
    engine.set_state(state)
