"""What an observation is made of: the one table of features.

An observation is a float32 vector: the own features, then a block for every other
player (opponents first, then teammates, each in the order of their numbers), then a block
for every obstacle, nearest first. Directions are in the own frame: forward, left. It
holds all that the hand-written opponents use.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """One number of an observation.

    Attributes:
        block: "own", "other" (one block a player) or "obstacle" (one block an obstacle).
        name: unique in its block.
        low: smallest value.
        high: largest value.
        meaning: what it is, and what 1 stands for.
    """

    block: str
    name: str
    low: float
    high: float
    meaning: str


_TOP_SPEED = "the highest max_speed of either side"
_OFFSET = "share of the largest offset in the arena (open: z / (|z| + arena size))"

FEATURES = (
    Feature("own", "speed", 0, 1, f"own speed; 1 is {_TOP_SPEED}"),
    Feature("own", "position_x", -1, 1, "place in the arena; 1 is its edge (open: as offsets)"),
    Feature("own", "position_y", -1, 1, "place in the arena; 1 is its edge (open: as offsets)"),
    Feature("own", "heading_x", -1, 1, "cosine of the heading in the arena"),
    Feature("own", "heading_y", -1, 1, "sine of the heading in the arena"),
    Feature("own", "time_left", 0, 1, "share of the horizon that is left"),
    Feature("own", "max_speed", 0, 1, f"own top speed; 1 is {_TOP_SPEED}"),
    Feature("own", "max_force", 0, 1, "own force limit; 1 is the highest of either side"),
    Feature("own", "mass", 0, 1, "own mass; 1 is the highest of either side"),
    Feature("own", "radius", 0, 1, "own radius; 1 is the highest of either side"),
    Feature("other", "presence", 0, 1, "1 while the other plays; all its features are 0 after"),
    Feature("other", "offset_forward", -1, 1, f"position less mine; {_OFFSET}"),
    Feature("other", "offset_left", -1, 1, f"position less mine; {_OFFSET}"),
    Feature("other", "velocity_forward", -1, 1, f"velocity less mine; 1 is twice {_TOP_SPEED}"),
    Feature("other", "velocity_left", -1, 1, f"velocity less mine; 1 is twice {_TOP_SPEED}"),
    Feature("other", "heading_forward", -1, 1, "cosine of its heading against mine"),
    Feature("other", "heading_left", -1, 1, "sine of its heading against mine"),
    Feature("other", "acceleration_forward", -1, 1, "last acceleration; 1 is the largest"),
    Feature("other", "acceleration_left", -1, 1, "that a force can cause, cut there"),
    Feature("other", "max_speed", 0, 1, f"its top speed; 1 is {_TOP_SPEED}"),
    Feature("other", "radius", 0, 1, "its radius; 1 is the highest of either side"),
    Feature("obstacle", "presence", 0, 1, "1 if there is one; all its features are 0 if not"),
    Feature("obstacle", "offset_forward", -1, 1, f"center less own position; {_OFFSET}"),
    Feature("obstacle", "offset_left", -1, 1, f"center less own position; {_OFFSET}"),
    Feature("obstacle", "radius", 0, 1, "share of half the arena's side"),
)
"""Every feature, in the order of the observation."""


def _block(block: str) -> tuple[Feature, ...]:
    return tuple(feature for feature in FEATURES if feature.block == block)


OWN_SIZE, OTHER_SIZE, OBSTACLE_SIZE = (len(_block(b)) for b in ("own", "other", "obstacle"))


def place_of(block: str, name: str) -> int:
    """Where a feature stands in its block."""
    return [feature.name for feature in _block(block)].index(name)


def observation_layout(players: int, obstacles: int) -> tuple[Feature, ...]:
    """The features of an observation, one for each of its numbers."""
    return (
        *_block("own"),
        *_block("other") * (players - 1),
        *_block("obstacle") * obstacles,
    )
