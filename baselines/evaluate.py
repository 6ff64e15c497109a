"""Plays many episodes of one policy against another, and records each."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation import EPISODE, Evaluation
from baselines.policies import NAMES, RandomPolicy, is_file, load
from steer_env.envs.asking import ask, check_spaces
from steer_env.envs.keywords import Controller, Policy, controllers, game_config
from steer_env.errors import check_integer, unknown
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine
from steer_env.game.playing import Measures, make_measures, play
from steer_env.game.roster import ROSTER, short_name
from steer_env.game.script import Script
from steer_env.game.state import OVER

Player: TypeAlias = str | Path | Controller | Callable[..., Any]

_STRIDE = 50  # steps that scripts play in one call, between two reports of progress
_LARGEST_SEED = 2**64 - 1


def evaluate(
    pursuer: Player,
    evader: Player,
    config: GameConfig | None = None,
    episodes: int = 1000,
    seed: int = 0,
    progress: Callable[[int], Any] | None = None,
) -> Evaluation:
    """Plays one episode from the start of each of the seeds seed, seed + 1, ...

    The same seed gives the same start (places, headings, limits, obstacles) to whoever
    plays, so that results can be compared pair by pair (`compare`). All episodes are played
    at once; two scripts play wholly inside the compiled loop.

    Args:
        pursuer: a name of the roster, "random", the path of a policy's .npz, a `Script`, a
            behavior of your own (see `Script`), or a policy: an object with
            ``predict(observations, state, episode_start, deterministic)``, which is asked once
            a step for all the episodes, (N, features), and answers (actions, state).
        evader: the same.
        config: the game; None for the default one. An episode's limit is its horizon.
        episodes: how many.
        seed: of the first.
        progress: called now and then with the number of episodes that are over.

    Returns:
        The episodes, with the metrics and their intervals.

    Raises:
        TypeError, ValueError: if a policy is none, was made for other observations, or
            answers with actions that do not fit.
        FloatingPointError: if a behavior of your own returned no number.
    """
    config = game_config() if config is None else config
    count = check_integer("episodes", episodes, 1)
    first_seed = check_integer("seed", seed, 0, _LARGEST_SEED - count + 1)
    sides = (_controller(pursuer, seed), _controller(evader, seed))
    scripts = [side if isinstance(side, Script) else None for side in sides]
    threads = min(os.cpu_count() or 1, 16)
    engine = Engine(config, [scripts[0]], [scripts[1]], count, config.horizon, threads)
    engine.seed(range(first_seed, first_seed + count))
    engine.start()
    players = [_Player(engine, controller, side) for side, controller in enumerate(sides)]
    measures = make_measures(count)
    is_over = np.zeros(count, np.bool_)
    stride = 1 if None in scripts else _STRIDE
    for step in range(0, config.horizon, stride):
        actions = [player.act(~is_over, first=step == 0) for player in players]
        play(engine, measures, min(stride, config.horizon - step), *actions)
        is_over = engine.state["game"]["phase"] == OVER
        if progress is not None:
            progress(int(is_over.sum()))
        if is_over.all():
            break
    engine.close()
    records = _records(engine, measures)
    records["seed"] = np.arange(count, dtype=np.uint64) + np.uint64(first_seed)
    return Evaluation(name_of(pursuer), name_of(evader), config, records)


def _records(engine: Engine, measures: Measures) -> NDArray[np.void]:
    game, config = engine.state["game"], engine.config
    records = np.zeros(engine.num_games, EPISODE)
    records["caught"] = game["captured"]
    records["captured"] = game["captured"] == config.evaders
    records["time"] = game["steps"] * config.dt
    records["distance"] = game["distance"]
    records["closest"] = measures.closest
    for side, name in enumerate(("pursuer", "evader")):
        records[f"{name}_path"] = measures.path[:, side] / engine.side_size(side)
        records[f"{name}_effort"] = measures.effort[:, side] / measures.turns[:, side]
    return records


def _controller(player: Player, seed: int) -> Controller:
    if isinstance(player, str):
        player = short_name(player)
    if isinstance(player, Path) or (isinstance(player, str) and player not in ROSTER):
        if player == "random":
            return RandomPolicy(seed=seed)
        if is_file(player):
            return load(player, seed=seed)
        raise ValueError(f"{unknown('policy', player, NAMES)} Or the path of an .npz file.")
    if callable(player) and not hasattr(player, "predict") and not _takes_two(player):
        raise TypeError(
            f"{name_of(player)} is no behavior, a function (me, other) -> force; if it is a "
            "function from observations to actions, pass FunctionPolicy(function)"
        )
    given: Any = player
    chosen = controllers(given)
    if len(chosen) != 1:
        raise TypeError(f"evaluate plays one pursuer against one evader, got {player!r}")
    return chosen[0]


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # has no signature to look at
        return True
    return True


def name_of(player: Player) -> str:
    """What a player is called in tables: its name, file, or kind."""
    if isinstance(player, str | Path):
        return str(player)
    if isinstance(player, Script):
        names = [name for name, script in ROSTER.items() if script == player]
        return names[0] if names else f"Script({player.behavior_name})"
    given = getattr(player, "name", None) or getattr(player, "__name__", None)
    return given if isinstance(given, str) else type(player).__name__


class _Player:
    """One side of an evaluation: a script inside the loop, or a policy outside it."""

    def __init__(self, engine: Engine, controller: Controller, side: int) -> None:
        self._engine, self._side = engine, side
        self._size = engine.side_size(side)
        self._policy: Policy | None = None if isinstance(controller, Script) else controller
        self._state: Any = None
        self._observations = np.zeros(
            (engine.num_games, self._size, engine.num_features), np.float32
        )
        if self._policy is not None:
            check_spaces(self._policy, engine.num_features)

    def act(self, running: NDArray[np.bool_], first: bool) -> NDArray[np.float32]:
        """The side's actions: none if a script plays. Who has ended sees what it saw last."""
        if self._policy is None:
            return np.zeros((0, self._size, 2), np.float32)
        self._engine.observe(self._side, running, self._observations)
        rows = self._observations.reshape(-1, self._engine.num_features)
        start = np.full(len(rows), first)
        actions, self._state = ask(self._policy, rows, self._state, start)
        return actions.reshape(-1, self._size, 2)
