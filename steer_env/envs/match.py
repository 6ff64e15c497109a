"""A match: N games in which one side learns, and the other is a script or a policy.

Both environments, the single and the vector one, are thin faces over it. A `PolicyPlayer`
asks a policy for actions, and checks the answers.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.actions import DIRECTIONS, action_space, engine_actions
from steer_env.envs.episode_options import episode_options
from steer_env.envs.keywords import Weights, normalized_weights
from steer_env.envs.pool import Opponent, Pool
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine, Outcome
from steer_env.game.limits import check_observable, with_limits
from steer_env.game.random import random_actions
from steer_env.game.scales import observed_features
from steer_env.game.state import UNSTARTED
from steer_env.players import Player, Policy, controller_of, listed, name_of
from steer_env.policies.random import RandomPolicy
from steer_env.scripts.script import Script
from steer_env.sides import Side


class Match:
    """The learner's side of N games.

    Args:
        config: the game.
        side: the learner's.
        opponent: one player or several, of which every episode draws one; see `players`.
        num_games: N.
        max_episode_steps: the length of an episode, if it is shorter than the horizon.
        num_threads: see `Engine`.
        weights: see `keywords.normalized_weights`.
    """

    def __init__(
        self,
        config: GameConfig,
        side: int,
        opponent: Player | Sequence[Player],
        num_games: int = 1,
        max_episode_steps: int | None = None,
        num_threads: int | None = None,
        weights: Weights = None,
    ) -> None:
        self.side = side
        self.other_side = Side(side).other
        counts = config.pursuers, config.evaders
        self.players, self.opponent_players = counts[side], counts[self.other_side]
        self._num_features = len(observed_features(config))
        self._space = config
        opponents = [self._opponent(player) for player in listed(opponent)]
        chances = normalized_weights(weights, len(opponents))
        sides: list[list[Script | None]] = [[None], [None]]
        sides[self.other_side] = [one.script for one in opponents]
        self.engine = Engine(
            config, sides[0], sides[1], num_games, max_episode_steps, num_threads
        )
        self._pool = Pool(self.engine, self.other_side, opponents, chances)
        self._find_policies()

    def _opponent(self, player: Player) -> Opponent:
        controller, policy = controller_of(player, self.other_side, what="opponent"), None
        if not isinstance(controller, Script):
            policy = PolicyPlayer(
                controller, self.other_side, self.opponent_players, self._num_features
            )
        return Opponent(player, name_of(player), controller, policy)

    def _find_policies(self) -> None:
        members = self._pool.members
        self._policies = [(i, m.policy) for i, m in enumerate(members) if m.policy is not None]
        self._looks = not all(policy.is_random for _, policy in self._policies)
        games = self.engine.num_games if self._policies else 0
        self.opponent_actions = np.zeros((games, self.opponent_players, 2), np.float32)

    @property
    def config(self) -> GameConfig:
        """The game, with the limits that episodes draw from now on."""
        return self.engine.config

    @property
    def opponents(self) -> tuple[Player, ...]:
        """The players that episodes draw from, as they were passed."""
        return tuple(opponent.player for opponent in self._pool.opponents)

    def set_opponents(
        self, opponent: Player | Sequence[Player], weights: Weights = None
    ) -> None:
        """Has episodes that begin from now on draw from other opponents; see `Match`."""
        opponents = [self._opponent(player) for player in listed(opponent)]
        self._pool.replace(opponents, normalized_weights(weights, len(opponents)))
        self._find_policies()

    def set_limits(self, pursuer: object, evader: object) -> None:
        """Has episodes that begin from now on draw other limits; see `with_limits`."""
        self.engine.set_limits(self._with_limits({"pursuer": pursuer, "evader": evader}))

    def _with_limits(self, given: Mapping[str, object]) -> GameConfig:
        config = self.config
        for side, limits in given.items():
            if limits is not None:
                config = with_limits(config, side, limits)
        self._check_observable(config)
        return config

    def _check_observable(self, config: GameConfig) -> None:
        check_observable(config, self._space)

    @property
    def has_policies(self) -> bool:
        """Whether an opponent is a policy, which `ask_policies` must ask before a step."""
        return bool(self._policies)

    @property
    def opponent_weights(self) -> NDArray[np.float64]:
        """The probability of each opponent in episodes that begin from now on; a copy."""
        return self._pool.weights

    @opponent_weights.setter
    def opponent_weights(self, weights: Weights) -> None:
        self._pool.weights = normalized_weights(weights, len(self._pool.opponents))

    @property
    def opponent_index(self) -> NDArray[np.int64]:
        """Which of the opponents plays in each game, (N,); -1 for one not among them."""
        playing = self._pool.playing
        return np.where(playing < len(self._pool.opponents), playing, -1)

    def names(self, game: int) -> tuple[str, str]:
        """The names of the pursuers and the evaders of a game in pictures."""
        opponent = self._pool.members[int(self._pool.playing[game])].name
        return self.other_side.ordered(opponent, "learner")

    def reset(
        self,
        seeds: list[int | None],
        generator: np.random.Generator,
        mask: NDArray[np.bool_] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Begins new episodes.

        Args:
            seeds: N seeds; None goes on with what the game was seeded with before.
            generator: seeds games that never were.
            mask: (N,); only games where it is True begin anew. None for all.
            options: of these episodes; see `episode_options`.

        Raises:
            InvalidType, InvalidValue: for options that are not valid; nothing has begun then.
        """
        if not options:
            self._start(seeds, generator, mask)
            return
        chosen = np.ones(self.engine.num_games, np.bool_) if mask is None else mask
        given = episode_options(options, self.config, chosen, self._check_observable)
        opponents = [self._opponent(player) for player in given.opponents or ()]
        before = self.engine.get_state()
        self._start(seeds, generator, mask, given.limits)
        if given.placement is not None:
            try:
                given.placement.apply(self.engine, chosen)
            except InvalidValue:
                self.engine.set_state(before)
                raise
        if opponents:
            games = np.flatnonzero(chosen)
            is_one = len(opponents) == 1
            self._pool.let_play([opponents[0 if is_one else game] for game in games], games)
            self._find_policies()

    def _start(
        self,
        seeds: Sequence[int | None],
        generator: np.random.Generator,
        mask: NDArray[np.bool_] | None,
        limits: Sequence[tuple[NDArray[np.bool_], GameConfig]] | None = None,
    ) -> None:
        state = self.engine.state
        seeds = list(seeds)
        if mask is not None:
            seeds = [seed if chosen else None for seed, chosen in zip(seeds, mask, strict=True)]
        unseeded = np.flatnonzero((state.phase == UNSTARTED) & (state.key == 0))
        for index in unseeded:
            if seeds[index] is None:
                seeds[index] = int(generator.integers(2**63))
        self.engine.seed(seeds)
        for games, config in [(mask, None)] if limits is None else limits:
            self.engine.start(games, config)

    def ask_policies(self) -> None:
        """Fills `opponent_actions` with what the policies among the opponents do."""
        if not self._policies:
            return
        state, playing = self.engine.state, self._pool.playing
        observations = self.engine.observe(self.other_side) if self._looks else None
        for index, policy in self._policies:
            chosen = playing == index
            if policy.is_random:
                actions = policy.draw(state.key[chosen], state.steps[chosen])
            elif observations is not None and chosen.any():
                actions = policy.act(observations, state.steps == 0, chosen)
            else:
                continue
            self.opponent_actions[chosen] = actions

    def set_state(self, state: NDArray[np.void]) -> None:
        """Puts all games into a state; see `Engine.set_state`.

        Raises:
            gymnasium.error.ResetNeeded: if it is of games that have not begun.
        """
        self.engine.check_state(state)
        if (state["game"]["phase"] == UNSTARTED).any():
            raise ResetNeeded("the state is of games that have not begun; call reset()")
        self.engine.set_state(state)

    def actions_by_side(
        self, actions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The learner's actions and the opponents', in the order pursuers, evaders."""
        return self.other_side.ordered(self.opponent_actions, actions)

    def step(self, actions: NDArray[np.float32], restart: bool) -> Outcome:
        """Steps all games; see `Engine.step`."""
        if self._policies:
            # A policy must not be asked for a step that is refused.
            self.engine.check_step([actions], restart)
            self.ask_policies()
        return self.engine.step(*self.actions_by_side(actions), self.side, restart)


def observation_space(config: GameConfig, side: int) -> spaces.Box:
    """What a side sees in one game: (features,), or (players, features) for a team."""
    layout = observed_features(config)
    low = np.array([feature.low for feature in layout], np.float32)
    high = np.array([feature.high for feature in layout], np.float32)
    players = (config.pursuers, config.evaders)[side]
    if players > 1:
        low, high = np.tile(low, (players, 1)), np.tile(high, (players, 1))
    return spaces.Box(low, high, dtype=np.float32)


_SIGNATURE = "(observation, state=, episode_start=, deterministic=)"


class PolicyPlayer:
    """A policy that plays one side of N games, with the hidden state that it returned last.

    A policy made for the observations of the whole team, ``observation_space.shape ==
    (players, features)``, is asked for all its players' actions jointly. Every other policy is
    asked for each player by itself, as if each were a game of its own.

    A policy without a hidden state is asked only for the games that it plays in, so the same
    row of two calls may be of different games. Once it returns a state, it is asked for all
    games, so that each row of the state stays with its game. If the first call that returns
    one was for some of the games only, it is repeated for all of them, with state None.

    Args:
        policy: with stable-baselines3's ``predict``. Its ``observation_space`` and
            ``action_space`` are checked if it has them.
        side: PURSUER or EVADER.
        players: on this side of one game.
        features: of one player's observation.

    Attributes:
        is_random: whether it is a `RandomPolicy` without a seed, which draws from the chance of
            each game (`draw`) instead of being asked.

    Raises:
        InvalidType: if its predict does not take what it would be asked with.
        InvalidValue: if it says that it was made for another kind of game.
    """

    def __init__(self, policy: Policy, side: int, players: int, features: int) -> None:
        self._policy, self._players = policy, players
        self._name = f"{policy_name(policy)} as {Side(side).name}"
        self._state: Any = None
        self.is_random = type(policy) is RandomPolicy and policy.seed is None
        _check_signature(policy, self._name)
        shape = _shape_of_space(policy)
        self._is_joint = players > 1 and shape == (players, features)
        if not self._is_joint and shape not in (None, (features,)):
            fitting = f"{(features,)}"
            fitting += f", or {(players, features)} for the team" if players > 1 else ""
            raise InvalidValue(
                f"{self._name} was made for observations of shape {shape}, and this game's "
                f"have {fitting}: is it for other numbers of players or obstacles?"
            )
        self._check_action_space(features)

    def draw(self, key: NDArray[np.uint64], steps: NDArray[np.int64]) -> NDArray[np.float32]:
        """The actions of a random policy without a seed; see `random_actions`."""
        is_discrete = not isinstance(getattr(self._policy, "action_space", None), spaces.Box)
        return random_actions(key, steps, self._players, is_discrete)

    def act(
        self,
        observations: NDArray[np.float32],
        episode_start: NDArray[np.bool_],
        playing: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.float32]:
        """What the players do in the games that the policy plays in.

        Args:
            observations: (N, players, features); copied, so that the policy may keep them.
            episode_start: (N,): where an episode begins.
            playing: (N,): in which M games the policy plays; None for all.

        Returns:
            The actions in the engine's form, (M, players, 2).

        Raises:
            InvalidType: if the policy does not return a pair, or its actions are not numbers.
            InvalidValue: if they have another shape, or are not finite.
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
        if self._is_joint:
            games, players = len(observations), self._players
            asked, starts = observations.copy(), episode_start.copy()
        else:
            games, players = observations.shape[0] * self._players, 1
            asked = observations.reshape(games, observations.shape[-1]).copy()
            starts = np.repeat(episode_start, self._players)
        answer = self._policy.predict(
            asked, state=self._state, episode_start=starts, deterministic=True
        )
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise InvalidType(
                f"{self._name} must return (actions, state) from predict, got "
                f"{_description(answer)}"
            )
        try:
            actions = _converted(answer[0], games, players)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"{self._name} returned actions that do not fit: {error}"
            ) from error
        if not np.isfinite(actions).all():
            raise InvalidValue(f"{self._name} returned actions that are not finite")
        return actions.reshape(len(observations), self._players, 2), answer[1]

    def _check_action_space(self, features: int) -> None:
        space = getattr(self._policy, "action_space", None)
        if not isinstance(space, spaces.Space):
            return
        players = self._players if self._is_joint else 1
        if _is_like(space, action_space("continuous", players)):
            return
        if _is_like(space, action_space("discrete", players)):
            return
        valid = f"one vehicle's are {_valid_spaces(1)}"
        if self._players > 1:
            valid += (
                f"; a team's, for observations of shape {(self._players, features)}, are "
                f"{_valid_spaces(self._players)}"
            )
        raise InvalidValue(f"{self._name} was made for actions of {space}; {valid}")


