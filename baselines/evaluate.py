"""Plays many episodes of one policy against another, and records each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.envs.actions import engine_actions
from steer_env.envs.keywords import Controller, Policy, controllers, game_config
from steer_env.errors import check_integer
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine
from steer_env.game.script import Script
from steer_env.game.state import PURSUER

EPISODE = np.dtype(
    [
        ("seed", np.uint64),
        ("captured", np.bool_),  # all evaders, within the time limit
        ("time", np.float64),  # until then, in seconds; a time-out counts as the limit
        ("distance", np.float64),  # at the end, in meters
    ]
)
"""The record of one episode."""


def evaluate(
    pursuer: str | Controller,
    evader: str | Controller,
    config: GameConfig | None = None,
    episodes: int = 1000,
    seed: int = 0,
) -> NDArray[np.void]:
    """Plays episodes from the starts of the seeds seed, seed + 1, ...

    The same seed gives the same start (places, headings, limits, obstacles) to whoever
    plays, so that results can be compared pair by pair.

    Args:
        pursuer: a name of the roster, a `Script`, or a policy with `predict`.
        evader: the same.
        config: the game; None for the default one. An episode's limit is its horizon.
        episodes: how many.
        seed: of the first.

    Returns:
        One record of `EPISODE` for each episode.

    Raises:
        TypeError, ValueError: if a policy is none, or its actions do not fit the game.
    """
    config = game_config() if config is None else config
    count = check_integer("episodes", episodes, 1)
    for given in (pursuer, evader):
        if len(controllers(given)) > 1:
            raise TypeError(f"evaluate plays one pursuer against one evader, got {given!r}")
    sides = (controllers(pursuer)[0], controllers(evader)[0])
    scripts = [side if isinstance(side, Script) else None for side in sides]
    engine = Engine(config, [scripts[0]], [scripts[1]], count, config.horizon)
    engine.seed(range(seed, seed + count))
    engine.start()
    players = [_Player(engine, side, number) for number, side in enumerate(sides)]
    record = np.zeros(count, EPISODE)
    record["seed"] = np.arange(seed, seed + count, dtype=np.uint64)
    running = np.ones(count, np.bool_)
    for step in range(config.horizon):
        actions = [player.act(first=step == 0) for player in players]
        outcome = engine.step(actions[0], actions[1], PURSUER, restart=True)
        over = running & (outcome.terminated | outcome.truncated)
        record["captured"][over] = outcome.terminated[over]
        record["time"][over] = (step + 1) * config.dt
        record["distance"][over] = outcome.distance[over]
        running &= ~over
        if not running.any():
            break
    engine.close()
    return record


class _Player:
    """One side of an evaluation: a script inside the loop, or a policy outside it."""

    def __init__(self, engine: Engine, controller: Controller, side: int) -> None:
        self._engine, self._side = engine, side
        self._size = engine.side_size(side)
        self._policy: Policy | None = None if isinstance(controller, Script) else controller
        self._state: Any = None

    def act(self, first: bool) -> NDArray[np.float32]:
        """The side's actions: none if a script plays."""
        if self._policy is None:
            return np.zeros((0, self._size, 2), np.float32)
        observations = self._engine.observe(self._side)
        count = self._engine.num_games * self._size
        actions, self._state = self._policy.predict(
            observations.reshape(count, -1),
            state=self._state,
            episode_start=np.full(count, first),
            deterministic=True,
        )
        kind = "discrete" if np.asarray(actions).dtype.kind in "iu" else "continuous"
        converted = engine_actions(actions, kind, count, 1)
        return converted.reshape(self._engine.num_games, self._size, 2)
