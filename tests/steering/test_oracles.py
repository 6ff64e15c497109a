"""Forces and aims equal those of two independent libraries, Yuka and OpenSteer."""

import json
from pathlib import Path

import numpy as np
import pytest

from steer_env.steering import VEHICLE
from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.chase import evade, interpose, offset_pursuit, pursuit, pursuit_aim
from steer_env.steering.flocking import alignment, cohesion, separation
from steer_env.steering.prediction import FOREVER, linear, reynolds

from .vehicles import vehicle

DATA = Path(__file__).parent.parent / "data"


def read(name, *behaviors):
    lines = (DATA / name).read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["behavior"] in behaviors]


def point(pair):
    return complex(*pair)


def body(row):
    return vehicle(
        point(row["position"]),
        point(row["velocity"]),
        point(row["heading"]),
        row.get("max_speed", 1.0),
        row.get("max_force", 1.0),
    )


FORCES = {
    "pursuit": lambda row, me: pursuit(me, body(row["other"])),
    "evade": lambda row, me: evade(me, body(row["other"])),
    "seek": lambda row, me: seek(me, point(row["target"])),
    "flee": lambda row, me: flee(me, point(row["target"]), row["panic_distance"]),
    "arrive": lambda row, me: arrive(me, point(row["target"]), row["deceleration_time"]),
    "interpose": lambda row, me: interpose(
        me, body(row["a"]), body(row["b"]), row["deceleration_time"]
    ),
    "offset_pursuit": lambda row, me: offset_pursuit(
        me, body(row["leader"]), point(row["offset"]), row["deceleration_time"]
    ),
}


@pytest.mark.parametrize("behavior", FORCES)
def test_forces_equal_yukas(behavior):
    rows = read("yuka.jsonl", behavior)
    assert len(rows) >= 20
    for row in rows:
        force = FORCES[behavior](row, body(row["me"]))
        assert abs(force - point(row["force"])) < 1e-9, row


def test_reynolds_pursuit_aims_where_opensteer_does():
    rows = read("opensteer.jsonl", "reynolds_pursuit")
    assert len(rows) >= 20
    for row in rows:
        me, quarry = body(row["me"]), body(row["other"])
        cap = float(row["max_prediction_time"])
        aim = linear(quarry, reynolds(me, quarry, cap))
        if cap == FOREVER:
            assert aim == pursuit_aim(me, quarry, reynolds, linear, False)
        expected = point(row["aim"])
        assert abs(aim - expected) < 1e-4 * (abs(expected - me.position) + 1), row


@pytest.mark.parametrize("steer", [separation, alignment, cohesion])
def test_neighbors_steer_as_in_opensteer(steer):
    rows = read("opensteer.jsonl", steer.__name__)
    assert len(rows) >= 15
    assert sum(any(row["unit_steering"]) for row in rows) >= 3
    for row in rows:
        me = body(row["me"])
        neighbors = [body(other) for other in row["neighbours"]]
        limits = [float(row[key]) for key in ("min_distance", "max_distance", "cos_max_angle")]
        force = steer(me, neighbors, *limits)
        assert abs(force - point(row["unit_steering"])) < 1e-4, row
        array = np.array([tuple(other) for other in neighbors], VEHICLE)
        assert steer(me, array, *limits) == pytest.approx(force, abs=1e-12), row
