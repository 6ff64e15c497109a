"""A team whose players share one policy, as stable-baselines3's VecEnv (parameter sharing)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from steer_env.envs.parallel_vector import ParallelVectorEnv
from steer_env.envs.sb3 import StableBaselinesVecEnv, check_same_step
from steer_env.errors import InvalidValue
from steer_env.sides import EVADER
from steer_env.suite import DEFAULT_GAME, ENVIRONMENTS, environment_id


class PlayersVecEnv(StableBaselinesVecEnv):
    """Every player of the learner's side as a row of its own.

    Row ``game * players + place`` is that player of that game, so that stable-baselines3 trains
    one policy that each player follows with its own observation. A row's episode ends with the
    game, or when its player, an evader, is caught: then ``terminal_observation`` is the last
    that it saw. Until the next episode of its game the row stands still: its observations
    and rewards are 0, its actions are ignored, and `alive` is False. That time counts as an
    episode without a reward, which is not logged.

    The infos at the end of an episode hold what those of `StableBaselinesVecEnv` do;
    ``is_success`` of an evader says whether it was never caught itself.

    Args:
        games: with one side that learns, in autoreset mode SAME_STEP.
        monitor: whether the infos at the end of an episode have ``episode``, with its return
            "r", its length "l" and its time "t", as those of a VecMonitor.

    Attributes:
        num_envs: N times the players of the side.
        alive: which rows are in play, (num_envs,).
        episode_returns: of the episodes so far, (num_envs,); as a VecMonitor's.
        episode_lengths: likewise, in steps.

    Raises:
        InvalidValue: in another autoreset mode, or if both sides learn.
    """

    def __init__(self, games: ParallelVectorEnv, monitor: bool = True) -> None:
        check_same_step(games.metadata)
        if len(games.sides) > 1:
            raise InvalidValue(
                "one policy learns one side: make the games with learner='pursuer' or "
                "learner='evader'"
            )
        (self._side,) = games.sides
        self._players = games.config.count(self._side)
        self.envs: Any = games
        self._chases: Any = games
        self.render_mode = games.render_mode
        rows = games.num_envs * self._players
        spaces = games.observation_spaces[self._side], games.action_spaces[self._side]
        VecEnv.__init__(self, rows, *spaces)
        self._monitors, self._began = monitor, time.time()
        self._actions: np.ndarray | None = None
        self._begin_all()

    def _begin_all(self) -> None:
        self.alive: NDArray[np.bool_] = np.ones(self.num_envs, np.bool_)
        self.episode_returns = np.zeros(self.num_envs)
        self.episode_lengths = np.zeros(self.num_envs, np.int64)

    def reset(self) -> np.ndarray:
        """Begins new episodes in all games; see `StableBaselinesVecEnv.reset`."""
        # VecEnv.seed gives row i the seed s + i, and so the first N rows those of the games.
        seeds: Any = list(self._seeds[: self.envs.num_envs])
        observations, _ = self.envs.reset(seed=seeds, options=self._shared_options())
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        self._begin_all()
        return self._rows(observations)

    def _rows(self, values: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """The learner's side of an array (N, players, ...), a row for each player."""
        side = values[self._side]
        return side.reshape(self.num_envs, *side.shape[2:])

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Steps all games: observations, rewards, dones and a list of infos."""
        assert self._actions is not None  # of `step_async`
        actions = np.asarray(self._actions)
        shape = self.envs.num_envs, self._players
        given = {self._side: actions.reshape(*shape, *actions.shape[1:])}
        observations, rewards, terminations, truncations, info = self.envs.step(given)
        rows, gained = self._rows(observations), self._rows(rewards)
        terminated, truncated = self._rows(terminations), self._rows(truncations)
        last = rows
        if "final_obs" in info:
            last = self._rows(info["final_obs"])
            over = np.repeat(info["_final_obs"], self._players)
        else:
            over = np.zeros(self.num_envs, np.bool_)
        self.episode_returns += gained
        self.episode_lengths += 1
        ended = terminated | truncated  # of rows that were in play
        dones = ended | over
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        seconds = round(time.time() - self._began, 6)
        evades = self._side == EVADER.name
        for index in np.flatnonzero(dones):
            infos[index] = {
                "terminal_observation": last[index],
                "TimeLimit.truncated": bool(truncated[index]),
            }
            if ended[index]:
                infos[index]["is_success"] = bool(terminated[index]) is not evades
                if self._monitors:
                    total, length = (
                        float(self.episode_returns[index]),
                        int(self.episode_lengths[index]),
                    )
                    infos[index]["episode"] = {"r": round(total, 6), "l": length, "t": seconds}
        caught = ended & ~over
        if caught.any():
            rows = rows.copy()
            rows[caught] = 0.0
        self.alive = (self.alive & ~ended) | over
        self.episode_returns[dones] = 0.0
        self.episode_lengths[dones] = 0
        return rows, gained.astype(np.float32), dones, infos


def players_vec_env(
    env_id: str, num_envs: int, monitor: bool, keywords: Mapping[str, Any]
) -> PlayersVecEnv:
    """The rows of N games; see `steer_env.envs.sb3.make_vec_env` for the arguments.

    Raises:
        InvalidValue: for an unknown id; the message has the nearest match.
    """
    game, side, action_type = ENVIRONMENTS[environment_id("env_id", env_id)]
    given = {"learner": side.name, "action_type": action_type, **keywords}
    if game.name != DEFAULT_GAME:
        given.setdefault("game", game.name)
    games = ParallelVectorEnv(num_envs, autoreset_mode="SameStep", **given)
    return PlayersVecEnv(games, monitor)
