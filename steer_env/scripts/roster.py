"""The named scripts: every hand-written opponent that can be asked for by name."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from steer_env.errors import check_choice
from steer_env.scripts.behaviors import FULL_FORCE, OPTIMAL_BEHAVIORS
from steer_env.scripts.script import Script
from steer_env.steering.own_functions import function_name

_CAREFUL: dict[str, Any] = {"walls": 8.0, "feeler_length": 3.0}
_EVASIVE: dict[str, Any] = {"wander": 0.3, **_CAREFUL}
_AMONG_OBSTACLES: dict[str, Any] = {"obstacles": 24.0, "combination": "budget", **_CAREFUL}
_HERD: dict[str, Any] = {"separation": 2.0, "alignment": 1.0, "cohesion": 1.0}


def _named(name: str, description: str, **fields: Any) -> tuple[str, Script]:
    fields.setdefault("behavior", name.partition("/")[0])
    return name, Script(description=description, **fields)


def _tuned(name: str, description: str, **fields: Any) -> tuple[str, Script]:
    return _named(f"tuned/{name}", f"best of a search: {description}", **fields)


# fmt: off
_SCRIPTS = [
    _named("idle", "applies no force"),
    _named("wander", "wanders, and keeps off walls", **_CAREFUL),
    _named("seek", "steers for where its quarry is"),
    _named("arrive", "steers for where its quarry is, to stop there"),
    _named("pursuit", "steers for where its quarry will be (Buckland)"),
    _named("pursuit/constant", "pursuit that always looks one second ahead",
           lookahead="constant"),
    _named("pursuit/target_speed", "pursuit that looks distance / quarry's top speed ahead",
           lookahead="target_speed"),
    _named("pursuit/own_speed", "pursuit that looks distance / own speed ahead (Millington)",
           lookahead="own_speed"),
    _named("pursuit/reynolds", "pursuit by the table of nine cases (OpenSteer)",
           lookahead="reynolds"),
    _named("pursuit/intercept", "pursuit by the exact interception of a straight runner",
           lookahead="intercept"),
    _named("pursuit/turning", "pursuit that expects the quarry to go on turning",
           lookahead="intercept", predictor="turning", lookahead_cap=2.0),
    _named("pursuit/braking", "pursuit that expects a quarry that brakes to stop",
           predictor="braking"),
    _named("pursuit/accelerating", "pursuit that expects the quarry to go on accelerating",
           predictor="accelerating"),
    _named("pursuit/contained", "pursuit that knows that the quarry cannot leave the arena",
           predictor="contained"),
    _named("pursuit/among_obstacles",
           "pursuit that steers around obstacles and walls first, by budget",
           **_AMONG_OBSTACLES),
    _named("pursuit/searching",
           "pursuit that loses a quarry out of sight, and wanders to find it again",
           sees="observed", wander=1.0, **_AMONG_OBSTACLES),
    _named("pursuit/paths", "pursuit that takes the shortest way on a map", paths=True),
    _named("pursuit/paths/searching",
           "pursuit by ways of what it sees, or saw last; else it patrols the map's corners",
           paths=True, sees="observed"),
    _named("seek/paths", "seek that takes the shortest way on a map", paths=True),
    _named("pursuit/pack",
           "pursuit of the quarry that the pack assigns, a little apart from teammates",
           target="assigned", separation=2.0, neighbor_distance=2.5),
    _named("offset_pursuit", "gets ahead of its quarry, to cut it off (offset pursuit)",
           offset=1.5, response_time=0.25),
    _named("navigation", "true proportional navigation: turns with the line of sight",
           behavior="true_navigation"),
    _named("navigation/pure", "proportional navigation across the own path",
           behavior="pure_navigation"),
    _named("navigation/augmented",
           "proportional navigation that allows for the quarry's acceleration",
           behavior="augmented_navigation"),
    _named("navigation/pack",
           "proportional navigation to the quarry that the pack assigns, a little apart",
           behavior="true_navigation", target="assigned", separation=1.0,
           neighbor_distance=2.0),
    _named("constant_bearing", "keeps the line of sight from turning (parallel navigation)"),
    _named("deviated_pursuit", "steers a fixed angle ahead of its quarry"),
    _named("flee", "steers away from where its menace is", **_EVASIVE),
    _named("evade", "steers away from where its menace will be", **_EVASIVE),
    _named("evade/intercept", "evade by the exact interception law",
           lookahead="intercept", **_EVASIVE),
    _named("evade/target_speed", "evade that looks distance / pursuer's top speed ahead",
           lookahead="target_speed", **_EVASIVE),
    _named("evade/threatened", "wanders, and evades a pursuer nearer than 6 m",
           threat_range=6.0, wander=1.0, combination="budget", **_CAREFUL),
    _named("evade/among_obstacles",
           "evade within 8 m, else wander; obstacles and walls first, by budget",
           lookahead="intercept", threat_range=8.0, wander=1.0, **_AMONG_OBSTACLES),
    _named("evade/prioritized",
           "evade; what has no room after walls is left out, the sum truncated",
           combination="prioritized", **_EVASIVE),
    _named("evade/dithered", "evade, walls or wander alone, each by its chance",
           combination="dithered", chances={"walls": 0.5, "behavior": 0.9}, **_EVASIVE),
    _named("evade/chaotic", "evade, walls or wander alone, at random and with full force",
           combination="chaotic", chances={"walls": 0.4, "behavior": 0.4, "wander": 0.2},
           **_EVASIVE),
    _named("evade/paths",
           "runs for the corner of a map that pursuers come to last; else it evades",
           paths=True, **_CAREFUL),
    _named("evade/herd", "evade that flocks with its teammates", **_HERD, **_CAREFUL),
    _named("escape",
           "plays straight runs forward, and takes the one on which it is caught last"),
    _named("escape/sidestep",
           "escape that expects a seeking menace half as agile as itself: sidesteps late",
           lookahead="none", agility=0.5),
    _named("escape/herd", "escape that flocks with its teammates", **_HERD),
    _named("encircle", "takes a side of its own around its quarry, and closes in from there",
           target="assigned"),
    _named("flank", "passes its quarry on one side while teammates pass it on the other",
           target="assigned"),
    _named("voronoi",
           "shrinks the part of the arena that its quarry reaches first, a moment ahead",
           target="assigned", lookahead_cap=0.35),
    _named("voronoi/now", "Voronoi pursuit by where everybody is now, as in its source",
           target="assigned", lookahead="none"),
    _named("guard", "stands between a teammate and its menace; evades if it has no teammate",
           **_CAREFUL),
    _named("reach", "runs for the target, or as near as it comes before its menace",
           **_CAREFUL),
    _named("reach/paths", "takes the shortest way to the target, or to a safe corner of a map",
           paths=True, **_CAREFUL),
    _named("block", "runs for the nearest point to the target that its quarry reaches first"),
    _named("hide", "hides behind obstacles; evades where there are none", **_AMONG_OBSTACLES),
]

_TUNED = [
    _tuned("walls/pursuer", "pursuit that knows where walls stop the quarry",
           behavior="pursuit", response_time=0.023, predictor="contained", containment=5.0,
           containment_seconds=5.4),
    _tuned("walls/evader", "wanders, and escapes from a near pursuer",
           behavior="escape", response_time=0.013, lookahead_cap=0.44, threat_range=7.4,
           agility=3.6, wander=3.8, wander_rate=8.9, containment=31.0),
    _tuned("agile_torus/pursuer", "pursuit that looks distance / own speed ahead",
           behavior="pursuit", response_time=0.042, lookahead="own_speed", predictor="braking"),
    _tuned("agile_torus/evader", "evade that looks distance / pursuer's top speed ahead",
           behavior="evade", response_time=0.083, lookahead="target_speed"),
    _tuned("obstacles/pursuer", "proportional navigation close to obstacles",
           behavior="pure_navigation", response_time=0.035, navigation_gain=1.7,
           obstacles=18.0, obstacle_seconds=0.31, combination="prioritized"),
    _tuned("obstacles/evader", "hides behind obstacles",
           behavior="hide", response_time=0.071, hiding_margin=1.4, obstacles=5.2),
    _tuned("pack/pursuer", "constant bearing, apart from teammates",
           behavior="constant_bearing", response_time=0.016, separation=9.9,
           neighbor_distance=9.6),
    _tuned("pack/evader", "escapes, and wanders", behavior="escape", response_time=0.25,
           lookahead_cap=0.13, agility=2.0, wander=3.4, wander_rate=18.0),
    _tuned("walls/pursuer/evade", "pursuit by the table of nine cases that knows of walls",
           behavior="pursuit", response_time=0.022, lookahead="reynolds", predictor="contained",
           containment=2.8, containment_seconds=9.3),
    _tuned("walls/pursuer/tuned", "Voronoi pursuit that hardly looks ahead",
           behavior="voronoi", response_time=0.032, lookahead_cap=0.022),
    _tuned("walls/evader/tuned", "wanders, and escapes from a near pursuer along walls",
           behavior="escape", response_time=0.0014, lookahead="target_speed",
           lookahead_cap=0.63, threat_range=8.8, agility=8.9, wander=4.2, containment=150.0,
           containment_seconds=0.22),
    _tuned("agile_torus/pursuer/tuned", "pursuit that looks distance / own speed ahead, harder",
           behavior="pursuit", response_time=0.0334, lookahead="own_speed",
           predictor="braking"),
    _tuned("agile_torus/evader/tuned",
           "escape that expects a menace less than half as agile as itself: sidesteps late",
           behavior="escape", response_time=0.091, lookahead="own_speed", agility=0.4),
    _tuned("obstacles/pursuer/tuned", "proportional navigation across the own path, wandering",
           behavior="pure_navigation", response_time=0.124, wander=3.3, wander_rate=14.0,
           containment=19.0, obstacles=68.8, obstacle_seconds=0.25, obstacle_margin=0.054),
    _tuned("obstacles/evader/tuned", "hides behind obstacles, close to them", behavior="hide",
           response_time=0.019, hiding_margin=1.1, walls=6.9, feeler_length=2.1),
    _tuned("pack/pursuer/tuned", "Voronoi pursuit of a pack that keeps together",
           behavior="voronoi", response_time=0.067, lookahead_cap=0.36, separation=0.78,
           cohesion=15.0),
    _tuned("pack/evader/tuned", "escapes from a near pursuer, and wanders quickly",
           behavior="escape", response_time=0.194, lookahead="none", threat_range=8.31,
           agility=7.7, wander=4.14, wander_rate=26.5),
    _tuned("pack_obstacles/pursuer/strongest",
           "constant bearing, obstacles and teammates first", behavior="constant_bearing",
           response_time=0.026, obstacles=32.0, obstacle_seconds=0.24, separation=11.0,
           neighbor_distance=13.0, combination="prioritized"),
    _tuned("tag/pursuer/strongest", "pursuit that knows where walls stop the quarry, apart",
           behavior="pursuit", response_time=0.018, predictor="contained", lookahead_cap=0.092,
           containment=12.0, containment_seconds=1.8, collisions=3.3, separation=3.2),
    _tuned("tag/evader/strongest", "wanders, and flees from what nearly touches it",
           behavior="flee", response_time=0.057, threat_range=0.77, wander=14.0,
           wander_rate=7.8, walls=38.0, feeler_length=0.49, containment=81.0,
           containment_seconds=0.81),
    _tuned("team/pursuer/strongest", "Voronoi pursuit of a team that keeps apart",
           behavior="voronoi", response_time=0.047, lookahead_cap=0.44, separation=3.2,
           neighbor_distance=13.0),
    _tuned("team/evader/strongest", "escapes from a near pursuer, apart from teammates",
           behavior="escape", response_time=0.046, threat_range=2.6, agility=0.5, walls=13.0,
           separation=4.4, neighbor_distance=10.0),
    _tuned("herd/pursuer/strongest", "flanks the quarry that the pack assigns, harder",
           behavior="flank", response_time=0.02, target="assigned"),
    _tuned("herd/evader/strongest", "escapes from a near pursuer, and wanders a little",
           behavior="escape", response_time=0.023, lookahead="constant", lookahead_seconds=0.33,
           threat_range=4.8, wander=0.78, collisions=4.8, collision_margin=1.8, separation=2.8),
]
# fmt: on
"""The scripts that `tools/tune_script.py` found to be best for a side of a game.

