"""A match: N games in which one side learns, and the other is a script or a policy.

Both environments, the single and the vector one, are thin faces over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.envs.keywords import Weights, normalized_weights
from steer_env.envs.policy_player import PolicyPlayer
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import GameConfig
from steer_env.game.engine import LARGEST_SEED, Engine, Outcome
from steer_env.game.observation import observation_layout
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
        self.config = config
        self.side = side
        self.other_side = Side(side).other
        players = listed(opponent)
        self.opponents = [
            controller_of(player, self.other_side, what="opponent") for player in players
        ]
        chances = normalized_weights(weights, len(self.opponents))
        scripts = [c if isinstance(c, Script) else None for c in self.opponents]
        sides: list[list[Script | None]] = [[None], [None]]
        sides[self.other_side] = scripts
        self.engine = Engine(
            config, sides[0], sides[1], num_games, max_episode_steps, num_threads
        )
        self.engine.mixtures.set_weights(self.other_side, chances)
        self._opponent_names = [name_of(player) for player in players]
        self.players = self.engine.side_size(side)
        self.opponent_players = self.engine.side_size(self.other_side)
        features = self.engine.num_features
        self._policies: list[tuple[int, PolicyPlayer]] = [
            (i, PolicyPlayer(c, self.other_side, self.opponent_players, features))
            for i, c in enumerate(self.opponents)
            if not isinstance(c, Script)
        ]
        games = num_games if self._policies else 0
        self.opponent_actions = np.zeros((games, self.opponent_players, 2), np.float32)

    @property
    def has_policies(self) -> bool:
        """Whether an opponent is a policy, which `ask_policies` must ask before a step."""
        return bool(self._policies)

    @property
    def opponent_weights(self) -> NDArray[np.float64]:
        """The probability of each opponent in episodes that begin from now on; a copy."""
        return self.engine.mixtures.weights(self.other_side)

    @opponent_weights.setter
    def opponent_weights(self, weights: Weights) -> None:
        chances = normalized_weights(weights, len(self.opponents))
        self.engine.mixtures.set_weights(self.other_side, chances)

    @property
    def opponent_index(self) -> NDArray[np.int64]:
        """Which of the opponents plays in each game, (N,)."""
        return self.engine.state.script[self.other_side].copy()

    def names(self, game: int) -> tuple[str, str]:
        """The names of the pursuers and the evaders of a game in pictures."""
        opponent = self._opponent_names[int(self.opponent_index[game])]
        return ("learner", opponent) if self.side == PURSUER else (opponent, "learner")

    def observation_space(self) -> spaces.Box:
        """Of one game: (features,), or (players, features) for a team."""
        obstacles = self.config.arena.num_obstacles
        layout = observation_layout(self.config.pursuers + self.config.evaders, obstacles)
        low = np.array([feature.low for feature in layout], np.float32)
        high = np.array([feature.high for feature in layout], np.float32)
        if self.players > 1:
            low, high = np.tile(low, (self.players, 1)), np.tile(high, (self.players, 1))
        return spaces.Box(low, high, dtype=np.float32)

    def reset(
        self,
        seeds: list[int | None],
        generator: np.random.Generator,
        mask: NDArray[np.bool_] | None = None,
    ) -> None:
        """Begins new episodes.

        Args:
            seeds: N seeds; None goes on with what the game was seeded with before.
            generator: seeds games that never were.
            mask: (N,); only games where it is True begin anew. None for all.
        """
        state = self.engine.state
        seeds = list(seeds)
        if mask is not None:
            seeds = [seed if chosen else None for seed, chosen in zip(seeds, mask, strict=True)]
        unseeded = np.flatnonzero((state.phase == UNSTARTED) & (state.key == 0))
        for index in unseeded:
            if seeds[index] is None:
                seeds[index] = int(generator.integers(2**63))
        if mask is None and seeds[0] is not None:
            for _, policy in self._policies:
                policy.seed(seeds[0])
        self.engine.seed(seeds)
        self.engine.start(mask)

    def ask_policies(self) -> None:
        """Fills `opponent_actions` with what the policies among the opponents do."""
        if not self._policies:
            return
        observations = self.engine.observe(self.other_side)
        episode_start = self.engine.state.steps == 0
        if len(self.opponents) == 1:
            self.opponent_actions[...] = self._policies[0][1].act(observations, episode_start)
            return
        playing = self.opponent_index
        for index, policy in self._policies:
            chosen = playing == index
            if chosen.any():
                self.opponent_actions[chosen] = policy.act(observations, episode_start, chosen)

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
        if self.side == PURSUER:
            return actions, self.opponent_actions
        return self.opponent_actions, actions

    def step(self, actions: NDArray[np.float32], restart: bool) -> Outcome:
        """Steps all games; see `Engine.step`."""
        if self._policies:
            self.check_step(actions, restart)
            self.ask_policies()
        return self.engine.step(*self.actions_by_side(actions), self.side, restart)

    def check_step(self, actions: NDArray[np.float32], restart: bool) -> None:
        """Raises what a step would: a policy must not be asked for one that is refused."""
        phases = self.engine.state.phase
        finite = np.isfinite(actions)
        if finite.all() and (restart or (phases == RUNNING).all()):
            return
        faulty = ~finite.all(axis=(1, 2)) | ((phases != RUNNING) & (not restart))
        self.engine.raise_fault(int(np.flatnonzero(faulty)[0]), actions)


def check_seed(seed: Any) -> int | None:
    """Returns a seed as an int, or None.

    Raises:
        InvalidType: if it is neither an integer nor None.
        InvalidValue: if it is negative or has more than 64 bits.
    """
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise InvalidType(f"a seed must be an integer or None, got {seed!r}")
    number = int(seed)
    if not 0 <= number <= LARGEST_SEED:
        raise InvalidValue(f"a seed must be from 0 to 2**64 - 1, got {number}")
    return number
