"""Games with names of their own, and the environments made of them.

Every game is a dict of keywords of `steer_env.game.config.game_config`. Those of the suite are
hard in one way each; those of teams have several vehicles on a side; those that
`steer_env.solved` solves have a known optimum. Each side learns in environments of its own,
with continuous or discrete actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import gymnasium as gym

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
        is_named_for_pursuers: whether the id of the environment in which the pursuers learn is
            the name alone: "Tag-v0".
    """

    name: str
    challenge: str
    question: str
    keywords: Mapping[str, Any] = field(default_factory=dict)
    opponents: Mapping[Side, str]
    is_named_for_pursuers: bool = False

    def environment(self, side: Side, action_type: str = "continuous") -> str:
        """The id of the environment in which a side of this game learns."""
        words = "" if self.name == DEFAULT_GAME else self.name.title().replace("_", "")
        verb = "" if self.is_named_for_pursuers and side is PURSUER else side.verb
        kind = "Discrete" if action_type == "discrete" else ""
        return f"{words}{verb}{kind}-v0"

    @property
    def is_solved(self) -> bool:
        """Whether `steer_env.solved` knows its value."""
        return self.opponents[PURSUER].startswith("optimal/")

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
        opponents={PURSUER: "hide/full_force", EVADER: "pursuit/among_obstacles/full_force"},
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
"""The games of the benchmark suite by their names."""

_PLANE: Mapping[str, Any] = {"arena": "open", "start_distance": 0.0}  # beyond capture


def _solved(
    name: str,
    player: str,
    challenge: str,
    question: str,
    largest: tuple[float, ...],
    **keywords: Any,
) -> SuiteGame:
    # What a learner sees as 1, see below; of offsets z it sees z / (|z| + length). With a
    # length near the capture radius a network can tell apart the places where captures begin.
    opponents = dict.fromkeys(Side, f"optimal/{player}")
    names = ("length", "speed", "force", "acceleration")
    scales = dict(zip(names, largest, strict=True))
    given = {**_PLANE, "observation": {"scales": scales}, **keywords}
    return SuiteGame(
        name=name,
        challenge=challenge,
        question=question,
        keywords=given,
        opponents=opponents,
        is_named_for_pursuers=True,
    )


def _paying_time(seconds: float) -> dict[str, float]:
    """Rewards that add up to minus the seconds to capture; if there is none, to the horizon."""
    return {"capture": 0.0, "time": seconds, "closing": 0.0}


def _paying_distance(arena_size: float) -> dict[str, float]:
    """Rewards that add up to the first distance less the payoff, in meters."""
    return {"capture": 0.0, "time": 0.0, "closing": 2.0**0.5 * arena_size}


_SOLVED = (
    _solved(
        "simple_plane",
        "simple",
        "none: both turn on the spot, and run along one line",
        "Does a learner find a solution that fits into one line?",
        largest=(0.5, 1.0, 12.0, 60.0),  # m, m/s, N, m/s^2
        pursuer={"model": "simple_motion", "max_speed": 1.0, "radius": 0.05},
        evader={"model": "simple_motion", "max_speed": 0.6, "radius": 0.05},
        capture_radius=0.1,
        arena_size=2.0,
        horizon=900,
        payoff="time",
        reward=_paying_time(30.0),
    ),
    _solved(
        "homicidal_chauffeur",
        "chauffeur",
        "drive away first, to come back where a turn catches",
        "Can a learner find the swerve and the equivocal line?",
        largest=(0.5, 1.0, 12.0, 18.0),  # m, m/s, N, m/s^2
        pursuer={"model": "car", "max_speed": 1.0, "max_force": 1.0, "radius": 0.1},
        evader={"model": "simple_motion", "max_speed": 0.3, "radius": 0.05},
        capture_radius=0.3,
        arena_size=4.0,
        horizon=1050,
        payoff="time",
        reward=_paying_time(35.0),
    ),
    _solved(
        "two_cars",
        "two_cars",
        "two identical cars: the best turn of each",
        "Can a learner find both ways around the barrier's tip?",
        largest=(5.0, 5.0, 5.0, 5.0),  # m, m/s, N, m/s^2
        pursuer={"model": "car", "max_speed": 5.0, "max_force": 5.0, "radius": 0.5},
        evader={"model": "car", "max_speed": 5.0, "max_force": 5.0, "radius": 0.5},
        capture_radius=5.0,
        arena_size=20.0,
        horizon=150,
        payoff="closest_approach",
        reward=_paying_distance(20.0),
    ),
    _solved(
        "drag",
        "drag",
        "push where the evader will drift to, not where it is",
        "Does a learner find the zero-effort miss?",
        largest=(1.0, 2.0, 1.0, 2.0),  # m, m/s, N, m/s^2
        pursuer={
            "model": "double_integrator",
            "max_speed": 2.0,
            "max_force": 1.0,
            "drag": 0.5,
            "radius": 0.05,
        },
        evader={
            "model": "double_integrator",
            "max_speed": 2.0,
            "max_force": 0.6,
            "drag": 0.5,
            "radius": 0.05,
        },
        capture_radius=0.5,
        arena_size=6.0,
        start_speed=0.5,
        horizon=120,
        payoff="final_distance",
        reward=_paying_distance(6.0),
    ),
)

SOLVED: Mapping[str, SuiteGame] = MappingProxyType({game.name: game for game in _SOLVED})
"""The games whose value `steer_env.solved` knows, in the literature's units, by their names."""

