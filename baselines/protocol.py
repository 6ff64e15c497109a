"""The benchmark protocol, version v0: named scenarios, and how a policy is measured in them.

PROTOCOL.md beside this file describes the same in words.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from baselines.evaluation import Evaluation
from baselines.rollouts import evaluate
from steer_env.game.config import GameConfig, game_config
from steer_env.players import Player
from steer_env.sides import Side

VERSION = "v0"
EPISODES = 2500
"""Against each opponent: enough to find 5 % of capture time in 95 of 100 studies."""

HELD_OUT_SEED = 1_000_000
"""The first seed of the starts to measure from. Training uses seeds below it."""

RUNS = 5
"""The least number of training runs, of different seeds, behind a learned result."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A fixed game to train in and to measure policies in.

    Attributes:
        name: "side/arena".
        environment: id of the environment to train in.
        side: of the learner, "pursuer" or "evader".
        keywords: of the environment, besides the opponent.
        opponents: for training, drawn with equal chances.
        held_out: opponents that must not be used for training.
        references: hand-written policies of the learner's side, the main one first.
    """

    name: str
    environment: str
    side: str
    keywords: Mapping[str, Any] = field(default_factory=dict)
    opponents: tuple[str, ...]
    held_out: tuple[str, ...]
    references: tuple[str, ...]

    @property
    def config(self) -> GameConfig:
        """The game."""
        return game_config(**self.keywords)

    @property
    def make_keywords(self) -> dict[str, Any]:
        """The keywords for ``gym.make_vec(scenario.environment, ...)``, as a copy."""
        return {**copy.deepcopy(dict(self.keywords)), "opponent": list(self.opponents)}

    def evaluate(
        self, policy: Player, opponent: str, episodes: int = EPISODES, seed: int = HELD_OUT_SEED
    ) -> Evaluation:
        """Plays a policy of the learner's side against an opponent."""
        is_pursuer = self.side == Side.PURSUER.name
        pursuer, evader = (policy, opponent) if is_pursuer else (opponent, policy)
        return evaluate(pursuer, evader, self.config, episodes, seed)


_GAMES: dict[str, dict[str, Any]] = {
    "walls": {},
    "obstacles": {"obstacles": 6},
    "randomized": {
        "randomize": {
            "pursuer": {"max_speed": (3.6, 4.4), "max_force": (8.0, 16.0)},
            "evader": {"max_speed": (3.2, 4.0), "max_force": (8.0, 16.0)},
        }
    },
    "team": {"pursuers": 3, "evader": {"max_speed": 4.4}},
}
_PREDICTIVE = ("pursuit/intercept", "navigation", "pursuit/full_force")
_EVADERS = ("evade", "flee", "evade/threatened", "evade/chaotic")
# The opponents, those held out, and the references: of each side, and where they differ.
_POLICIES = {
    "pursuer": (
        ("flee", "evade"),
        ("wander", "evade/intercept", "evade/threatened"),
        ("pursuit", *_PREDICTIVE),
    ),
    "pursuer/obstacles": (
        ("evade", "evade/among_obstacles"),
        ("wander", "evade/threatened", "hide"),
        ("pursuit/among_obstacles", "pursuit", "navigation", "pursuit/full_force"),
    ),
    "evader": (("seek", "pursuit"), _PREDICTIVE, _EVADERS),
    "evader/obstacles": (
        ("pursuit", "pursuit/among_obstacles"),
        _PREDICTIVE,
        ("evade/among_obstacles", "evade", "evade/threatened", "hide"),
    ),
    "evader/team": (("pursuit", "pursuit/pack"), _PREDICTIVE, _EVADERS),
}


def _scenario(side: Side, game: str) -> Scenario:
    name = f"{side.name}/{game}"
    opponents, held_out, references = _POLICIES.get(name, _POLICIES[side.name])
    return Scenario(
        name=name,
        environment=side.environment,
        side=side.name,
        keywords=copy.deepcopy(_GAMES[game]),
        opponents=opponents,
        held_out=held_out,
        references=references,
    )


SCENARIOS: Mapping[str, Scenario] = MappingProxyType(
    {f"{side.name}/{game}": _scenario(side, game) for side in Side for game in _GAMES}
)
"""The scenarios of this version, by name. They never change: a new version gets new ones."""
