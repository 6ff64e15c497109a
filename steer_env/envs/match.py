"""A match: N games, the sides that learn in them, and the opponents of the others.

All environments are thin adapters over it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.envs.keywords import Weights, check_fair, games_by_limits, normalized_weights
from steer_env.envs.policy_player import Opponent, PolicyPlayer
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine
from steer_env.game.exchange import Outcome
from steer_env.game.limits import check_observable, with_limits
from steer_env.game.placement import Placement
from steer_env.game.scales import observed_features
from steer_env.game.state import RUNNING, UNSTARTED
from steer_env.players import Player, controller_of, listed, name_of
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side


class Match:
    """N games in which one side learns, or both.

    An opponent that is replaced plays on until no game has an episode with it any more. So
    does one that was asked for in a single episode only.

    Args:
        config: the game.
        side: the learner's; None if both sides learn.
        opponent: one player or several, of which every episode draws one; see `players`. None
            if both sides learn.
        num_games: N.
        max_episode_steps: the length of an episode, if it is shorter than the horizon.
        num_threads: see `Engine`.
        weights: see `keywords.normalized_weights`.
        credit_method: see `Engine`.

    Attributes:
        sides: those that learn.
        side: the first of them.
        players: of this side in one game.
        opponent_players: of the other side.

    Raises:
        InvalidValue: for noise, delays and reward terms, which only a side that learns alone
            can have.
    """

    def __init__(
        self,
        config: GameConfig,
        side: int | None,
        opponent: Player | Sequence[Player] | None,
        num_games: int = 1,
        max_episode_steps: int | None = None,
        num_threads: int | None = None,
        weights: Weights = None,
        credit_method: int | None = None,
    ) -> None:
        self.sides = tuple(Side) if side is None else (Side(side),)
        self.side, self._space = self.sides[0], config
        self.other_side = self.side.other
        counts = config.pursuers, config.evaders
        self.players, self.opponent_players = counts[self.side], counts[self.other_side]
        self._num_features = len(observed_features(config))
        scripts: list[list[Script | None]] = [[None], [None]]
        players = [] if opponent is None else listed(opponent)
        self._opponents = tuple(map(self._opponent, players))
        if self._opponents:
            scripts[self.other_side] = [one.script for one in self._opponents]
        else:
            check_fair(config)
        numbers = num_games, max_episode_steps, num_threads
        self.engine = Engine(config, scripts[0], scripts[1], *numbers, side, credit_method)
        self._members = self._opponents  # and then those that play out an episode
        if self._opponents:
            self.opponent_weights = weights
        elif not config.observation.is_standard:
            for each in Side:
                self.engine.sense(each)
        self._find_policies()

    def _opponent(self, player: Player) -> Opponent:
        controller, policy = controller_of(player, self.other_side, what="opponent"), None
        if not isinstance(controller, Script):
            policy = PolicyPlayer(
                controller, self.other_side, self.opponent_players, self._num_features
            )
        return Opponent(player, name_of(player), controller, policy)

    def _find_policies(self) -> None:
        members = enumerate(self._members)
        self._policies = [(i, m.policy) for i, m in members if m.policy is not None]
        self._looks = not all(policy.is_random for _, policy in self._policies)
        games = self.engine.num_games if self._policies else 0
        self.opponent_actions = np.zeros((games, self.opponent_players, 2), np.float32)

    @property
    def config(self) -> GameConfig:
        """The game, with the limits that episodes draw from now on."""
        return self.engine.config

    @property
    def opponents(self) -> tuple[Player, ...]:
        """The players that episodes draw from, as they were passed; () if both sides learn."""
        return tuple(opponent.player for opponent in self._opponents)

    def set_opponents(
        self, opponent: Player | Sequence[Player], weights: Weights = None
    ) -> None:
        """Has episodes that begin from now on draw from other opponents; see `Match`."""
        self._check_has_opponents()
        opponents = [self._opponent(player) for player in listed(opponent)]
        self._change(opponents, normalized_weights(weights, len(opponents)))

    def _check_has_opponents(self) -> None:
        if not self._opponents:
            raise InvalidValue("both sides learn, so this environment has no opponents")

    @property
    def opponent_weights(self) -> NDArray[np.float64]:
        """The probability of each opponent in episodes that begin from now on; a copy."""
        return self.engine.mixtures.weights(self.other_side)[: len(self._opponents)]

    @opponent_weights.setter
    def opponent_weights(self, weights: Weights) -> None:
        self._check_has_opponents()
        chances = np.zeros(len(self._members))
        opponents = len(self._opponents)
        chances[:opponents] = normalized_weights(weights, opponents)
        self.engine.mixtures.set_weights(self.other_side, chances)

    @property
    def opponent_index(self) -> NDArray[np.int64]:
        """Which of the opponents plays in each game, (N,); -1 for one not among them."""
        self._check_has_opponents()
        playing = self.engine.state.script[self.other_side]
        return np.where(playing < len(self._opponents), playing, -1)

    def names(self, game: int) -> tuple[str, str]:
        """The names of the pursuers and the evaders of a game in pictures."""
        if not self._opponents:
            return "learner", "learner"
        playing = self.engine.state.script[self.other_side]
        return self.other_side.ordered(self._members[int(playing[game])].name, "learner")

    def _let_play(self, opponents: Sequence[Opponent], games: NDArray[np.intp]) -> None:
        """Gives games that have just begun these opponents, one for each of the N games."""
        playing = [opponents[game] for game in games]
        different = list({id(opponent): opponent for opponent in playing}.values())
        if None in map(self._number_of, different):
            self._change(self._opponents, self.opponent_weights, different)
        numbers = {id(opponent): self._number_of(opponent) for opponent in different}
        found = [numbers[id(opponent)] for opponent in playing]
        self.engine.state.script[self.other_side][games] = found

    def _number_of(self, opponent: Opponent) -> int | None:
        alike = (n for n, member in enumerate(self._members) if member.is_like(opponent))
        return next(alike, None)

    def _change(
        self,
        opponents: Sequence[Opponent],
        weights: NDArray[np.float64],
        guests: Sequence[Opponent] = (),
    ) -> None:
        """Makes the members anew: opponents, those that play, and guests; none twice."""
        state = self.engine.state
        playing = np.unique(state.script[self.other_side][state.phase != UNSTARTED]).tolist()
        members: list[Opponent] = []
        for opponent in opponents:
            before = self._number_of(opponent)
            known = before is not None and not any(m.is_like(opponent) for m in members)
            # The policy that has played keeps its hidden states.
            policy = self._members[before].policy if known and before is not None else None
            members.append(opponent._replace(policy=policy or opponent.policy))
        for candidate in (*(self._members[number] for number in playing), *guests):
            if not any(member.is_like(candidate) for member in members):
                members.append(candidate)
        numbers = [
            next((n for n, new in enumerate(members) if new.is_like(old)), 0)
            for old in self._members
        ]
        chances = np.zeros(len(members))
        chances[: len(opponents)] = weights
        scripts = [member.script for member in members]
        self.engine.set_scripts(self.other_side, scripts, chances, np.array(numbers))
        self._opponents, self._members = tuple(members[: len(opponents)]), tuple(members)
        self._find_policies()

    def set_limits(self, pursuer: object, evader: object) -> None:
        """Has episodes that begin from now on draw other limits; see `with_limits`."""
        config = self.config
        for side, limits in (("pursuer", pursuer), ("evader", evader)):
            if limits is not None:
                config = with_limits(config, side, limits)
        self._check_observable(config)
        self.engine.set_limits(config)

    def _check_observable(self, config: GameConfig) -> None:
        check_observable(config, self._space)
        self.engine.check_limits(config)

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
            options: of these episodes, some of `keywords.OPTIONS`. "opponent" is one
                player, or a list of N. "start" is what `Placement` takes, and "limits" has what
                `with_limits` takes for "pursuer", "evader" or both, where a limit may also be
                an array, as in `Placement`. "state" is what `get_state` returned; it can be
                combined with "opponent" only.

        Raises:
            InvalidType, InvalidValue: for options that are not valid; nothing has begun then.
        """
        if not options:
            self._start(seeds, generator, mask)
            return
        for name in ("start", "limits"):
            if "state" in options and name in options:
                raise InvalidValue(f"'state' says where vehicles are; leave out {name!r}")
        chosen = np.ones(self.engine.num_games, np.bool_) if mask is None else mask
        config, opponents, placement, limits = self.config, None, None, None
        if "opponent" in options:
            opponents = self._opponent_of_each(options["opponent"])
        if "start" in options:
            counts = config.pursuers, config.evaders
            placement = Placement(options["start"], len(chosen), counts)
        if "limits" in options:
            limits = list(games_by_limits(options["limits"], config, chosen))
            for _, game in limits:
                self._check_observable(game)
        before = self.engine.get_state()
        self._start(seeds, generator, mask, limits)
        try:
            if placement is not None:
                placement.apply(self.engine, chosen)
            if "state" in options:
                self._put_into(options["state"], chosen, seeds)
            if opponents is not None:
                self._let_play(opponents, np.flatnonzero(chosen))
        except (InvalidType, InvalidValue, ResetNeeded):
            self.engine.set_state(before)
            raise

    def _opponent_of_each(self, given: Any) -> list[Opponent]:
        """The opponents that a reset asks for, (N,); games with the same player share one."""
        self._check_has_opponents()
        count = self.engine.num_games
        if isinstance(given, str) or not isinstance(given, Sequence):
            return [self._opponent(given)] * count
        if len(given) != count:
            raise InvalidValue(
                "the reset option 'opponent' must be one opponent, or a list with one for each "
                f"of the {count} games, got {len(given)}"
            )
        keys = [player if isinstance(player, str | Path) else id(player) for player in given]
        made = {key: self._opponent(player) for key, player in dict(zip(keys, given)).items()}
        return [made[key] for key in keys]

    def _put_into(
        self, state: Any, chosen: NDArray[np.bool_], seeds: Sequence[int | None]
    ) -> None:
        """Puts games that have just begun into a state; a seed replaces the state's chance."""
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
        limits: Sequence[tuple[NDArray[np.intp], GameConfig]] | None = None,
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
        if limits is None:
            self.engine.start(mask)
            return
        for games, config in limits:
            begins = np.zeros(self.engine.num_games, np.bool_)
            begins[games] = True
            self.engine.start(begins, config)

    def set_state(self, state: NDArray[np.void]) -> None:
        """Puts all games into a state; see `Engine.set_state`.

        Raises:
            gymnasium.error.ResetNeeded: if it is of games that have not begun.
        """
        state = self._renumbered(state)
        self.engine.check_state(state)
        if (state["game"]["phase"] == UNSTARTED).any():
            raise ResetNeeded("the state is of games that have not begun; call reset()")
        self.engine.set_state(state)

    def _renumbered(self, state: Any) -> Any:
        """The state with the row of scripts that the learner has now.

        The pursuers' rows come first, so that of an evader moves when its opponents change.
        """
        is_sound = isinstance(state, np.ndarray) and state.dtype == self.engine.record().dtype
        if self.side == PURSUER or not is_sound:
            return state
        renumbered = state.copy()
        begun = state["game"]["phase"] != UNSTARTED
        row = self.engine.mixtures.counts[PURSUER]
        renumbered["players"]["script"][begun, self.config.pursuers :] = row
        return renumbered

    def measures(self) -> dict[str, NDArray[Any]]:
        """What the infos hold of each game, (N,); of a team also who is in play, (N, players).

        They are the engine's live arrays.
        """
        state = self.engine.state
        found = {"distance": state.distance, "captured": state.captured}
        if self.players > 1:
            first = 0 if self.side == PURSUER else self.config.pursuers
            found["alive"] = state.active[first : first + self.players].T
        return found

    @property
    def has_policies(self) -> bool:
        """True if an opponent is a policy, which `ask_policies` must ask before a step."""
        return bool(self._policies)

    def ask_policies(self) -> None:
        """Fills `opponent_actions` with what the policies among the opponents do."""
        if not self._policies:
            return
        state, playing = self.engine.state, self.engine.state.script[self.other_side].copy()
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

    def actions_by_side(
        self, actions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The learner's actions and the opponents', in the order pursuers, evaders."""
        return self.other_side.ordered(self.opponent_actions, actions)

    def step(self, actions: NDArray[np.float32], restart: bool) -> Outcome:
        """Steps all games in which one side learns; see `Engine.step`."""
        if self._policies:
            # A policy must not be asked for a step that is refused.
            self.engine.check_step([actions], restart)
            self.ask_policies()
        return self.engine.step(*self.actions_by_side(actions), self.side, restart)

    def step_sides(
        self, actions: Mapping[Side, NDArray[np.float32]], restart: bool
    ) -> dict[Side, Outcome]:
        """Steps all games; what each side that learns gets of it.

        Args:
            actions: of each of these sides, (N, players, 2), C-contiguous.
            restart: see `Engine.step`, as for what it raises.
        """
        if len(self.sides) == 1:
            return {self.side: self.step(actions[self.side], restart)}
        outcomes = self.engine.step_both(actions[PURSUER], actions[EVADER], restart)
        return dict(zip(Side, outcomes))