def policy_name(policy: Policy) -> str:
    """How a policy is called in messages: never by its address in memory."""
    if type(policy).__repr__ is object.__repr__:
        return f"the policy {type(policy).__name__}"
    return f"the policy {policy!r}"


def _shape_of_space(policy: Policy) -> tuple[int, ...] | None:
    """The shape of the observations that a policy says it was made for, if it says any."""
    space = getattr(policy, "observation_space", None)
    return space.shape if isinstance(space, spaces.Space) else None


def _is_like(space: spaces.Space[Any], ours: spaces.Space[Any]) -> bool:
    """Whether a policy's space has our kind and size; bounds and dtype may be its own."""
    if not isinstance(space, type(ours)) or space.shape != ours.shape:
        return False
    if isinstance(space, spaces.Box):
        return True
    count = "n" if isinstance(space, spaces.Discrete) else "nvec"
    return all(
        np.array_equal(getattr(space, name), getattr(ours, name)) for name in (count, "start")
    )


def _valid_spaces(players: int) -> str:
    shape = "(2,)" if players == 1 else f"({players}, 2)"
    return f"Box(-1, 1, {shape}) or {action_space('discrete', players)}"


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
            "FunctionPolicy(policy.predict), from baselines"
        ) from None


def _description(answer: Any) -> str:
    """The type of an answer and its size, since all its numbers would fill a screen."""
    kind = type(answer).__name__
    if isinstance(answer, tuple | list):
        return f"a {kind} of length {len(answer)}"
    shape = getattr(answer, "shape", None)
    return kind if shape is None else f"{kind} of shape {tuple(shape)}"


def _converted(given: Any, games: int, players: int) -> NDArray[np.float32]:
    """Actions in the engine's form; their shape shows whether they are discrete."""
    actions = np.asarray(given)
    discrete_shape = (games,) if players == 1 else (games, players)
    continuous_shape = (*discrete_shape, 2)
    if actions.shape not in (discrete_shape, continuous_shape):
        raise InvalidValue(
            f"actions must have the shape {continuous_shape}, real numbers, or "
            f"{discrete_shape}, integers from 0 to {len(DIRECTIONS) - 1}; got {actions.shape}"
        )
    if actions.shape == continuous_shape:
        return engine_actions(actions, "continuous", games, players)
    if actions.dtype.kind not in "iu":
        raise InvalidType(
            f"actions of the shape {discrete_shape} are discrete and must be integers, got "
            f"dtype {actions.dtype}; continuous ones have the shape {continuous_shape}"
        )
    return engine_actions(actions, "discrete", games, players)
