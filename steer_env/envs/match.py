"""A match: N games in which one side learns, and the other is a script or a policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from steer_env.envs.contest import Contest
from steer_env.envs.keywords import Weights, normalized_weights
from steer_env.envs.policy_player import PolicyPlayer
from steer_env.envs.pool import Opponent, Pool
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine
from steer_env.game.exchange import Outcome
from steer_env.game.features import Feature
from steer_env.game.scales import observed_features
from steer_env.game.state import UNSTARTED
from steer_env.players import Player, controller_of, listed, name_of
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER, Side


class Match(Contest):
    """The learner's side of N games.

    Args:
        config: the game.
        side: the learner's.
        opponent: one player or several, of which every episode draws one; see `players`.
        num_games: N.
        max_episode_steps: the length of an episode, if it is shorter than the horizon.
        num_threads: see `Engine`.
        weights: see `keywords.normalized_weights`.
        credit_method: see `Engine`.
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
        credit_method: int | None = None,
    ) -> None:
        self.side = side
        self.other_side = Side(side).other
        counts = config.pursuers, config.evaders
        self.players, self.opponent_players = counts[side], counts[self.other_side]
        self._num_features = len(observed_features(config))
        opponents = [self._opponent(player) for player in listed(opponent)]
        chances = normalized_weights(weights, len(opponents))
        sides: list[list[Script | None]] = [[None], [None]]
        sides[self.other_side] = [one.script for one in opponents]
        numbers = num_games, max_episode_steps, num_threads
        self._take(config, Engine(config, sides[0], sides[1], *numbers, side, credit_method))
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
    def sides(self) -> tuple[Side, ...]:
        """The side that learns."""
        return (Side(self.side),)

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

    def measures(self) -> dict[str, NDArray[Any]]:
        """What the infos hold of each game, (N,); of a team also who is in play, (N, players).

        They are the engine's live arrays.
        """
        state = self.engine.state
        found: dict[str, NDArray[Any]] = {
            "distance": state.distance,
            "captured": state.captured,
        }
        if self.players > 1:
            first = 0 if self.side == PURSUER else self.config.pursuers
            found["alive"] = state.active[first : first + self.players].T
        return found

    def _prepared_opponents(
        self, opponents: Sequence[Player] | None, chosen: NDArray[np.bool_]
    ) -> Callable[[], None]:
        different = self._different(opponents or ())

        def play() -> None:
            if different:
                games = np.flatnonzero(chosen)
                is_one = len(different) == 1
                playing = [different[0 if is_one else game] for game in games]
                self._pool.let_play(playing, games)
                self._find_policies()

        return play

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

    def step_sides(
        self, actions: Mapping[Side, NDArray[np.float32]], restart: bool
    ) -> dict[Side, Outcome]:
        """Steps all games; see `Contest.step_sides`."""
        side = Side(self.side)
        return {side: self.step(actions[side], restart)}


def observation_space(
    config: GameConfig, side: int, features: Sequence[Feature] | None = None
) -> spaces.Box:
    """What a side sees in one game: (features,), or (players, features) for a team.

    Args:
        config: the game.
        side: PURSUER or EVADER.
        features: of a player's observation; None for those that scripts and opponents see.
    """
    players = (config.pursuers, config.evaders)[side]
    space = player_space(observed_features(config) if features is None else features)
    if players == 1:
        return space
    bounds = [np.tile(bound, (players, 1)) for bound in (space.low, space.high)]
    return spaces.Box(bounds[0], bounds[1], dtype=np.float32)


def player_space(features: Sequence[Feature]) -> spaces.Box:
    """What one player sees, (features,)."""
    low = np.array([feature.low for feature in features], np.float32)
    high = np.array([feature.high for feature in features], np.float32)
    return spaces.Box(low, high, dtype=np.float32)
