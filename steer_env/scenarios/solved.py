"""The games whose value `steer_env.solved` knows, in the literature's units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steer_env.scenarios.scenario import Scenario
from steer_env.sides import Side

SEES_TARGET = ("own", "own.target_forward", "own.target_left", "other")
"""Features for games about a target."""

PLANE: Mapping[str, Any] = {"arena": "open", "start_distance": 0.0}  # beyond capture


def scales(length: float, speed: float, force: float, acceleration: float) -> dict[str, Any]:
    """The quantities that a learner sees as 1, in m, m/s, N and m/s^2.

    It sees an offset z as z / (|z| + length). With a length near the capture radius a network
    can tell apart the places where captures begin.
    """
    scales = {"length": length, "speed": speed, "force": force, "acceleration": acceleration}
    return {"scales": scales}


def paying_time(seconds: float) -> dict[str, float]:
    """Rewards that add up to minus the seconds to capture, or to the horizon."""
    return {"capture": 0.0, "time": seconds, "closing": 0.0}


def _paying_distance(arena_size: float) -> dict[str, float]:
    """Rewards that add up to the first distance less the payoff, in meters."""
    return {"capture": 0.0, "time": 0.0, "closing": 2.0**0.5 * arena_size}


class SimplePlane(Scenario):
    """Simple motion in the plane (Isaacs 1965): a race along one line."""

    challenge = "none: both turn on the spot, and run along one line"
    question = "Does a learner find a solution that fits into one line?"
    keywords = {
        **PLANE,
        "observation": scales(0.5, 1.0, 12.0, 60.0),
        "pursuer": {"model": "simple_motion", "max_speed": 1.0, "radius": 0.05},
        "evader": {"model": "simple_motion", "max_speed": 0.6, "radius": 0.05},
        "capture_radius": 0.1,
        "arena_size": 2.0,
        "horizon": 900,
        "payoff": "time",
        "reward": paying_time(30.0),
    }
    opponents = dict.fromkeys(Side, "optimal/simple")
    is_named_for_pursuers = True


class HomicidalChauffeur(Scenario):
    """A car after an agile pedestrian (Isaacs 1965, Merz 1971)."""

    challenge = "drive away first, to come back where a turn catches"
    question = "Can a learner find the swerve and the equivocal line?"
    keywords = {
        **PLANE,
        "observation": scales(0.5, 1.0, 12.0, 18.0),
        "pursuer": {"model": "car", "max_speed": 1.0, "max_force": 1.0, "radius": 0.1},
        "evader": {"model": "simple_motion", "max_speed": 0.3, "radius": 0.05},
        "capture_radius": 0.3,
        "arena_size": 4.0,
        "horizon": 1050,
        "payoff": "time",
        "reward": paying_time(35.0),
    }
    opponents = dict.fromkeys(Side, "optimal/chauffeur")
    is_named_for_pursuers = True


class TwoCars(Scenario):
    """Two identical cars (Merz 1972): the least distance that they come to."""

    challenge = "two identical cars: the best turn of each"
    question = "Can a learner find both ways around the barrier's tip?"
    keywords = {
        **PLANE,
        "observation": scales(5.0, 5.0, 5.0, 5.0),
        "pursuer": {"model": "car", "max_speed": 5.0, "max_force": 5.0, "radius": 0.5},
        "evader": {"model": "car", "max_speed": 5.0, "max_force": 5.0, "radius": 0.5},
        "capture_radius": 5.0,
        "arena_size": 20.0,
        "horizon": 150,
        "payoff": "closest_approach",
        "reward": _paying_distance(20.0),
    }
    opponents = dict.fromkeys(Side, "optimal/two_cars")
    is_named_for_pursuers = True


_MASS = {"model": "double_integrator", "max_speed": 2.0, "drag": 0.5, "radius": 0.05}


class Drag(Scenario):
    """Two masses under drag: the distance at a fixed time."""

    challenge = "push where the evader will drift to, not where it is"
    question = "Does a learner find the zero-effort miss?"
    keywords = {
        **PLANE,
        "observation": scales(1.0, 2.0, 1.0, 2.0),
        "pursuer": {**_MASS, "max_force": 1.0},
        "evader": {**_MASS, "max_force": 0.6},
        "capture_radius": 0.5,
        "arena_size": 6.0,
        "start_speed": 0.5,
        "horizon": 120,
        "payoff": "final_distance",
        "reward": _paying_distance(6.0),
    }
    opponents = dict.fromkeys(Side, "optimal/drag")
    is_named_for_pursuers = True


class ReachAvoid(Scenario):
    """Guarding a target in simple motion (Isaacs 1965): how near does the attacker come?"""

    challenge = "run for the point that decides the race, not for the target or the attacker"
    question = "Does a learner find the oval that the attacker reaches first?"
    keywords = {
        **PLANE,
        "observation": {**scales(1.0, 1.0, 12.0, 60.0), "features": SEES_TARGET},
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


class PerimeterDefense(Scenario):
    """A defender on the rim of a disc against an attacker (Shishika and Kumar 2018)."""

    challenge = "be where the attacker comes through, not where it is"
    question = "Does a learner find the tangent along which an attacker should run?"
    keywords = {
        **PLANE,
        "observation": {**scales(1.0, 1.0, 12.0, 60.0), "features": SEES_TARGET},
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
