"""An agile evader on a torus."""

from __future__ import annotations

from steer_env.scenarios.scenario import Scenario
from steer_env.sides import EVADER, PURSUER


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
