"""Policies that play a side of N games: they are asked for actions outside the loop."""

from __future__ import annotations

import inspect
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from steer_env.actions import DIRECTIONS, action_space, as_array, engine_actions
from steer_env.errors import InvalidType, InvalidValue, got
from steer_env.game.random import random_actions
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.random_policy import RandomPolicy
from steer_env.scripts.script import Script
from steer_env.sides import Side


@runtime_checkable
class Policy(Protocol):
    """An object that chooses actions from observations, with stable-baselines3's signature."""

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[np.ndarray, Any]:
        """Returns actions for a batch of observations, and the policy's next hidden state."""


Controller: TypeAlias = Script | Policy
"""The player of one side: a script in the compiled loop, or a policy outside it."""

_PICTURES = (
    "it looks at pictures, which are only drawn in an environment of its own, so measure it by "
    "evaluate_policy of stable_baselines3.common.evaluation, in the one that it was trained in"
)
_OTHERS = (
    "is it for other numbers of players or obstacles, or for chosen features? Name these in "
    "the game's observation=, or keep them with the model: model.observation_config = "
    '{"features": [...]} before model.save; opponents in environments observe all features'
)
_SIGNATURE = "(observation, state=, episode_start=, deterministic=)"


class PolicyPlayer:
    """A policy that plays one side of N games, with the hidden state that it returned last.

    A policy for the observations of the whole team, ``observation_space.shape == (players,
    features)``, and a mixture of networks act for all players jointly; every other policy acts
    for each player as if it were a game of its own.

    A policy without a hidden state is asked only for the games that it plays in. Once it
    returns a state, it is asked for all games, so that each row stays with its game; a first
    call that was for some of the games only is repeated for all of them, with state None.

    One that `is_random`, a `RandomPolicy` without a seed, draws from the chance of each game
    (`draw`) instead of being asked.

    Args:
        policy: with stable-baselines3's ``predict``, whose signature is checked, and its
            spaces, if it has them.
        side: PURSUER or EVADER.
        players: on this side of one game.
        features: of one player's observation.
    """

    def __init__(self, policy: Policy, side: int, players: int, features: int) -> None:
        self.policy, self._players = policy, players
        self._name = f"{policy_name(policy)} as {Side(side).name}"
        self._state: Any = None
        self.is_random = type(policy) is RandomPolicy and policy.seed is None
        _check_signature(policy, self._name)
        space = getattr(policy, "observation_space", None)
        shape = space.shape if isinstance(space, spaces.Space) else None
        self._is_joint = players > 1 and shape == (players, features)
        fits = shape in (None, (features,))
        if isinstance(policy, NetworkPolicy | MixturePolicy):
            fits = policy.takes(features)
        if not self._is_joint and not fits:
            fitting = f"{(features,)}"
            fitting += f", or {(players, features)} for the team" if players > 1 else ""
            raise InvalidValue(
                f"{self._name} was made for observations of shape {shape}, and this game's "
                f"have {fitting}: {_PICTURES if len(shape or ()) == 3 else _OTHERS}"
            )
        space = getattr(policy, "action_space", None)
        count = players if self._is_joint else 1
        valid = [action_space(kind, count) for kind in ("continuous", "discrete")]
        if isinstance(space, spaces.Space) and not any(_is_like(space, ours) for ours in valid):
            raise InvalidValue(
                f"{self._name} was made for actions of {space}; for its observations they are "
                f"{' or '.join(map(str, valid))}"
            )
        is_mixture = players > 1 and isinstance(policy, MixturePolicy)
        self._is_asked_by_game = self._is_joint or is_mixture

    def draw(self, key: NDArray[np.uint64], steps: NDArray[np.int64]) -> NDArray[np.float32]:
        """The actions of a random policy without a seed, from `random_actions`."""
        is_discrete = not isinstance(getattr(self.policy, "action_space", None), spaces.Box)
        return random_actions(key, steps, self._players, is_discrete)

    def act(
        self,
        observations: NDArray[np.float32],
        episode_start: NDArray[np.bool_],
        playing: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.float32]:
        """Asks the policy for the actions in the games that it plays in.

        Args:
            observations: (N, players, features); copied, so that the policy may keep them.
            episode_start: (N,): where an episode begins.
            playing: (N,): the M games that the policy plays in; None for all.

        Returns:
            The actions in the engine's form, (M, players, 2): finite ones.
        """
        if playing is None or playing.all():
            actions, self._state = self._ask(observations, episode_start)
            return actions
        if self._state is None:
            actions, state = self._ask(observations[playing], episode_start[playing])
            if state is None:
                return actions
        actions, self._state = self._ask(observations, episode_start)
        return actions[playing]

    def _ask(
        self, observations: NDArray[np.float32], episode_start: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], Any]:
        """The actions (N, players, 2) in N games, and the policy's next state."""
        if self._is_asked_by_game:
            games, players = len(observations), self._players
            asked, starts = observations.copy(), episode_start.copy()
        else:
            games, players = observations.shape[0] * self._players, 1
            asked = observations.reshape(games, observations.shape[-1]).copy()
            starts = np.repeat(episode_start, self._players)
        answer = self.policy.predict(
            asked, state=self._state, episode_start=starts, deterministic=True
        )
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise InvalidType(
                f"{self._name} must return (actions, state) from predict, {got(answer)}"
            )
        try:
            actions = _converted(answer[0], games, players)
        except (TypeError, ValueError) as error:
            what = f"{self._name} returned actions that do not fit"
            raise type(error)(f"{what}: {error}") from error
        if not np.isfinite(actions).all():
            raise InvalidValue(f"{self._name} returned actions that are not finite")
        return actions.reshape(len(observations), self._players, 2), answer[1]


