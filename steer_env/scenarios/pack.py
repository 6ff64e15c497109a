"""Three pursuers and one faster evader, without and with obstacles."""

from __future__ import annotations

from steer_env.scenarios.scenario import Scenario
from steer_env.sides import EVADER, PURSUER


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
