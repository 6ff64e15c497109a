"""The named scripts: every hand-written opponent that can be asked for by name."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from steer_env.errors import check_choice
from steer_env.scripts.script import FULL_FORCE, OPTIMAL_BEHAVIORS, Script
from steer_env.scripts.tuned import TUNED
from steer_env.steering.own_functions import function_name

_CAREFUL: dict[str, Any] = {"walls": 8.0, "feeler_length": 3.0}
_EVASIVE: dict[str, Any] = {"wander": 0.3, **_CAREFUL}
_AMONG_OBSTACLES: dict[str, Any] = {"obstacles": 24.0, **_CAREFUL}


def _named(name: str, description: str, **fields: Any) -> tuple[str, Script]:
    fields.setdefault("behavior", name.partition("/")[0])
    return name, Script(description=description, **fields)


_SCRIPTS = [
    _named("rest", "does nothing"),
    _named("wander", "wanders, and keeps off walls", **_CAREFUL),
    _named("seek", "steers for where its quarry is"),
    _named("arrive", "steers for where its quarry is, to stop there"),
    _named("pursuit", "steers for where its quarry will be (Buckland)"),
    _named(
        "pursuit/constant", "pursuit that always looks one second ahead", lookahead="constant"
    ),
    _named(
        "pursuit/target_speed",
        "pursuit that looks distance / quarry's top speed ahead",
        lookahead="target_speed",
    ),
    _named(
        "pursuit/own_speed",
        "pursuit that looks distance / own speed ahead (Millington)",
        lookahead="own_speed",
    ),
    _named(
        "pursuit/reynolds",
        "pursuit by the table of nine cases (OpenSteer)",
        lookahead="reynolds",
    ),
    _named(
        "pursuit/intercept",
        "pursuit by the exact interception of a straight runner",
        lookahead="intercept",
    ),
    _named(
        "pursuit/turning",
        "pursuit that expects the quarry to go on turning",
        lookahead="intercept",
        predictor="turning",
        lookahead_cap=2.0,
    ),
    _named(
        "pursuit/braking",
        "pursuit that expects a quarry that brakes to stop",
        predictor="braking",
    ),
    _named(
        "pursuit/accelerating",
        "pursuit that expects the quarry to go on accelerating",
        predictor="accelerating",
    ),
    _named(
        "pursuit/contained",
        "pursuit that knows that the quarry cannot leave the arena",
        predictor="contained",
    ),
    _named(
        "pursuit/among_obstacles",
        "pursuit that steers around obstacles and walls first, by budget",
        combination="budget",
        **_AMONG_OBSTACLES,
    ),
    _named(
        "pursuit/searching",
        "pursuit that loses a quarry out of sight, and wanders to find it again",
        sees="observed",
        wander=1.0,
        combination="budget",
        **_AMONG_OBSTACLES,
    ),
    _named(
        "pursuit/pack",
        "pursuit of the quarry that the pack assigns, a little apart from teammates",
        target="assigned",
        separation=2.0,
        neighbor_distance=2.5,
    ),
    _named(
        "offset_pursuit",
        "gets ahead of its quarry, to cut it off (offset pursuit)",
        offset=1.5,
        response_time=0.25,
    ),
    _named(
        "navigation",
        "true proportional navigation: turns with the line of sight",
        behavior="true_navigation",
    ),
    _named(
        "navigation/pure",
        "proportional navigation across the own path",
        behavior="pure_navigation",
    ),
    _named(
        "navigation/augmented",
        "proportional navigation that allows for the quarry's acceleration",
        behavior="augmented_navigation",
    ),
    _named(
        "navigation/pack",
        "proportional navigation to the quarry that the pack assigns, a little apart",
        behavior="true_navigation",
        target="assigned",
        separation=1.0,
        neighbor_distance=2.0,
    ),
    _named("constant_bearing", "keeps the line of sight from turning (parallel navigation)"),
    _named("deviated_pursuit", "steers a fixed angle ahead of its quarry"),
    _named("flee", "steers away from where its menace is", **_EVASIVE),
    _named("evade", "steers away from where its menace will be", **_EVASIVE),
    _named(
        "evade/intercept",
        "evade by the exact interception law",
        lookahead="intercept",
        **_EVASIVE,
    ),
    _named(
        "evade/target_speed",
        "evade that looks distance / pursuer's top speed ahead",
        lookahead="target_speed",
        **_EVASIVE,
    ),
    _named(
        "evade/threatened",
        "wanders, and evades a pursuer nearer than 6 m",
        threat_range=6.0,
        wander=1.0,
        combination="budget",
        **_CAREFUL,
    ),
    _named(
        "evade/among_obstacles",
        "evade within 8 m, else wander; obstacles and walls first, by budget",
        lookahead="intercept",
        threat_range=8.0,
        wander=1.0,
        combination="budget",
        **_AMONG_OBSTACLES,
    ),
    _named(
        "evade/prioritized",
        "evade; what has no room after walls is left out, the sum truncated",
        combination="prioritized",
        **_EVASIVE,
    ),
    _named(
        "evade/dithered",
        "evade, walls or wander alone, each by its chance",
        combination="dithered",
        chances={"walls": 0.5, "behavior": 0.9},
        **_EVASIVE,
    ),
    _named(
        "evade/chaotic",
        "evade, walls or wander alone, at random and with full force",
        combination="chaotic",
        chances={"walls": 0.4, "behavior": 0.4, "wander": 0.2},
        **_EVASIVE,
    ),
    _named(
        "evade/herd",
        "evade that flocks with its teammates",
        separation=2.0,
        alignment=1.0,
        cohesion=1.0,
        **_CAREFUL,
    ),
    _named(
        "escape", "plays straight runs forward, and takes the one on which it is caught last"
    ),
    _named(
        "escape/sidestep",
        "escape that expects a seeking menace half as agile as itself: sidesteps late",
        lookahead="none",
        agility=0.5,
    ),
    _named(
        "escape/herd",
        "escape that flocks with its teammates",
        separation=2.0,
        alignment=1.0,
        cohesion=1.0,
    ),
    _named(
        "encircle",
        "takes a side of its own around its quarry, and closes in from there",
        target="assigned",
    ),
    _named(
        "flank",
        "passes its quarry on one side while teammates pass it on the other",
        target="assigned",
    ),
    _named(
        "voronoi",
        "shrinks the part of the arena that its quarry reaches first, a moment ahead",
        target="assigned",
        lookahead_cap=0.35,
    ),
    _named(
        "voronoi/now",
        "Voronoi pursuit by where everybody is now, as in its source",
        target="assigned",
        lookahead="none",
    ),
    _named(
        "guard",
        "stands between a teammate and its menace; evades if it has no teammate",
        **_CAREFUL,
    ),
    _named(
        "hide",
        "hides behind obstacles; evades where there are none",
        combination="budget",
        **_AMONG_OBSTACLES,
    ),
]

AT_FULL_FORCE = "/full_force"
"""The end of the names of scripts that steer with all their force."""

_AT_FULL_FORCE = {
    f"{name}{AT_FULL_FORCE}": replace(
        script, response_time=FULL_FORCE, description=f"{name} at full force"
    )
    for name, script in _SCRIPTS
    if name != "rest" and script.combination != "chaotic"  # which has no other force
}

_OPTIMAL = dict(
    _named(
        f"optimal/{behavior.removeprefix('optimal_')}",
        f"plays either side perfectly in the solved game {game}",
        behavior=behavior,
    )
    for behavior, game in zip(
        OPTIMAL_BEHAVIORS, ("SimplePlane", "HomicidalChauffeur", "TwoCars", "Drag")
    )
)

ROSTER = MappingProxyType({**dict(_SCRIPTS), **_AT_FULL_FORCE, **TUNED, **_OPTIMAL})
"""Name to `Script`. The short name is the default member of its family.