def policy_name(policy: Policy) -> str:
    """The name of a policy in messages, without its address in memory."""
    if type(policy).__repr__ is object.__repr__:
        return f"the policy {type(policy).__name__}"
    return f"the policy {policy!r}"


def _is_like(space: spaces.Space[Any], ours: spaces.Space[Any]) -> bool:
    """True if a policy's space has our kind and size, with whatever bounds and dtype."""
    names = ("shape",) if isinstance(ours, spaces.Box) else ("shape", "n", "nvec", "start")
    return isinstance(space, type(ours)) and all(
        np.all(getattr(space, name, None) == getattr(ours, name, None)) for name in names
    )


def _check_signature(policy: Policy, name: str) -> None:
    try:
        signature = inspect.signature(policy.predict)
    except (TypeError, ValueError):  # as for some functions written in C
        return
    try:
        signature.bind(None, state=None, episode_start=None, deterministic=True)
    except TypeError as error:
        raise InvalidType(
            f"{name} has predict{signature}, which cannot be called as predict{_SIGNATURE}: "
            f"{error}; if it is a function from observations to actions, pass "
            "FunctionPolicy(policy.predict), from steer_env.baselines"
        ) from None


def _converted(given: Any, games: int, players: int) -> NDArray[np.float32]:
    """Actions in the engine's form, discrete if their shape is."""
    actions = as_array(given)
    discrete_shape = (games,) if players == 1 else (games, players)
    continuous_shape = (*discrete_shape, 2)
    if actions.shape not in (discrete_shape, continuous_shape):
        raise InvalidValue(
            f"actions must have the shape {continuous_shape}, real numbers, or "
            f"{discrete_shape}, integers from 0 to {len(DIRECTIONS) - 1}; got {actions.shape}"
        )
    kind = "discrete" if actions.shape == discrete_shape else "continuous"
    if kind == "discrete" and actions.dtype.kind not in "iu":
        raise InvalidType(
            f"actions of the shape {discrete_shape} are discrete and must be integers, got "
            f"dtype {actions.dtype}; continuous ones have the shape {continuous_shape}"
        )
    return engine_actions(actions, kind, discrete_shape).reshape(games, players, 2)
