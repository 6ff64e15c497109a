"""The two sides of an engine: scripts inside its compiled loop, policies outside it."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from steer_env.envs.policy_player import PolicyPlayer
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine
from steer_env.game.sensor import chosen_features
from steer_env.players import Controller
from steer_env.policies.own_observation import observation_of, with_observation_of
from steer_env.scripts.script import Script
from steer_env.sides import Side


def make_engine(
    config: GameConfig,
    sides: tuple[Controller | None, Controller | None],
    num_games: int = 1,
    num_threads: int | None = None,
    learner: Side | None = None,
) -> Engine:
    """Makes an engine for games between two players.

    Args:
        config: the game; a policy can bring the observation that it was trained with.
        sides: the players of the pursuers and the evaders; None for a person.
        num_games: the number of games.
        num_threads: see `Engine`.
        learner: the side that has the noise and the delays of the configuration.

    Raises:
        TypeError: if the caller's own behavior cannot be compiled.
    """
    config = with_observation_of(config, sides)
    pursuer, evader = (side if isinstance(side, Script) else None for side in sides)
    return Engine(config, [pursuer], [evader], num_games, None, num_threads, learner)


def _is_for_chosen_features(controller: Controller, engine: Engine, side: int) -> bool:
    """Whether a policy was made for what the game's configuration has its learner observe."""
    space, observation = (
        getattr(controller, "observation_space", None),
        engine.config.observation,
    )
    if observation_of(controller) == observation:
        return True
    if not observation.features and observation.nearest is None:
        # Limits of sight leave the space as it is: whoever may be the learner has them.
        is_policy = not isinstance(controller, Script)
        return is_policy and observation.limits_sight and engine.learner in (None, side)
    if not isinstance(space, spaces.Box):
        return False
    chosen = chosen_features(engine.config)
    if space.shape[-1:] != (len(chosen),):
        return False
    bounds = [feature.low for feature in chosen], [feature.high for feature in chosen]
    low, high = (
        (space.low, space.high) if space.low.ndim == 1 else (space.low[0], space.high[0])
    )
    # As many features as all, so that only the bounds show which they are.
    is_alike = np.allclose(low, bounds[0]) and np.allclose(high, bounds[1])
    return len(chosen) != engine.num_features or is_alike


class Seat:
    """One side of games that begin together: a script inside the loop, or a policy outside it.

    A policy's hidden state is new, so new games need a new seat.

    Args:
        engine: the engine of the games.
        controller: the player.
        side: PURSUER or EVADER.

    Raises:
        TypeError, ValueError: if a policy does not fit; see `PolicyPlayer`.
    """

    def __init__(self, engine: Engine, controller: Controller, side: int) -> None:
        self._engine, self._side = engine, side
        if _is_for_chosen_features(controller, engine, side):
            engine.sense(side)
        players, features = engine.side_size(side), len(engine.features(side))
        self._observations = np.zeros((engine.num_games, players, features), np.float32)
        self._is_first = True
        self._policy: PolicyPlayer | None = None
        if not isinstance(controller, Script):
            self._policy = PolicyPlayer(controller, side, players, features)

    def act(self, running: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Returns the side's actions, which are none if a script plays.

        Args:
            running: (N,), the games that are not over. A policy gets the last observations of
                the others again, so that it acts in the same number of games to the end.
        """
        if self._policy is None:
            return self._engine.no_actions(self._side)
        self._engine.observe(self._side, running, self._observations)
        episode_start = np.full(len(running), self._is_first)
        self._is_first = False
        return self._policy.act(self._observations, episode_start)
