"""What the two single environments share: one game, seen and played from one side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.actions import action_space, engine_actions
from steer_env.drawing import DrawingConfig, drawing_config
from steer_env.envs.keywords import (
    Opponent,
    Weights,
    check_action_type,
    check_keywords,
    game_config,
)
from steer_env.envs.match import Match, check_seed
from steer_env.errors import InvalidValue, unknown
from steer_env.game.config import RewardConfig, VehicleConfig
from steer_env.game.engine import FAULTY_BEHAVIOR, NO_FAULT
from steer_env.game.state import OVER
from steer_env.game.workspace import Outcome

if TYPE_CHECKING:
    from steer_env.rendering.viewer import Viewer

Observation = NDArray[np.float32]


class ChaseEnv(gym.Env[Observation, Any]):
    """What `PursuitEnv` and `EvadeEnv` share; `PursuitEnv` explains the arguments."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ["human", "rgb_array"],
        "render_fps": 30,
    }
    side: int
    default_opponent: ClassVar[str]

    def __init__(
        self,
        *,
        opponent: Opponent | None = None,
        opponent_weights: Weights = None,
        pursuers: int = 1,
        evaders: int = 1,
        pursuer: VehicleConfig | Mapping[str, Any] | None = None,
        evader: VehicleConfig | Mapping[str, Any] | None = None,
        arena: str = "walls",
        arena_size: float = 20.0,
        obstacles: int | Sequence[Sequence[float]] = 0,
        capture_radius: float = 0.5,
        dt: float = 1 / 30,
        horizon: int = 600,
        solid: str = "nobody",
        reward: RewardConfig | Mapping[str, float] | None = None,
        randomize: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
        action_type: str = "continuous",
        render_mode: str | None = None,
        drawing: DrawingConfig | Mapping[str, Any] | None = None,
        **unknown_keywords: Any,
    ) -> None:
        check_keywords(ChaseEnv.__init__, unknown_keywords)
        self.render_mode = check_render_mode(render_mode, self.metadata["render_modes"])
        self.config = game_config(
            pursuers=pursuers,
            evaders=evaders,
            pursuer=pursuer,
            evader=evader,
            arena=arena,
            arena_size=arena_size,
            obstacles=obstacles,
            capture_radius=capture_radius,
            dt=dt,
            horizon=horizon,
            solid=solid,
            reward=reward,
            randomize=randomize,
        )
        self.metadata = {  # type: ignore[misc]
            **self.metadata,
            "render_fps": max(1, round(1 / self.config.dt)),
        }
        drawing_config(drawing)  # tells at once what is wrong with it
        self._drawing = drawing
        self._action_type = check_action_type(action_type)
        self._match = Match(
            self.config,
            self.side,
            self.default_opponent if opponent is None else opponent,
            weights=opponent_weights,
        )
        self.action_space = action_space(action_type, self._match.players)
        self.observation_space = self._match.observation_space()  # type: ignore[assignment]
        self._closed = False
        self._viewer: Viewer | None = None
        self._prepare()

    def _prepare(self) -> None:
        # One game has the same arrays in every step: bind them to the compiled loop once.
        match = self._match
        self._outcome: Outcome = match.engine.new_outcome(self.side)
        self._actions = np.zeros((1, match.players, 2), np.float32)
        self._action = self._actions[0, 0] if match.players == 1 else self._actions[0]
        # A float32 array of this shape needs no conversion.
        self._continuous_shape = (
            self._action.shape if self._action_type == "continuous" else None
        )
        self._advance: Callable[[], int] | None = None
        self._asks_policies = match.has_policies
        self._observation = self._outcome.observations.reshape(self.observation_space.shape)

    @property
    def opponent_index(self) -> int:
        """Which of the opponents (a mixture has several) plays this episode."""
        return int(self._match.opponent_index[0])

    @property
    def opponent_weights(self) -> NDArray[np.float64]:
        """The probability of each opponent of a mixture, (opponents,).

        Assigning weights, as the keyword takes them, or None for equal chances, changes who is
        drawn in episodes that begin from then on. It raises what the keyword raises.
        """
        return self._match.opponent_weights

    @opponent_weights.setter
    def opponent_weights(self, weights: Weights) -> None:
        self._match.opponent_weights = weights

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a new episode.

        Args:
            seed: an integer from 0 to 2**64 - 1; None goes on from the seed before.
            options: none are known; a key in it is an error.

        Returns:
            The observation and the info: ``distance`` (of free evaders to their nearest
            pursuer, mean, in meters) and ``captured`` (evaders caught).

        Raises:
            gymnasium.error.ClosedEnvironmentError: after `close`.
            TypeError, ValueError: for a seed or options that are not valid.
        """
        self._check_open()
        seed = check_seed(seed)
        if options:
            raise InvalidValue(unknown("reset option", next(iter(options)), ()))
        super().reset(seed=seed)
        match = self._match
        match.reset([seed], self.np_random)
        match.engine.observe(self.side, into=self._outcome.observations)
        self._begin()
        if self._viewer is not None:
            self._viewer.reset()
        if self.render_mode == "human":
            self.render()
        game = match.engine.state["game"][0]
        info = {"distance": float(game["distance"]), "captured": int(game["captured"])}
        return self._observation.copy(), info

    def _begin(self) -> None:
        # gymnasium.make adds a TimeLimit; an environment made directly keeps time itself.
        self._match.engine.max_episode_steps = self.config.horizon if self.spec is None else 0
        if self._advance is None:
            actions = self._match.actions_by_side(self._actions)
            self._advance = self._match.engine.prepare_step(
                self._outcome, *actions, self.side, False
            )

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Moves everyone for ``dt`` seconds.

        Args:
            action: continuous: float32 (2,), forward and left, as a fraction of what the
                vehicle can do, cut to the unit disc. Discrete: 0 coasts, 1 to 8 push in
                the eight directions, counter-clockwise from ahead. A team has one each.

        Returns:
            Observation, reward, terminated (all evaders caught), truncated (time is
            up) and info, with the keys that `reset` explains.

        Raises:
            gymnasium.error.ResetNeeded: before `reset`, or after the episode's end.
            gymnasium.error.ClosedEnvironmentError: after `close`.
            TypeError, ValueError: for an action of the wrong kind or shape, or with NaN.
        """
        advance = self._advance
        if advance is None or self._closed:
            self._check_open()
            raise ResetNeeded("call reset() before step()")
        if (
            type(action) is np.ndarray
            and action.dtype == np.float32
            and action.shape == self._continuous_shape
        ):
            self._action[...] = action
        else:
            match = self._match
            self._actions[...] = engine_actions(
                action, self._action_type, 1, match.players, batch=False
            )
        if self._asks_policies:
            self._ask_policies()
        fault = advance()
        if fault != NO_FAULT:
            self._raise_fault(fault)
        _, rewards, terminated, truncated, distance, captured = self._outcome
        if self.render_mode == "human":
            self.render()
        return (
            self._observation.copy(),
            rewards.item(),
            terminated.item(),
            truncated.item(),
            {"distance": distance.item(), "captured": captured.item()},
        )

    def _ask_policies(self) -> None:
        over = self._match.engine.state["game"]["phase"][0] == OVER
        if over or not np.isfinite(self._actions).all():
            self._raise_fault(0)
        self._match.ask_policies()

    def _raise_fault(self, fault: int) -> None:
        if fault == FAULTY_BEHAVIOR:
            self._match.engine.raise_fault(fault)
        if not np.isfinite(self._actions).all():
            raise InvalidValue(
                f"the action is not finite: {self._action.tolist()}; "
                "actions are numbers from -1 to 1"
            )
        raise ResetNeeded("the episode is over; call reset() to begin the next one")

    def get_state(self) -> NDArray[np.void]:
        """A copy of the game's whole state, an array of one record.

        With `set_state` it restarts the game exactly: for planning, search and replay. Hidden
        states of opponents that are policies are not in it.
        """
        return self._match.engine.get_state()

    def set_state(self, state: NDArray[np.void]) -> Observation:
        """Puts the game into a state that `get_state` returned, here or elsewhere.

        Returns:
            The observation in that state.

        Raises:
            TypeError: if it is no state of an environment like this one.
            ValueError: if it is damaged.
            gymnasium.error.ResetNeeded: if it is of a game that has not begun.
        """
        self._check_open()
        self._match.set_state(state)
        if self._viewer is not None:
            self._viewer.reset()
        self._match.engine.observe(self.side, into=self._outcome.observations)
        self._begin()
        return self._observation.copy()

    def render(self) -> NDArray[np.uint8] | None:
        """Draws the game: an array (height, width, 3), or a window's next frame and None.

        Raises:
            gymnasium.error.DependencyNotInstalled: without pygame.
            OSError: in mode "human" without a display.
            gymnasium.error.ResetNeeded: before `reset`.
        """
        self._check_open()
        if self.render_mode is None:
            gym.logger.warn(
                "render() does nothing without a render_mode; "
                'make the environment with render_mode="human" or "rgb_array"'
            )
            return None
        if self._advance is None:
            raise ResetNeeded("call reset() before render()")
        if self._viewer is None:
            from steer_env.rendering.viewer import Viewer

            self._viewer = Viewer(
                self._match.engine, self._drawing, self.render_mode, self._match.names
            )
        if self.render_mode == "human":
            self._viewer.show()
            return None
        return self._viewer.frames()[0]

    def close(self) -> None:
        """Closes the window, if there is one. Closing twice is fine."""
        if self._viewer is not None:
            self._viewer.close()
            self._viewer = None
        self._match.engine.close()
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise gym.error.ClosedEnvironmentError("the environment is closed; make a new one")

    def __getstate__(self) -> dict[str, Any]:
        """All but the window and what is bound to the compiled loop."""
        kept = self.__dict__.copy()
        for name in ("_outcome", "_actions", "_action", "_observation"):
            del kept[name]
        kept["_viewer"] = None
        kept["_advance"] = self._advance is not None
        kept["_last"] = self._observation.copy()
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Binds the copy to its own arrays."""
        started, last = kept.pop("_advance"), kept.pop("_last")
        self.__dict__.update(kept)
        self._prepare()
        self._observation[...] = last
        if started:
            self._begin()


def check_render_mode(render_mode: str | None, valid: Sequence[str]) -> str | None:
    """Returns the render mode.

    Raises:
        ValueError: if it is not None and not among the valid ones.
    """
    if render_mode is not None and render_mode not in valid:
        raise InvalidValue(unknown("render_mode", render_mode, valid))
    return render_mode
