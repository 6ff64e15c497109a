"""The named games: the benchmark suite, games of teams, one about a target, and solved ones.

Those from `SimplePlane` on have a value that `steer_env.solved` knows, and are in the
literature's units.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steer_env.scenarios.scenario import Scenario
from steer_env.sides import EVADER, PURSUER, Side

SEES_TARGET = ("own", "own.target_forward", "own.target_left", "other")
"""Features for games about a target."""


class Walls(Scenario):
    """The game of Pursuit-v0 and Evade-v0."""

    challenge = "lead the quarry, and use full force"

    def environment(self, side: Side, action_type: str = "continuous") -> str:
        """The id of the environment in which a side of this game learns."""
        return super().environment(side, action_type).removeprefix("Walls")


class AgileTorus(Scenario):
    """A fast, clumsy pursuer after a slow, agile evader that no wall stops."""

    challenge = "a slow, agile evader that no wall stops"
    keywords = {
        "arena": "torus",
        "pursuer": {"max_speed": 6.0, "max_force": 6.0},
        "evader": {"max_speed": 4.0, "max_force": 16.0},
    }
    opponents = {PURSUER: "escape/sidestep/full_force", EVADER: "pursuit/own_speed/full_force"}


class Obstacles(Scenario):
    """The default game among obstacles."""

    challenge = "an evader that keeps an obstacle between itself and its pursuer"
    keywords = {"obstacles": 8}
    opponents = {PURSUER: "hide/full_force", EVADER: "pursuit/among_obstacles/full_force"}


class Pack(Scenario):
    """Three pursuers after a much faster evader on a torus."""

    challenge = "three pursuers have to surround one much faster evader"
    keywords = {"arena": "torus", "pursuers": 3, "evader": {"max_speed": 6.0}}
    opponents = {PURSUER: "escape/full_force", EVADER: "constant_bearing/full_force"}


class PackObstacles(Scenario):
    """A pack among obstacles."""

    challenge = "three pursuers have to surround a faster evader among obstacles"
    keywords = {"pursuers": 3, "obstacles": 8, "arena": "torus", "evader": {"max_speed": 5.0}}
    opponents = {PURSUER: "escape/full_force", EVADER: "voronoi/full_force"}


class Team(Scenario):
    """Three pursuers after two faster evaders in a large square."""

    challenge = "three pursuers have to share out two faster evaders, and corner them"
    keywords = {"pursuers": 3, "evaders": 2, "evader": {"max_speed": 4.8}, "arena_size": 30.0}
    opponents = {PURSUER: "escape/full_force", EVADER: "voronoi/full_force"}


class Herd(Scenario):
    """Three pursuers after eight evaders."""

    challenge = "three pursuers have to catch eight evaders one after the other"
    keywords = {"pursuers": 3, "evaders": 8, "horizon": 900}
    opponents = {PURSUER: "escape/herd/full_force", EVADER: "encircle/full_force"}
    is_named_for_pursuers = True


_DRAG = 2.876820724517809  # 1/s: a step of 0.1 s keeps 0.75 of the velocity
_PUSH = 1.1507282898071238  # force here over force there: drag also slows the push


class Tag(Scenario):
    """mpe2's simple_tag, as near as our physics comes.

    It has the speeds, accelerations, radii, damping, step and length of mpe2 1.1.1 (Lowe et al.
    2017, "Multi-Agent Actor-Critic for Mixed Cooperative-Competitive Environments"). The
    differences: the first touch catches an evader and ends its game; walls replace the penalty
    for leaving [-1, 1]; bodies and obstacles are rigid, with gaps between obstacles; a position
    is one step ahead; actions and observations are in the own frame.
    """

    challenge = "mpe2's simple_tag: everybody is small, slow and slippery, and time is short"
    keywords = {
        "pursuers": 3,
        "pursuer": {"max_speed": 1.0, "max_force": 3.0 * _PUSH, "radius": 0.075, "drag": _DRAG},
        "evader": {"max_speed": 1.3, "max_force": 4.0 * _PUSH, "radius": 0.05, "drag": _DRAG},
        "arena_size": 2.15,
        "obstacles": 2,
        "obstacle_radius": (0.2, 0.2),
        "capture_radius": 0.125,
        "dt": 0.1,
        "horizon": 25,
        "start_distance": 0.0,
        "solid": "teammates",
        "reward": {"capture": 10.0, "time": 0.0, "closing": 0.0},
        "observation": {"scales": "game"},
    }
    opponents = {PURSUER: "evade/full_force", EVADER: "encircle/full_force"}
    is_named_for_pursuers = True


class Guard(Scenario):
    """A disc in a square that a pursuer guards from an evader."""

    challenge = "stay between the attacker and the target, and catch it all the same"
    keywords = {
        "payoff": "target_distance",
        "target": {"radius": 1.0},
        "observation": {"features": (*SEES_TARGET, "obstacle")},
        "reward": {"time": 0.0, "closing": 0.0},
    }
    opponents = {PURSUER: "reach/full_force", EVADER: "block/full_force"}
    is_named_for_pursuers = True


class Rooms(Scenario):
    """Rooms and doors that differ from episode to episode, seen by rays."""

    challenge = "find and corner an evader that runs from room to room, out of sight"
    keywords = {
        "map": "rooms/0-63",
        "observation": {"range": 8.0, "lidar": {"rays": 16, "range": 8.0}},
    }
    opponents = {
        PURSUER: "evade/paths/full_force",
        EVADER: "pursuit/paths/searching/full_force",
    }
    is_named_for_pursuers = True
    unseen_maps = "rooms/64-1063"


class Maze(Rooms):
    """A maze that differs from episode to episode, with some ways around, seen by rays."""

    challenge = "choose at each fork, with walls on both sides"
    keywords = {**Rooms.keywords, "map": "maze/0-63", "horizon": 900}
    unseen_maps = "maze/64-1063"


class Hide(Rooms):
    """Hide and seek in rooms: two hiders have a head start of six seconds."""

    challenge = "search the rooms for two evaders, together"
    keywords = {
        **Rooms.keywords,
        "pursuers": 2,
        "evaders": 2,
        "head_start": 6.0,
        "horizon": 900,
    }


PLANE: Mapping[str, Any] = {"arena": "open", "start_distance": 0.0}  # beyond capture


_LINE = ("other.distance", "other.bearing_forward", "other.bearing_left")
_POSE = (*_LINE, "other.heading_forward", "other.heading_left")
_TARGET = (*_LINE, "own.target_forward", "own.target_left")


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
    reduced = dict.fromkeys(Side, _LINE)
    opponents = dict.fromkeys(Side, "optimal/simple")


class HomicidalChauffeur(Scenario):
    """A car after an agile pedestrian (Isaacs 1965, Merz 1971)."""

    challenge = "drive away first, to come back where a turn catches"
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
    reduced = dict.fromkeys(Side, _POSE)
    opponents = dict.fromkeys(Side, "optimal/chauffeur")


class TwoCars(Scenario):
    """Two identical cars (Merz 1972): the least distance that they come to."""

    challenge = "two identical cars: the best turn of each"
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
    reduced = dict.fromkeys(Side, _POSE)
    opponents = dict.fromkeys(Side, "optimal/two_cars")


_MASS = {"model": "double_integrator", "max_speed": 2.0, "drag": 0.5, "radius": 0.05}


class Drag(Scenario):
    """Two masses under drag: the distance at a fixed time."""

    challenge = "push where the evader will drift to, not where it is"
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


class ReachAvoid(Scenario):
    """Guarding a target in simple motion (Isaacs 1965): how near does the attacker come?"""

    challenge = "run for the point that decides the race, not for the target or the attacker"
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
    reduced = dict.fromkeys(Side, _TARGET)
    opponents = dict.fromkeys(Side, "optimal/reach_avoid")


class TwoOnOne(Scenario):
    """Two pursuers after an evader in the plane (Hagedorn and Breakwell 1976)."""

    challenge = "share out the evader's ways: one pursuer alone may take twice as long"
    keywords = {**SimplePlane.keywords, "pursuers": 2, "arena_size": 4.0}
    opponents = dict.fromkeys(Side, "optimal/two_on_one")


class PerimeterDefense(Scenario):
    """A defender on the rim of a disc against an attacker (Shishika and Kumar 2018)."""

    challenge = "be where the attacker comes through, not where it is"
    keywords = {
        **ReachAvoid.keywords,
        "capture_radius": 0.1,
        "arena_size": 6.0,
        "payoff": "breach_distance",
        "target": {"radius": 1.0, "on_rim": True, "approach": 0.0},
    }
    reduced = {PURSUER: _LINE, EVADER: _TARGET}
    opponents = dict.fromkeys(Side, "optimal/perimeter")
