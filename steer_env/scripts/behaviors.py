"""The names that a `Script` is made of: behaviors, lookahead laws, predictors and parts."""

from __future__ import annotations

_NAVIGATION = ("true_navigation", "pure_navigation", "augmented_navigation", "constant_bearing")

CHASING = ("seek", "arrive", "pursuit", "offset_pursuit", *_NAVIGATION, "deviated_pursuit")
"""The behaviors that steer for an opponent."""

GENERAL_BEHAVIORS = ("idle", *CHASING, "flee", "evade", "hide", "wander", "escape")
"""The behaviors of a vehicle alone that play any game."""

TEAM_CHASING = ("encircle", "flank", "voronoi")
"""The behaviors by which a team hunts together. A hunter alone runs at its opponent."""

TEAM_BEHAVIORS = (*TEAM_CHASING, "guard")
"""The behaviors that look at teammates. They play any game, too."""

TARGET_BEHAVIORS = ("reach", "block")
"""The behaviors of evaders and of pursuers that race for the target of a game. Without a target
they evade and pursue."""

PATH_BEHAVIORS = (
    *("seek", "arrive", "pursuit", "offset_pursuit", "flee", "evade", "hide"),
    *TARGET_BEHAVIORS,
)
"""The behaviors that can follow paths on maps."""

TAKING_TARGETS = (*CHASING, *TEAM_CHASING, "block")
"""The behaviors that are about one opponent: that of ``target``."""

OPTIMAL_BEHAVIORS = (
    *("optimal_simple", "optimal_chauffeur", "optimal_two_cars", "optimal_drag"),
    *("optimal_reach_avoid", "optimal_two_on_one", "optimal_perimeter"),
)
"""The behaviors for the games of `steer_env.solved`, each for one game and both sides."""

BEHAVIORS = (*GENERAL_BEHAVIORS, *TARGET_BEHAVIORS, *OPTIMAL_BEHAVIORS, *TEAM_BEHAVIORS)
"""Every behavior that a script can name."""

PREDICTING = ("pursuit", "evade", "encircle")
"""The behaviors that steer by a lookahead law and a predictor."""

BY_DISTANCE = ("closing", "target_speed", "own_speed", "reynolds", "intercept")
"""The lookahead laws that depend on the distance."""

LOOKAHEADS = ("none", "constant", *BY_DISTANCE)
PREDICTORS = ("linear", "turning", "braking", "accelerating", "contained")
TARGETS = ("nearest", "assigned")

NAMES = {"behavior": BEHAVIORS, "lookahead": LOOKAHEADS, "predictor": PREDICTORS}
"""The names for each field of a `Script` that may be a user-defined function instead."""

PRIORITIES = (
    *("obstacles", "walls", "containment", "collisions", "separation"),
    *("behavior", "alignment", "cohesion", "wander"),
)
"""The parts of scripts, the most urgent first."""

FULL_FORCE = 0.1
"""The response time of the scripts named ".../full_force", in seconds: the default vehicles
push with all their 12 N, unless they are within 1.2 m/s of the desired velocity."""
