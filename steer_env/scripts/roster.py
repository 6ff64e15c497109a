"""The named scripts: every hand-written opponent that can be asked for by name."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType
from typing import Any

from steer_env.errors import check_choice
from steer_env.scripts.script import Script

_CAREFUL: dict[str, Any] = {"walls": 8.0, "feeler_length": 3.0}
_EVASIVE: dict[str, Any] = {"wander": 0.3, **_CAREFUL}
_AMONG_OBSTACLES: dict[str, Any] = {"obstacles": 24.0, **_CAREFUL}

_SCRIPTS = {
    "rest": Script(behavior="rest", description="does nothing"),
    "wander": Script(behavior="wander", description="wanders, and keeps off walls", **_CAREFUL),
    "seek": Script(behavior="seek", description="steers for where its quarry is"),
    "arrive": Script(
        behavior="arrive", description="steers for where its quarry is, to stop there"
    ),
    "pursuit": Script(
        behavior="pursuit", description="steers for where its quarry will be (Buckland)"
    ),
    "pursuit/constant": Script(
        behavior="pursuit",
        lookahead="constant",
        description="pursuit that always looks one second ahead",
    ),
    "pursuit/target_speed": Script(
        behavior="pursuit",
        lookahead="target_speed",
        description="pursuit that looks distance / quarry's top speed ahead",
    ),
    "pursuit/own_speed": Script(
        behavior="pursuit",
        lookahead="own_speed",
        description="pursuit that looks distance / own speed ahead (Millington)",
    ),
    "pursuit/reynolds": Script(
        behavior="pursuit",
        lookahead="reynolds",
        description="pursuit by the table of nine cases (OpenSteer)",
    ),
    "pursuit/intercept": Script(
        behavior="pursuit",
        lookahead="intercept",
        description="pursuit by the exact interception of a straight runner",
    ),
    "pursuit/turning": Script(
        behavior="pursuit",
        lookahead="intercept",
        predictor="turning",
        lookahead_cap=2.0,
        description="pursuit that expects the quarry to go on turning",
    ),
    "pursuit/braking": Script(
        behavior="pursuit",
        predictor="braking",
        description="pursuit that expects a quarry that brakes to stop",
    ),
    "pursuit/accelerating": Script(
        behavior="pursuit",
        predictor="accelerating",
        description="pursuit that expects the quarry to go on accelerating",
    ),
    "pursuit/contained": Script(
        behavior="pursuit",
        predictor="contained",
        description="pursuit that knows that the quarry cannot leave the arena",
    ),
    "pursuit/full_force": Script(
        behavior="pursuit",
        weight=10.0,
        description="pursuit that steers with all the force it has",
    ),
    "pursuit/among_obstacles": Script(
        behavior="pursuit",
        combination="budget",
        description="pursuit that steers around obstacles and walls first, by budget",
        **_AMONG_OBSTACLES,
    ),
    "pursuit/pack": Script(
        behavior="pursuit",
        separation=4.0,
        description="pursuit that keeps apart from teammates",
    ),
    "offset_pursuit": Script(
        behavior="offset_pursuit",
        offset=1.5,
        weight=4.0,
        description="gets ahead of its quarry, to cut it off (offset pursuit)",
    ),
    "navigation": Script(
        behavior="true_navigation",
        description="true proportional navigation: turns with the line of sight",
    ),
    "navigation/pure": Script(
        behavior="pure_navigation",
        description="proportional navigation across the own path",
    ),
    "navigation/augmented": Script(
        behavior="augmented_navigation",
        description="proportional navigation that allows for the quarry's acceleration",
    ),
    "constant_bearing": Script(
        behavior="constant_bearing",
        description="keeps the line of sight from turning (parallel navigation)",
    ),
    "deviated_pursuit": Script(
        behavior="deviated_pursuit",
        description="steers a fixed angle ahead of its quarry",
    ),
    "flee": Script(
        behavior="flee", description="steers away from where its menace is", **_EVASIVE
    ),
    "evade": Script(
        behavior="evade", description="steers away from where its menace will be", **_EVASIVE
    ),
    "evade/intercept": Script(
        behavior="evade",
        lookahead="intercept",
        description="evade by the exact interception law",
        **_EVASIVE,
    ),
    "evade/threatened": Script(
        behavior="evade",
        threat_range=6.0,
        wander=1.0,
        combination="budget",
        description="wanders, and evades a pursuer nearer than 6 m",
        **_CAREFUL,
    ),
    "evade/among_obstacles": Script(
        behavior="evade",
        lookahead="intercept",
        threat_range=8.0,
        wander=1.0,
        combination="budget",
        description="evade within 8 m, else wander; obstacles and walls first, by budget",
        **_AMONG_OBSTACLES,
    ),
    "evade/prioritized": Script(
        behavior="evade",
        combination="prioritized",
        description="evade; what has no room after walls is left out, the sum truncated",
        **_EVASIVE,
    ),
    "evade/dithered": Script(
        behavior="evade",
        combination="dithered",
        chances={"walls": 0.5, "behavior": 0.9},
        description="evade, walls or wander alone, each by its chance",
        **_EVASIVE,
    ),
    "evade/chaotic": Script(
        behavior="evade",
        combination="chaotic",
        chances={"walls": 0.4, "behavior": 0.4, "wander": 0.2},
        description="evade, walls or wander alone, at random and with full force",
        **_EVASIVE,
    ),
    "evade/herd": Script(
        behavior="evade",
        separation=2.0,
        alignment=1.0,
        cohesion=1.0,
        description="evade that flocks with its teammates",
        **_CAREFUL,
    ),
    "hide": Script(
        behavior="hide",
        combination="budget",
        description="hides behind obstacles; evades where there are none",
        **_AMONG_OBSTACLES,
    ),
}

ROSTER = MappingProxyType(_SCRIPTS)
"""Name to `Script`. The short name is the default member of its family."""


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
    plain = Script(behavior=script.behavior)
    parts = [script.behavior_name]
    for field in dataclasses.fields(Script):
        value = getattr(script, field.name)
        if field.compare and value != getattr(plain, field.name):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            parts.append(f"{field.name}={text}")
    return f"Script({', '.join(parts)})"