A script's force follows from its response time, see `Script`: 1 s, as OpenSteer's laws read in
seconds, meters and kilograms, unless another is given. Every short name but "rest" and
"evade/chaotic", which always pushes with all it has, has a second form, ".../full_force", with
the response time `FULL_FORCE`, so that laws can be compared where the force does not decide.
"tuned/GAME/SIDE" is what a search found to be best. "optimal/GAME" is perfect, and plays no
other game; see `steer_env.solved`.
"""

SHORTER_NAMES = tuple(name for name, _ in _SCRIPTS)
"""The names of the roster without the second forms and the tuned scripts."""


_PRECISE = MappingProxyType({"pursuit/closing": "pursuit", "evade/closing": "evade"})


def short_name(name: str) -> str:
    """The name in the roster: the precise name of a usual member is its short one there."""
    return _PRECISE.get(name, name)


def named_script(name: str) -> Script:
    """The script of a name in the roster, or of a usual member's precise name.

    Raises:
        InvalidValue: if there is none; it names the nearest match.
    """
    if isinstance(name, str):
        name = short_name(name)
    check_choice("opponent", name, ROSTER)
    return ROSTER[name]


def name_of_script(script: Script) -> str:
    """What a script is called: its name in the roster, or else what it is made of.

    That is its behavior, and the fields in which it differs from a plain script of it.

    Example:
        >>> name_of_script(Script(behavior="evade", wander=3.0))
        'Script(evade, wander=3)'
    """
    for name, known in ROSTER.items():
        if known == script:
            return name
    parts = [script.behavior_name]
    for name, value in script.changes.items():
        if name != "description":
            text = f"{value:g}" if isinstance(value, float) else function_name(value)
            parts.append(f"{name}={text}")
    return f"Script({', '.join(parts)})"
