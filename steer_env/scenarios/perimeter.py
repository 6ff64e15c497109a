"""Perimeter defense: defenders run on the rim of a disc, attackers want to come through it."""

from __future__ import annotations

from steer_env.scenarios.scenario import Scenario
from steer_env.scenarios.solved import PLANE, scales
from steer_env.sides import Side


class PerimeterDefense(Scenario):
    """A defender on the rim of a disc against an attacker (Shishika and Kumar 2018)."""

    challenge = "be where the attacker comes through, not where it is"
    question = "Does a learner find the tangent along which an attacker should run?"
    keywords = {
        **PLANE,
        "observation": {
            **scales(1.0, 1.0, 12.0, 60.0),
            "features": ("own", "own.target_forward", "own.target_left", "other"),
        },
        "pursuer": {"model": "simple_motion", "max_speed": 1.0, "radius": 0.05},
        "evader": {"model": "simple_motion", "max_speed": 0.7, "radius": 0.05},
        "capture_radius": 0.1,
        "arena_size": 6.0,
        "horizon": 600,
        "payoff": "breach_distance",
        "target": {"radius": 1.0, "on_rim": True, "approach": 0.0},
        "reward": {"capture": 0.0, "time": 0.0, "closing": 0.0},
    }
    opponents = dict.fromkeys(Side, "optimal/perimeter")
    is_named_for_pursuers = True
