"""The named scripts: every hand-written opponent that can be asked for by name."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

from steer_env.errors import check_choice
from steer_env.game.script import Script

_CAREFUL: dict[str, Any] = {"walls": 8.0, "feeler_length": 3.0}

ROSTER = MappingProxyType(
    {
        "rest": Script(behavior="rest"),
        "wander": Script(behavior="wander", **_CAREFUL),
        "seek": Script(behavior="seek"),
        "pursuit": Script(behavior="pursuit"),
        "pursuit/constant": Script(behavior="pursuit", lookahead="constant"),
        "pursuit/target_speed": Script(behavior="pursuit", lookahead="target_speed"),
        "pursuit/own_speed": Script(behavior="pursuit", lookahead="own_speed"),
        "pursuit/reynolds": Script(behavior="pursuit", lookahead="reynolds"),
        "pursuit/intercept": Script(behavior="pursuit", lookahead="intercept"),
        "flee": Script(behavior="flee", wander=0.3, **_CAREFUL),
        "evade": Script(behavior="evade", wander=0.3, **_CAREFUL),
        "evade/intercept": Script(
            behavior="evade", lookahead="intercept", wander=0.3, **_CAREFUL
        ),
    }
)
"""Name to `Script`. The short name is the usual member of its family."""


def named_script(name: str) -> Script:
    """The script of a name in the roster.

    Raises:
        ValueError: if there is none; it names the nearest match.
    """
    check_choice("opponent", name, ROSTER)
    return ROSTER[name]


def describe(script: Script) -> str:
    """A script in one line."""
    text = script.behavior
    if script.behavior in ("pursuit", "evade"):
        text += f", looks ahead by the {script.lookahead} law"
        if script.predictor != "linear":
            text += f" and predicts a {script.predictor} path"
    if script.threat_range < math.inf:
        text += f", of who is within {script.threat_range:g} m"
    if script.wander > 0.0:
        text += f", wanders a little ({script.wander:g})"
    if script.walls > 0.0:
        text += ", keeps off walls"
    return text
