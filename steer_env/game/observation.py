"""What a player sees: the one table of features, and the code that fills and reads it.

An observation is a float32 vector: the own features, then a block for every other
player (opponents first, then teammates, each in the order of their numbers), then a block
for every obstacle, nearest first. Directions are in the own frame: forward, left. It
holds all that the hand-written opponents use, so `decode_others` and
`decode_me` give a script the same vehicles that it has inside the loop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steer_env.game.arena import OPEN, TORUS, nearest_offset
from steer_env.game.config import GameConfig, VehicleConfig
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vectors import clamp_to_square, dot, norm, scale
from steer_env.steering.vehicle import Vehicle


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


def _place(block: str, name: str) -> int:
    return [feature.name for feature in _block(block)].index(name)


_SPEED = _place("own", "speed")
_POSITION = _place("own", "position_x")
_HEADING = _place("own", "heading_x")
_TIME_LEFT = _place("own", "time_left")
_MAX_SPEED = _place("own", "max_speed")
_MAX_FORCE = _place("own", "max_force")
_MASS = _place("own", "mass")
_RADIUS = _place("own", "radius")
_PRESENCE = _place("other", "presence")
_OFFSET_FORWARD = _place("other", "offset_forward")
_VELOCITY = _place("other", "velocity_forward")
_OTHER_HEADING = _place("other", "heading_forward")
_ACCELERATION = _place("other", "acceleration_forward")
_OTHER_MAX_SPEED = _place("other", "max_speed")
_OTHER_RADIUS = _place("other", "radius")
_OBSTACLE_PRESENCE = _place("obstacle", "presence")
_OBSTACLE_OFFSET = _place("obstacle", "offset_forward")
_OBSTACLE_RADIUS = _place("obstacle", "radius")


def observation_layout(players: int, obstacles: int) -> tuple[Feature, ...]:
    """The features of an observation, one for each of its numbers."""
    return (
        *_block("own"),
        *_block("other") * (players - 1),
        *_block("obstacle") * obstacles,
    )


SCALE = np.dtype(
    [
        ("position", np.float64),
        ("offset", np.float64),
        ("speed", np.float64),
        ("force", np.float64),
        ("mass", np.float64),
        ("radius", np.float64),
        ("acceleration", np.float64),
        ("obstacle_radius", np.float64),
        ("time", np.float64),
    ]
)
"""The factor from each kind of quantity to its feature, one record a game."""


def observation_scale(config: GameConfig) -> NDArray[np.void]:
    """The scale of a game's observations, as an array of one `SCALE` record."""

    def highest(limit: str) -> float:
        return max(config.limit_range(side, limit)[1] for side in ("pursuer", "evader"))

    def inverse(value: float) -> float:
        return 1.0 / value if value > 0.0 else 0.0

    half_size = config.arena.half_size
    diagonal = math.sqrt(2.0) * half_size
    offset = {"walls": 2.0 * diagonal, "torus": diagonal, "open": config.arena.size}
    scales = np.zeros(1, SCALE)
    edge = {"walls": half_size, "torus": half_size, "open": config.arena.size}
    scales["position"] = inverse(edge[config.arena.kind])
    scales["offset"] = inverse(offset[config.arena.kind])
    scales["speed"] = inverse(highest("max_speed"))
    scales["force"] = inverse(highest("max_force"))
    scales["mass"] = inverse(highest("mass"))
    scales["radius"] = inverse(highest("radius"))
    scales["acceleration"] = inverse(
        max(_largest_acceleration(config, side) for side in ("pursuer", "evader"))
    )
    scales["obstacle_radius"] = inverse(half_size)
    scales["time"] = inverse(config.horizon)
    return scales


def _largest_acceleration(config: GameConfig, side: str) -> float:
    vehicle: VehicleConfig = getattr(config, side)
    if vehicle.model == "simple_motion":
        return 2.0 * config.limit_range(side, "max_speed")[1] / config.dt
    return config.limit_range(side, "max_force")[1] / config.limit_range(side, "mass")[0]


@compiled
def shrink(arena: int, vector: complex, factor: float) -> complex:
    """A place or an offset as a share of the largest; endless ones into the unit disc."""
    shrunk = scale(vector, factor)
    return scale(shrunk, 1.0 / (1.0 + norm(shrunk))) if arena == OPEN else shrunk


@compiled
def grow(arena: int, share: complex, factor: float) -> complex:
    """`shrink` undone."""
    grown = scale(share, 1.0 / factor)
    return scale(grown, 1.0 / max(1e-6, 1.0 - norm(share))) if arena == OPEN else grown


@compiled
def nearest_image(arena: int, half_size: float, me: Vehicle, other: Vehicle) -> Vehicle:
    """The other vehicle at its image nearest to me."""
    offset = nearest_offset(arena, half_size, me.position, other.position)
    return Vehicle(
        me.position + offset if arena == TORUS else other.position,
        other.velocity,
        other.heading,
        other.max_speed,
        other.max_force,
        other.mass,
        other.radius,
        other.acceleration,
    )


@compiled
def _write(row: np.ndarray, place: int, vector: complex) -> None:
    row[place] = vector.real
    row[place + 1] = vector.imag


