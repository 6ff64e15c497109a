"""Plays many episodes of one policy against another, and measures each."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation import EPISODE, Evaluation
from steer_env.episodes.seats import Seat, make_engine
from steer_env.errors import InvalidType, check_integer
from steer_env.game.config import GameConfig, game_config
from steer_env.game.engine import LARGEST_SEED, Engine
from steer_env.game.memory import Measures, make_measures
from steer_env.game.state import OVER
from steer_env.players import Controller, Player, controllers_of, name_of
from steer_env.scripts.script import Script
from steer_env.sides import Side

_STRIDE = 50  # steps that scripts play between two reports of progress


def evaluate(
    pursuer: Player,
    evader: Player,
    config: GameConfig | None = None,
    episodes: int = 1000,
    seed: int = 0,
    progress: Callable[[int], Any] | None = None,
    names: tuple[str, str] | None = None,
) -> Evaluation:
    """Plays an episode from the start of each of the seeds seed, seed + 1, ...

    The same seed gives the same start (places, headings, limits, obstacles) to all players, so
    that results can be compared pair by pair (`compare`). All episodes are played at once; two
    scripts play entirely inside the compiled loop.

    Args:
        pursuer: a name of the roster or of a pretrained policy, "random", the path of a
            policy's .npz, a `Script`, your own behavior (see `Script`), or a policy: an
            object with ``predict(observations, state, episode_start, deterministic)``, which is
            called once a step for all episodes and returns (actions, state). A team's
            observations are (N * players, features), a row for each player; or (N, players,
            features) if the policy has an ``observation_space`` of shape (players, features).
        evader: the same.
        config: the game; None for the default one. An episode ends at its horizon.
        episodes: the number of episodes.
        seed: the seed of the first episode.
        progress: called now and then with the number of episodes that are over.
        names: of the pursuer and the evader in the results; None for `name_of` each.

    Returns:
        The episodes, with the metrics and their intervals.

    Raises:
        TypeError, ValueError: for anything but a player, a policy for other observations or
            for the other side, or actions that do not fit.
        FileNotFoundError: if there is no such file.
        FaultyBehavior: if your own behavior returned nan or infinity.
    """
    config = given_config(config, "episodes")
    count = check_integer("episodes", episodes, 1)
    first_seed = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
    pair = (name_of(pursuer), name_of(evader)) if names is None else names
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2
    if not is_pair or not all(isinstance(name, str) for name in pair):
        raise InvalidType(f"names must be two strings, pursuer's and evader's, got {pair!r}")
    sides = controllers_of(pursuer, evader, seed)
    engine = start_games(config, sides, range(first_seed, first_seed + count))

    def report_progress() -> None:
        if progress is not None:
            progress(int((engine.state.phase == OVER).sum()))

    measures = play_to_the_end(engine, sides, report_progress)
    records = _records(engine, measures)
    records["seed"] = np.arange(count, dtype=np.uint64) + np.uint64(first_seed)
    return Evaluation(*pair, config, records)


def given_config(config: GameConfig | None, next_argument: str) -> GameConfig:
    """Returns the configuration, or the default one for None.

    Args:
        config: an argument of a public function.
        next_argument: the argument that is probably meant if it is an integer.

    Raises:
        TypeError: if it is not a GameConfig.
    """
    if config is None:
        return game_config()
    if isinstance(config, GameConfig):
        return config
    hint = f"; did you mean {next_argument}={config}?" if isinstance(config, int) else ""
    raise InvalidType(
        "config must be a GameConfig, made by game_config(...) with the environments' "
        f"keywords, or None, got {config!r} ({type(config).__name__}){hint}"
    )


def start_games(
    config: GameConfig, sides: tuple[Controller, Controller], seeds: range
) -> Engine:
    """Returns an engine with a game begun for each seed.

    Raises:
        TypeError: if a behavior of the caller cannot be compiled.
    """
    threads = min(os.cpu_count() or 1, 16)
    engine = make_engine(config, sides, len(seeds), threads)
    engine.seed(seeds)
    engine.start()
    return engine


def play_to_the_end(
    engine: Engine,
    sides: tuple[Controller, Controller],
    after_step: Callable[[], Any] | None = None,
) -> Measures:
    """Plays all games to their end, and closes the engine, also after an error.

    Args:
        engine: from `start_games`.
        sides: the players of both sides, as given to `start_games`.
        after_step: called after each step, or after several steps if two scripts play.
    """
    try:
        seats = [Seat(engine, controller, side) for side, controller in enumerate(sides)]
        are_scripts = all(isinstance(controller, Script) for controller in sides)
        stride = _STRIDE if are_scripts else 1
        measures = make_measures(engine.num_games)
        while (running := engine.state.phase != OVER).any():
            engine.play(measures, stride, *[seat.act(running) for seat in seats])
            if after_step is not None:
                after_step()
    finally:
        engine.close()
    return measures


def _records(engine: Engine, measures: Measures) -> NDArray[np.void]:
    game, config = engine.state, engine.config
    records = np.zeros(engine.num_games, EPISODE)
    records["caught"] = game.captured
    records["captured"] = game.captured == config.evaders
    records["time"] = game.steps * config.dt
    records["distance"] = game.distance
    records["closest"] = measures.closest
    for side in Side:
        records[f"{side.name}_path"] = measures.path[side] / engine.side_size(side)
        records[f"{side.name}_effort"] = measures.effort[side] / measures.turns[side]
    return records
