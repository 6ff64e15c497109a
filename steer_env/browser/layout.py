"""Describes the module's memory as data, for the JavaScript that calls the loop.

It reads offsets, sizes and numbers of names from here, and holds none of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np

from steer_env.browser.entrances import LAYER, LISTED, NETWORK
from steer_env.game import loop, memory, state
from steer_env.game.arena import ARENAS
from steer_env.game.config import LIMITS
from steer_env.game.explanation import EXPLANATION
from steer_env.game.features import OBSTACLE_SIZE
from steer_env.game.rules import RULES
from steer_env.game.searching import SIGHTING_SIZE
from steer_env.game.sensor import SENSOR
from steer_env.policies.layers import ACTIVATIONS, HEADS
from steer_env.scripts.script import BEHAVIORS, LOOKAHEADS, PREDICTORS
from steer_env.scripts.table import PARTS, SCRIPT

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
    return {
        "records": {name: _record(dtype) for name, dtype in _RECORDS.items()},
        "arrays": {
            "state": _arrays(_make_state),
            "limits": {name: _limits_array() for name in ("lowest", "highest")},
            "scratch": _arrays(lambda games, *counts: memory.make_scratch(*counts)),
        },
        "routines": LISTED,
        "names": {
            "arena": ARENAS,
            "activation": ACTIVATIONS,
            "behavior": BEHAVIORS,
            "head": HEADS,
            "limit": LIMITS,
            "lookahead": LOOKAHEADS,
            "part": PARTS,
            "predictor": PREDICTORS,
        },
        "phases": {"unstarted": state.UNSTARTED, "running": state.RUNNING, "over": state.OVER},
        "when_over": {
            "refuse": loop.REFUSE,
            "restart": loop.RESTART,
            "rest": loop.REST,
            "decide": loop.DECIDE,
        },
        "block": memory.BLOCK,
        "obstacle_features": OBSTACLE_SIZE,
    }


def _make_state(games: int, players: int, obstacles: int) -> state.State:
    past = state.Past(sightings=players * SIGHTING_SIZE)  # of scripts that remember
    return state.make_state(games, players, obstacles, past)


def _record(dtype: np.dtype[Any]) -> dict[str, Any]:
    """A record's size, and each field's offset, kind of numbers and count."""
    fields = {}
    for name, (kind, offset, *_) in (dtype.fields or {}).items():
        base, shape = kind.subdtype or (kind, (1,))
        fields[name] = [offset, _kind(base), int(np.prod(shape))]
    return {"size": dtype.itemsize, "fields": fields}


def _kind(dtype: np.dtype[Any]) -> str:
    """What numpy calls numbers of a kind, such as "f8"; records are bytes."""
    return dtype.str[1:] if dtype.names is None else f"V{dtype.itemsize}"


def _arrays(make: Callable[..., Any]) -> dict[str, Any]:
    """Describes arrays: their kinds, and how lengths follow from the numbers of things.

    A length is a sum of products of these numbers, so that its factors follow from the lengths
    where each number is 0 or 1.
    """
    corners = list(product((0, 1), repeat=len(_COUNTS)))
    made = {corner: make(*corner) for corner in corners}
    found = {}
    for name, array in made[corners[0]]._asdict().items():
        sizes = {corner: getattr(made[corner], name).size for corner in corners}
        length = {}
        for corner in corners:
            below = [other for other in corners if all(a <= b for a, b in zip(other, corner))]
            factor = sum(_sign(corner, other) * sizes[other] for other in below)
            if factor != 0:
                length["*".join(_named(corner))] = factor
        found[name] = {"kind": _kind(array.dtype), "length": length}
    return found


def _sign(corner: Iterable[int], other: Iterable[int]) -> int:
    missing: int = sum(a != b for a, b in zip(corner, other))
    return -1 if missing % 2 else 1


def _named(corner: Iterable[int]) -> list[str]:
    return [name for name, number in zip(_COUNTS, corner) if number]


def _limits_array() -> dict[str, Any]:
    return {"kind": "f8", "length": {"players": len(LIMITS)}}
