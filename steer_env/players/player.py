"""`Player`: plays a side of N games, from what it needs to see."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import copy
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from steer_env.actions import DIRECTIONS, action_space, as_array, engine_actions
from steer_env.errors import InvalidType, InvalidValue, got
from steer_env.game.config import Game
from steer_env.game.engine import Engine
from steer_env.game.random import random_actions
from steer_env.players.archive import SavedPolicy
from steer_env.players.mixture import MixturePolicy
from steer_env.players.observed import is_for_chosen_features, seen_by, seen_in_scenario
from steer_env.players.random_policy import RandomPolicy
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


class Player:
    """A player of a side: a script in the compiled loop, a policy that is asked, or a person.

    `resolver.resolve` makes one. It plays in games once it has joined their engine.

    A policy for the observations of the whole team, ``observation_space.shape == (players,
    features)``, and a mixture of networks act for all players jointly; every other policy acts
    for each player as if it were a game of its own. A policy without a hidden state is asked
    only for the games that it plays in, one with a state for all, so that each row stays with
    its game.

    Attributes:
        name: in tables and pictures.
        script: None for a policy or a person.
        policy: None for a script or a person, whose actions come from outside.
        given: what the caller passed to `resolve`.
    """

    _engine: Engine
    _side: int
    _observations: NDArray[np.float32]

    def __init__(
        self,
        name: str,
        script: Script | None = None,
        policy: Policy | None = None,
        given: Any = None,
    ) -> None:
        self.name, self.script, self.policy, self.given = name, script, policy, given
        self._asked, self._players, self._is_joint = name, 1, False
        self._state: Any = None  # hidden, of the policy
        self._is_first = True  # to act in the games that it has joined

    def __repr__(self) -> str:
        return f"Player({self.name!r})"

    def changed(self, **attributes: Any) -> Player:
        """A copy that has joined no games, with other attributes."""
        own = {name: getattr(self, name) for name in ("name", "script", "policy", "given")}
        return Player(**{**own, **attributes})

    @property
    def is_person(self) -> bool:
        """True if its actions come from outside."""
        return self.script is None and self.policy is None

    @property
    def remembers(self) -> bool:
        """True for a policy that has answered with a hidden state."""
        return self._state is not None

    @property
    def follows_chance(self) -> bool:
        """True for a `RandomPolicy` without a seed: in games it draws from their chance."""
        return type(self.policy) is RandomPolicy and self.policy.seed is None

    def plays_like(self, other: Player) -> bool:
        """True for an equal script, or the same policy."""
        if self.script is not None:
            return self.script == other.script
        if not isinstance(self.given, str | Path):
            return self.given is other.given
        is_same = self.given == other.given
        if isinstance(self.policy, SavedPolicy):  # whose file may be another now
            return is_same and self.policy.is_equal(other.policy)
        return is_same

    def resume(self, before: Player) -> Player:
        """A copy that goes on with the policy and the hidden state of a player like it."""
        resumed = copy(before)
        resumed.name, resumed.given = self.name, self.given
        return resumed

    def fit(self, side: int, players: int, features: int) -> Player:
        """A copy with a new hidden state, for a side of some players and their features.

        Raises:
            InvalidType: if the policy's signature does not fit.
            InvalidValue: if its spaces do not.
        """
        fitted = self.changed()
        if self.policy is not None:
            fitted._asked = f"{policy_name(self.policy)} as {Side(side).name}"
            fitted._players = players
            _check_signature(self.policy, fitted._asked)
            is_team = _is_for_team(self.policy, fitted._asked, players, features)
            is_mixture = players > 1 and isinstance(self.policy, MixturePolicy)
            fitted._is_joint = is_team or is_mixture
        return fitted

    def join(self, engine: Engine, side: int) -> Player:
        """A copy that plays a side of an engine's games, from its own observation.

        Raises:
            InvalidType, InvalidValue: see `fit`.
        """
        if self.policy is not None:
            seen = seen_in_scenario(self.policy, engine.config)
            if seen is not None or is_for_chosen_features(self.policy, engine, side):
                engine.sense(side, seen)
        players, features = engine.side_size(side), engine.learning.sizes[side]
        joined = self.fit(side, players, features)
        joined._engine, joined._side = engine, side
        joined._observations = np.zeros((engine.num_games, players, features), np.float32)
        return joined

    def act(
        self, running: NDArray[np.bool_], asked: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float32]:
        """Returns actions in the games that it has joined, (N, players, 2).

        A script has none, (0, players, 2). Games that are not over are ``running``, (N,); a
        policy gets the last observations of others again. Or it acts in the M games alone that
        it is ``asked`` about, (N,), and returns (M, players, 2).
        """
        if self.script is not None:
            return self._engine.no_actions(self._side)
        self._engine.observe(self._side, running, self._observations)
        episode_start = np.full(len(running), self._is_first)
        self._is_first = False
        return self.choose(self._observations, episode_start, asked)

    def choose(
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

        Raises:
            InvalidType, InvalidValue: for anything but a pair with finite actions that fit.
        """
        if playing is None or playing.all():
            actions, self._state = self._ask(observations, episode_start)
            return actions
        if self._state is None:  # a first call that gives a state is repeated for all games
            actions, state = self._ask(observations[playing], episode_start[playing])
            if state is None:
                return actions
        actions, self._state = self._ask(observations, episode_start)
        return actions[playing]

    def draw(self, key: NDArray[np.uint64], steps: NDArray[np.int64]) -> NDArray[np.float32]:
        """The actions of one that `follows_chance`, (N, players, 2), by `random_actions`."""
        is_discrete = not isinstance(getattr(self.policy, "action_space", None), spaces.Box)
        return random_actions(key, steps, self._players, is_discrete)

    def _ask(
        self, observations: NDArray[np.float32], episode_start: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], Any]:
        """The actions (N, players, 2) in N games, and the policy's next state."""
        if self._is_joint:
            games, players = len(observations), self._players
            asked, starts = observations.copy(), episode_start.copy()
        else:
            games, players = observations.shape[0] * self._players, 1
            asked = observations.reshape(games, observations.shape[-1]).copy()
            starts = np.repeat(episode_start, self._players)
        assert self.policy is not None
        answer = self.policy.predict(
            asked, state=self._state, episode_start=starts, deterministic=True
        )
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise InvalidType(
                f"{self._asked} must return (actions, state) from predict, {got(answer)}"
            )
        try:
            actions = _converted(answer[0], games, players)
        except (TypeError, ValueError) as error:
            what = f"{self._asked} returned actions that do not fit"
            raise type(error)(f"{what}: {error}") from error
        if not np.isfinite(actions).all():
            raise InvalidValue(f"{self._asked} returned actions that are not finite")
        return actions.reshape(len(observations), self._players, 2), answer[1]


