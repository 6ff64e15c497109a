"""Guarding a target: the attacker is the evader, the defender the pursuer."""

from __future__ import annotations

from steer_env.scenarios.scenario import Scenario
from steer_env.scenarios.solved import PLANE, scales
from steer_env.sides import EVADER, PURSUER, Side

_SEEN = ("own", "own.target_forward", "own.target_left", "other")


class ReachAvoid(Scenario):
    """Guarding a target in simple motion (Isaacs 1965): how near does the attacker come?"""

    challenge = "run for the point that decides the race, not for the target or the attacker"
    question = "Does a learner find the oval that the attacker reaches first?"
    keywords = {
        **PLANE,
        "observation": {**scales(1.0, 1.0, 12.0, 60.0), "features": _SEEN},
        "pursuer": {"model": "simple_motion", "max_speed": 1.0, "radius": 0.05},
        "evader": {"model": "simple_motion", "max_speed": 0.7, "radius": 0.05},
        "capture_radius": 0.2,
        "arena_size": 8.0,
        "horizon": 600,
        "payoff": "target_distance",
        "target": {"radius": 0.5, "reach": 0.0, "approach": 2.0**0.5 * 8.0},
        "reward": {"capture": 0.0, "time": 0.0, "closing": 0.0},
    }
    opponents = dict.fromkeys(Side, "optimal/reach_avoid")
    is_named_for_pursuers = True


class Guard(Scenario):
    """A disc in a square that a pursuer guards from an evader."""

    challenge = "stay between the attacker and the target, and catch it all the same"
    question = "How far from a target should its guard wait for an attacker that has inertia?"
    keywords = {
        "payoff": "target_distance",
        "target": {"radius": 1.0},
        "observation": {"features": (*_SEEN, "obstacle")},
        "reward": {"time": 0.0, "closing": 0.0},
    }
    opponents = {PURSUER: "reach/full_force", EVADER: "block/full_force"}
    is_named_for_pursuers = True
