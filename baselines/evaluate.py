"""Plays many episodes of one policy against another, and records each."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation import EPISODE, Evaluation
from baselines.players import Player, controllers_of, name_of
from steer_env.envs.keywords import Controller, game_config
from steer_env.episodes.players import SIDES
from steer_env.episodes.seats import Seat, make_engine
from steer_env.errors import InvalidType, check_integer
from steer_env.game.config import GameConfig
from steer_env.game.engine import LARGEST_SEED, Engine
from steer_env.game.playing import Measures, make_measures, play
from steer_env.scripts.script import Script
from steer_env.game.state import OVER

_STRIDE = 50  # steps that scripts play in one call, between two reports of progress


def evaluate(
    pursuer: Player,
    evader: Player,
    config: GameConfig | None = None,
    episodes: int = 1000,
    seed: int = 0,
    progress: Callable[[int], Any] | None = None,
    names: tuple[str, str] | None = None,
) -> Evaluation:
    """Plays one episode from the start of each of the seeds seed, seed + 1, ...

    The same seed gives the same start (places, headings, limits, obstacles) to whoever
    plays, so that results can be compared pair by pair (`compare`). All episodes are played
    at once; two scripts play wholly inside the compiled loop.

    Args:
        pursuer: a name of the roster or of a pretrained policy, "random", the path of a
            policy's .npz, a `Script`, a behavior of your own (see `Script`), or a policy: an
            object with ``predict(observations, state, episode_start, deterministic)``, which is
            asked once a step for all the episodes, and answers (actions, state). A team's
            observations are (N * players, features), a row for each player; or (N, players,
            features) if that is what the policy's ``observation_space`` of shape (players,
            features) says.
        evader: the same.
        config: the game; None for the default one. An episode's limit is its horizon.
        episodes: how many.
        seed: of the first.
        progress: called now and then with the number of episodes that are over.
        names: what pursuer and evader are called in the results; None for `name_of` each.

    Returns:
        The episodes, with the metrics and their intervals.

    Raises:
        TypeError, ValueError: if a policy is none, was made for other observations or the
            other side, or answers with actions that do not fit.
        FileNotFoundError: if there is no such file.
        FloatingPointError: if a behavior of your own returned no number.
    """
    config = given_config(config, "episodes")
    count = check_integer("episodes", episodes, 1)
    first_seed = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
    called = _checked_names(pursuer, evader, names)
    sides = controllers_of(pursuer, evader, seed)
    engine = start_games(config, sides, range(first_seed, first_seed + count))

    def report() -> None:
        if progress is not None:
            progress(int((engine.state["game"]["phase"] == OVER).sum()))

    measures = play_to_the_end(engine, sides, report)
    records = _records(engine, measures)
    records["seed"] = np.arange(count, dtype=np.uint64) + np.uint64(first_seed)
    return Evaluation(*called, config, records)


def given_config(config: GameConfig | None, next_argument: str) -> GameConfig:
    """The configuration, or the default one for None.

    Args:
        config: what the caller gave.
        next_argument: which a caller who gives an integer probably meant.

    Raises:
        TypeError: if it is no GameConfig.
    """
    if config is None:
        return game_config()
    if isinstance(config, GameConfig):
        return config
    hint = f"; did you mean {next_argument}={config}?" if isinstance(config, int) else ""
    raise InvalidType(
        "config must be a GameConfig, as game_config(...) with the environments' keywords "
        f"makes it, or None, got {config!r} ({type(config).__name__}){hint}"
    )


def start_games(
    config: GameConfig, sides: tuple[Controller, Controller], seeds: range
) -> Engine:
    """An engine whose games have begun, one from the start of each seed.

    Raises:
        TypeError: if a behavior of the caller's own cannot be compiled.
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
    """Plays all games to their end, and closes the engine, also if a policy raises an error.

    Args:
        engine: whose games have begun.
        sides: who plays the two sides, as `start_games` was told.
        after_step: called after each step, or after several where two scripts play.
    """
    try:
        seats = [Seat(engine, controller, side) for side, controller in enumerate(sides)]
        are_scripts = all(isinstance(controller, Script) for controller in sides)
        stride = _STRIDE if are_scripts else 1
        measures = make_measures(engine.num_games)
        while (running := engine.state["game"]["phase"] != OVER).any():
            play(engine, measures, stride, *[seat.act(running) for seat in seats])
            if after_step is not None:
                after_step()
    finally:
        engine.close()
    return measures


def _records(engine: Engine, measures: Measures) -> NDArray[np.void]:
    game, config = engine.state["game"], engine.config
    records = np.zeros(engine.num_games, EPISODE)
    records["caught"] = game["captured"]
    records["captured"] = game["captured"] == config.evaders
    records["time"] = game["steps"] * config.dt
    records["distance"] = game["distance"]
    records["closest"] = measures.closest
    for side, name in enumerate(SIDES):
        records[f"{name}_path"] = measures.path[:, side] / engine.side_size(side)
        records[f"{name}_effort"] = measures.effort[:, side] / measures.turns[:, side]
    return records


def _checked_names(
    pursuer: Player, evader: Player, names: tuple[str, str] | None
) -> tuple[str, str]:
    if names is None:
        return name_of(pursuer), name_of(evader)
    is_pair = isinstance(names, tuple | list) and len(names) == 2
    if not is_pair or not all(isinstance(name, str) for name in names):
        raise InvalidType(f"names must be two strings, pursuer's and evader's, got {names!r}")
    return names[0], names[1]
