"""In the loop, scripts steer as a Blend of the same textbook functions does."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES
from steer_env.scripts.script import (
    LOOKAHEADS,
    PRIORITIES,
    Script,
)
from steer_env.steering import METHODS

pytestmark = pytest.mark.weekly

EVERYTHING = {
    "obstacles": 20.0,
    "walls": 6.0,
    "containment": 3.0,
    "collisions": 1.0,
    "separation": 2.0,
    "alignment": 1.5,
    "cohesion": 1.2,
    "wander": 0.7,
}
CHANCES = dict(zip(PRIORITIES, (0.9, 0.8, 0.4, 0.9, 0.3, 0.7, 0.5, 0.6, 1.0)))


SCRIPTS = {
    f"everything-{method}": Script(
        behavior="evade", response_time=0.5, combination=method, chances=CHANCES, **EVERYTHING
    )
    for method in METHODS
}
SCRIPTS["reordered"] = Script(
    behavior="pursuit",
    combination="budget",
    priorities=tuple(reversed(PRIORITIES)),
    neighbor_distance=3.0,
    field_of_view=1.2,
    obstacle_seconds=2.5,
    obstacle_margin=0.7,
    collision_seconds=4.0,
    collision_margin=1.0,
    containment_seconds=2.0,
    **EVERYTHING,
)
SCRIPTS["parameters"] = Script(
    behavior="offset_pursuit", offset=-2 + 1.5j, deceleration_time=1.4, threat_range=8.0
)
SCRIPTS["gain"] = Script(behavior="augmented_navigation", navigation_gain=4.5)
SCRIPTS["lead"] = Script(behavior="deviated_pursuit", lead_angle=0.8, response_time=0.25)
SCRIPTS["margin"] = Script(behavior="hide", hiding_margin=2.5, deceleration_time=0.3)
SCRIPTS["laggard"] = Script(behavior="pursuit", lookahead="own_speed", lookahead_cap=1.5)
SCRIPTS["contained"] = Script(behavior="evade", predictor="contained", walls=3.0)
SCRIPTS.update({law: Script(behavior="pursuit", lookahead=law) for law in LOOKAHEADS})
SCRIPTS["shared"] = Script(behavior="deviated_pursuit", target="assigned", cohesion=2.0)
SCRIPTS["two-in-a-ring"] = Script(behavior="encircle", spread=0.7, lookahead="intercept")
SCRIPTS["pincer-budget"] = Script(behavior="flank", combination="budget", **EVERYTHING)
SCRIPTS.update({name: ROSTER[name] for name in SHORTER_NAMES if name != "idle"})


@pytest.mark.compiled
def test_budget_keeps_off_walls_where_the_plain_sum_does_not():
    touching = {}
    for method in ("weighted", "budget"):
        script = Script(behavior="evade", response_time=0.125, walls=8.0, combination=method)
        config = game_config(pursuer={"max_speed": 2.0}, capture_radius=0.05)
        engine = Engine(config, [ROSTER["pursuit"]], [script], 200)
        engine.seed(range(200))
        engine.start()
        count = 0
        for _ in range(400):
            engine.step(
                np.zeros((0, 1, 2), np.float32), np.zeros((0, 1, 2), np.float32), 0, True
            )
            place = engine.get_state()["players"]["body"]["position"][:, 1]
            count += (np.maximum(abs(place.real), abs(place.imag)) > 9.69).sum()
        touching[method] = count / 400 / 200
    assert touching["budget"] < 0.3 * touching["weighted"]
