"""Scratch space in which the loop lays a block of games out in columns.

The state keeps each game's data together, which is right for copying, saving and
looking at one. Arithmetic is fastest on columns: the loop copies a block of games into
columns that fit the processor's nearest cache, applies one textbook function to a column
after the other, which the compiler turns into vector instructions, and copies back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.scripts import PARTS
from steer_env.steering.compilation import compiled, compiled_loop, records
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, Vehicle

BLOCK = 128
"""Games stepped together."""

Vectors = NDArray[np.complex128]
Numbers = NDArray[np.float64]


class Workspace(NamedTuple):
    """Scratch arrays of one thread; their contents mean nothing between calls.

    They are few, since every call from Python has to unwrap them: the rows of four of them
    are shared out by `marks_in`, `scene_in`, `crowd_in`, `tally_in` and `bodies_in`.
    """

    vectors: Vectors  # (rows, BLOCK)
    numbers: Numbers  # (rows, BLOCK)
    integers: NDArray[np.int64]  # (rows, BLOCK)
    flags: NDArray[np.bool_]  # (rows, BLOCK)
    neighbors: NDArray[np.void]  # (BLOCK, players) of VEHICLE: see `Crowd`
    discs: NDArray[np.void]  # (BLOCK, obstacles) of OBSTACLE: see `Crowd`
    pairs: NDArray[np.void]  # (4,) of VEHICLE: see `crowd_parts.call_own_behavior`


class Outcome(NamedTuple):
    """What one side gets of a step of N games; every array is C-contiguous."""

    observations: NDArray[np.float32]  # (N, players of the side, features)
    rewards: NDArray[np.float64]  # (N,)
    terminated: NDArray[np.bool_]  # (N,)
    truncated: NDArray[np.bool_]  # (N,)
    distance: NDArray[np.float64]  # (N,): of free evaders to their pursuers, meters
    captured: NDArray[np.int64]  # (N,): evaders caught in the episode


class Bodies(NamedTuple):
    """The bodies of a block's players; every column has the shape (players, BLOCK)."""

    position: Vectors
    velocity: Vectors
    heading: Vectors
    acceleration: Vectors
    force: Vectors  # the steering force, not truncated
    step: Vectors  # the displacement in this step, in meters
    max_speed: Numbers
    max_force: Numbers
    mass: Numbers
    radius: Numbers


class Scene(NamedTuple):
    """What scripted players see; every column has the shape (BLOCK,), an entry a player."""

    position: Vectors
    velocity: Vectors
    heading: Vectors
    wander_point: Vectors
    other_position: Vectors  # the nearest opponent's, at its nearest image
    other_velocity: Vectors
    other_heading: Vectors
    other_acceleration: Vectors
    aim: Vectors
    part: Vectors  # the force of one part of a script
    force: Vectors  # of all its parts so far
    max_speed: Numbers
    other_max_speed: Numbers
    room: Numbers  # how far from the middle the center can be; inf without walls
    time: Numbers  # seconds ahead
    present: NDArray[np.bool_]  # False where no opponent is left


class Crowd(NamedTuple):
    """What only scripts that are not plain need; see `scripts.SCRIPT`."""

    neighbors: NDArray[np.void]  # (BLOCK, players) of VEHICLE: active teammates, nearest image
    discs: NDArray[np.void]  # (BLOCK, obstacles) of OBSTACLE, at their nearest image
    num_neighbors: NDArray[np.int64]  # (BLOCK,)
    num_discs: NDArray[np.int64]  # (BLOCK,)
    max_force: Numbers  # (BLOCK,), as the next three: the rest of the players' own bodies
    mass: Numbers
    radius: Numbers
    other_radius: Numbers
    dice: Numbers  # (parts, BLOCK): draws from [0, 1)
    wanted: NDArray[np.bool_]  # (BLOCK,): whether the next part has to be computed
    open: NDArray[np.bool_]  # (BLOCK,): whether parts can still be added to the force
    pairs: NDArray[np.void]  # (4,) of VEHICLE: see `crowd_parts.call_own_behavior`
    answer: Vectors  # (1,): the force that a user's own behavior returns
    is_faulty: NDArray[np.bool_]  # (1,): whether one of these was no number


class Marks(NamedTuple):
    """Which of a block's games need care."""

    fresh: NDArray[np.bool_]  # (BLOCK,): those that began anew instead of their step
    members: NDArray[np.int64]  # (BLOCK,): those that share a script


