"""Who learns in which environment, and against whom unless told otherwise."""

from __future__ import annotations

SIDES = ("pursuer", "evader")

ENVIRONMENTS = {"pursuer": "Pursuit-v0", "evader": "Evade-v0"}
"""Where each side learns."""

LEARNERS = {
    "Pursuit-v0": "pursuer",
    "Evade-v0": "evader",
    "PursuitDiscrete-v0": "pursuer",
    "EvadeDiscrete-v0": "evader",
}
"""Every environment that can be trained in, and who learns there."""

DEFAULT_OPPONENTS = {"pursuer": "evade", "evader": "pursuit"}
"""Whom each side plays against in its environment, unless told otherwise."""


def other_side(side: str) -> str:
    """Whom a side plays against."""
    return SIDES[1 - SIDES.index(side)]
