"""N games, the sides that learn in them, and the opponents of the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.envs.reset_options import chosen_maps, with_starts
from steer_env.errors import InvalidType, InvalidValue, check_choice, got
from steer_env.game.config import SIDES, Game
from steer_env.game.config.starts import start_table
from steer_env.game.engine import Engine
from steer_env.game.look.learner import chosen_features
from steer_env.game.rules import check_observable, unscaled_features, with_limits
from steer_env.game.run.runner import Outcome
from steer_env.game.run.turn import Turn, in_turn
from steer_env.game.state import UNSTARTED
from steer_env.players.mixture import Weights, normalized_weights
from steer_env.players.observed import has_own_features, seen_in_common, seen_in_scenario
from steer_env.players.player import AnyPlayer, Player
from steer_env.players.resolver import listed, resolve
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER, Side


def _place(opponent: Player, members: Sequence[Player]) -> int | None:
    """The number of the member that plays like an opponent."""
    return next((n for n, member in enumerate(members) if member.plays_like(opponent)), None)


class LearnerGames:
    """N games in which one side learns, or both, and what can change while they run.

    Every episode draws one of the opponents by their weights. Replaced or one-episode opponents
    stay loaded until their last episode ends. The methods ``set_...`` raise an InvalidType or
    an InvalidValue for what is not valid, and have changed nothing then.
    """

    np_random: np.random.Generator  # seeds games that have no seed
    _advance: Callable[[], int] | None = None  # the step that a single environment has bound

    def __init__(
        self,
        config: Game,
        side: int | None,
        opponent: AnyPlayer | Sequence[AnyPlayer] | None,
        weights: Weights = None,
        num_games: int = 1,
        max_episode_steps: int | None = None,
        num_threads: int | None = None,
        credit_method: int | None = None,
    ) -> None:
        """Makes the games. A side of None lets both learn: then the opponent is None, too."""
        # Python finds attributes fastest in objects that have at most 30 of them.
        self._side = PURSUER if side is None else Side(side)
        self._players = config.count(self._side.name)
        scripts: list[list[Script | None]] = [[None], [None]]
        players = [] if opponent is None else listed(opponent)
        self._opponents = tuple(self._resolved(one, config) for one in players)
        if self._opponents:
            scripts[self._other] = [one.script for one in self._opponents]
        elif any(one.noise or one.delay for one in (config.observation, config.action)):
            raise InvalidValue("where both sides learn, noise and delays are not possible")
        elif config.reward.terms:
            what = "where both sides learn, a zero-sum game, reward terms are refused"
            raise InvalidValue(what)
        numbers = num_games, max_episode_steps, num_threads
        self._engine = Engine(config, scripts[0], scripts[1], *numbers, side, credit_method)
        self._everyone = np.ones(num_games, np.bool_)
        self._members = self._opponents  # and then those that play out an episode
        if self._opponents:
            self._weigh(weights)
        elif not config.observation.is_standard:
            for each in Side:
                self._engine.sense(each)
        self._find_policies()

    def _resolved(self, opponent: AnyPlayer, config: Game) -> Player:
        player = resolve(opponent, self._other, what="opponent")
        count, size = config.count(self._other.name), len(unscaled_features(config))
        if player.policy is not None and (seen := seen_in_scenario(player.policy, config)):
            size = len(chosen_features(replace(config, observation=seen)))
        return player.fit(self._other, count, size)

    @property
    def _other(self) -> Side:
        return self._side.other

    @property
    def _sides(self) -> tuple[Side, ...]:
        return (self._side,) if self._opponents else tuple(Side)

    def _find_policies(self) -> None:
        """Finds the members that are asked before a step."""
        members = enumerate(self._members)
        self._policies = [(number, one) for number, one in members if one.script is None]
        if self._policies and has_own_features(self.config):
            policies = [one.policy for one in self._members]
            self._engine.sense(self._other, seen_in_common(policies, self.config))
        self._opponent_actions = self._engine.no_actions(self._other)
        if self._policies:
            shape = self._engine.num_games, self.config.count(self._other.name), 2
            self._opponent_actions = np.zeros(shape, np.float32)
        self._advance = None

    def _check_has_opponents(self) -> None:
        if not self._opponents:
            raise InvalidValue("both sides learn, so this environment has no opponents")

    @property
    def _turn(self) -> Turn:
        return self._engine.turn

    @property
    def config(self) -> Game:
        """The game, with the limits that episodes draw from now on."""
        return self._engine.config

    @property
    def opponent(self) -> tuple[AnyPlayer, ...]:
        """The opponents that episodes draw from (assigned as in `set_opponent`)."""
        return tuple(one.given for one in self._opponents)

    @opponent.setter
    def opponent(self, opponent: AnyPlayer | Sequence[AnyPlayer]) -> None:
        self.set_opponent(opponent)

    @in_turn
    def set_opponent(
        self, opponent: AnyPlayer | Sequence[AnyPlayer], weights: Weights = None
    ) -> None:
        """Sets the opponents for future episodes.

        Running episodes keep theirs: their `opponent_index` is -1 if their opponent is not
        among the new ones. A pool grows by ``env.set_opponent([*env.opponent, another])``;
        opponents in both keep their hidden states. Earlier states of `get_state` have the old
        numbers. The arguments are those of the keywords `opponent` and `opponent_weights`.
        """
        self._check_has_opponents()
        opponents = [self._resolved(player, self.config) for player in listed(opponent)]
        self._change(opponents, normalized_weights("opponent_weights", weights, len(opponents)))

    @property
    def opponent_weights(self) -> NDArray[np.float64]:
        """The probability of each opponent in future episodes, (opponents,)."""
        return self._engine.mixtures.weights(self._other)[: len(self._opponents)]

    @opponent_weights.setter
    @in_turn
    def opponent_weights(self, weights: Weights) -> None:
        self._weigh(weights)

    def _weigh(self, weights: Weights) -> None:
        self._check_has_opponents()
        chances, opponents = np.zeros(len(self._members)), len(self._opponents)
        chances[:opponents] = normalized_weights("opponent_weights", weights, opponents)
        self._engine.mixtures.set_weights(self._other, chances)

    def _playing(self) -> NDArray[np.int64]:
        """The number of the opponent in each game, (N,), or -1 for one not among them."""
        self._check_has_opponents()
        playing = self._engine.state.script[self._other]
        return np.where(playing < len(self._opponents), playing, -1)

    def _names(self, game: int) -> tuple[str, str]:
        """The names of the pursuers and the evaders of a game in pictures."""
        if not self._opponents:
            return "learner", "learner"
        playing = self._engine.state.script[self._other]
        return self._other.ordered(self._members[int(playing[game])].name, "learner")

    def _let_play(
        self, opponents: list[Player], plays: NDArray[np.int64], mask: NDArray[np.bool_]
    ) -> None:
        """Gives new games of a mask (N,) the opponents whose places in a list `plays` has."""
        guests = [opponents[place] for place in np.unique(plays[mask])]
        if any(_place(one, self._members) is None for one in guests):
            self._change(self._opponents, self.opponent_weights, guests)
        numbers = np.array([_place(one, self._members) or 0 for one in opponents])
        self._engine.state.script[self._other][mask] = numbers[plays[mask]]

    def _change(
        self,
        opponents: Sequence[Player],
        weights: NDArray[np.float64],
        guests: Sequence[Player] = (),
    ) -> None:
        """Rebuilds the members: opponents, current players and guests, each once."""
        state = self._engine.state
        playing = np.unique(state.script[self._other][state.phase != UNSTARTED]).tolist()
        members: list[Player] = []
        for opponent in opponents:
            before = _place(opponent, self._members)
            if before is None or _place(opponent, members) is not None:
                members.append(opponent)
            else:  # a policy that has played keeps its hidden states
                members.append(opponent.resume(self._members[before]))
        for one in (*(self._members[number] for number in playing), *guests):
            if _place(one, members) is None:
                members.append(one)
        numbers = np.array([_place(old, members) or 0 for old in self._members])
        chances = np.concatenate([weights, np.zeros(len(members) - len(opponents))])
        scripts = [member.script for member in members]
        seen_in_common([member.policy for member in members], self.config)
        self._engine.set_scripts(self._other, scripts, chances, numbers)
        self._opponents, self._members = tuple(members[: len(opponents)]), tuple(members)
        self._find_policies()

    @in_turn
    def set_limits(self, *, pursuer: Any = None, evader: Any = None) -> None:
        """Sets the vehicle limits sampled at the start of future episodes.

        ``set_limits(evader={"max_speed": 3.0, "mass": (1.0, 2.0)})``: speed is fixed, mass is
        drawn for every vehicle and episode. No limit can be larger than the largest of either
        side when the environment was made: make it with the widest ranges.

        Args:
            pursuer: a dict of limits, each a number or a pair (smallest, largest); or a list of
                dicts of numbers, one for each vehicle; None for no change.
            evader: the same.
        """
        sides = {"pursuer": pursuer, "evader": evader}.items()
        given = {side: limits for side, limits in sides if limits is not None}
        self._engine.set_limits(self._limited(given))

    def _limited(self, given: object) -> Game:
        """The game with other limits of "pursuer", "evader" or both, see `with_limits`."""
        if not isinstance(given, Mapping):
            example = {"evader": {"max_speed": 3.0}}
            raise InvalidType(f"limits must be a dict such as {example}, {got(given)}")
        config = self._engine.config
        for side, limits in given.items():
            check_choice("side in limits", side, SIDES)
            config = with_limits(config, side, limits)
        check_observable(config, self._engine.space)
        self._engine.check_limits(config)
        return config

    def _begin_games(
        self, seeds: Sequence[int | None], mask: NDArray[np.bool_], options: Mapping[str, Any]
    ) -> None:
        """Begins new episodes in the games of a mask (N,).

        The N seeds may be None: such a game goes on with what it was seeded with before, or
        `np_random` seeds it. Options are of `reset_options.OPTIONS`; nothing has begun if one
        is not valid.
        """
        if mask is not self._everyone:
            seeds = [seed if begins else None for seed, begins in zip(seeds, mask)]
        if not options:
            self._start(seeds, mask)
            return
        asked = starts = limits = maps = None
        if "opponent" in options:
            asked = self._asked_for(options["opponent"])
        if "start" in options:
            counts = self._engine.config.pursuers, self._engine.config.evaders
            starts = start_table(options["start"], counts, len(mask))
        if "limits" in options:
            limits = self._limited(options["limits"])
        if "map" in options:
            maps = chosen_maps(self.config, options["map"], len(mask))
        before = self._engine.get_state()
        self._start(seeds, mask, limits, maps)
        try:
            if starts is not None:
                self._engine.set_state(with_starts(self._engine, starts, mask))
            if asked is not None:
                self._let_play(*asked, mask)
        except (InvalidType, InvalidValue):
            self._engine.restore(before)
            raise

    def _asked_for(self, given: Any) -> tuple[list[Player], NDArray[np.int64]]:
        """The opponents that a reset asks for, and which of them plays each game, (N,)."""
        self._check_has_opponents()
        count = self._engine.num_games
        if isinstance(given, str) or not isinstance(given, Sequence):
            return [self._resolved(given, self.config)], np.zeros(count, np.int64)
        if len(given) != count:
            what = f"the reset option 'opponent' must be one, or a list of {count}"
            raise InvalidValue(f"{what}, one for each game; got {len(given)}")
        keys = [player if isinstance(player, str | Path) else id(player) for player in given]
        places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        different = dict(zip(keys, given)).values()
        found = [self._resolved(one, self.config) for one in different]
        return found, np.array([places[key] for key in keys])

    def _start(
        self,
        seeds: Sequence[int | None],
        mask: NDArray[np.bool_],
        limits: Game | None = None,
        maps: NDArray[np.int64] | None = None,
    ) -> None:
        state, seeds = self._engine.state, list(seeds)
        for index in np.flatnonzero((state.phase == UNSTARTED) & (state.key == 0)):
            if seeds[index] is None:
                seeds[index] = int(self.np_random.integers(2**63))
        self._engine.seed(seeds)
        self._engine.start(None if mask is self._everyone else mask, limits, maps)

    def _restore(self, state: Any) -> None:
        """Sets all games to a state, or raises the errors of `LearnerEnv.set_state`."""
        state = self._renumbered(state)
        self._engine.check_state(state)
        if (state["game"]["phase"] == UNSTARTED).any():
            raise ResetNeeded("the state is of games that have not begun; call reset()")
        self._engine.restore(state)

    def _renumbered(self, state: Any) -> Any:
        """The state with the row of scripts that the learner has now.

        The pursuers' rows come first, so that of an evader moves when its opponents change.
        """
        is_sound = isinstance(state, np.ndarray) and state.dtype == self._engine.record().dtype
        if self._side == PURSUER or not is_sound:
            return state
        renumbered = state.copy()
        begun, row = state["game"]["phase"] != UNSTARTED, self._engine.mixtures.counts[PURSUER]
        renumbered["players"]["script"][begun, self._engine.config.pursuers :] = row
        return renumbered

    def _alive(self) -> NDArray[np.bool_]:
        """Which of the learners are in play, (N, players)."""
        first = self._side * self._engine.config.pursuers
        return self._engine.state.active[first : first + self._players].T.copy()

    def _ask_policies(self, actions: NDArray[np.float32], restart: bool) -> None:
        """Fills `_opponent_actions` for a step that `Engine.step` would not refuse."""
        self._engine.check_step([actions], restart)
        state = self._engine.state
        playing = state.script[self._other].copy()
        looks = not all(policy.follows_chance for _, policy in self._policies)
        observations = self._engine.observe(self._other) if looks else None
        theirs = self._opponent_actions
        for index, policy in self._policies:
            chosen = playing == index
            if policy.follows_chance:
                theirs[chosen] = policy.draw(state.key[chosen], state.steps[chosen])
            elif observations is not None and chosen.any():
                theirs[chosen] = policy.choose(observations, state.steps == 0, chosen)

    def _step_games(self, actions: NDArray[np.float32], restart: bool) -> Outcome:
        """Steps all games in which one side learns, as `Engine.step` does."""
        if self._policies:
            self._ask_policies(actions, restart)
        both = self._side.ordered(actions, self._opponent_actions)
        return self._engine.step(*both, self._side, restart)