@compiled
def _read(row: np.ndarray, place: int) -> complex:
    return complex(np.float64(row[place]), np.float64(row[place + 1]))


@compiled
def encode_me(row: np.ndarray, arena: int, scales: np.record, me: Vehicle, steps: int) -> None:
    """Writes the own block."""
    row[_SPEED] = dot(me.velocity, me.heading) * scales.speed  # the two are parallel
    _write(row, _POSITION, shrink(arena, me.position, scales.position))
    _write(row, _HEADING, me.heading)
    row[_TIME_LEFT] = max(0.0, 1.0 - steps * scales.time)
    row[_MAX_SPEED] = me.max_speed * scales.speed
    row[_MAX_FORCE] = me.max_force * scales.force
    row[_MASS] = me.mass * scales.mass
    row[_RADIUS] = me.radius * scales.radius


@compiled
def encode_other(
    block: np.ndarray, arena: int, scales: np.record, me: Vehicle, other: Vehicle
) -> None:
    """Writes the block of a player that is present."""
    own_frame = me.heading.conjugate()
    offset = (other.position - me.position) * own_frame
    velocity = scale((other.velocity - me.velocity) * own_frame, 0.5 * scales.speed)
    acceleration = scale(other.acceleration * own_frame, scales.acceleration)
    block[_PRESENCE] = 1.0
    _write(block, _OFFSET_FORWARD, shrink(arena, offset, scales.offset))
    _write(block, _VELOCITY, velocity)
    _write(block, _OTHER_HEADING, other.heading * own_frame)
    _write(block, _ACCELERATION, clamp_to_square(acceleration, 1.0))
    block[_OTHER_MAX_SPEED] = other.max_speed * scales.speed
    block[_OTHER_RADIUS] = other.radius * scales.radius


@compiled_loop
def encode_obstacles(
    row: np.ndarray,
    arena: int,
    half_size: float,
    scales: np.record,
    me: Vehicle,
    obstacles: np.ndarray,
) -> None:
    """Writes the obstacles' blocks into a row from their start on, nearest center first."""
    last_square, last_index = -1.0, -1
    for rank in range(len(obstacles)):
        nearest, nearest_square = -1, math.inf
        for index in range(len(obstacles)):
            if obstacles[index].radius > 0.0:
                center = obstacles[index].center
                offset = nearest_offset(arena, half_size, me.position, center)
                square = dot(offset, offset)
                behind = square > last_square or (square == last_square and index > last_index)
                if behind and square < nearest_square:
                    nearest, nearest_square = index, square
        block = row[rank * OBSTACLE_SIZE :]
        if nearest < 0:
            block[:OBSTACLE_SIZE] = 0.0
            continue
        last_square, last_index = nearest_square, nearest
        obstacle = obstacles[nearest]
        offset = nearest_offset(arena, half_size, me.position, obstacle.center)
        block[_OBSTACLE_PRESENCE] = 1.0
        own_offset = offset * me.heading.conjugate()
        _write(block, _OBSTACLE_OFFSET, shrink(arena, own_offset, scales.offset))
        block[_OBSTACLE_RADIUS] = obstacle.radius * scales.obstacle_radius


@compiled
def decode_me(row: np.ndarray, arena: int, scales: np.record) -> Vehicle:
    """My vehicle, as far as an observation tells: all but the acceleration."""
    heading = _read(row, _HEADING)
    return Vehicle(
        grow(arena, _read(row, _POSITION), scales.position),
        scale(heading, np.float64(row[_SPEED]) / scales.speed),
        heading,
        np.float64(row[_MAX_SPEED]) / scales.speed,
        np.float64(row[_MAX_FORCE]) / scales.force,
        np.float64(row[_MASS]) / scales.mass,
        np.float64(row[_RADIUS]) / max(scales.radius, 1e-300),
        0j,
    )


@compiled
def decode_other(
    block: np.ndarray, arena: int, scales: np.record, me: Vehicle
) -> tuple[bool, Vehicle]:
    """Whether the player of a block is present, and its vehicle (without force and mass)."""
    offset = grow(arena, _read(block, _OFFSET_FORWARD), scales.offset)
    velocity = scale(_read(block, _VELOCITY), 2.0 / scales.speed)
    acceleration = scale(_read(block, _ACCELERATION), 1.0 / scales.acceleration)
    other = Vehicle(
        me.position + offset * me.heading,
        me.velocity + velocity * me.heading,
        _read(block, _OTHER_HEADING) * me.heading,
        np.float64(block[_OTHER_MAX_SPEED]) / scales.speed,
        0.0,
        0.0,
        np.float64(block[_OTHER_RADIUS]) / max(scales.radius, 1e-300),
        acceleration * me.heading,
    )
    return block[_PRESENCE] > 0.5, other


@compiled
def decode_obstacle(
    block: np.ndarray, arena: int, scales: np.record, me: Vehicle
) -> tuple[bool, complex, float]:
    """Whether there is an obstacle in a block, its center and its radius, in meters."""
    offset = grow(arena, _read(block, _OBSTACLE_OFFSET), scales.offset)
    radius = np.float64(block[_OBSTACLE_RADIUS]) / scales.obstacle_radius
    return block[_OBSTACLE_PRESENCE] > 0.5, me.position + offset * me.heading, radius
