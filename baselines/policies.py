"""Policies of all kinds, by name or from a file, with stable-baselines3's signature."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from steer_env.actions import COASTING, DIRECTIONS, action_space, as_array, check_action_type
from steer_env.envs.base import LearnerEnv, features_space
from steer_env.errors import InvalidType, InvalidValue, check_array, check_integer, got, shown
from steer_env.game.config import Game
from steer_env.game.config.keywords import given_game
from steer_env.game.dynamics import FORCED
from steer_env.game.engine import Engine
from steer_env.game.look.learner import chosen_features, standard_places
from steer_env.game.run.optimal import OPTIMAL_GAMES
from steer_env.players.player import Policy
from steer_env.players.random_policy import RandomPolicy
from steer_env.players.resolver import TORCH_MODULE, is_torch_module, resolve
from steer_env.players.stable_baselines import (
    is_model_file,
    load_stable_baselines3,
    normalized_by,
)
from steer_env.scripts.roster import ROSTER, named_script
from steer_env.scripts.script import Script
from steer_env.sides import Side
from steer_env.steering.trigonometry import direction

NAMES = ("random", *ROSTER)  # the names of all policies that are not in a file


class FunctionPolicy:
    """Makes a policy of a plain function from observations to actions.

    Args:
        function: takes float32 observations (N, features), and returns actions, (N, 2) real
            numbers or (N,) integers. It must not change the observations.
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        if not callable(function):
            raise InvalidType(
                f"the function of a FunctionPolicy must be callable, got {shown(function)}"
            )
        if is_torch_module(function):
            raise InvalidType(
                f"{type(function).__name__} takes tensors, and a FunctionPolicy gives numpy "
                f"arrays: {TORCH_MODULE}"
            )
        self._function = function
        self.name = str(getattr(function, "__name__", type(function).__name__))

    def __repr__(self) -> str:
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
        actions = as_array(self._function(rows), f"the actions of {self!r}")
        return (actions[0] if is_one else actions), state