_TAG_DRAG = 2.876820724517809  # 1/s: a step of 0.1 s keeps 0.75 of the velocity
_TAG_PUSH = 1.1507282898071238  # force here over force there: drag also slows the push
_TEAM_GAMES = (
    SuiteGame(
        name="team",
        challenge="three pursuers have to share out two faster evaders, and corner them",
        question="When should a pursuer leave its own quarry to help with another?",
        keywords={
            "pursuers": 3,
            "evaders": 2,
            "evader": {"max_speed": 4.8},
            "arena_size": 30.0,
        },
        opponents={PURSUER: "escape/full_force", EVADER: "voronoi/full_force"},
    ),
    SuiteGame(
        name="pack_obstacles",
        challenge="three pursuers have to surround a faster evader among obstacles",
        question="Do obstacles help the pursuers or the evader that they surround?",
        keywords={
            "pursuers": 3,
            "obstacles": 8,
            "arena": "torus",
            "evader": {"max_speed": 5.0},
        },
        opponents={PURSUER: "escape/full_force", EVADER: "voronoi/full_force"},
    ),
    SuiteGame(
        name="herd",
        challenge="three pursuers have to catch eight evaders one after the other",
        question="In which order should a herd be caught, and should it keep together?",
        keywords={"pursuers": 3, "evaders": 8, "horizon": 900},
        opponents={PURSUER: "escape/herd/full_force", EVADER: "encircle/full_force"},
        is_named_for_pursuers=True,
    ),
    SuiteGame(
        name="tag",
        challenge="mpe2's simple_tag: everybody is small, slow and slippery, and time is short",
        question="How much of what is learned in simple_tag is learned here, and back?",
        keywords={
            "pursuers": 3,
            "pursuer": {
                "max_speed": 1.0,
                "max_force": 3.0 * _TAG_PUSH,
                "radius": 0.075,
                "drag": _TAG_DRAG,
            },
            "evader": {
                "max_speed": 1.3,
                "max_force": 4.0 * _TAG_PUSH,
                "radius": 0.05,
                "drag": _TAG_DRAG,
            },
            "arena_size": 2.15,
            "obstacles": 2,
            "obstacle_radius": (0.2, 0.2),
            "capture_radius": 0.125,
            "dt": 0.1,
            "horizon": 25,
            "start_distance": 0.0,
            "solid": "teammates",
            "reward": {"capture": 10.0, "time": 0.0, "closing": 0.0},
            "observation": {"scales": "game"},
        },
        opponents={PURSUER: "evade/full_force", EVADER: "encircle/full_force"},
        is_named_for_pursuers=True,
    ),
)

TEAMS: Mapping[str, SuiteGame] = MappingProxyType({game.name: game for game in _TEAM_GAMES})
"""Games of teams beside the suite's "pack", by their names.

"tag" is simple_tag of mpe2 1.1.1 (Lowe et al. 2017, "Multi-Agent Actor-Critic for Mixed
Cooperative-Competitive Environments"), as near as our physics comes: its speeds, accelerations,
radii, damping, step and length. A full push gives the same speeds, step for step. What differs:
an evader is caught at the first touch, at any moment of a step, and that ends its game (there,
every touch pays 10 and pushes it away); walls take the place of a penalty for leaving [-1, 1];
bodies and obstacles are rigid, and obstacles keep a gap between them; a position is one step
ahead; actions and observations are in the own frame.
"""

GAMES: Mapping[str, SuiteGame] = MappingProxyType({**SUITE, **TEAMS, **SOLVED})
"""All games by their names."""


class Environment(NamedTuple):
    """What an id stands for."""

    game: SuiteGame
    side: Side  # that learns
    action_type: str  # "continuous" or "discrete"


ENVIRONMENTS: Mapping[str, Environment] = MappingProxyType(
    {
        game.environment(side, kind): Environment(game, side, kind)
        for game in GAMES.values()
        for side in Side
        for kind in ("continuous", "discrete")
    }
)
"""The environments by their ids."""


def register_environments() -> None:
    """Registers Pursuit-v0, Evade-v0, the other games of the suite, and their discrete forms.

    As "steer_env:Pursuit-v0" an id is known in every process, since Gymnasium then imports this
    package first.

    None has a time limit of Gymnasium's: an environment truncates an episode at its horizon.
    """
    for name, (game, side, action_type) in ENVIRONMENTS.items():
        if name not in gym.registry:
            keywords = {"action_type": action_type}
            if game.name != DEFAULT_GAME:
                keywords["game"] = game.name
            gym.register(
                id=name,
                entry_point=f"steer_env.envs.single:{side.verb}Env",
                vector_entry_point=f"steer_env.envs.vector:{side.verb}VectorEnv",
                kwargs=keywords,
            )


def environment_id(what: str, given: str) -> str:
    """The id of an environment, without the module that Gymnasium may import for it.

    Args:
        what: its name in messages.
        given: the id, with or without "steer_env:" before it.

    Raises:
        InvalidValue: if it is unknown; the message has the nearest match.
    """
    name = given.removeprefix("steer_env:")
    check_choice(what, name, ENVIRONMENTS)
    return name


def suite_game(name: str | None) -> SuiteGame:
    """The game of a name; None for the default one.

    Raises:
        InvalidValue: if there is none; the message has the nearest match.
    """
    wanted = DEFAULT_GAME if name is None else name
    check_choice("game", wanted, GAMES)
    return GAMES[wanted]