class Tally(NamedTuple):
    """What is counted up to judge a step; every column has the shape (BLOCK,)."""

    nearest: Numbers  # from an evader to its nearest pursuer after the step
    least: Numbers  # the same, at any moment of the step
    total: Numbers  # distances of all free evaders added up
    free: NDArray[np.int64]  # evaders still free
    caught: NDArray[np.int64]  # evaders caught in this step


# The first rows of the arrays of a workspace; the bodies come last, for their number varies.
_SCENE_VECTORS, _ANSWER, _BODIES_VECTORS = 0, 11, 12
_SCENE_NUMBERS, _CROWD_NUMBERS, _DICE, _TALLY_NUMBERS = 0, 4, 8, 8 + len(PARTS)
_BODIES_NUMBERS = _TALLY_NUMBERS + 3
_MEMBERS, _CROWD_INTEGERS, _TALLY_INTEGERS, _INTEGERS = 0, 1, 3, 5
_FRESH, _PRESENT, _CROWD_FLAGS, _FAULTY, _FLAGS = 0, 1, 2, 4, 5


def make_workspace(players: int, obstacles: int) -> Workspace:
    """Scratch space for blocks of games with so many players and obstacles each."""
    return Workspace(
        np.zeros((_BODIES_VECTORS + 6 * players, BLOCK), np.complex128),
        np.zeros((_BODIES_NUMBERS + 4 * players, BLOCK), np.float64),
        np.zeros((_INTEGERS, BLOCK), np.int64),
        np.zeros((_FLAGS, BLOCK), np.bool_),
        records(np.zeros((BLOCK, players), VEHICLE)),
        records(np.zeros((BLOCK, obstacles), OBSTACLE)),
        records(np.zeros(4, VEHICLE)),
    )


@compiled
def marks_in(space: Workspace) -> Marks:
    """The columns of marks in a workspace."""
    return Marks(space.flags[_FRESH], space.integers[_MEMBERS])


@compiled
def scene_in(space: Workspace) -> Scene:
    """The columns of a scene in a workspace."""
    vectors, numbers = space.vectors[_SCENE_VECTORS:], space.numbers[_SCENE_NUMBERS:]
    return Scene(
        vectors[0],
        vectors[1],
        vectors[2],
        vectors[3],
        vectors[4],
        vectors[5],
        vectors[6],
        vectors[7],
        vectors[8],
        vectors[9],
        vectors[10],
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        space.flags[_PRESENT],
    )


@compiled
def crowd_in(space: Workspace) -> Crowd:
    """The columns of a crowd in a workspace."""
    numbers, integers = space.numbers[_CROWD_NUMBERS:], space.integers[_CROWD_INTEGERS:]
    return Crowd(
        space.neighbors,
        space.discs,
        integers[0],
        integers[1],
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        space.numbers[_DICE:_TALLY_NUMBERS],
        space.flags[_CROWD_FLAGS],
        space.flags[_CROWD_FLAGS + 1],
        space.pairs,
        space.vectors[_ANSWER, :1],
        space.flags[_FAULTY, :1],
    )


def faulty_pair(space: Workspace) -> tuple[Vehicle, Vehicle] | None:
    """The first pair for which a user's own behavior returned no number; None if all did."""
    if not space.flags[_FAULTY, 0]:
        return None
    return Vehicle(*space.pairs[2].item()), Vehicle(*space.pairs[3].item())


@compiled
def tally_in(space: Workspace) -> Tally:
    """The columns of a tally in a workspace."""
    numbers, integers = space.numbers[_TALLY_NUMBERS:], space.integers[_TALLY_INTEGERS:]
    return Tally(numbers[0], numbers[1], numbers[2], integers[0], integers[1])


@compiled
def bodies_in(space: Workspace, players: int) -> Bodies:
    """The columns of the bodies in a workspace."""
    vectors, numbers = space.vectors[_BODIES_VECTORS:], space.numbers[_BODIES_NUMBERS:]
    return Bodies(
        vectors[:players],
        vectors[players : 2 * players],
        vectors[2 * players : 3 * players],
        vectors[3 * players : 4 * players],
        vectors[4 * players : 5 * players],
        vectors[5 * players : 6 * players],
        numbers[:players],
        numbers[players : 2 * players],
        numbers[2 * players : 3 * players],
        numbers[3 * players : 4 * players],
    )


