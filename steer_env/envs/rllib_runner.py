"""Samples for RLlib from the native vector environment, whole batches at a time."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import DependencyNotInstalled
from gymnasium.vector import AutoresetMode

try:
    import torch
    from ray.rllib.core import DEFAULT_AGENT_ID, DEFAULT_MODULE_ID
    from ray.rllib.core.columns import Columns
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
    from ray.rllib.utils import metrics as names

    from steer_env.envs.rllib_rows import (
        Recorder,
        check_callbacks,
        choose,
        log_episodes,
        log_steps,
        only_whole,
    )
except ImportError as error:
    raise DependencyNotInstalled(
        'RLlib is not installed; run: pip install "ray[rllib]" torch'
    ) from error

from steer_env.errors import InvalidType, shown


class BatchedEnvRunner(SingleAgentEnvRunner):  # type: ignore[misc]
    """Plays all games of a native vector environment at once, and samples as RLlib's does.

    It is for one policy on torch without a memory, in an environment of this package that is
    named by its id. It calls no callbacks for steps, episodes and samples, and no connectors of
    your own between the games and the policy; those of the learner are RLlib's as before.

    Raises:
        gymnasium.error.DependencyNotInstalled: when this module is imported without RLlib.
        TypeError: for another environment.
        ValueError: for a class of callbacks.

    Example:
        ``PPOConfig().environment("steer_env:Pursuit-v0").env_runners(
        env_runner_cls=BatchedEnvRunner, num_envs_per_env_runner=256)``
    """

    def make_env(self) -> None:
        """Makes the games, which wait after their ends until they are reset."""
        env = self.config.env
        name = env.removeprefix("steer_env:") if isinstance(env, str) else None
        if name is None or not str(gym.spec(name).vector_entry_point).startswith("steer_env."):
            raise InvalidType(
                "BatchedEnvRunner takes the id of an environment of steer_env, such as "
                f"'steer_env:Pursuit-v0', got {shown(env)}"
            )
        check_callbacks(self.config, "BatchedEnvRunner")
        self.env = gym.make_vec(
            env,
            num_envs=self.config.num_envs_per_env_runner,
            vectorization_mode="vector_entry_point",
            autoreset_mode=AutoresetMode.DISABLED,
            **dict(self.config.env_config),
        )
        self.num_envs = self.env.num_envs
        self._observations: Any = None  # of the games as they stand; None before the first
        self._recorder = Recorder(
            self.num_envs, self.env.single_observation_space, self.env.single_action_space
        )

    def sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool | None = None,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[Any]:
        """Returns the next steps of all games, as episodes and parts of episodes.

        Args:
            num_timesteps: of all games together, at least; by default a fragment of each.
            num_episodes: to begin and to play to their ends, at least, instead.
            explore: whether to sample actions; by default as configured.
            random_actions: whether to take uniform ones.
            force_reset: whether to begin new episodes in all games.

        Returns:
            A SingleAgentEpisode of arrays for each episode and each part of one; the parts have
            the same id and go on where the last one stopped.
        """
        if num_timesteps is None:
            fragment = self.config.get_rollout_fragment_length(self.worker_index)
            num_timesteps = fragment * self.num_envs
        explore = self.config.explore if explore is None else explore
        with self.metrics.log_time(names.SAMPLE_TIMER):
            if self._observations is None or force_reset or num_episodes is not None:
                self._begin()
            self._recorder.over = []
            steps = -(-num_timesteps // self.num_envs)
            episodes = self._play(steps, explore, random_actions)
            while num_episodes is not None and len(self._recorder.over) < num_episodes:
                episodes += self._play(steps, explore, random_actions)
        if num_episodes is not None:
            self._observations = None  # the others are not played on
            episodes = only_whole(episodes)
        self._log(episodes)
        return episodes

    def get_metrics(self) -> Any:
        """Returns what was measured since the last call."""
        return self.metrics.reduce()

    def weigh_opponents(self, weights: Sequence[float]) -> None:
        """Changes the chances of the opponents, in episodes that begin from now on."""
        self.env.opponent_weights = weights  # type: ignore[attr-defined]

    def get_games(self) -> dict[str, Any]:
        """Returns the games in the middle of their episodes, and the random generator.

        RLlib's own state of an env runner is sent to all others, so it cannot hold them.
        """
        found: dict[str, Any] = {"random": torch.get_rng_state()}
        if self._observations is not None:
            found["observations"] = copy.copy(self._observations)
            found["recorder"] = self._recorder.get_state()
            found["state"] = self.env.get_state()  # type: ignore[attr-defined]
        return found

    def set_games(self, games: Mapping[str, Any]) -> None:
        """Goes on with games that `get_games` returned."""
        torch.set_rng_state(games["random"])
        if "state" in games:
            self.env.reset()
            self.env.set_state(games["state"])  # type: ignore[attr-defined]
            self._observations = copy.copy(games["observations"])
            self._recorder.set_state(games["recorder"])

    def _begin(self) -> None:
        worker = (
            max(self.worker_index or 0, 1) - 1
        )  # RLlib counts processes from 1; 0 is its own
        seed = None if self.config.seed is None else self.config.seed + worker * self.num_envs
        self._observations, _ = self.env.reset(seed=seed)
        self._recorder.begin()

    def _play(self, steps: int, explore: bool, random_actions: bool) -> list[Any]:
        """Plays steps, and returns what they were as episodes."""
        for _ in range(steps):
            if random_actions:
                chosen = {Columns.ACTIONS: self.env.action_space.sample()}
            else:
                chosen = choose(self.module, self._observations, explore)
            actions = chosen[Columns.ACTIONS]
            if isinstance(self.env.single_action_space, gym.spaces.Box):
                actions = np.clip(actions, -1.0, 1.0)
            after, rewards, terminated, truncated, _ = self.env.step(actions)
            self._recorder.add(
                {
                    **chosen,
                    Columns.OBS: self._observations,
                    Columns.NEXT_OBS: after,
                    Columns.REWARDS: rewards,
                    Columns.TERMINATEDS: terminated,
                    Columns.TRUNCATEDS: truncated,
                }
            )
            is_over = terminated | truncated
            self._observations = after
            if is_over.any():
                self._observations, _ = self.env.reset(options={"reset_mask": is_over})
        return self._recorder.episodes()

    def _log(self, episodes: list[Any]) -> None:
        steps, over = sum(map(len, episodes)), self._recorder.over
        log_steps(self.metrics, steps, {DEFAULT_AGENT_ID: steps}, {DEFAULT_MODULE_ID: steps})
        log_episodes(self.metrics, len(over))
        for length, gained in over:
            self.metrics.log_value(names.EPISODE_LEN_MEAN, length, window=100)
            self.metrics.log_value(names.EPISODE_RETURN_MEAN, gained, window=100)
