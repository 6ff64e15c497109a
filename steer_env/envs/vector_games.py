"""N games behind one object: the base of the vector environments."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from steer_env import bounds
from steer_env.bounds import MOST_GAMES, Bounds, check_count
from steer_env.drawing import DrawingConfig
from steer_env.envs.autoreset import AutoresetMode, check_autoreset_mode
from steer_env.envs.episode_options import options_and_mask
from steer_env.envs.keywords import Weights, check_seeds
from steer_env.envs.learner import LearnerEnv
from steer_env.errors import (
    InvalidAttribute,
    InvalidType,
    InvalidValue,
    check_text,
    unknown,
)
from steer_env.players import Player
from steer_env.sides import Side

_OF_EACH_GAME = ("opponent_index", "set_state", "state", "render")
"""Attributes and methods whose results have an entry for each game."""


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
        num_envs: int,
        max_episode_steps: int | None,
        autoreset_mode: AutoresetMode | str,
        num_threads: int | None,
        game: Mapping[str, Any],
        side: Side | None,
        opponent: Player | Sequence[Player] | None,
        weights: Weights,
        action_type: str,
        render_mode: str | None,
        drawing: DrawingConfig | Mapping[str, Any] | None,
        credit_method: int | None = None,
    ) -> None:
        """Checks the keywords of a vector environment, and makes its match; see `_set_up`."""
        self.num_envs = check_count(Bounds(1, MOST_GAMES), "num_envs", num_envs)
        if max_episode_steps is not None:
            limit = bounds.GAME["horizon"]
            max_episode_steps = check_count(limit, "max_episode_steps", max_episode_steps)
        self.autoreset_mode = check_autoreset_mode(autoreset_mode)
        keywords = side, opponent, weights, action_type, render_mode, drawing
        numbers = self.num_envs, max_episode_steps, num_threads
        self._set_up(game, *keywords, *numbers, credit_method)
        horizon = self.config.horizon
        self.max_episode_steps = min(horizon, max_episode_steps or horizon)
        self.metadata["autoreset_mode"] = self.autoreset_mode

    @property
    def opponent_index(self) -> NDArray[np.int64]:
        """Which of the opponents (a mixture has several) plays in each game, (N,).

        Raises:
            InvalidValue: if both sides learn.
        """
        return self._match.opponent_index

    def _begin(
        self, seed: int | Sequence[int | None] | None, options: dict[str, Any] | None
    ) -> NDArray[np.bool_] | None:
        """Begins new episodes, as `reset` asks for them; returns the mask of their games."""
        self.check_open()
        seeds = check_seeds(seed, self.num_envs)
        given, mask = options_and_mask(options, self._match.engine.state.phase)
        if isinstance(seed, Integral):
            # The names are those of Gymnasium's VectorEnv.
            self._np_random, self._np_random_seed = seeding.np_random(int(seed))
        self._match.reset(seeds, self.np_random, mask, given)
        self._note_begin(mask)
        return mask

    def render(self) -> tuple[NDArray[np.uint8], ...] | NDArray[np.uint8] | None:
        """Draws the games, as the render mode says.

        Returns:
            "rgb_array": a picture (height, width, 3) of each game, a tuple of N (among more
            than 128 games without the steering forces);
            "mosaic": the pictures of the games, the first 64 at most, side by side in one;
            "human": None, and a window shows the mosaic.

        Raises:
            gymnasium.error.DependencyNotInstalled: without pygame.
            gymnasium.error.ResetNeeded: before `reset`.
            OSError: in mode "human" without a display.
        """
        viewer = self._opened_viewer()
        return None if viewer is None else viewer.render()

    def __getstate__(self) -> dict[str, Any]:
        """All but what draws."""
        return {**self.__dict__, "_viewer": None}

    def call(self, name: str, *args: Any, **keywords: Any) -> tuple[Any, ...]:
        """Calls a method, or gets an attribute, as SyncVectorEnv's method of this name does.

        Returns:
            A result for each game: its own of what belongs to the games, such as `get_state`;
            otherwise one that they share.

        Raises:
            InvalidAttribute: if there is none of this name.
            InvalidType: for arguments that the method does not take.
        """
        found = attribute_of(self, name)
        result = found
        if callable(found):
            try:
                inspect.signature(found).bind(*args, **keywords)
            except TypeError as error:
                raise InvalidType(f"{name} cannot be called like this: {error}") from None
            result = found(*args, **keywords)
        if name == "get_state":
            return tuple(result[game : game + 1] for game in range(self.num_envs))
        if name in _OF_EACH_GAME and isinstance(result, dict):  # with an array a side
            return tuple(
                {side: rows[game] for side, rows in result.items()}
                for game in range(self.num_envs)
            )
        if name in _OF_EACH_GAME and result is not None:
            return tuple(result)
        return (result,) * self.num_envs

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute, for each game; see `call`."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute that all games share, such as ``opponent``.

        Args:
            name: of the attribute.
            values: its value; a list or a tuple of N has one for each game, all equal.

        Raises:
            InvalidAttribute: if there is none of this name, or it cannot change.
            InvalidValue: if the values differ.
        """
        if isinstance(values, list | tuple):
            if len(values) != self.num_envs or any(value != values[0] for value in values):
                raise InvalidValue(
                    f"a list of values for {name} must hold the same one num_envs="
                    f"{self.num_envs} times, since the games share it; for a mixture of "
                    "opponents use call('set_opponent', [...])"
                )
            values = values[0]
        setattr(self, name, values)


def attribute_of(envs: object, name: str) -> Any:
    """A method or another attribute of a vector environment.

    Raises:
        InvalidAttribute: if there is none of this name; the message has the nearest.
    """
    check_text("name", name)
    if not hasattr(envs, name):
        valid = [known for known in dir(envs) if not known.startswith("_")]
        raise InvalidAttribute(unknown("attribute", name, valid))
    return getattr(envs, name)