AnyPlayer: TypeAlias = (
    str | Path | Player | Script | Policy | Mapping[str, Any] | Callable[..., Any]
)
"""The kinds of players that a caller may pass, explained by `resolver.resolve`."""


def make_engine(
    config: Game,
    players: tuple[Player, Player],
    num_games: int = 1,
    num_threads: int | None = None,
    learner: Side | None = None,
) -> Engine:
    """Makes an engine for games between two players. Noise and delays are the learner's."""
    pursuer, evader = (player.script for player in players)
    config = seen_by([player.policy for player in players], config)
    return Engine(config, [pursuer], [evader], num_games, None, num_threads, learner)


def policy_name(policy: Policy) -> str:
    """The name of a policy in messages, without its address in memory."""
    if type(policy).__repr__ is object.__repr__:
        return f"the policy {type(policy).__name__}"
    return f"the policy {policy!r}"


def _is_for_team(policy: Policy, name: str, players: int, features: int) -> bool:
    """True if a policy acts for a team jointly, or an InvalidValue if its spaces do not fit."""
    space = getattr(policy, "observation_space", None)
    shape = space.shape if isinstance(space, spaces.Space) else None
    is_joint = players > 1 and shape == (players, features)
    fits = shape in (None, (features,))
    if isinstance(policy, SavedPolicy):
        fits = policy.takes(features)
    if not is_joint and not fits:
        fitting = f"{(features,)}"
        fitting += f", or {(players, features)} for the team" if players > 1 else ""
        raise InvalidValue(
            f"{name} was made for observations of shape {shape}, and this game's "
            f"have {fitting}: {_PICTURES if len(shape or ()) == 3 else _OTHERS}"
        )
    space = getattr(policy, "action_space", None)
    count = players if is_joint else 1
    valid = [action_space(kind, count) for kind in ("continuous", "discrete")]
    if isinstance(space, spaces.Space) and not any(_is_like(space, ours) for ours in valid):
        raise InvalidValue(
            f"{name} was made for actions of {space}; for its observations they are "
            f"{' or '.join(map(str, valid))}"
        )
    return is_joint


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
