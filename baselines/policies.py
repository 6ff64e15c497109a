"""Policies of all kinds, by name or from a file, with stable-baselines3's signature."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.scripted import ScriptedPolicy
from steer_env.errors import InvalidType, InvalidValue, unknown
from steer_env.players import Policy
from steer_env.policies import pretrained
from steer_env.policies.loading import FILES, is_loadable, load_network
from steer_env.policies.random import RandomPolicy
from steer_env.policies.stable_baselines import load_stable_baselines3
from steer_env.scripts.roster import ROSTER, short_name

NAMES = ("random", *ROSTER)
"""The names of all policies that are not in a file."""


class FunctionPolicy:
    """Makes a policy of a plain function from observations to actions.

    Args:
        function: takes float32 observations (N, features), and returns actions, (N, 2) real
            numbers or (N,) integers. It must not change the observations.
        batched: False for a function from one observation (features,) to one action; it is
            called N times, which is slow.
    """

    def __init__(self, function: Callable[[Any], Any], batched: bool = True) -> None:
        if not callable(function):
            raise InvalidType(f"FunctionPolicy needs a function, got {function!r}")
        self._function = function
        self._batched = batched

    @property
    def name(self) -> str:
        """The function's name, or the type of a callable without a name."""
        return str(getattr(self._function, "__name__", type(self._function).__name__))

    def __repr__(self) -> str:
        """Returns the function's name in parentheses."""
        return f"FunctionPolicy({self.name})"

    def predict(
        self,
        observation: NDArray[np.float32],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], Any]:
        """Returns the function's actions for (features,) or (N, features) observations."""
        is_one = np.ndim(observation) == 1
        rows = np.asarray(observation)[None] if is_one else observation
        if self._batched:
            actions = np.asarray(self._function(rows))
        else:
            actions = np.array([self._function(row) for row in rows])
        return (actions[0] if is_one else actions), state


def load(name: str | Path, env: Any = None, seed: int = 0, trust: bool = False) -> Policy:
    """Loads a policy by name or from a file.

    Args:
        name: "random", a name of the roster such as "pursuit" or "evade/intercept", of a
            pretrained policy such as "pretrained/pursuit/ppo", or the path of a file: an .npz
            that `NetworkPolicy.save` wrote, or a Stable-Baselines3 .zip.
        env: the environment to play in; None for the default game. It is not used for files.
        seed: of a policy with random actions.
        trust: must be True for a .zip, since such a file can run any code when it is loaded.
            An .npz holds only numbers.

    Raises:
        TypeError: if env is the name of an environment instead of the environment itself.
        ValueError: if there is no such name (the message has the nearest match), a file is
            damaged, or a .zip is not trusted.
        FileNotFoundError: if there is no such file.
        gymnasium.error.DependencyNotInstalled: for a .zip without stable-baselines3.
    """
    if isinstance(env, str):
        raise InvalidType(
            f"env must be the environment itself, got its name; pass gym.make({env!r})"
        )
    if is_loadable(name):
        if Path(name).suffix == ".zip":
            return load_stable_baselines3(Path(name), trust)
        return load_network(name, seed)
    name = short_name(str(name))
    if name not in NAMES:
        valid = (*NAMES, *pretrained.names())
        raise InvalidValue(f"{unknown('policy', name, valid)} Or the path of a file: {FILES}.")
    if name == "random":
        if env is None:
            return RandomPolicy(seed=seed)
        game = env.unwrapped
        return RandomPolicy(getattr(game, "single_action_space", game.action_space), seed)
    if env is None:
        return ScriptedPolicy(name, seed=seed)
    return ScriptedPolicy.for_env(name, env, seed)
