"""A match: N games in which one side learns, and the other is a script or a policy.

Both environments, the single and the vector one, are thin faces over it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.envs.episode_options import episode_options
from steer_env.envs.keywords import Weights, normalized_weights
from steer_env.envs.policy_player import PolicyPlayer
from steer_env.envs.pool import Opponent, Pool
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine, Outcome
from steer_env.game.features import Feature
from steer_env.game.limits import check_observable, with_limits
from steer_env.game.scales import observed_features
from steer_env.game.state import RUNNING, UNSTARTED
from steer_env.players import Player, controller_of, listed, name_of
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER, Side


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
        numbers = num_games, max_episode_steps, num_threads
        self.engine = Engine(config, sides[0], sides[1], *numbers, side)
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
        self.engine.check_limits(config)

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
        opponents = self._different(given.opponents or ())
        before = self.engine.get_state()
        self._start(seeds, generator, mask, given.limits)
        try:
            if given.placement is not None:
                given.placement.apply(self.engine, chosen)
            if given.state is not None:
                self._put_into(given.state, chosen, seeds)
            if opponents:
                games = np.flatnonzero(chosen)
                is_one = len(opponents) == 1
                playing = [opponents[0 if is_one else game] for game in games]
                self._pool.let_play(playing, games)
                self._find_policies()
        except (InvalidType, InvalidValue, ResetNeeded):
            self.engine.set_state(before)
            raise

    def _put_into(
        self, state: object, chosen: NDArray[np.bool_], seeds: Sequence[int | None]
    ) -> None:
        """Puts games that have just begun into a state; a seed replaces the state's chance."""
        self.engine.check_state(self._renumbered(state))
        begun = self.engine.get_state()
        begun[chosen] = np.asarray(state)[chosen]
        if (begun["game"]["phase"][chosen] != RUNNING).any():
            raise ResetNeeded("an episode can begin in a state of a game that is running only")
        self.set_state(begun)
        self.engine.seed([seed if is_one else None for seed, is_one in zip(seeds, chosen)])

    def _different(self, players: Sequence[Player]) -> list[Opponent]:
        """The opponent of each game; games with the same player share one."""
        made: dict[object, Opponent] = {}
        found = []
        for player in players:
            key = player if isinstance(player, str | Path) else id(player)
            if key not in made:
                made[key] = self._opponent(player)
            found.append(made[key])
        return found

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


def observation_space(
    config: GameConfig, side: int, features: Sequence[Feature] | None = None
) -> spaces.Box:
    """What a side sees in one game: (features,), or (players, features) for a team.

    Args:
        config: the game.
        side: PURSUER or EVADER.
        features: of a player's observation; None for those that scripts and opponents see.
    """
    layout = observed_features(config) if features is None else features
    low = np.array([feature.low for feature in layout], np.float32)
    high = np.array([feature.high for feature in layout], np.float32)
    players = (config.pursuers, config.evaders)[side]
    if players > 1:
        low, high = np.tile(low, (players, 1)), np.tile(high, (players, 1))
    return spaces.Box(low, high, dtype=np.float32)
