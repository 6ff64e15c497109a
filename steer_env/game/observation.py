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

from steer_env.game.arena import OPEN, nearest_offset
from steer_env.game.memory import rules_at, state_at
from steer_env.game.sight import seen_from
from steer_env.game.state import vehicle_at
from steer_env.sides import PURSUER
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
def _write(row: np.ndarray, place: int, vector: complex) -> None:
    row[place] = vector.real
    row[place + 1] = vector.imag


@compiled
def _read(row: np.ndarray, place: int) -> complex:
    return complex(np.float64(row[place]), np.float64(row[place + 1]))


@compiled
def encode_me(row: np.ndarray, rules: np.record, me: Vehicle, steps: int) -> None:
    """Writes the own block."""
    row[_SPEED] = dot(me.velocity, me.heading) * rules.speed_scale  # the two are parallel
    _write(row, _POSITION, shrink(rules.arena, me.position, rules.position_scale))
    _write(row, _HEADING, me.heading)
    row[_TIME_LEFT] = max(0.0, 1.0 - steps * rules.time_scale)
    row[_MAX_SPEED] = me.max_speed * rules.speed_scale
    row[_MAX_FORCE] = me.max_force * rules.force_scale
    row[_MASS] = me.mass * rules.mass_scale
    row[_RADIUS] = me.radius * rules.radius_scale


@compiled
def encode_other(block: np.ndarray, rules: np.record, me: Vehicle, other: Vehicle) -> None:
    """Writes the block of a player that is present."""
    own_frame = me.heading.conjugate()
    offset = (other.position - me.position) * own_frame
    velocity = scale((other.velocity - me.velocity) * own_frame, 0.5 * rules.speed_scale)
    acceleration = scale(other.acceleration * own_frame, rules.acceleration_scale)
    block[_PRESENCE] = 1.0
    _write(block, _OFFSET_FORWARD, shrink(rules.arena, offset, rules.offset_scale))
    _write(block, _VELOCITY, velocity)
    _write(block, _OTHER_HEADING, other.heading * own_frame)
    _write(block, _ACCELERATION, clamp_to_square(acceleration, 1.0))
    block[_OTHER_MAX_SPEED] = other.max_speed * rules.speed_scale
    block[_OTHER_RADIUS] = other.radius * rules.radius_scale


@compiled_loop
def encode_obstacles(
    row: np.ndarray, memory: np.record, k: int, position: complex, heading: complex
) -> None:
    """Writes the obstacles' blocks of the k-th game into a row, nearest center first.

    Args:
        row: of the observation, from the obstacles' blocks on.
        memory: of the engine.
        k: the game.
        position: of the player that sees them.
        heading: of this player.
    """
    state, rules = state_at(memory), rules_at(memory)
    arena, half_size = rules.arena, rules.half_size
    last_square, last_index = -1.0, -1
    for rank in range(memory.obstacles):
        nearest, nearest_square, nearest_at = -1, math.inf, 0j
        for index in range(memory.obstacles):
            if state.obstacle_radius[index, k] > 0.0:
                offset = nearest_offset(arena, half_size, position, state.center[index, k])
                square = dot(offset, offset)
                behind = square > last_square or (square == last_square and index > last_index)
                if behind and square < nearest_square:
                    nearest, nearest_square, nearest_at = index, square, offset
        block = row[rank * OBSTACLE_SIZE :]
        if nearest < 0:
            block[:OBSTACLE_SIZE] = 0.0
            continue
        last_square, last_index = nearest_square, nearest
        own_offset = nearest_at * heading.conjugate()
        block[_OBSTACLE_PRESENCE] = 1.0
        _write(block, _OBSTACLE_OFFSET, shrink(arena, own_offset, rules.offset_scale))
        block[_OBSTACLE_RADIUS] = state.obstacle_radius[nearest, k] * rules.obstacle_scale


