"""Teams on both sides: three against two, and three against a herd of eight."""

from __future__ import annotations

from steer_env.scenarios.scenario import Scenario
from steer_env.sides import EVADER, PURSUER


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
