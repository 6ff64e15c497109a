"""What is drawn beside a player is what the textbook says; nothing where there is nothing."""

from __future__ import annotations

import cmath
import itertools

import pytest
from recorded import annotations_of
from test_annotations import ME, numbers_in, record_of

from steer_env.game.arena import ARENAS
from steer_env.game.config import game_config
from steer_env.scripts.script import (
    GENERAL_BEHAVIORS,
    LOOKAHEADS,
    TEAM_BEHAVIORS,
    Script,
)
from steer_env.steering import (
    Vehicle,
)

pytestmark = pytest.mark.weekly

# ---- What it feels and sees ---------------------------------------------------------------


# ---- Who plays ----------------------------------------------------------------------------


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
