"""What is drawn beside a player is what the textbook says; nothing where there is nothing."""

from __future__ import annotations

import cmath
import itertools

import numpy as np
import pytest

from steer_env.game.annotations import annotations_of
from steer_env.game.arena import ARENAS
from steer_env.game.config import game_config
from steer_env.game.state import make_records
from steer_env.scripts.script import (
    GENERAL_BEHAVIORS,
    LOOKAHEADS,
    TEAM_BEHAVIORS,
    Script,
)
from steer_env.steering import (
    OBSTACLE,
    VEHICLE,
    Vehicle,
)

ME = Vehicle(1 + 2j, 3 + 1j, cmath.exp(0.4j), 4.0, 12.0, 1.0, 0.3)
OTHER = Vehicle(6 - 1j, -1 + 2j, cmath.exp(2j), 3.0, 12.0, 1.0, 0.3, 2 + 1j)
REST = Script(behavior="rest")


def record_of(bodies, pursuers=1, obstacles=(), point=1 + 0j, caught=()):
    """One game's record with such bodies, (center, radius) of obstacles, and wander points."""
    record = make_records(1, len(bodies), len(obstacles))[0]
    players = record["players"]
    players["body"] = np.array([tuple(body) for body in bodies], VEHICLE)
    players["wander_point"] = point
    players["active"] = True
    players["active"][list(caught)] = False
    if obstacles:
        record["obstacles"] = np.array(obstacles, OBSTACLE)
    return record


def annotations(script, me=ME, other=OTHER, obstacles=(), point=1 + 0j, **keywords):
    """Those of a pursuer with one quarry."""
    record = record_of([me, other], obstacles=obstacles, point=point)
    return annotations_of(record, game_config(**keywords), ([script], [REST]))[0]


# ---- What it feels and sees ---------------------------------------------------------------


# ---- Who plays ----------------------------------------------------------------------------


def numbers_in(found):
    for field in found:
        if isinstance(field, tuple):
            yield from numbers_in(field)
        elif field is not None:
            yield field


ALL_PARTS = {part: 1.0 for part in ("wander", "walls", "obstacles", "separation")}
STILL = Vehicle(1 + 2j, 0j, 1j, 0.0, 0.0, 1.0, 0.0)


@pytest.mark.parametrize("behavior", [*GENERAL_BEHAVIORS, *TEAM_BEHAVIORS])
def test_every_annotation_is_a_number(behavior):
    oddities = [ME, STILL, ME._replace(velocity=0j), ME._replace(max_speed=0.0)]
    for lookahead, arena in itertools.product(LOOKAHEADS, ARENAS):
        script = Script(
            behavior=behavior, lookahead=lookahead, predictor="turning", **ALL_PARTS
        )
        config = game_config(arena=arena, pursuers=2, evaders=2)
        for one, other in itertools.product(oddities, oddities):  # all on one spot
            record = record_of([one, one, other, other], 2, [(1 + 2j, 1.0)])
            for found in annotations_of(record, config, ([script], [script])):
                assert found.wander is not None
                assert all(map(cmath.isfinite, numbers_in(found)))