Those of the suite are best on average against the training opponents of the benchmark protocol;
a specialist is best against the opponent that ends its name: "tuned" is the suite's,
"strongest" the strongest script known for the other side of a game without one. Those were, for
pursuers, "tuned/agile_torus/evader" in "tag", "tuned/walls/evader" in "team" and "herd", and
"escape/sidestep/full_force" in "pack_obstacles"; for evaders "tuned/walls/pursuer" in "tag",
"voronoi/full_force" in "team", and "flank/full_force" in "herd". For the evader of
"pack_obstacles" none was better than "escape/sidestep/full_force" (0.05 s, [-0.04, 0.14]).
"""

AT_FULL_FORCE = "/full_force"
"""The end of the names of scripts that steer with all their force."""

_AT_FULL_FORCE = {
    f"{name}{AT_FULL_FORCE}": replace(
        script, response_time=FULL_FORCE, description=f"{name} at full force"
    )
    for name, script in _SCRIPTS
    if name != "idle" and script.combination != "chaotic"  # which has no other force
}

_OPTIMAL_GAMES = (
    "SimplePlane HomicidalChauffeur TwoCars Drag ReachAvoid TwoOnOne PerimeterDefense"
)
_OPTIMAL = dict(
    _named(
        f"optimal/{behavior.removeprefix('optimal_')}",
        f"plays either side perfectly in the solved game {game}",
        behavior=behavior,
    )
    for behavior, game in zip(OPTIMAL_BEHAVIORS, _OPTIMAL_GAMES.split())
)

ROSTER = MappingProxyType({**dict(_SCRIPTS), **_AT_FULL_FORCE, **dict(_TUNED), **_OPTIMAL})
"""The scripts by their names. A short name is the default member of its family.

