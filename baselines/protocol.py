"""The benchmark protocol, version v0: named scenarios, and how a policy is measured in them.

PROTOCOL.md beside this file is the same on one page, for people.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from baselines.evaluate import evaluate
from baselines.evaluation import Evaluation
from baselines.players import Player
from steer_env.envs.keywords import game_config
from steer_env.game.config import GameConfig

VERSION = "v0"
EPISODES = 2500
"""Against each opponent: finds a difference of 5 % in capture time in 95 of 100 studies."""

HELD_OUT_SEED = 1_000_000
"""The first seed of the starts that measure. Training uses seeds below it."""

RUNS = 5
"""Training runs, of different seeds, that a learned result is made of; at least."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A fixed game to train in, and to be measured in.

    Attributes:
        name: "side/arena".
        environment: id to train in.
        side: the learner's, "pursuer" or "evader".
        keywords: of the environment, besides the opponent.
        opponents: that may be trained against, drawn with equal chances.
        held_out: opponents that must not be trained against.
        references: hand-written policies of the same side; the first is compared with.
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
        """All keywords for ``gym.make_vec(scenario.environment, ...)`` to train in it."""
        keywords = copy.deepcopy(dict(self.keywords))  # for the caller to change at will
        return {**keywords, "opponent": list(self.opponents)}

    def evaluate(
        self, policy: Player, opponent: str, episodes: int = EPISODES, seed: int = HELD_OUT_SEED
    ) -> Evaluation:
        """Plays a policy of the learner's side against an opponent."""
        if self.side == "pursuer":
            return evaluate(policy, opponent, self.config, episodes, seed)
        return evaluate(opponent, policy, self.config, episodes, seed)


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
_EVADERS = {
    "walls": (("flee", "evade"), ("wander", "evade/intercept", "evade/threatened")),
    "obstacles": (("evade", "evade/among_obstacles"), ("wander", "evade/threatened", "hide")),
    "randomized": (("flee", "evade"), ("wander", "evade/intercept", "evade/threatened")),
    "team": (("flee", "evade"), ("wander", "evade/intercept", "evade/threatened")),
}
_PURSUERS = {
    "walls": (
        ("seek", "pursuit"),
        ("pursuit/intercept", "navigation", "pursuit/full_force"),
    ),
    "obstacles": (
        ("pursuit", "pursuit/among_obstacles"),
        ("pursuit/intercept", "navigation", "pursuit/full_force"),
    ),
    "randomized": (
        ("seek", "pursuit"),
        ("pursuit/intercept", "navigation", "pursuit/full_force"),
    ),
    "team": (
        ("pursuit", "pursuit/pack"),
        ("pursuit/intercept", "navigation", "pursuit/full_force"),
    ),
}
_REFERENCES = {
    "pursuer": {
        "walls": ("pursuit", "pursuit/intercept", "navigation", "pursuit/full_force"),
        "obstacles": (
            "pursuit/among_obstacles",
            "pursuit",
            "navigation",
            "pursuit/full_force",
        ),
        "randomized": ("pursuit", "pursuit/intercept", "navigation", "pursuit/full_force"),
        "team": ("pursuit", "pursuit/intercept", "navigation", "pursuit/full_force"),
    },
    "evader": {
        "walls": ("evade", "flee", "evade/threatened", "evade/chaotic"),
        "obstacles": ("evade/among_obstacles", "evade", "evade/threatened", "hide"),
        "randomized": ("evade", "flee", "evade/threatened", "evade/chaotic"),
        "team": ("evade", "flee", "evade/threatened", "evade/chaotic"),
    },
}


def _scenarios() -> dict[str, Scenario]:
    found = {}
    for side, opponents in (("pursuer", _EVADERS), ("evader", _PURSUERS)):
        for game, keywords in _GAMES.items():
            name = f"{side}/{game}"
            found[name] = Scenario(
                name=name,
                environment="Pursuit-v0" if side == "pursuer" else "Evade-v0",
                side=side,
                keywords=copy.deepcopy(keywords),
                opponents=opponents[game][0],
                held_out=opponents[game][1],
                references=_REFERENCES[side][game],
            )
    return found


SCENARIOS: Mapping[str, Scenario] = MappingProxyType(_scenarios())
"""The scenarios of this version, by name. They never change: a new version gets new ones."""
