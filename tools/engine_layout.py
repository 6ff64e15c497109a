"""Describes the module's memory as data, for the JavaScript that calls the loop.

It reads offsets, sizes and numbers of names from here, and holds none of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from steer_env.browser.entrances import LAYER, LISTED, NETWORK
from steer_env.game import state
from steer_env.game.config import LIMITS
from steer_env.game.config.features import OBSTACLE_SIZE
from steer_env.game.look.learner import SENSOR
from steer_env.game.rules import RULES
from steer_env.game.run import memory
from steer_env.game.state import SIGHTING_SIZE
from steer_env.scripts.behaviors import BEHAVIORS, LOOKAHEADS
from steer_env.scripts.table import EXPLANATION, PARTS, SCRIPT

_RECORDS = {
    "call": memory.CALL,
    "explanation": EXPLANATION,
    "layer": LAYER,
    "memory": memory.MEMORY,
    "network": NETWORK,
    "rules": RULES,
    "scratch": memory.SCRATCH,
    "script": SCRIPT,
    "sensor": SENSOR,
}

_COUNTS = ("games", "players", "obstacles")


def layout() -> dict[str, Any]:
    """The records, the arrays that they point to, and the numbers of names, for JSON."""
    limits = {"kind": "f8", "length": {"players": len(LIMITS)}}
    return {
        "records": {name: _record(dtype) for name, dtype in _RECORDS.items()},
        "arrays": {
            "state": _arrays(_make_state),
            "limits": {"lowest": limits, "highest": limits},
            "scratch": _arrays(lambda games, **counts: memory.make_scratch(**counts)),
        },
        "routines": LISTED,
        "names": {
            "behavior": BEHAVIORS,
            "limit": LIMITS,
            "lookahead": LOOKAHEADS,
            "part": PARTS,
        },
        "phases": {"running": state.RUNNING},
        "when_over": {"restart": memory.RESTART, "idle": memory.IDLE},
        "moved": memory.MOVED * memory.MOST_IN_PHASE,  # a place in the memory's phases
        "obstacle_features": OBSTACLE_SIZE,
    }


def _make_state(games: int, players: int, obstacles: int) -> state.State:
    past = state.Past(sightings=players * SIGHTING_SIZE, map=2)  # of scripts that remember
    return state.make_state(games, players, obstacles, past)


def _record(dtype: np.dtype[Any]) -> dict[str, Any]:
    """A record's size, and each field's offset, kind of numbers and count."""
    fields = {
        name: [offset, _kind(kind.base), math.prod(kind.shape)]
        for name, (kind, offset, *_) in (dtype.fields or {}).items()
    }
    return {"size": dtype.itemsize, "fields": fields}


def _kind(dtype: np.dtype[Any]) -> str:
    """The name of a kind of numbers in numpy, such as "f8", with records as bytes."""
    return dtype.str[1:] if dtype.names is None else f"V{dtype.itemsize}"


def _arrays(make: Callable[..., Any]) -> dict[str, Any]:
    """Arrays' kinds, and lengths as factors of the `_COUNTS` without which they are empty."""
    ones = dict.fromkeys(_COUNTS, 1)
    without = {count: make(**{**ones, count: 0}) for count in _COUNTS}
    found = {}
    for name, array in make(**ones)._asdict().items():
        product = [count for count in _COUNTS if getattr(without[count], name).size == 0]
        length = {"*".join(product): array.size} if array.size else {}
        found[name] = {"kind": _kind(array.dtype), "length": length}
    return found
