"""N games, the sides that learn in them, and the opponents of the others.

All environments are thin adapters over `LearnerGames`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.envs.reset_options import with_starts
from steer_env.errors import InvalidType, InvalidValue, check_choice, got
from steer_env.game.config import SIDES, Game
from steer_env.game.config.starts import start_table
from steer_env.game.engine import Engine
from steer_env.game.rules import check_observable, unscaled_features, with_limits
from steer_env.game.run.runner import Outcome
from steer_env.game.state import RUNNING, UNSTARTED
from steer_env.players.mixture import Weights, normalized_weights
from steer_env.players.player import AnyPlayer, Player
from steer_env.players.resolver import listed, resolve
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side


def _place(opponent: Player, members: Sequence[Player]) -> int | None:
    """The number of the member that plays like an opponent."""
    return next((n for n, member in enumerate(members) if member.plays_like(opponent)), None)


class Returns:
    """Adds up the rewards of episodes, and warns once if a learner's terms outweigh a capture.

    They do where the mean return of 20 episodes is further than a capture from what the game's
    own can be.
    """

    def __init__(self, config: Game, side: Side, num_games: int) -> None:
        reward = config.reward
        self._capture = reward.capture
        ends = -reward.time - reward.closing, reward.capture + reward.closing
        self._low, self._high = ends if side is PURSUER else (-ends[1], -ends[0])
        self._sums = np.zeros(num_games)
        self._ended: list[float] = []
        is_known = config.target is None and not config.has_rule("reward")
        self.are_watched = bool(reward.terms) and is_known and reward.capture > 0.0

    def forget(self, mask: NDArray[np.bool_] | None = None) -> None:
        """Drops the episodes that run, in the games of a mask (N,) or in all."""
        self._sums[slice(None) if mask is None else mask] = 0.0

    def add(self, step: Outcome) -> None:
        """Adds the rewards of a step of all games."""
        if not self.are_watched:
            return
        self._sums += step.rewards
        over = step.terminated | step.truncated
        if not over.any():
            return
        self._ended += self._sums[over].tolist()
        self._sums[over] = 0.0
        self.are_watched = len(self._ended) < 20
        mean = float(np.mean(self._ended))
        beyond = max(mean - self._high, self._low - mean)
        if not self.are_watched and beyond > self._capture:
            gym.logger.warn(
                f"the reward terms outweigh a capture, which counts {self._capture:g}: the "
                f"first {len(self._ended)} episodes return {mean:.2f} on average, and without "
                f"the terms a return is from {self._low:g} to {self._high:g}. The learner may "
                "care for the terms alone; lower their weights if that is not meant."
            )


class LearnerGames:
    """N games in which one side learns, or both: then side and opponent are None.

    Every episode draws one of the opponents by their weights. Replaced or one-episode opponents
    stay loaded until their last episode ends.

    Attributes:
        sides: those that learn.
        side: the first of them.
        players: of this side in one game.
        opponent_players: of the other side.
        opponents: that episodes draw from.
        policies: among the opponents, which `ask_policies` asks before a step.
    """

    def __init__(
        self,
        config: Game,
        side: int | None,
        opponent: AnyPlayer | Sequence[AnyPlayer] | None,
        num_games: int = 1,
        max_episode_steps: int | None = None,
        num_threads: int | None = None,
        weights: Weights = None,
        credit_method: int | None = None,
    ) -> None:
        self.sides = tuple(Side) if side is None else (Side(side),)
        self.side, self.other_side = self.sides[0], self.sides[0].other
        self.players, self.opponent_players = self.side.ordered(config.pursuers, config.evaders)
        self._num_features = len(unscaled_features(config))
        scripts: list[list[Script | None]] = [[None], [None]]
        players = [] if opponent is None else listed(opponent)
        self.opponents = tuple(map(self._opponent, players))
        if self.opponents:
            scripts[self.other_side] = [one.script for one in self.opponents]
        elif any(one.noise or one.delay for one in (config.observation, config.action)):
            raise InvalidValue("where both sides learn, noise and delays are not possible")
        elif config.reward.terms:
            what = "where both sides learn, a zero-sum game, reward terms are refused"
            raise InvalidValue(what)
        numbers = num_games, max_episode_steps, num_threads
        self.engine = Engine(config, scripts[0], scripts[1], *numbers, side, credit_method)
        self.returns = Returns(config, self.side, num_games)
        self._members = self.opponents  # and then those that play out an episode
        if self.opponents:
            self.opponent_weights = weights
        elif not config.observation.is_standard:
            for each in Side:
                self.engine.sense(each)
        self._find_policies()

    def _opponent(self, given: AnyPlayer) -> Player:
        player = resolve(given, self.other_side, what="opponent")
        return player.fit(self.other_side, self.opponent_players, self._num_features)

    def _find_policies(self) -> None:
        members = enumerate(self._members)
        self.policies = [(number, one) for number, one in members if one.script is None]
        self._looks = not all(policy.follows_chance for _, policy in self.policies)
        self.opponent_actions = self.engine.no_actions(self.other_side)
        if self.policies:
            shape = self.engine.num_games, self.opponent_players, 2
            self.opponent_actions = np.zeros(shape, np.float32)

    def set_opponents(
        self, opponent: AnyPlayer | Sequence[AnyPlayer], weights: Weights = None
    ) -> None:
        """See `LearnerEnv.set_opponent`."""
        self._check_has_opponents()
        opponents = [self._opponent(player) for player in listed(opponent)]
        self._change(opponents, normalized_weights("opponent_weights", weights, len(opponents)))

    def _check_has_opponents(self) -> None:
        if not self.opponents:
            raise InvalidValue("both sides learn, so this environment has no opponents")

    @property
    def opponent_weights(self) -> NDArray[np.float64]:
        """A copy of the probability of each opponent in episodes that begin from now on."""
        return self.engine.mixtures.weights(self.other_side)[: len(self.opponents)]

    @opponent_weights.setter
    def opponent_weights(self, weights: Weights) -> None:
        self._check_has_opponents()
        chances, opponents = np.zeros(len(self._members)), len(self.opponents)
        chances[:opponents] = normalized_weights("opponent_weights", weights, opponents)
        self.engine.mixtures.set_weights(self.other_side, chances)

    @property
    def opponent_index(self) -> NDArray[np.int64]:
        """The number of the opponent in each game, (N,), or -1 for one not among them."""
        self._check_has_opponents()
        playing = self.engine.state.script[self.other_side]
        return np.where(playing < len(self.opponents), playing, -1)

    def names(self, game: int) -> tuple[str, str]:
        """The names of the pursuers and the evaders of a game in pictures."""
        if not self.opponents:
            return "learner", "learner"
        playing = self.engine.state.script[self.other_side]
        return self.other_side.ordered(self._members[int(playing[game])].name, "learner")

    def _let_play(self, opponents: Sequence[Player], games: NDArray[np.intp]) -> None:
        """Gives games that have just begun these opponents, one for each of the N games."""
        different = list({id(opponents[game]): opponents[game] for game in games}.values())
        if any(_place(one, self._members) is None for one in different):
            self._change(self.opponents, self.opponent_weights, different)
        numbers = {id(one): _place(one, self._members) for one in different}
        found = [numbers[id(opponents[game])] for game in games]
        self.engine.state.script[self.other_side][games] = found

    def _change(
        self,
        opponents: Sequence[Player],
        weights: NDArray[np.float64],
        guests: Sequence[Player] = (),
    ) -> None:
        """Rebuilds the members: opponents, current players and guests, each once."""
        state = self.engine.state
        playing = np.unique(state.script[self.other_side][state.phase != UNSTARTED]).tolist()
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
        self.engine.set_scripts(self.other_side, scripts, chances, numbers)
        self.opponents, self._members = tuple(members[: len(opponents)]), tuple(members)
        self._find_policies()

    def limited(self, given: object) -> Game:
        """The game with other limits of "pursuer", "evader" or both, see `with_limits`."""
        if not isinstance(given, Mapping):
            example = {"evader": {"max_speed": 3.0}}
            raise InvalidType(f"limits must be a dict such as {example}, {got(given)}")
        config = self.engine.config
        for side, limits in given.items():
            check_choice("side in limits", side, SIDES)
            config = with_limits(config, side, limits)
        check_observable(config, self.engine.space)
        self.engine.check_limits(config)
        return config

    def reset(
        self,
        seeds: list[int | None],
        generator: np.random.Generator,
        mask: NDArray[np.bool_] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Begins new episodes in the games of a mask (N,), or in all.

        The N seeds may be None: such a game goes on with what it was seeded with before, or the
        generator seeds it. Options are of `reset_options.OPTIONS`; nothing has begun if one is
        not valid.
        """
        if not options:
            self._start(seeds, generator, mask)
            return
        for name in ("start", "limits"):
            if "state" in options and name in options:
                raise InvalidValue(f"'state' says where vehicles are; leave out {name!r}")
        chosen = np.ones(self.engine.num_games, np.bool_) if mask is None else mask
        opponents = starts = limits = None
        if "opponent" in options:
            opponents = self._opponent_of_each(options["opponent"])
        if "start" in options:
            counts = self.engine.config.pursuers, self.engine.config.evaders
            starts = start_table(options["start"], counts, len(chosen))
        if "limits" in options:
            limits = self.limited(options["limits"])
        before = self.engine.get_state()
        self._start(seeds, generator, mask, limits)
        try:
            if starts is not None:
                self.engine.set_state(with_starts(self.engine, starts, chosen))
            if "state" in options:
                self._put_into(options["state"], chosen, seeds)
            if opponents is not None:
                self._let_play(opponents, np.flatnonzero(chosen))
        except (InvalidType, InvalidValue, ResetNeeded):
            self.engine.restore(before)
            raise

    def _opponent_of_each(self, given: Any) -> list[Player]:
        """The opponents that a reset asks for, shared by games with the same player."""
        self._check_has_opponents()
        count = self.engine.num_games
        if isinstance(given, str) or not isinstance(given, Sequence):
            return [self._opponent(given)] * count
        if len(given) != count:
            what = f"the reset option 'opponent' must be one, or a list of {count}"
            raise InvalidValue(f"{what}, one for each game; got {len(given)}")
        keys = [player if isinstance(player, str | Path) else id(player) for player in given]
        made = {key: self._opponent(player) for key, player in dict(zip(keys, given)).items()}
        return [made[key] for key in keys]

    def _put_into(
        self, state: Any, chosen: NDArray[np.bool_], seeds: Sequence[int | None]
    ) -> None:
        """Sets new games to a state, with the chance of a seed if given."""
        self.engine.check_state(self._renumbered(state))
        begun = self.engine.get_state()
        begun[chosen] = np.asarray(state)[chosen]
        if (begun["game"]["phase"][chosen] != RUNNING).any():
            raise ResetNeeded("an episode can begin in a state of a game that is running only")
        self.set_state(begun)
        self.engine.seed([seed if is_one else None for seed, is_one in zip(seeds, chosen)])

    def _start(
        self,
        seeds: Sequence[int | None],
        generator: np.random.Generator,
        mask: NDArray[np.bool_] | None,
        limits: Game | None = None,
    ) -> None:
        state, seeds = self.engine.state, list(seeds)
        self.returns.forget(mask)
        if mask is not None:
            seeds = [seed if chosen else None for seed, chosen in zip(seeds, mask, strict=True)]
        for index in np.flatnonzero((state.phase == UNSTARTED) & (state.key == 0)):
            if seeds[index] is None:
                seeds[index] = int(generator.integers(2**63))
        self.engine.seed(seeds)
        self.engine.start(mask, limits)

    def set_state(self, state: NDArray[np.void]) -> None:
        """See `LearnerEnv.set_state`."""
        state = self._renumbered(state)
        self.engine.check_state(state)
        if (state["game"]["phase"] == UNSTARTED).any():
            raise ResetNeeded("the state is of games that have not begun; call reset()")
        self.engine.restore(state)
        self.returns.forget()

    def _renumbered(self, state: Any) -> Any:
        """The state with the row of scripts that the learner has now.

        The pursuers' rows come first, so that of an evader moves when its opponents change.
        """
        is_sound = isinstance(state, np.ndarray) and state.dtype == self.engine.record().dtype
        if self.side == PURSUER or not is_sound:
            return state
        renumbered = state.copy()
        begun, row = state["game"]["phase"] != UNSTARTED, self.engine.mixtures.counts[PURSUER]
        renumbered["players"]["script"][begun, self.engine.config.pursuers :] = row
        return renumbered

    def measures(self) -> dict[str, NDArray[Any]]:
        """The arrays of infos: "distance", "captured" (N,), of a team "alive" (N, players)."""
        state = self.engine.state
        # All are np.float64: JSON takes no np.int64, and TorchRL asks numbers for a dtype.
        captured = state.captured.astype(np.float64)
        found = {"distance": state.distance.copy(), "captured": captured}
        if self.players > 1:
            first = self.side * self.engine.config.pursuers
            found["alive"] = state.active[first : first + self.players].T.copy()
        return found

    def ask_policies(self, actions: NDArray[np.float32], restart: bool) -> None:
        """Fills `opponent_actions` for a step that `Engine.step` would not refuse."""
        self.engine.check_step([actions], restart)
        state = self.engine.state
        playing = state.script[self.other_side].copy()
        observations = self.engine.observe(self.other_side) if self._looks else None
        theirs = self.opponent_actions
        for index, policy in self.policies:
            chosen = playing == index
            if policy.follows_chance:
                theirs[chosen] = policy.draw(state.key[chosen], state.steps[chosen])
            elif observations is not None and chosen.any():
                theirs[chosen] = policy.choose(observations, state.steps == 0, chosen)

    def step(self, actions: NDArray[np.float32], restart: bool) -> Outcome:
        """Steps all games in which one side learns, as `Engine.step` does."""
        if self.policies:
            self.ask_policies(actions, restart)
        both = self.other_side.ordered(self.opponent_actions, actions)
        outcome = self.engine.step(*both, self.side, restart)
        self.returns.add(outcome)
        return outcome

    def step_sides(
        self, actions: Mapping[Side, NDArray[np.float32]], restart: bool
    ) -> dict[Side, Outcome]:
        """Steps all games by C-contiguous actions (N, players, 2) of each side that learns."""
        if len(self.sides) == 1:
            return {self.side: self.step(actions[self.side], restart)}
        outcomes = self.engine.step_both(actions[PURSUER], actions[EVADER], restart)
        return dict(zip(Side, outcomes))
