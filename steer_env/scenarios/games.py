"""The games of the benchmark suite, games of teams, and one about a target."""

from __future__ import annotations

from steer_env.scenarios.scenario import Scenario
from steer_env.scenarios.solved import SEES_TARGET
from steer_env.sides import EVADER, PURSUER, Side


class Walls(Scenario):
    """The game of Pursuit-v0 and Evade-v0."""

    challenge = "lead the quarry, and use full force"
    question = (
        "How long can an evader stay free in a square from a pursuer that is hardly faster, if "
        "both play their best?"
    )

    def environment(self, side: Side, action_type: str = "continuous") -> str:
        """The id of the environment in which a side of this game learns."""
        return super().environment(side, action_type).removeprefix("Walls")


class AgileTorus(Scenario):
    """A fast, clumsy pursuer after a slow, agile evader that no wall stops."""

    challenge = "a slow, agile evader that no wall stops"
    question = (
        "When should a slow, agile evader sidestep a fast, clumsy pursuer on a torus, and can "
        "it do so forever?"
    )
    keywords = {
        "arena": "torus",
        "pursuer": {"max_speed": 6.0, "max_force": 6.0},
        "evader": {"max_speed": 4.0, "max_force": 16.0},
    }
    opponents = {PURSUER: "escape/sidestep/full_force", EVADER: "pursuit/own_speed/full_force"}


class Obstacles(Scenario):
    """The default game among obstacles."""

    challenge = "an evader that keeps an obstacle between itself and its pursuer"
    question = (
        "Can a pursuer that is hardly faster force a capture among obstacles, or is there "
        "always a way around one?"
    )
    keywords = {"obstacles": 8}
    opponents = {PURSUER: "hide/full_force", EVADER: "pursuit/among_obstacles/full_force"}


class Pack(Scenario):
    """Three pursuers after a much faster evader on a torus."""

    challenge = "three pursuers have to surround one much faster evader"
    question = (
        "Can three slower pursuers force a capture where no wall helps them, and where should "
        "each of them go?"
    )
    keywords = {"arena": "torus", "pursuers": 3, "evader": {"max_speed": 6.0}}
    opponents = {PURSUER: "escape/full_force", EVADER: "constant_bearing/full_force"}


class PackObstacles(Scenario):
    """A pack among obstacles."""

    challenge = "three pursuers have to surround a faster evader among obstacles"
    question = "Do obstacles help the pursuers or the evader that they surround?"
    keywords = {"pursuers": 3, "obstacles": 8, "arena": "torus", "evader": {"max_speed": 5.0}}
    opponents = {PURSUER: "escape/full_force", EVADER: "voronoi/full_force"}


class Team(Scenario):
    """Three pursuers after two faster evaders in a large square."""

    challenge = "three pursuers have to share out two faster evaders, and corner them"
    question = "When should a pursuer leave its own quarry to help with another?"
    keywords = {"pursuers": 3, "evaders": 2, "evader": {"max_speed": 4.8}, "arena_size": 30.0}
    opponents = {PURSUER: "escape/full_force", EVADER: "voronoi/full_force"}


class Herd(Scenario):
    """Three pursuers after eight evaders."""

    challenge = "three pursuers have to catch eight evaders one after the other"
    question = "In which order should a herd be caught, and should it keep together?"
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
    question = "How much of what is learned in simple_tag is learned here, and back?"
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
    question = "How far from a target should its guard wait for an attacker that has inertia?"
    keywords = {
        "payoff": "target_distance",
        "target": {"radius": 1.0},
        "observation": {"features": (*SEES_TARGET, "obstacle")},
        "reward": {"time": 0.0, "closing": 0.0},
    }
    opponents = {PURSUER: "reach/full_force", EVADER: "block/full_force"}
    is_named_for_pursuers = True
