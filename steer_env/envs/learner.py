"""What the single and the vector environment have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig, drawing_config
from steer_env.envs.keywords import (
    Weights,
    check_action_type,
    check_keywords,
    check_render_mode,
)
from steer_env.envs.match import Match
from steer_env.envs.specification import PlainSpec
from steer_env.game.config import game_config
from steer_env.players import Player
from steer_env.sides import Side

if TYPE_CHECKING:
    from steer_env.rendering.viewer import Viewer


class LearnerEnv(PlainSpec):
    """A match in which one side learns, its state, and its pictures."""

    metadata: ClassVar[dict[str, Any]]
    side: ClassVar[Side]
    closed = True  # until it is set up: Gymnasium's destructors close what is open

    def _set_up(
        self,
        init: Callable[..., None],
        game: Mapping[str, Any],
        opponent: Player | Sequence[Player] | None,
        weights: Weights,
        action_type: str,
        render_mode: str | None,
        drawing: DrawingConfig | Mapping[str, Any] | None,
        num_games: int = 1,
        max_episode_steps: int | None = None,
        num_threads: int | None = None,
    ) -> None:
        """Checks the keywords of an environment, and makes its match.

        Args:
            init: the environment's own ``__init__``, which has the names of all keywords.
            game: keywords of `game_config`.
            opponent: None for the side's default opponent; see `Match`, as for the rest.
            weights: the `opponent_weights` keyword.
            action_type: "continuous" or "discrete".
            render_mode: one of the metadata's, or None.
            drawing: how to draw; see `drawing_config`.
            num_games: N.
            max_episode_steps: the length of an episode, if it is shorter than the horizon.
            num_threads: see `Engine`.
        """
        check_keywords(init, game)
        self.render_mode = check_render_mode(render_mode, self.metadata["render_modes"])
        self.config = game_config(**game)
        frames_per_second = max(1, round(1 / self.config.dt))
        self.metadata = {**self.metadata, "render_fps": frames_per_second}  # type: ignore[misc]
        drawing_config(drawing)  # fail early
        self._drawing = drawing
        self._action_type = check_action_type(action_type)
        self._match = Match(
            self.config,
            self.side,
            self.side.default_opponent if opponent is None else opponent,
            num_games,
            max_episode_steps,
            num_threads,
            weights,
        )
        self._viewer: Viewer | None = None
        self._has_begun = False
        self.closed = False

    @property
    def opponent_weights(self) -> NDArray[np.float64]:
        """The probability of each opponent of a mixture, (opponents,).

        Assigning weights, as the keyword takes them, or None for equal chances, changes the
        chances in later episodes. It raises what the keyword raises.
        """
        return self._match.opponent_weights

    @opponent_weights.setter
    def opponent_weights(self, weights: Weights) -> None:
        self._match.opponent_weights = weights

    def get_state(self) -> NDArray[np.void]:
        """A copy of the whole state, an array of one record a game.

        With `set_state` it restarts the games exactly: for planning, search and replay. Hidden
        states of opponents that are policies are not in it.
        """
        return self._match.engine.get_state()

    def _put_into_state(self, state: NDArray[np.void]) -> None:
        self._check_open()
        self._match.set_state(state)
        self._has_begun = True
        if self._viewer is not None:
            self._viewer.reset()

    def _opened_viewer(self) -> Viewer | None:
        """What draws the games; None, after a warning, without a render mode."""
        self._check_open()
        if self.render_mode is None:
            modes = map(repr, self.metadata["render_modes"])
            gym.logger.warn(
                "render() does nothing without a render_mode; make the environment with "
                f"render_mode={' or '.join(modes)}"
            )
            return None
        if not self._has_begun:
            raise ResetNeeded("call reset() before render()")
        if self._viewer is None:
            from steer_env.rendering.viewer import Viewer

            match = self._match
            self._viewer = Viewer(match.engine, self._drawing, self.render_mode, match.names)
        return self._viewer

    def _close_match(self) -> None:
        """Closes the window, and ends the threads."""
        if self._viewer is not None:
            self._viewer.close()
            self._viewer = None
        self._match.engine.close()
        self._has_begun = False

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed; make a new one")
