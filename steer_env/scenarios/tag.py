"""The game of simple_tag, in our physics."""

from __future__ import annotations

from steer_env.scenarios.scenario import Scenario
from steer_env.sides import EVADER, PURSUER

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
