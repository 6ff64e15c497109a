"""stable-baselines3's VecEnv over the native vector environment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import DependencyNotInstalled
from gymnasium.vector import AutoresetMode, VectorEnv

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_flag,
    check_integer,
    check_text,
    shown,
    to_install,
)

try:
    from stable_baselines3.common.vec_env import VecEnv, VecMonitor
except ImportError as error:
    raise DependencyNotInstalled(
        f"stable-baselines3 is not installed; {to_install('agents')}"
    ) from error

import steer_env  # noqa: F401  (registers the environments)
from steer_env.envs.keywords import check_seed
from steer_env.sides import EVADER


class StableBaselinesVecEnv(VecEnv):
    """A native vector environment in the form that stable-baselines3 trains on.

    At the end of an episode the info holds ``terminal_observation``,
    ``TimeLimit.truncated`` and ``is_success`` (a pursuer caught all, an evader got away).

    Args:
        envs: a vector environment of steer_env in autoreset mode SAME_STEP.

    Raises:
        InvalidValue: in another autoreset mode.
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        if envs.metadata["autoreset_mode"] is not AutoresetMode.SAME_STEP:
            raise InvalidValue(
                "stable-baselines3 restarts games in the step in which they end; make the "
                'vector environment with autoreset_mode="SameStep"'
            )
        self.envs = envs
        self._chases: Any = envs.unwrapped
        self.render_mode = envs.render_mode
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
        self._actions: np.ndarray | None = None

    def reset(self) -> np.ndarray:
        """Begins new episodes in all games; seeds that `seed` set are used once."""
        observations, _ = self.envs.reset(seed=list(self._seeds))  # type: ignore[arg-type]
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Steps all games: observations, rewards, dones and a list of infos."""
        observations, rewards, terminated, truncated, info = self.envs.step(self._actions)
        dones = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        evades = self._chases.side == EVADER
        for index in np.flatnonzero(dones):
            infos[index] = {
                "terminal_observation": info["final_obs"][index],
                "TimeLimit.truncated": bool(truncated[index] and not terminated[index]),
                "is_success": bool(terminated[index]) is not evades,
            }
        return observations, rewards.astype(np.float32), dones, infos

    def close(self) -> None:
        """Closes the vector environment."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the vector environment, once for each index."""
        check_text("attr_name", attr_name)
        value = getattr(self._source(attr_name), attr_name)
        return [value for _ in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute of all the games; they share it.

        Raises:
            InvalidValue: if only some of the games are named.
        """
        check_text("attr_name", attr_name)
        if set(self._chosen(indices)) != set(range(self.num_envs)):
            raise InvalidValue("the games share their attributes: set one for all of them")
        setattr(self._source(attr_name), attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls a method of the vector environment, and gives its result for each index."""
        check_text("method_name", method_name)
        chosen = self._chosen(indices)
        result = getattr(self._chases, method_name)(*method_args, **method_kwargs)
        return [result for _ in chosen]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """False for each index: a native vector environment has no wrapped copies."""
        return [False for _ in self._chosen(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """A frame of each game."""
        frames: Any = self.envs.render()
        return list(frames) if frames is not None else [None] * self.num_envs

    def _chosen(self, indices: Any) -> list[int]:
        """The games that the indices of a method of stable-baselines3's name."""
        if indices is None:
            return list(range(self.num_envs))
        given = [indices] if isinstance(indices, Integral) else indices
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InvalidType(
                f"indices must be an integer, a list of integers, or None for all games, got "
                f"{shown(indices)} ({type(indices).__name__})"
            )
        return [check_integer("indices", index, 0, self.num_envs - 1) for index in given]

    def _source(self, name: str) -> Any:
        return self if name == "render_mode" else self._chases


def make_vec_env(
    env_id: str = "Pursuit-v0",
    num_envs: int = 1,
    seed: int | None = None,
    monitor: bool = True,
    **keywords: Any,
) -> VecEnv:
    """Makes N games for stable-baselines3, all stepped by one compiled call.

    Args:
        env_id: of this package, e.g. "Pursuit-v0".
        num_envs: N; a few hundred suit PPO.
        seed: of the first reset: game i gets seed + i.
        monitor: whether to add a VecMonitor, which logs episode rewards and lengths.
        **keywords: of the environment, e.g. opponent="evade".

    Returns:
        A VecEnv.

    Raises:
        gymnasium.error.DependencyNotInstalled: when this module is imported without
            stable-baselines3.

    Example:
        ``PPO("MlpPolicy", make_vec_env("Pursuit-v0", num_envs=256)).learn(1_000_000)``
    """
    check_text("env_id", env_id)
    check_flag("monitor", monitor)
    seed = check_seed(seed)
    envs = gym.make_vec(env_id, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **keywords)
    vec_env: VecEnv = StableBaselinesVecEnv(envs)
    if monitor:
        vec_env = VecMonitor(vec_env)
    if seed is not None:
        vec_env.seed(seed)
    return vec_env