@compiled
def scene_of_all(space: Workspace, bodies: Bodies, number: int, opponent: int) -> Scene:
    """The scene of one player in all games of a block, which needs no copying."""
    scratch = scene_in(space)
    return Scene(
        bodies.position[number],
        bodies.velocity[number],
        bodies.heading[number],
        scratch.wander_point,
        bodies.position[opponent],
        bodies.velocity[opponent],
        bodies.heading[opponent],
        bodies.acceleration[opponent],
        scratch.aim,
        scratch.part,
        bodies.force[number],
        bodies.max_speed[number],
        bodies.max_speed[opponent],
        scratch.room,
        scratch.time,
        scratch.present,
    )


@compiled
def with_part_as_force(scene: Scene) -> Scene:
    """The scene with its column of parts in place of that of forces."""
    return Scene(
        scene.position,
        scene.velocity,
        scene.heading,
        scene.wander_point,
        scene.other_position,
        scene.other_velocity,
        scene.other_heading,
        scene.other_acceleration,
        scene.aim,
        scene.part,
        scene.part,
        scene.max_speed,
        scene.other_max_speed,
        scene.room,
        scene.time,
        scene.present,
    )


@compiled
def me_at(scene: Scene, k: int) -> Vehicle:
    """The k-th player of a scene, as far as plain behaviors read it."""
    return Vehicle(
        scene.position[k],
        scene.velocity[k],
        scene.heading[k],
        scene.max_speed[k],
        1.0,
        1.0,
        0.0,
        0j,
    )


@compiled
def whole_body_at(scene: Scene, crowd: Crowd, k: int) -> Vehicle:
    """The k-th player of a scene; its own acceleration is not in an observation."""
    return Vehicle(
        scene.position[k],
        scene.velocity[k],
        scene.heading[k],
        scene.max_speed[k],
        crowd.max_force[k],
        crowd.mass[k],
        crowd.radius[k],
        0j,
    )


@compiled
def other_at(scene: Scene, k: int) -> Vehicle:
    """The opponent that the k-th player of a scene sees."""
    return Vehicle(
        scene.other_position[k],
        scene.other_velocity[k],
        scene.other_heading[k],
        scene.other_max_speed[k],
        1.0,
        1.0,
        0.0,
        scene.other_acceleration[k],
    )


@compiled
def whole_other_at(scene: Scene, crowd: Crowd, k: int) -> Vehicle:
    """`other_at` with the radius: its force limit and its mass cannot be seen."""
    return Vehicle(
        scene.other_position[k],
        scene.other_velocity[k],
        scene.other_heading[k],
        scene.other_max_speed[k],
        1.0,
        1.0,
        crowd.other_radius[k],
        scene.other_acceleration[k],
    )


@compiled
def body_at(bodies: Bodies, number: int, k: int) -> Vehicle:
    """The body of player ``number`` in the block's k-th game."""
    return Vehicle(
        bodies.position[number, k],
        bodies.velocity[number, k],
        bodies.heading[number, k],
        bodies.max_speed[number, k],
        bodies.max_force[number, k],
        bodies.mass[number, k],
        bodies.radius[number, k],
        bodies.acceleration[number, k],
    )


@compiled
def copy_body(body: np.record | Vehicle, to: np.record) -> None:
    """Copies a body's record, field by field."""
    to.position = body.position
    to.velocity = body.velocity
    to.heading = body.heading
    to.max_speed = body.max_speed
    to.max_force = body.max_force
    to.mass = body.mass
    to.radius = body.radius
    to.acceleration = body.acceleration


@compiled
def load_body(body: np.record, bodies: Bodies, number: int, k: int) -> None:
    """Copies a body's record into the columns."""
    bodies.position[number, k] = body.position
    bodies.velocity[number, k] = body.velocity
    bodies.heading[number, k] = body.heading
    bodies.acceleration[number, k] = body.acceleration
    bodies.max_speed[number, k] = body.max_speed
    bodies.max_force[number, k] = body.max_force
    bodies.mass[number, k] = body.mass
    bodies.radius[number, k] = body.radius


@compiled
def store_body(body: np.record, bodies: Bodies, number: int, k: int) -> None:
    """Copies what changes in a step from the columns into a body's record."""
    body.position = bodies.position[number, k]
    body.velocity = bodies.velocity[number, k]
    body.heading = bodies.heading[number, k]
    body.acceleration = bodies.acceleration[number, k]


@compiled_loop
def load_bodies(players: np.ndarray, start: int, stop: int, bodies: Bodies) -> None:
    """Copies the bodies of the games from start to stop - 1 into columns."""
    for number in range(players.shape[1]):
        for k in range(stop - start):
            load_body(players[start + k, number].body, bodies, number, k)
