"""Eight random obstacles to hide behind."""

from __future__ import annotations

from steer_env.scenarios.scenario import Scenario
from steer_env.sides import EVADER, PURSUER


class Obstacles(Scenario):
    """The default game among obstacles."""

    challenge = "an evader that keeps an obstacle between itself and its pursuer"
    question = (
        "Can a pursuer that is hardly faster force a capture among obstacles, or is there "
        "always a way around one?"
    )
    keywords = {"obstacles": 8}
    opponents = {PURSUER: "hide/full_force", EVADER: "pursuit/among_obstacles/full_force"}
