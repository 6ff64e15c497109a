"""The default game: one pursuer and one evader in a square with walls."""

from __future__ import annotations

from steer_env.scenarios.scenario import Scenario
from steer_env.sides import Side


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
