"""Where the players go in an episode, and how the capture time depends on the start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.evaluate import given_config, play_to_the_end, start_games
from steer_env.episodes.duel import Duel
from steer_env.episodes.history import record_episode
from steer_env.episodes.recording import Recording
from steer_env.errors import InvalidValue, check_integer
from steer_env.game.config import GameConfig
from steer_env.game.engine import LARGEST_SEED
from steer_env.players import Player, controllers_of, name_of

_FINEST = 1000  # cells along a side of a start map


def trajectory(
    pursuer: Player, evader: Player, config: GameConfig | None = None, seed: int = 0
) -> Recording:
    """Plays the episode of a seed and records every moment of it.

    It is the episode that ``evaluate(pursuer, evader, config, 1, seed)`` plays. Two scripts
    play the same episode among more episodes, too. A random policy draws other actions there,
    and a network's actions may differ in their last digits, since products of float32 matrices
    are rounded differently for another number of rows; over an episode that can grow.

    Args:
        pursuer: see `evaluate`.
        evader: likewise.
        config: the game; None for the default one.
        seed: of the episode.

    Raises:
        TypeError, ValueError, FaultyBehavior: as `evaluate`.
    """
    config = given_config(config, "seed")
    seed = check_integer("seed", seed, 0, LARGEST_SEED)
    names = name_of(pursuer), name_of(evader)
    return record_episode(Duel(config, *controllers_of(pursuer, evader, seed), names), seed)


@dataclass(frozen=True, eq=False)
class StartMap:
    """How long an evader stays free, by where it starts; the pursuer starts in the middle.

    Attributes:
        pursuer: name of the pursuer's policy.
        evader: name of the evader's.
        config: the game.
        coordinates: (R,), the centers of the cells along x and along y, in meters, rising.
        mean_capture_times: (R, R), rows (y) by columns (x), in seconds, time-outs at the limit.
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
        repeats: episodes from each cell; random values are drawn anew for each.
        seed: of the first episode.

    Raises:
        ValueError: for teams, or for obstacles.
        TypeError, ValueError, FaultyBehavior: as `evaluate`.
    """
    config = given_config(config, "resolution")
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
    resolution = check_integer("resolution", resolution, 2, _FINEST)
    repeats = check_integer("repeats", repeats, 1)
    count = repeats * resolution**2
    seed = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
    sides = controllers_of(pursuer, evader, seed)
    engine = start_games(config, sides, range(seed, seed + count))
    coordinates = _cell_centers(config, resolution)
    starts = np.tile((coordinates + 1j * coordinates[:, None]).ravel(), repeats)
    state = engine.get_state()
    pursuers, evaders = state["players"]["body"].T
    # A pursuer at rest stays at rest, whatever its heading, and a car keeps its speed.
    pursuers["velocity"] = np.abs(pursuers["velocity"])
    pursuers["heading"] = 1.0
    pursuers["position"] = 0.0
    evaders["position"] = starts
    state["game"]["distance"] = np.abs(starts)
    engine.set_state(state)
    play_to_the_end(engine, sides)
    game, shape = engine.state, (repeats, resolution, resolution)
    return StartMap(
        pursuer=name_of(pursuer),
        evader=name_of(evader),
        config=config,
        coordinates=coordinates,
        mean_capture_times=(game.steps * config.dt).reshape(shape).mean(axis=0),
        capture_rates=game.captured.reshape(shape).mean(axis=0),
    )


def _cell_centers(config: GameConfig, resolution: int) -> NDArray[np.float64]:
    """Returns the cells' centers along an axis; together they cover all reachable places."""
    room = config.arena.half_size
    if config.arena.kind == "walls":
        room -= config.limit_range("evader", "radius")[1]
    return ((2 * np.arange(resolution) + 1) / resolution - 1.0) * room