@compiled
def number_of_other(me: int, place: int, pursuers: int, players: int) -> int:
    """The player whose block stands at a place of my observation: opponents, then teammates."""
    opponents = players - pursuers if me < pursuers else pursuers
    if place < opponents:
        return pursuers + place if me < pursuers else place
    teammate = place - opponents + (0 if me < pursuers else pursuers)
    return teammate if teammate < me else teammate + 1


@compiled_loop
def observe(
    memory: np.record,
    scratch_memory: np.record,
    start: int,
    stop: int,
    side: int,
    mask: np.ndarray,
    observations: np.ndarray,
) -> None:
    """Writes the observations of one side's players in a block of games.

    Args:
        memory: of the engine.
        scratch_memory: of the thread.
        start: the block's first game.
        stop: one past its last.
        side: PURSUER or EVADER.
        mask: (N,): only games where it is True are written; (0,) for all.
        observations: (N, players of the side, features); written.
    """
    state, rules = state_at(memory), rules_at(memory)
    first = 0 if side == PURSUER else rules.pursuers
    for me in range(first, first + observations.shape[1]):
        for k in range(start, stop):
            if len(mask) > 0 and not mask[k]:
                continue
            row = observations[k, me - first]
            encode_me(row, rules, vehicle_at(state, me, k), state.steps[k])
            begin = OWN_SIZE
            for place in range(memory.players - 1):
                other = number_of_other(me, place, rules.pursuers, memory.players)
                block = row[begin:]
                if state.active[other, k]:
                    mine, seen = vehicle_at(state, me, k), seen_from(state, me, other, k, rules)
                    encode_other(block, rules, mine, seen)
                else:
                    block[:OTHER_SIZE] = 0.0
                begin += OTHER_SIZE
            if memory.obstacles > 0:
                position, heading = state.position[me, k], state.heading[me, k]
                encode_obstacles(row[begin:], memory, k, position, heading)


@compiled
def decode_me(row: np.ndarray, rules: np.record) -> Vehicle:
    """The own vehicle that an observation shows: all but the acceleration."""
    heading = _read(row, _HEADING)
    return Vehicle(
        grow(rules.arena, _read(row, _POSITION), rules.position_scale),
        scale(heading, np.float64(row[_SPEED]) / rules.speed_scale),
        heading,
        np.float64(row[_MAX_SPEED]) / rules.speed_scale,
        np.float64(row[_MAX_FORCE]) / rules.force_scale,
        np.float64(row[_MASS]) / rules.mass_scale,
        np.float64(row[_RADIUS]) / max(rules.radius_scale, 1e-300),
        0j,
    )


@compiled
def decode_other(block: np.ndarray, rules: np.record, me: Vehicle) -> tuple[bool, Vehicle]:
    """Whether the player of a block is present, and its vehicle (without force and mass)."""
    offset = grow(rules.arena, _read(block, _OFFSET_FORWARD), rules.offset_scale)
    velocity = scale(_read(block, _VELOCITY), 2.0 / rules.speed_scale)
    acceleration = scale(_read(block, _ACCELERATION), 1.0 / rules.acceleration_scale)
    other = Vehicle(
        me.position + offset * me.heading,
        me.velocity + velocity * me.heading,
        _read(block, _OTHER_HEADING) * me.heading,
        np.float64(block[_OTHER_MAX_SPEED]) / rules.speed_scale,
        0.0,
        0.0,
        np.float64(block[_OTHER_RADIUS]) / max(rules.radius_scale, 1e-300),
        acceleration * me.heading,
    )
    return block[_PRESENCE] > 0.5, other


@compiled
def decode_obstacle(
    block: np.ndarray, rules: np.record, me: Vehicle
) -> tuple[bool, complex, float]:
    """Whether there is an obstacle in a block, its center and its radius, in meters."""
    offset = grow(rules.arena, _read(block, _OBSTACLE_OFFSET), rules.offset_scale)
    radius = np.float64(block[_OBSTACLE_RADIUS]) / rules.obstacle_scale
    return block[_OBSTACLE_PRESENCE] > 0.5, me.position + offset * me.heading, radius
