"""Hand-written policies with stable-baselines3's signature, acting from observations alone."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from steer_env.actions import COASTING
from steer_env.errors import InvalidValue
from steer_env.game.config import GameConfig, game_config
from steer_env.game.dynamics import MODELS, POINT_MASS
from steer_env.game.engine import Engine
from steer_env.game.observation import observation_layout
from steer_env.scripts.roster import named_script
from steer_env.scripts.script import Script
from steer_env.sides import Side


class ScriptedPolicy:
    """A hand-written script that sees only observations.

    It chooses the same actions as the script does inside the loop, up to the rounding of
    observations to float32. Its hidden state consists of its wander points.

    Args:
        script: a `Script`, or a name in the roster.
        config: the game that it plays; None for the default game.
        action_type: "continuous", or "discrete" for the nearest of the nine actions.
        side: "pursuer" or "evader"; None for the side that the behavior suits.
        seed: the seed of its wandering.

    Raises:
        InvalidValue: if the name is not in the roster, or the side is unknown.
    """

    def __init__(
        self,
        script: Script | str,
        config: GameConfig | None = None,
        action_type: str = "continuous",
        side: str | None = None,
        seed: int = 0,
    ) -> None:
        self.script = named_script(script) if isinstance(script, str) else script
        self.config = game_config() if config is None else config
        self.action_type = action_type
        self._generator = np.random.default_rng(seed)
        if side is None:
            side = "pursuer" if self.script.chases else "evader"
        self.side = Side.named(side)
        players = self.config.pursuers + self.config.evaders
        self._features = len(observation_layout(players, self.config.arena.num_obstacles))
        self._model = MODELS.index(getattr(self.config, side).model)
        self._engine = self._engine_for(1)

    def _engine_for(self, num_games: int) -> Engine:
        scripts: list[list[Script | None]] = [[None], [None]]
        scripts[self.side] = [self.script]
        return Engine(self.config, scripts[0], scripts[1], num_games, num_threads=1)

    @classmethod
    def for_env(cls, script: Script | str, env: Any, seed: int = 0) -> ScriptedPolicy:
        """Returns the policy for an environment of this package, also wrapped."""
        game = env.unwrapped
        space = getattr(game, "single_action_space", game.action_space)
        kind = "continuous" if isinstance(space, gym.spaces.Box) else "discrete"
        return cls(script, game.config, kind, game.side.name, seed)

    def predict(
        self,
        observation: NDArray[np.float32],
        state: NDArray[np.complex128] | None = None,
        episode_start: NDArray[np.bool_] | None = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], NDArray[np.complex128]]:
        """Chooses actions.

        Args:
            observation: (features,) or (N, features), or (..., players, features) for a team.
            state: the state that the last call returned; None at first.
            episode_start: where an episode begins, with new wander points.
            deterministic: ignored.

        Returns:
            The actions, (2,) or (N, 2) in float32 (discrete: () or (N,) in int64), and the
            state for the next call.

        Raises:
            ValueError: if the observations are not those of this policy's game.
            FaultyBehavior: if your own behavior returned something other than a finite number.
        """
        observation = np.asarray(observation, np.float32)
        if observation.ndim == 0 or observation.shape[-1] != self._features:
            raise InvalidValue(
                f"this policy plays a game with {self._features} features an observation, "
                f"got the shape {observation.shape}; was it made for another configuration?"
            )
        rows = observation.reshape(-1, self._features)
        if len(rows) != self._engine.num_games:
            self._engine = self._engine_for(len(rows))
        games = self._engine.state
        games.key[:] = self._generator.integers(0, 2**64, len(rows), np.uint64)
        games.draws[:] = 0
        me = 0 if self.side == Side.PURSUER else self.config.pursuers
        games.wander_point[:] = self._wander_points(len(rows), state, episode_start)
        actions = self._engine.decide(self.side, rows)
        points = games.wander_point[me].copy()
        shape = observation.shape[:-1]
        if self.action_type == "discrete":
            return self._nearest_discrete(actions).reshape(shape), points
        return actions.reshape(*shape, 2), points

    def _nearest_discrete(self, actions: NDArray[np.float32]) -> NDArray[np.int64]:
        # A steering force is a velocity change within a second, but a discrete push is full
        # force for one step: coast if the push would overshoot by more than it corrects.
        least = 0.5 * self.config.dt if self._model == POINT_MASS else 0.5
        angles = np.arctan2(actions[:, 1], actions[:, 0])
        pushes = 1 + np.rint(angles / (np.pi / 4)).astype(np.int64) % 8
        return np.where(np.linalg.norm(actions, axis=-1) < least, COASTING, pushes)

    def _wander_points(
        self, count: int, state: Any, episode_start: Any
    ) -> NDArray[np.complex128]:
        fresh = np.exp(1j * self._generator.uniform(-np.pi, np.pi, count))
        if state is None or np.shape(state) != (count,):
            return fresh
        if episode_start is None:
            return np.array(state, np.complex128)
        return np.where(np.resize(episode_start, count), fresh, state)
