"""Teaches what a search finds in the states that a network gets into: expert iteration.

In each state the search tries, for each player, full force in every direction for one to three
segments of a plan, and then follows a base policy to the end of the episode (a rollout
algorithm, Bertsekas and Castanon 1999, J. of Heuristics 5). The best directions are taught, the
more firmly the more they gain (expert iteration, Anthony, Tian and Barber 2017, NeurIPS).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines import evaluate
from steer_env.baselines.known_players import scripts_of
from steer_env.baselines.measures import CAPTURE_TIME, payoff_of
from steer_env.baselines.plan_rollouts import ACTION_REPEAT, Rollouts, Segment
from steer_env.baselines.receding_horizon import complementary
from steer_env.envs.vector import NativeVectorEnv
from steer_env.errors import InvalidValue
from steer_env.game.config import Game
from steer_env.players.mixture import MixturePolicy
from steer_env.players.network import NetworkPolicy
from steer_env.players.player import Player
from steer_env.players.resolver import resolve
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side

TAUGHT = 128  # games in which players are taught at a time
EVERY = 4  # steps between two lessons
DIRECTIONS = 21  # of a single player; players of a team share them
FEWEST_DIRECTIONS = 12
SEGMENTS = (1, 2, 3)  # for which a push is held
SEGMENTS_OF_NETWORK = (1, 3)  # the same if a network is the base policy, which is slow
SECONDS = 5.0  # after which a search stops
MOST_BASE = 2  # base policies
BASE_EPISODES = 200  # from which they are chosen
_LEAST_WEIGHT = 0.02
_TIES = 1e-9  # seconds or meters


class SearchTeacher:
    """Gives the actions of a base policy, and in some games better ones that a search finds.

    The network plays in `games`, against `opponents`: scripts, or one network. The base
    policies are scripts of its side.
    """

    def __init__(
        self, games: NativeVectorEnv, opponents: Sequence[Player], base: Sequence[Script]
    ) -> None:
        self._side, self._config = Side(games.side), games.config
        first, self._turn = self._config.pursuers, 0
        self._players = (slice(first), slice(first, None))[self._side]
        self._count = self._config.count(self._side.name)
        self._taught = min(TAUGHT, games.num_envs)
        players = [resolve(one, self._side) for one in base]
        self._game = self._config, self._side, opponents
        self._all = Rollouts(*self._game, players, games.num_envs)
        self._of_base = Rollouts(*self._game, players, self._taught, len(base))
        is_time, dt = payoff_of(self._config.payoff) is CAPTURE_TIME, self._config.dt
        # The gain that is taught with the full weight, in seconds or meters.
        self._scale = 1.5 * ACTION_REPEAT * dt if is_time else 0.2 * self._config.capture_radius
        # A pursuer that is later than another by more than that is not looked at.
        is_race = is_time and self._side is PURSUER
        self._patience = round(2.0 * self._scale / dt) if is_race else None
        self._most_steps = round(SECONDS / dt) if is_time else None
        self.follow(*base)

    def follow(self, *base: Script | NetworkPolicy) -> None:
        """Makes scripts or a network the base policies, to improve on from now on."""
        players = [resolve(one, self._side) for one in base]
        is_script = np.array([one.script is not None for one in players])
        found = _candidates(self._count, len(base), all(is_script))
        self._player, self._direction, self._segments, self._base = found
        # The push of a base policy by itself is known of scripts alone.
        self._shows_base = (self._segments == 0) & is_script[self._base - 1]
        self._rollouts = Rollouts(*self._game, players, self._taught, len(self._player))

    def lesson(self, state: NDArray[np.void]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The actions to teach in a state of all games, and how firmly.

        Returns (N, players, 2) in float32, and weights (N, players): 0 in most games, where the
        actions are those of the base policy.
        """
        is_there = state["players"]["active"][:, self._players]
        weights = np.zeros(is_there.shape)
        self._all.begin_at(state)
        actions = self._all.decisions(1)[:, 0]
        if self._turn % EVERY == 0:
            begin = self._turn // EVERY * self._taught
            chosen = (begin + np.arange(self._taught)) % len(state)
            actions[chosen], weights[chosen] = self._search(state[chosen])
            weights *= is_there
        self._turn += 1
        return actions, weights

    def _search(self, state: NDArray[np.void]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The best pushes found, (games, players, 2), and their weights, (games, players)."""
        self._of_base.begin_at(state)
        base_actions = self._of_base.decisions(np.arange(1, self._of_base.copies + 1))
        # The pushes of all candidates, (games, copies, players, 2). Of a network the first
        # script's stand for those of the other players. This is a copy.
        pushes = base_actions[:, np.minimum(self._base, self._of_base.copies) - 1]
        chosen = np.flatnonzero(self._segments > 0)
        pushes[:, chosen, self._player[chosen]] = self._direction[chosen]
        self._rollouts.begin_at(state)

        def segment(number: int) -> Segment:
            base = np.where(number < self._segments, 0, self._base)
            return pushes, np.broadcast_to(base, pushes.shape[:2])

        played = self._rollouts.play(
            segment,
            segments=int(self._segments.max()),
            patience=self._patience,
            most_steps=self._most_steps,
        )
        scores = self._rollouts.sign * played.payoffs
        best, common = scores.max(axis=1), np.median(scores, axis=1)
        spread = np.minimum((best - common) / self._scale, 1.0) + _LEAST_WEIGHT
        is_best = scores >= best[:, None] - _TIES
        # The push of each player by each candidate, as a direction.
        lengths = np.hypot(pushes[..., 0], pushes[..., 1])[..., None]
        directions = pushes / np.maximum(lengths, 1e-9)
        is_own = self._player[:, None] == np.arange(self._count)
        is_own = is_own & (self._segments > 0)[:, None] | self._shows_base[:, None]
        tried = (is_best[..., None] & is_own)[..., None]  # (games, copies, players, 1)
        mean = (directions * tried).sum(axis=1) / np.maximum(tried.sum(axis=1), 1)
        length = np.hypot(mean[..., 0], mean[..., 1])[..., None]
        is_tried = tried.any(axis=1)  # else another player's push is better
        found = np.where(is_tried, mean / np.maximum(length, 1e-9), base_actions[:, 0])
        return found.astype(np.float32), (length * is_tried)[..., 0] * spread[:, None]


def _candidates(players: int, base: int, are_scripts: bool) -> tuple[NDArray[Any], ...]:
    """The player, direction (2), segments (0 for none) and base policy of each candidate."""
    count = max(DIRECTIONS // players, FEWEST_DIRECTIONS)
    angles, numbers = 2.0 * np.pi * np.arange(count) / count, range(1, base + 1)
    segments = SEGMENTS if are_scripts else SEGMENTS_OF_NETWORK
    pushes = [
        (player, (np.cos(angle), np.sin(angle)), held, one)
        for player, held, one, angle in product(range(players), segments, numbers, angles)
    ]
    pushes += [(0, (0.0, 0.0), 0, one) for one in numbers]
    player, direction, held, number = map(np.array, zip(*pushes))
    return player, direction.astype(np.float32), held, number


def check_opponents(opponents: Sequence[Player]) -> None:
    """Raises an InvalidValue if a search cannot teach against these opponents."""
    if any(isinstance(one.policy, MixturePolicy) for one in opponents) or (
        len(opponents) > 1 and any(one.script is None for one in opponents)
    ):
        raise InvalidValue(
            "a search plays against scripts, or against one network: leave the others out, or "
            "train by rewards"
        )


def best_together(config: Game, side: Side, opponents: Sequence[Player]) -> list[Script]:
    """The known scripts that together do best against the opponents."""
    scripts, episodes = scripts_of(side), -(-BASE_EPISODES // len(opponents))
    scores, sign = {}, 1.0 if side is EVADER else -1.0
    for name, one in scripts.items():
        pairs = [side.ordered(one, other) for other in opponents]
        payoffs = [evaluate(*pair, config, episodes).payoffs for pair in pairs]
        scores[name] = sign * np.concatenate(payoffs)
    return [scripts[name] for name in complementary(scores, MOST_BASE)]
