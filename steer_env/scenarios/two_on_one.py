"""Two faster pursuers after one evader, in simple motion."""

from __future__ import annotations

from steer_env.scenarios.scenario import Scenario
from steer_env.scenarios.solved import PLANE, paying_time, scales
from steer_env.sides import Side


class TwoOnOne(Scenario):
    """Two pursuers after an evader in the plane (Hagedorn and Breakwell 1976)."""

    challenge = "share out the evader's ways: one pursuer alone may take twice as long"
    question = "Do two learners find without words for which point both should run?"
    keywords = {
        **PLANE,
        "observation": scales(0.5, 1.0, 12.0, 60.0),
        "pursuers": 2,
        "pursuer": {"model": "simple_motion", "max_speed": 1.0, "radius": 0.05},
        "evader": {"model": "simple_motion", "max_speed": 0.6, "radius": 0.05},
        "capture_radius": 0.1,
        "arena_size": 4.0,
        "horizon": 900,
        "payoff": "time",
        "reward": paying_time(30.0),
    }
    opponents = dict.fromkeys(Side, "optimal/two_on_one")
    is_named_for_pursuers = True
