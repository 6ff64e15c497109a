"""Action sources for the two sides of an engine: scripts in its loop, policies outside it."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine
from steer_env.game.look.learner import chosen_features
from steer_env.policies.own_observation import observation_of, with_observation_of
from steer_env.policies.policy_player import Controller, PolicyPlayer
from steer_env.scripts.script import Script
from steer_env.sides import Side


def make_engine(
    config: GameConfig,
    sides: tuple[Controller | None, Controller | None],
    num_games: int = 1,
    num_threads: int | None = None,
    learner: Side | None = None,
) -> Engine:
    """Makes an engine for games between two players, None for a person.

    A policy can bring its own observation. Noise and delays are the learner's.
    """
    config = with_observation_of(config, sides)
    pursuer, evader = (side if isinstance(side, Script) else None for side in sides)
    return Engine(config, [pursuer], [evader], num_games, None, num_threads, learner)


def _is_for_chosen_features(controller: Controller, engine: Engine, side: int) -> bool:
    """True if a policy was made for the features that the configuration gives its learner."""
    observation = engine.config.observation
    if observation_of(controller) == observation:
        return True
    if not observation.features and observation.nearest is None:
        # Limits of sight do not change the space, so each possible learner has them.
        is_policy = not isinstance(controller, Script)
        return is_policy and observation.limits_sight and engine.learner in (None, side)
    space = getattr(controller, "observation_space", None)
    chosen = chosen_features(engine.config)
    size = len(chosen)
    if not isinstance(space, spaces.Box) or space.shape[-1:] != (size,):
        return False
    if size != engine.num_features:
        return True
    # There are as many features as without a choice: only the bounds show which they are.
    bounds = space.low.reshape(-1, size)[0], space.high.reshape(-1, size)[0]
    return np.allclose(bounds, np.transpose([(one.low, one.high) for one in chosen]))


class ActionSource:
    """A script in the loop, or a policy with a new hidden state, acts for a side of N games.

    For the errors see `PolicyPlayer`.
    """

    def __init__(self, engine: Engine, controller: Controller, side: int) -> None:
        self._engine, self._side = engine, side
        if _is_for_chosen_features(controller, engine, side):
            engine.sense(side)
        players, features = engine.side_size(side), engine.learning.sizes[side]
        self._observations = np.zeros((engine.num_games, players, features), np.float32)
        self._is_first = True
        self._policy: PolicyPlayer | None = None
        if not isinstance(controller, Script):
            self._policy = PolicyPlayer(controller, side, players, features)

    def act(
        self, running: NDArray[np.bool_], asked: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float32]:
        """Returns the side's actions, (N, players, 2), or for a script none, (0, players, 2).

        Games that are not over are ``running``, (N,); a policy gets the last observations of
        others again. Or it acts in the M games alone that it is ``asked`` about, (N,), and
        returns (M, players, 2).
        """
        if self._policy is None:
            return self._engine.no_actions(self._side)
        self._engine.observe(self._side, running, self._observations)
        episode_start = np.full(len(running), self._is_first)
        self._is_first = False
        return self._policy.act(self._observations, episode_start, asked)
