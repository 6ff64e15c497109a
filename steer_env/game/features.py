"""What an observation is made of: the one table of features.

An observation is a float32 vector: the own features, then a block for every other
player (opponents first, then teammates, each in the order of their numbers), then a block
for every obstacle, nearest first. Directions are in the own frame: forward, left. It
holds all that the hand-written opponents use.

What 1 stands for is the same in every game (`ObservationConfig` says how to change that), so
features leave [low, high] where a game is larger than the default one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """One number of an observation.

    Attributes:
        block: "own", "other" (one block a player) or "obstacle" (one block an obstacle).
        name: unique in its block.
        low: smallest value, with scales of the game.
        high: largest value, with scales of the game; see `scales.observed_features` for others.
        meaning: what it is.
        quantity: what it measures, a key of `scales.scales_of_features`; None for a share, a
            direction or a flag.
    """

    block: str
    name: str
    low: float
    high: float
    meaning: str
    quantity: str | None = None


_ACCELERATION = "last acceleration, cut at the largest that a force causes"

FEATURES = (
    Feature("own", "speed", 0, 1, "own speed", "speed"),
    Feature("own", "position_x", -1, 1, "place in the arena", "position"),
    Feature("own", "position_y", -1, 1, "place in the arena", "position"),
    Feature("own", "heading_x", -1, 1, "cosine of the heading in the arena"),
    Feature("own", "heading_y", -1, 1, "sine of the heading in the arena"),
    Feature("own", "time_left", 0, 1, "share of the horizon that is left"),
    Feature("own", "max_speed", 0, 1, "own top speed", "speed"),
    Feature("own", "max_force", 0, 1, "own force limit", "force"),
    Feature("own", "mass", 0, 1, "own mass", "mass"),
    Feature("own", "radius", 0, 1, "own radius", "radius"),
    Feature("other", "presence", 0, 1, "1 while the other plays; all its features are 0 after"),
    Feature("other", "offset_forward", -1, 1, "position less mine", "offset"),
    Feature("other", "offset_left", -1, 1, "position less mine", "offset"),
    Feature("other", "velocity_forward", -1, 1, "velocity less mine", "velocity"),
    Feature("other", "velocity_left", -1, 1, "velocity less mine", "velocity"),
    Feature("other", "heading_forward", -1, 1, "cosine of its heading against mine"),
    Feature("other", "heading_left", -1, 1, "sine of its heading against mine"),
    Feature("other", "acceleration_forward", -1, 1, _ACCELERATION, "acceleration"),
    Feature("other", "acceleration_left", -1, 1, _ACCELERATION, "acceleration"),
    Feature("other", "max_speed", 0, 1, "its top speed", "speed"),
    Feature("other", "radius", 0, 1, "its radius", "radius"),
    Feature("obstacle", "presence", 0, 1, "1 if there is one; all its features are 0 if not"),
    Feature("obstacle", "offset_forward", -1, 1, "its center less my position", "offset"),
    Feature("obstacle", "offset_left", -1, 1, "its center less my position", "offset"),
    Feature("obstacle", "radius", 0, 1, "its radius", "obstacle"),
)
"""Every feature, in the order of the observation.

`scales.observed_features` says what 1 stands for in a game.
"""

DERIVED = (
    Feature("own", "acceleration_forward", -1, 1, "own " + _ACCELERATION, "acceleration"),
    Feature("own", "acceleration_left", -1, 1, "own " + _ACCELERATION, "acceleration"),
    Feature("own", "wall_distance", 0, 1, "from the body to the nearest wall", "position"),
    Feature("other", "distance", 0, 1, "between the centers", "offset"),
    Feature("other", "bearing", -1, 1, "angle from my heading to it, in half turns"),
    Feature("other", "bearing_forward", -1, 1, "cosine of that angle"),
    Feature("other", "bearing_left", -1, 1, "sine of that angle"),
    Feature("other", "closing_speed", -1, 1, "how fast the distance shrinks", "velocity"),
    Feature("other", "time_to_contact", 0, 1, "t / (t + 1 s), t = distance / closing speed"),
    Feature("other", "line_of_sight_rate", -1, 1, "w / (|w| + 1/s), w in radians a second"),
)
"""Further features, which `ObservationConfig.features` can choose beside `FEATURES`."""

NAMED = {f"{feature.block}.{feature.name}": feature for feature in (*FEATURES, *DERIVED)}
"""Every feature by its name in `ObservationConfig.features`."""


def _block(block: str) -> tuple[Feature, ...]:
    return tuple(feature for feature in FEATURES if feature.block == block)


OWN_SIZE, OTHER_SIZE, OBSTACLE_SIZE = (len(_block(b)) for b in ("own", "other", "obstacle"))


def names_of_block(block: str) -> list[str]:
    """The names of a block's features in `FEATURES`, as `NAMED` has them."""
    return [f"{feature.block}.{feature.name}" for feature in _block(block)]


def place_of(block: str, name: str) -> int:
    """Where a feature stands in its block."""
    return [feature.name for feature in _block(block)].index(name)


def observation_layout(players: int, obstacles: int) -> tuple[Feature, ...]:
    """The features of an observation, one for each of its numbers."""
    return (*_block("own"), *_block("other") * (players - 1), *_block("obstacle") * obstacles)


def feature_table() -> str:
    """The names, bounds and meanings of all features, as a Markdown table."""
    lines = ["| feature | bounds | meaning |", "|---|---|---|"]
    lines += [
        f"| {name} | {feature.low:g} to {feature.high:g} | {feature.meaning} |"
        for name, feature in NAMED.items()
    ]
    return "\n".join(lines)


__doc__ = f"{__doc__}\nBounds are those of the default game.\n\n{feature_table()}\n"
