"""The suite: games with names of their own, and the environments made of them.

Every game is a dict of keywords of `steer_env.game.config.game_config`, and hard in one way.
Its two sides learn in environments of their own, with continuous or discrete actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from steer_env.errors import check_choice
from steer_env.sides import EVADER, PURSUER, Side

DEFAULT_GAME = "walls"
"""The game of Pursuit-v0 and Evade-v0."""


@dataclass(frozen=True, kw_only=True)
class SuiteGame:
    """A game with a name.

    Attributes:
        name: the `game` keyword; in ids of environments the words are joined, as
            "AgileTorusPursuit-v0" of "agile_torus". The default game has no word there.
        challenge: what is hard about it, in one line.
        question: an open question about it.
        keywords: in which it differs from the default game.
        opponents: the script that plays against a learner of each side, unless another is
            named; one of those that the benchmark protocol trains with.
    """

    name: str
    challenge: str
    question: str
    keywords: Mapping[str, Any] = field(default_factory=dict)
    opponents: Mapping[Side, str]

    def environment(self, side: Side, action_type: str = "continuous") -> str:
        """The id of the environment in which a side of this game learns."""
        words = "" if self.name == DEFAULT_GAME else self.name.title().replace("_", "")
        kind = "Discrete" if action_type == "discrete" else ""
        return f"{words}{side.verb}{kind}-v0"

    def tuned_script(self, side: Side) -> str:
        """The name in the roster of the script that a search found to be best for a side."""
        return f"tuned/{self.name}/{side.name}"

    def is_team(self, side: Side) -> bool:
        """Whether a side has several players."""
        return int(self.keywords.get(f"{side.name}s", 1)) > 1


_GAMES = (
    SuiteGame(
        name=DEFAULT_GAME,
        challenge="lead the quarry, and push as hard as you can",
        question="How long can an evader stay free in a square from a pursuer that is hardly "
        "faster, if both play their best?",
        opponents={side: side.default_opponent for side in Side},
    ),
    SuiteGame(
        name="agile_torus",
        challenge="a slow, agile evader that no wall stops",
        question="When should a slow, agile evader sidestep a fast, clumsy pursuer on a torus, "
        "and can it do so forever?",
        keywords={
            "arena": "torus",
            "pursuer": {"max_speed": 6.0, "max_force": 6.0},
            "evader": {"max_speed": 4.0, "max_force": 16.0},
        },
        opponents={
            PURSUER: "escape/sidestep/full_force",
            EVADER: "pursuit/own_speed/full_force",
        },
    ),
    SuiteGame(
        name="obstacles",
        challenge="an evader that keeps an obstacle between itself and its pursuer",
        question="Can a pursuer that is hardly faster force a capture among obstacles, or is "
        "there always a way around one?",
        keywords={"obstacles": 8},
        opponents={
            PURSUER: "hide/full_force",
            EVADER: "pursuit/among_obstacles/full_force",
        },
    ),
    SuiteGame(
        name="pack",
        challenge="three pursuers have to surround one much faster evader",
        question="Can three slower pursuers force a capture where no wall helps them, and "
        "where should each of them go?",
        keywords={"arena": "torus", "pursuers": 3, "evader": {"max_speed": 6.0}},
        opponents={PURSUER: "escape/full_force", EVADER: "constant_bearing/full_force"},
    ),
)

SUITE: Mapping[str, SuiteGame] = MappingProxyType({game.name: game for game in _GAMES})
"""The games by their names."""


class Environment(NamedTuple):
    """What an id stands for."""

    game: SuiteGame
    side: Side  # that learns
    action_type: str  # "continuous" or "discrete"


ENVIRONMENTS: Mapping[str, Environment] = MappingProxyType(
    {
        game.environment(side, kind): Environment(game, side, kind)
        for game in _GAMES
        for side in Side
        for kind in ("continuous", "discrete")
    }
)
"""The environments by their ids."""


def suite_game(name: str | None) -> SuiteGame:
    """The game of a name; None for the default one.

    Raises:
        InvalidValue: if there is none; the message has the nearest match.
    """
    check_choice("game", name or DEFAULT_GAME, SUITE)
    return SUITE[name or DEFAULT_GAME]
