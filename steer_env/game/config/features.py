"""The features that observations are made of: their names, bounds and meanings.

An observation is a float32 vector: the own features, then a block for every other player
(opponents first, then teammates, each in the order of their numbers), then a block for every
obstacle, nearest first, then one for every ray of a lidar. Directions are in the own frame:
forward, left.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """One number of an observation, with bounds by the scales of the default game."""

    block: str  # "own", "other" (a block for each player), "obstacle" or "lidar" (the same)
    name: str  # unique in its block
    low: float
    high: float
    meaning: str
    quantity: str | None = None  # see `rules.scales_of_features`; None for a share or a flag


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
"""Every feature, in the order of the observation."""

_WAY = "as a share l / (l + 20 m) of its length l, 1 if there is none"

_PATHS = (
    Feature("other", "path_length", 0, 1, "the shortest way to it on a map, " + _WAY),
    Feature("other", "path_forward", -1, 1, "cosine of the angle to where that way begins"),
    Feature("other", "path_left", -1, 1, "sine of that angle"),
    Feature("own", "target_path_length", 0, 1, "the shortest way to the target, " + _WAY),
    Feature("own", "target_path_forward", -1, 1, "cosine of the angle to where it begins"),
    Feature("own", "target_path_left", -1, 1, "sine of that angle"),
)

DERIVED = (
    Feature("own", "acceleration_forward", -1, 1, "own " + _ACCELERATION, "acceleration"),
    Feature("own", "acceleration_left", -1, 1, "own " + _ACCELERATION, "acceleration"),
    Feature("own", "wall_distance", 0, 1, "from the body to the nearest wall", "position"),
    Feature("own", "target_forward", -1, 1, "the target's nearest point less mine", "offset"),
    Feature("own", "target_left", -1, 1, "the target's nearest point less mine", "offset"),
    Feature("other", "distance", 0, 1, "between the centers", "offset"),
    Feature("other", "bearing", -1, 1, "angle from my heading to it, in half turns"),
    Feature("other", "bearing_forward", -1, 1, "cosine of that angle"),
    Feature("other", "bearing_left", -1, 1, "sine of that angle"),
    Feature("other", "closing_speed", -1, 1, "how fast the distance shrinks", "velocity"),
    Feature("other", "time_to_contact", 0, 1, "t / (t + 1 s), t = distance / closing speed"),
    Feature("other", "line_of_sight_rate", -1, 1, "w / (|w| + 1/s), w in radians a second"),
    *_PATHS,
)
"""Further features for `ObservationConfig.features`."""

OF_RAYS = (
    Feature("lidar", "wall", 0, 1, "distance along a ray, 1 is the range of the lidar"),
    Feature("lidar", "vehicle", 0, 1, "the same to a vehicle that is not behind a wall"),
)
"""The features of each ray, see `LidarConfig`."""

NAMED = {f"{one.block}.{one.name}": one for one in (*FEATURES, *DERIVED, *OF_RAYS)}
"""Every feature by its name in `ObservationConfig.features`."""

OF_RAY_NAMES = [name for name, one in NAMED.items() if one in OF_RAYS]

PATH_FEATURES = tuple(f"{feature.block}.{feature.name}" for feature in _PATHS)
"""The features of shortest ways: to each other player, and to the target."""

BLOCKS = ("own", "other", "obstacle")

_OF_BLOCK = {block: tuple(one for one in FEATURES if one.block == block) for block in BLOCKS}

OWN_SIZE, OTHER_SIZE, OBSTACLE_SIZE = map(len, _OF_BLOCK.values())


def names_of_block(block: str) -> list[str]:
    """The names of a block's features in `FEATURES`, as `NAMED` has them."""
    return [f"{block}.{feature.name}" for feature in _OF_BLOCK[block]]


def place_of(block: str, name: str) -> int:
    """The place of a feature in its block."""
    return [feature.name for feature in _OF_BLOCK[block]].index(name)


def observation_layout(players: int, obstacles: int) -> tuple[Feature, ...]:
    """The features of an observation, one for each of its numbers."""
    own, other, obstacle = _OF_BLOCK.values()
    return (*own, *other * (players - 1), *obstacle * obstacles)


def feature_table() -> str:
    """The names, bounds and meanings of all features, as a Markdown table."""
    lines = ["| feature | bounds | meaning |", "|---|---|---|"]
    lines += [
        f"| {name} | {feature.low:g} to {feature.high:g} | {feature.meaning} |"
        for name, feature in NAMED.items()
    ]
    return "\n".join(lines)


__doc__ = f"{__doc__}\nBounds are those of the default game.\n\n{feature_table()}\n"
