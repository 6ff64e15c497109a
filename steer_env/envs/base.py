"""The base of all environments: games with learners, their state, and their pictures."""

from __future__ import annotations

import copy
import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from numpy.typing import NDArray

from steer_env.actions import check_action_type
from steer_env.drawing import DrawingConfig, drawing_config
from steer_env.envs.learner_games import LearnerGames
from steer_env.errors import InvalidAttribute, check_choice, unknown
from steer_env.game.config import make_game
from steer_env.game.config.features import Feature
from steer_env.game.config.keywords import check_keywords, plain
from steer_env.game.run.turn import in_turn
from steer_env.players.mixture import Weights
from steer_env.players.player import AnyPlayer
from steer_env.scenarios.registry import suite_game
from steer_env.sides import Side

if TYPE_CHECKING:
    from steer_env.rendering.renderer import Viewer


class LearnerEnv(LearnerGames):
    """Games in which one side learns, or both, as an environment that can be drawn and closed.

    It checks the keywords, and which attributes can be set.
    """

    metadata: ClassVar[dict[str, Any]]
    side: ClassVar[Side]
    _init: ClassVar[Callable[..., None]]  # has the names of all keywords
    _spec: EnvSpec | None = None
    _viewer: Viewer | None = None
    closed = True  # until it is set up: Gymnasium's destructors close what is open

    def _set_up(
        self,
        side: Side | None,
        /,
        *numbers: Any,
        opponent: AnyPlayer | Sequence[AnyPlayer] | None = None,
        opponent_weights: Weights = None,
        action_type: str = "continuous",
        render_mode: str | None = None,
        drawing: DrawingConfig | Mapping[str, Any] | None = None,
        **game: Any,
    ) -> None:
        """Checks the keywords of an environment, and makes its games.

        Numbers, and a side of None, are those of `LearnerGames`.
        """
        check_keywords(type(self)._init, game)
        if render_mode is not None:
            check_choice("render_mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        config = make_game(**game)
        frames = max(1, round(1 / config.dt))
        self.metadata = {**self.metadata, "render_fps": frames}  # type: ignore[misc]
        drawing_config(drawing)  # fail early
        self._drawing = drawing
        self._action_type = check_action_type(action_type)
        if opponent is None and side is not None:
            opponent = suite_game(game.get("game")).opponents[side]
        super().__init__(config, side, opponent, opponent_weights, *numbers)
        self._has_begun = False

    @property
    def spec(self) -> EnvSpec | None:
        """The specification that Gymnasium made the environment from, or None.

        Its ``max_episode_steps`` is the horizon, where episodes are truncated there. Its
        keywords are plain values for JSON, but for functions and policies.
        """
        return self._spec

    @spec.setter
    def spec(self, given: EnvSpec | None) -> None:
        self._spec = spec = copy.copy(given)
        if spec is not None:
            spec.kwargs = plain(spec.kwargs)
            truncates = self.config.payoff != "final_distance"  # whose episodes terminate
            if truncates and spec.max_episode_steps is None:
                spec.max_episode_steps = getattr(self, "max_episode_steps", self.config.horizon)
            if spec.kwargs.get("max_episode_steps") == spec.max_episode_steps:
                spec.kwargs.pop("max_episode_steps", None)  # `make_vec` hands it on

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute that exists (subclasses with an ``__init__`` may add some).

        Raises:
            InvalidAttribute: for keywords of the environment, which cannot change once it is
                made, and for unknown names; the message has the nearest match.
        """
        is_public = not (self.closed or name.startswith("_"))
        if is_public and type(self).__init__ is type(self)._init:
            is_fixed = self.is_fixed(name)
            if is_fixed or not hasattr(self, name):
                what = f"{name} cannot change once an environment is made; make another one."
                if not is_fixed:
                    what = unknown("attribute", name, public_names(self))
                raise InvalidAttribute(
                    f"{what} What can change: opponent (or set_opponent), opponent_weights "
                    "and limits of vehicles (set_limits)."
                )
        super().__setattr__(name, value)

    @classmethod
    def is_fixed(cls, name: str) -> bool:
        """True for the name of a keyword that cannot change once an environment is made."""
        can_change = name == "render_mode" or isinstance(getattr(cls, name, None), property)
        is_made_with = name == "side" or name in inspect.signature(cls._init).parameters
        return is_made_with and not can_change

    def get_state(self) -> NDArray[np.void]:
        """A copy of the whole state, an array of one record a game.

        With `set_state` it restarts the games exactly. Hidden states of opponents that are
        policies are not in it.
        """
        return self._engine.get_state()

    @in_turn
    def set_state(self, state: NDArray[np.void]) -> Any:
        """Sets the games to a state that `get_state` returned, here or elsewhere.

        Returns:
            The observations in that state, as `reset` returns them.

        Raises:
            InvalidType: if it is not a state of an environment like this one.
            InvalidValue: if it is damaged, of another number of games, or has limits or
                opponents that are not among those of this environment.
            gymnasium.error.ResetNeeded: if it is of games that have not begun.
        """
        self.check_open()
        self._restore(state)
        self._note_begin(self._everyone)
        return self._observe()

    def _begin(
        self, seed: int | None, seeds: list[int | None], mask: NDArray[np.bool_], options: Any
    ) -> None:
        """Begins episodes in the games of a mask (N,), with a seed of `np_random`."""
        if seed is not None:
            self._reseed(seed)
        self._begin_games(seeds, mask, options)
        self._note_begin(mask)
        if self.render_mode == "human":
            self.render()

    @abstractmethod
    def _reseed(self, seed: int) -> None:
        """Seeds `np_random`."""

    def _note_begin(self, mask: NDArray[np.bool_]) -> None:
        """Called after games of a mask (N,) have begun or changed their state."""
        self._has_begun = True
        if self._viewer is not None:
            self._viewer.reset(mask)

    @abstractmethod
    def _observe(self) -> Any:
        """The observations of the games as they are now."""

    def render(self) -> Any:
        """Draws the games: a tuple of N pictures (height, width, 3) in mode "rgb_array".

        In mode "mosaic" it is one picture of the first 64 games side by side, and in "human"
        None, as a window shows the mosaic. Without a mode it warns. Errors are those of
        `PursuitEnv.render`.
        """
        self.check_open()
        if self.render_mode is None:
            modes = " or ".join(map(repr, self.metadata["render_modes"]))
            gym.logger.warn(
                "render() does nothing without a render_mode; make the environment with "
                f"render_mode={modes}"
            )
            return None
        self.check_begun("render")
        if self._viewer is None:
            from steer_env.rendering.renderer import Viewer

            self._viewer = Viewer(self._engine, self._drawing, self.render_mode, self._names)
        return self._viewer.render()

    def close(self, **_: Any) -> None:
        """Closes the window and ends the threads. Closing twice is fine."""
        if self.closed:
            return
        if self._viewer is not None:
            self._viewer.close()
            self._viewer = None
        self._engine.close()
        self._has_begun, self._advance = False, None
        self.closed = True

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the viewer, and what is bound to the compiled loop."""
        return {**self.__dict__, "_viewer": None, "_advance": None}

    def check_begun(self, method: str) -> None:
        """Raises gymnasium.error.ResetNeeded for a method that is called before `reset`."""
        self.check_open()
        if not self._has_begun:
            raise ResetNeeded(f"call reset() before {method}()")

    def check_open(self) -> None:
        """Raises gymnasium.error.ClosedEnvironmentError after `close`."""
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed; make a new one")


def public_names(thing: object) -> list[str]:
    """The names of public attributes and methods."""
    return [name for name in dir(thing) if not name.startswith("_")]


def features_space(features: Sequence[Feature], players: int = 1) -> spaces.Box:
    """The space of observations: (features,), or (players, features) for a team."""
    bounds = np.array([(feature.low, feature.high) for feature in features], np.float32).T
    low, high = bounds if players == 1 else bounds[:, None].repeat(players, axis=1)
    return spaces.Box(low, high, dtype=np.float32)
