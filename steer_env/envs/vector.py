"""N games at once as a Gymnasium vector environment."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.error import DependencyNotInstalled
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

try:
    from gymnasium.vector import AutoresetMode as AutoresetMode  # for the other adapters, too
except ImportError as error:
    raise DependencyNotInstalled(
        f"the native vector environments need gymnasium>=1.1, and {gym.__version__} is "
        'installed; run: pip install "gymnasium>=1.1" (gym.make and Gymnasium\'s own '
        "SyncVectorEnv and AsyncVectorEnv work with 0.29, too)"
    ) from error

from steer_env.actions import action_space, engine_actions
from steer_env.envs.base import LearnerEnv, features_space, public_names
from steer_env.envs.reset_options import check_seeds, options_and_mask
from steer_env.errors import InvalidAttribute, InvalidValue, check_choice, check_text, unknown
from steer_env.fields import MOST_GAMES, Bounds, check_count, ranges
from steer_env.game.config import Game
from steer_env.game.config.keywords import make_game, takes_keywords_of
from steer_env.game.run.runner import Outcome
from steer_env.game.run.turn import in_turn
from steer_env.sides import EVADER, PURSUER, Side

Info = dict[str, Any]

_OF_EACH_GAME = ("opponent_index", "set_state", "state", "render")
"""Attributes and methods that return one entry for each game."""


class VectorGames(LearnerEnv):
    """N games with an autoreset mode, and Gymnasium's `call`, `get_attr` and `set_attr`."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["rgb_array", "mosaic", "human"],
        "render_fps": 30,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    num_envs: int
    np_random: np.random.Generator

    def _set_up_games(
        self,
        side: Side | None,
        num_envs: int,
        credit_method: int | None = None,
        /,
        *,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        num_threads: int | None = None,
        **keywords: Any,
    ) -> None:
        """Checks the keywords of a vector environment, and makes its games."""
        self.num_envs = check_count(Bounds(1, MOST_GAMES), "num_envs", num_envs)
        if max_episode_steps is not None:
            limit = ranges(Game)["horizon"]
            max_episode_steps = check_count(limit, "max_episode_steps", max_episode_steps)
        if not isinstance(autoreset_mode, AutoresetMode):
            modes = [mode.value for mode in AutoresetMode]
            check_choice("autoreset_mode", autoreset_mode, modes)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self._restarts = self.autoreset_mode is AutoresetMode.NEXT_STEP
        numbers = self.num_envs, max_episode_steps, num_threads, credit_method
        self._set_up(side, *numbers, **keywords)
        horizon = self.config.horizon
        self.max_episode_steps = min(horizon, max_episode_steps or horizon)
        self.metadata["autoreset_mode"] = self.autoreset_mode

    @property
    def opponent_index(self) -> NDArray[np.int64]:
        """The number of the opponent in each game among those of a mixture, (N,).

        An InvalidValue says if both sides learn.
        """
        return self._playing()

    @in_turn
    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, Info]:
        """Begins new episodes in all games, or in some.

        Args:
            seed: None; an integer s, for the seeds s, s + 1, ...; or N integers and Nones.
            options: may hold ``reset_mask``, a bool array (N,): only games where it is True
                restart. The others are as in the single environment; ``opponent``, if a side
                does not learn, and ``map`` may also be a list of N, and numbers in ``start``
                may have a row for each game.

        Returns:
            Observations (N, ...) of all games, and the info of the games that began.

        Raises:
            gymnasium.error.ResetNeeded: for a mask before the first whole reset.
        """
        self.check_open()
        seeds = check_seeds(seed, self.num_envs)
        given, mask = options_and_mask(options, self._engine.state.phase, self._everyone)
        self._begin(int(seed) if isinstance(seed, Integral) else None, seeds, mask, given)
        return self._observe(), self._infos(mask)

    @abstractmethod
    def _infos(self, chosen: NDArray[np.bool_]) -> Info:
        """The infos of chosen games, (N,)."""

    def call(self, name: str, *args: Any, **keywords: Any) -> tuple[Any, ...]:
        """Calls a method, or gets an attribute, and returns a result for each game.

        Raises:
            InvalidAttribute: if there is none of this name.
            InvalidType: for arguments that the method does not take.
        """
        found = attribute_of(self, name)
        result = found(*args, **keywords) if callable(found) else found
        if name == "get_state":
            return tuple(result[game : game + 1] for game in range(self.num_envs))
        if name not in _OF_EACH_GAME or result is None:
            return (result,) * self.num_envs
        if isinstance(result, dict):  # with an array a side
            return tuple(dict(zip(result, row)) for row in zip(*result.values()))
        return tuple(result)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Returns an attribute for each game, as `call` does."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute that all games share, from one value or a list of N equal ones.

        Raises:
            InvalidAttribute: if there is none of this name, or it cannot change.
            InvalidValue: if the values differ.
        """
        if isinstance(values, list | tuple):
            if len(values) != self.num_envs or any(value != values[0] for value in values):
                raise InvalidValue(
                    f"the games share {name}: give one value, or it num_envs={self.num_envs} "
                    "times; for a mixture of opponents use call('set_opponent', [...])"
                )
            values = values[0]
        setattr(self, name, values)


def attribute_of(envs: object, name: str) -> Any:
    """Returns an attribute, or raises an InvalidAttribute with the nearest name."""
    if not hasattr(envs, check_text("name", name)):
        raise InvalidAttribute(unknown("attribute", name, public_names(envs)))
    return getattr(envs, name)


class NativeVectorEnv(VectorGames, VectorEnv[NDArray[np.float32], Any, NDArray[Any]]):
    """The base of `PursuitVectorEnv` and `EvadeVectorEnv`."""

    @takes_keywords_of(VectorGames._set_up_games, LearnerEnv._set_up, make_game)
    def __init__(self, num_envs: int = 1, **keywords: Any) -> None:
        self._set_up_games(self.side, num_envs, **keywords)
        self.single_action_space = action_space(self._action_type, self._players)
        features = self._engine.features(self.side)
        self.single_observation_space = features_space(features, self._players)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._shape = (self.num_envs, *(self.single_observation_space.shape or ()))
        self.closed = False

    _init = __init__

    def _reseed(self, seed: int) -> None:
        VectorEnv.reset(self, seed=seed)

    def _observe(self) -> NDArray[np.float32]:
        return self._engine.observe(self.side).reshape(self._shape)

    def _infos(self, chosen: NDArray[np.bool_]) -> Info:
        # With 0 for the other games, as Gymnasium fills them.
        state = self._engine.state
        # All are np.float64: JSON takes no np.int64, and TorchRL asks numbers for a dtype.
        info: Info = {"distance": state.distance.copy(), "outcome": state.outcome.copy()}
        info["captured"] = state.captured.astype(np.float64)
        if self._players > 1:
            info["alive"] = self._alive()
        if chosen is not self._everyone:
            for values in info.values():
                values[~chosen] = 0
        return info | {f"_{name}": chosen.copy() for name in info}

    @in_turn
    def step(
        self, actions: Any
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info
    ]:
        """Steps all games, and restarts those that are over, by the autoreset mode.

        Errors are those of the single environment. No game has been stepped then.

        Returns:
            Observations, rewards, terminations, truncations and infos, all fresh arrays.
        """
        if not self._has_begun:
            self.check_begun("step")
        made = engine_actions(actions, self._action_type, self._shape[:-1])
        made = made.reshape(self.num_envs, self._players, 2)
        outcome = self._step_games(made, self._restarts)
        final: Info = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            final = self._restart(outcome)
        info = self._infos(self._everyone)
        info.update(final)
        if self.render_mode == "human":
            self.render()
        observations = outcome.observations.reshape(self._shape)
        return observations, *outcome[1:], info

    def _restart(self, outcome: Outcome) -> Info:
        """Begins the next episode of games that are over, and returns the info about those."""
        over = outcome.terminated | outcome.truncated
        if not over.any():
            return {}
        last = np.full(self.num_envs, None, object)
        for index in np.flatnonzero(over):
            last[index] = outcome.observations[index].reshape(self._shape[1:]).copy()
        final = {"final_obs": last, "final_info": self._infos(over)}
        self._engine.start(over)
        self._engine.observe(self.side, over, outcome.observations)
        return final | {f"_{name}": over.copy() for name in final}


# skrl recognizes an environment by its direct bases.
class PursuitVectorEnv(NativeVectorEnv, VectorEnv[NDArray[np.float32], Any, NDArray[Any]]):
    """N games of `PursuitEnv` at once.

    Besides the single environment's keywords it takes num_envs, max_episode_steps,
    autoreset_mode ("NextStep", "SameStep", "Disabled", or Gymnasium's AutoresetMode) and
    num_threads. Step for step and bit for bit it does what a SyncVectorEnv of single
    environments does, for any number of games and threads.

    It needs Gymnasium 1.1; the single environments work with Gymnasium 0.29, too.
    """

    side = PURSUER


class EvadeVectorEnv(NativeVectorEnv, VectorEnv[NDArray[np.float32], Any, NDArray[Any]]):
    """N games of `EvadeEnv` at once, as in `PursuitVectorEnv`."""

    side = EVADER