The response time is 1 s (OpenSteer's laws in SI units) unless another is given. Every short
name but "idle" and "evade/chaotic" has a second form, ".../full_force", with the response time
`FULL_FORCE`. "tuned/GAME/SIDE" is the best of a search, and "tuned/GAME/SIDE/OPPONENT" the best
against one opponent. "optimal/GAME" is perfect, and plays no other game; see
`steer_env.solved`.
"""

SHORTER_NAMES = tuple(name for name, _ in _SCRIPTS)
"""The names of the roster without the second forms and the tuned scripts."""

_PRECISE = MappingProxyType({"pursuit/closing": "pursuit", "evade/closing": "evade"})


def short_name(name: str) -> str:
    """The name in the roster, short for the default member of a family."""
    return _PRECISE.get(name, name)


def named_script(name: str) -> Script:
    """The script of a name in the roster, or an InvalidValue that names the nearest match."""
    if isinstance(name, str):
        name = short_name(name)
    check_choice("opponent", name, ROSTER)
    return ROSTER[name]


def name_of_script(script: Script) -> str:
    """The name of a script in the roster, or else its behavior with the fields that differ.

    Example:
        >>> name_of_script(Script(behavior="evade", wander=3.0))
        'Script(evade, wander=3)'
    """
    named = next((name for name, known in ROSTER.items() if known == script), None)
    parts = [
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={function_name(value)}"
        for name, value in script.changes.items()
        if name != "description"
    ]
    return named or f"Script({', '.join([script.behavior_name, *parts])})"