class ScriptedPolicy:
    """A hand-written script that acts from observations.

    It chooses the same actions as the script does inside the loop, up to the rounding of
    observations to float32. Its hidden state consists of its wander points.

    Args:
        script: a `Script`, or a name in the roster.
        config: the game, whose observation must have all features of the standard one; None for
            the default game, or for the solved game that an optimal script plays.
        action_type: "continuous", or "discrete" for the nearest of the nine actions.
        side: "pursuer" or "evader"; None for the side that the behavior suits.
        seed: of its wandering.

    Its spaces are those of the game's environment in which its side learns. An InvalidValue
    refuses an observation that lacks a feature, and games on several maps.
    """

    def __init__(
        self,
        script: Script | str,
        config: Game | None = None,
        action_type: str = "continuous",
        side: str | None = None,
        seed: int = 0,
    ) -> None:
        self.script = script if isinstance(script, Script) else named_script(script)
        if config is None and self.script.is_optimal:
            config = given_game(OPTIMAL_GAMES[self.script.behavior_name].name)
        self.config = given_game(config, "config")
        if len(self.config.map) > 1:
            raise InvalidValue(
                f"no observation shows on which of its {len(self.config.map):,} maps a game is "
                "played: give a game with one of them; where all are played, scripts play by "
                "their names"
            )
        self.action_type = check_action_type(action_type)
        self._generator = np.random.default_rng(check_integer("seed", seed, 0))
        if side is None:
            side = "pursuer" if self.script.chases else "evader"
        self.side = Side.named(side)
        self._engine = self._engine_for(1)
        players, features = self._engine.side_size(self.side), chosen_features(self.config)
        self._places = standard_places(self.config, self.side)
        self.observation_space = features_space(features, players)
        self.action_space = action_space(self.action_type, players)

    def _engine_for(self, num_games: int) -> Engine:
        scripts: tuple[Any, Any] = self.side.ordered([self.script], [None])
        return Engine(self.config, *scripts, num_games, num_threads=1)

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
            FaultyBehavior: if a user-defined behavior returned nan or infinity.
        """
        observation = check_array("observation", observation, np.float32)
        features = self.observation_space.shape[-1]
        if observation.ndim == 0 or observation.shape[-1] != features:
            raise InvalidValue(
                f"this policy plays a game with {features} features an observation, "
                f"got the shape {observation.shape}; was it made for another configuration?"
            )
        rows = observation.reshape(-1, features)
        if len(rows) != self._engine.num_games:
            self._engine = self._engine_for(len(rows))
        games = self._engine.state
        games.key[:] = self._generator.integers(0, 2**64, len(rows), np.uint64)
        games.draws[:] = 0
        games.sightings[:] = 0.0  # the policy's state is its wander points alone
        me = 0 if self.side == Side.PURSUER else self.config.pursuers
        games.wander_point[:] = self._wander_points(len(rows), state, episode_start)
        seen = np.where(self._places < 0, np.float32(0.0), rows[:, self._places])
        actions = self._engine.decide(self.side, seen)
        points = games.wander_point[me].copy()
        shape = observation.shape[:-1]
        if self.action_type == "discrete":
            return self._nearest_discrete(actions).reshape(shape), points
        return actions.reshape(*shape, 2), points

    def _nearest_discrete(self, actions: NDArray[np.float32]) -> NDArray[np.int64]:
        # A steering force is a velocity change within a second, but a discrete push is full
        # force for one step: coast if the push would overshoot by more than it corrects.
        model = self.config.model(self.side.name)
        least = 0.5 * self.config.dt if model in FORCED else 0.5
        along = actions[:, :1] * DIRECTIONS[1:, 0] + actions[:, 1:] * DIRECTIONS[1:, 1]
        pushes = 1 + np.argmax(along, axis=1)
        return np.where(np.linalg.norm(actions, axis=-1) < least, COASTING, pushes)

    def _wander_points(
        self, count: int, state: Any, episode_start: Any
    ) -> NDArray[np.complex128]:
        angles = self._generator.uniform(-np.pi, np.pi, count)
        points, starts = np.zeros(count, np.complex128), np.ones(1, np.bool_)
        if np.shape(state) == (count,):
            points[:] = state
            starts = np.atleast_1d(False if episode_start is None else episode_start)
        if starts.ndim != 1 or len(starts) == 0 or count % len(starts) != 0:
            raise InvalidValue(
                "episode_start must have an entry for each game or for each player, "
                f"{count} in all, got the shape {starts.shape}"
            )
        for place in np.flatnonzero(np.repeat(starts, count // len(starts))):
            points[place] = direction(float(angles[place]))
        return points


def load(
    name: str | Path | Script | Policy,
    env: Any = None,
    seed: int = 0,
    trust: bool = False,
    *,
    normalization: Any = None,
) -> Policy:
    """Loads a policy by name or from a file.

    Args:
        name: "random", a name of the roster such as "pursuit" or "evade/intercept", of a
            pretrained policy such as "pretrained/pursuit/ppo", the path of an .npz that
            `NetworkPolicy.save` wrote, or ALGORITHM:FILE.zip for a model of stable-baselines3,
            sb3-contrib ("TQC:model.zip") or sbx ("sbx.PPO:model.zip"); or a `Script`.
            With a normalization also a model itself.
        env: the environment to play in; None for the default game. It is not used for files.
        seed: of a policy with random actions.
        trust: must be True for a .zip and for a file of normalization, since such files can run
            any code when they are loaded. An .npz holds only numbers.
        normalization: the VecNormalize that a model was trained with, or the path of the file
            that its `save` wrote; None for a model that was trained without. Nothing in a
            .zip says whether it needs one, and without it plays badly.

    Raises:
        TypeError, ValueError: for an unknown name, an env of another package, a normalization
            of anything but a model, a file that is damaged, and a .zip that is not trusted or
            named without its algorithm.
        FileNotFoundError: if there is no such file.
        gymnasium.error.DependencyNotInstalled: for a .zip without its package.
    """
    game: Any = getattr(env, "unwrapped", None)
    if env is not None and not isinstance(game, LearnerEnv):
        found = (
            f"got its name; pass gym.make({shown(env)})" if isinstance(env, str) else got(env)
        )
        raise InvalidType(f"env must be the environment itself, of this package, {found}")
    check_integer("seed", seed, 0)
    if isinstance(name, str | Path) and is_model_file(name):
        return load_stable_baselines3(name, trust, normalization)
    if normalization is not None:
        return normalized_by(name, normalization, trust)
    player = resolve(name, None, seed=seed, what="policy")
    policy: Any = player.policy
    if game is None:
        return policy if player.script is None else ScriptedPolicy(player.script, seed=seed)
    space = getattr(game, "single_action_space", game.action_space)
    if player.script is not None:
        kind = "continuous" if isinstance(space, gym.spaces.Box) else "discrete"
        return ScriptedPolicy(player.script, game.config, kind, game.side.name, seed)
    return RandomPolicy(space, seed) if isinstance(policy, RandomPolicy) else policy
