"""The arena: where vehicles can be, what stops them, and how far apart they are.

- `WALLS`: a square around the origin; a wall stops the velocity into it.
- `TORUS`: the same square, but a vehicle that leaves on one side comes back on the other;
  offsets are to the nearest image.
- `OPEN`: the endless plane.

Round obstacles are solid in all three. A vehicle touches a wall or an obstacle with its
body's edge, and slides along it.
"""

from __future__ import annotations

import math

from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import clamp_to_square, dot, norm, scale, unit, wrap
from steer_env.steering.vehicle import Obstacles, stop_at_walls

WALLS, TORUS, OPEN = 0, 1, 2
ARENAS = ("walls", "torus", "open")

ROUNDING = 1e-9
"""Bodies may overlap obstacles by this much, in meters."""


@compiled
def nearest_offset(arena: int, half_size: float, start: complex, end: complex) -> complex:
    """The vector from start to end, or on a torus to the nearest image of the end."""
    offset = end - start
    return wrap(offset, half_size) if arena == TORUS else offset


@compiled
def nearest_image(arena: int, half_size: float, start: complex, end: complex) -> complex:
    """The place of the end, or on a torus of its image nearest to the start."""
    return start + wrap(end - start, half_size) if arena == TORUS else end


@compiled
def room(arena: int, half_size: float, radius: float) -> float:
    """The farthest from the middle that walls let a body be along x or y, inf without walls."""
    return half_size - radius if arena == WALLS else math.inf


@compiled
def path_to_contact(
    arena: int,
    half_size: float,
    obstacles: Obstacles,
    radius: float,
    start: complex,
    step: complex,
) -> tuple[float, complex]:
    """The share of a straight step that is free, and the normal of the obstacle that ends it.

    They are 1 and 0 if there is none; the normal is the outward unit vector at the contact.
    """
    free, normal = 1.0, 0j
    length_squared = dot(step, step)
    length = math.sqrt(length_squared)
    for obstacle in obstacles:
        reach = obstacle.radius + radius
        outward = -nearest_offset(arena, half_size, start, obstacle.center)
        approach = dot(outward, step)
        # Along what it touches, rounding may make a step point inward by a trace.
        if obstacle.radius <= 0.0 or approach >= -ROUNDING * reach * length:
            continue
        # The smaller root of |outward + share * step| = reach.
        gap = dot(outward, outward) - reach * reach
        root = approach * approach - length_squared * gap
        if root <= 0.0:
            continue
        share = max(0.0, gap / (math.sqrt(root) - approach))
        if share < free:
            free = share
            normal = unit(outward + scale(step, share))
    return free, normal


@compiled
def inside_obstacle(
    arena: int, half_size: float, obstacles: Obstacles, radius: float, position: complex
) -> bool:
    """Returns whether a body overlaps an obstacle by more than rounding."""
    for obstacle in obstacles:
        distance = norm(nearest_offset(arena, half_size, position, obstacle.center))
        if obstacle.radius > 0.0 and distance < obstacle.radius + radius - ROUNDING:
            return True
    return False


@compiled
def glide(
    arena: int, half_size: float, radius: float, start: complex, velocity: complex, dt: float
) -> tuple[complex, complex]:
    """Moves a body for dt seconds where there are no obstacles.

    Returns its position, not yet wrapped on a torus, and its velocity without the part into a
    wall.
    """
    end = start + scale(velocity, dt)
    if arena != WALLS:
        return end, velocity
    return stop_at_walls(end, velocity, half_size - radius)


@compiled
def move(
    arena: int,
    half_size: float,
    obstacles: Obstacles,
    radius: float,
    start: complex,
    velocity: complex,
    dt: float,
) -> tuple[complex, complex]:
    """`glide` among obstacles: up to the first contact, then along what is touched.

    It stops at a second contact.
    """
    step = scale(velocity, dt)
    free, normal = path_to_contact(arena, half_size, obstacles, radius, start, step)
    if free < 1.0:
        velocity -= scale(normal, min(0.0, dot(velocity, normal)))
        contact = start + scale(step, free)
        if arena == WALLS:  # an obstacle may reach through a wall: it is not touched out there
            contact = clamp_to_square(contact, half_size - radius)
        end, velocity = glide(arena, half_size, radius, contact, velocity, (1.0 - free) * dt)
    else:
        contact = start
        end, velocity = glide(arena, half_size, radius, start, velocity, dt)
    slide = end - contact
    free, normal = path_to_contact(arena, half_size, obstacles, radius, contact, slide)
    if free < 1.0:
        end = contact + scale(slide, free)
        velocity -= scale(normal, min(0.0, dot(velocity, normal)))
    if inside_obstacle(arena, half_size, obstacles, radius, end):
        return start, 0j  # wedged between an obstacle and something else
    return end, velocity
