"""Steering clear of walls, of obstacles, and of other vehicles' courses."""

from __future__ import annotations

import math

from steer_env.steering.compilation import compiled
from steer_env.steering.prediction import linear
from steer_env.steering.vectors import TINY, clamp_to_square, dot, left, norm, scale, unit
from steer_env.steering.vehicle import Obstacle, Obstacles, Vehicle, Vehicles

_LEFT_45 = complex(math.sqrt(0.5), math.sqrt(0.5))
_BRAKING = 0.2  # of the push, against the heading (Buckland 2005)


@compiled
def wall_feelers(me: Vehicle, feeler_length: float = 2.0) -> tuple[complex, complex, complex]:
    """The tips of the three feelers of `avoid_walls`: ahead, left and right (Buckland).

    One of ``feeler_length`` meters points ahead, two of half that length 45 degrees aside.

    Example:
        >>> ahead, to_left, to_right = wall_feelers(Vehicle(position=9 + 0j), 4.0)
        >>> ahead, round(abs(to_left - 9), 9), to_left == to_right.conjugate()
        ((13+0j), 2.0, True)
    """
    return (
        me.position + scale(me.heading, feeler_length),
        me.position + scale(me.heading * _LEFT_45, 0.5 * feeler_length),
        me.position + scale(me.heading * _LEFT_45.conjugate(), 0.5 * feeler_length),
    )


@compiled
def avoid_walls(me: Vehicle, half_size: float, feeler_length: float = 2.0) -> complex:
    """Pushes along the wall's normal by as much as three feelers overshoot it (Buckland).

    The result is the sum of the overshoots of `wall_feelers`, in meters, pointing inward.

    Example:
        >>> avoid_walls(Vehicle(position=9 + 0j), half_size=10.0, feeler_length=2.0)
        (-1+0j)
    """
    push = 0j
    for tip in wall_feelers(me, feeler_length):
        push += clamp_to_square(tip, half_size) - tip
    return push


@compiled
def containment(me: Vehicle, half_size: float, seconds: float = 1.0) -> complex:
    """Turns away from a wall that the vehicle would reach within some seconds (Reynolds).

    The wall's inward push on the predicted position, in meters, less its part along the
    heading, so that it turns; head-on it brakes. 0 while the predicted position is inside.

    Example:
        >>> containment(Vehicle(position=9 + 0j, velocity=3 + 0j), half_size=10.0)
        (-2+0j)
    """
    ahead = me.position + scale(me.velocity, seconds)
    push = clamp_to_square(ahead, half_size) - ahead
    sideways = push - scale(me.heading, dot(push, me.heading))
    return push if sideways == 0j else sideways


@compiled
def detection_box(
    me: Vehicle, seconds: float = 1.0, margin: float = 0.0, obstacle_radius: float = 0.0
) -> tuple[float, float]:
    """The box ahead of a vehicle in which an obstacle's center is in its way (Buckland).

    At the speed s it reaches s * seconds + R ahead and R + r + margin to each side, in meters,
    for an obstacle of radius R and a body of radius r. With R = 0 it is what the body needs.

    Example:
        >>> me = Vehicle(velocity=4 + 0j, radius=1.0)
        >>> detection_box(me, 0.5), detection_box(me, 0.5, obstacle_radius=3.0)
        ((2.0, 1.0), (5.0, 4.0))
    """
    length = norm(me.velocity) * seconds + obstacle_radius
    return length, obstacle_radius + me.radius + margin


@compiled
def distance_to_collision(
    me: Vehicle, obstacle: Obstacle, seconds: float = 1.0, margin: float = 0.0
) -> tuple[float, float]:
    """The distance and the side of an obstacle in the way (Buckland 2005).

    The distance is the free way in meters, from center to contact (0 or less: they touch), and
    inf if the obstacle's center is not in the `detection_box`. The side is its y in the own
    frame (x forward, y left), in meters.

    Example:
        >>> me = Vehicle(velocity=4 + 0j, radius=1.0)
        >>> distance_to_collision(me, Obstacle(5 + 3j, 4.0))
        (1.0, 3.0)
    """
    offset = (obstacle.center - me.position) * me.heading.conjugate()
    length, reach = detection_box(me, seconds, margin, obstacle.radius)
    in_reach = 0.0 < offset.real < length
    if not in_reach or abs(offset.imag) >= reach:
        return math.inf, offset.imag
    half_chord = math.sqrt((reach - offset.imag) * (reach + offset.imag))
    return offset.real - half_chord, offset.imag


@compiled
def avoid_obstacle(
    me: Vehicle, obstacle: Obstacle, seconds: float = 1.0, margin: float = 0.0
) -> complex:
    """Steers around one obstacle in the way, as `avoid_obstacles` does.

    Example:
        >>> avoid_obstacle(Vehicle(velocity=4 + 0j), Obstacle(3 + 0.5j, 1.0)).imag < 0
        True
    """
    distance, side = distance_to_collision(me, obstacle, seconds, margin)
    if distance == math.inf:
        return 0j
    length, _ = detection_box(me, seconds, margin)
    _, reach = detection_box(me, seconds, margin, obstacle.radius)
    urgency = 1.0 + min(max(1.0 - distance / max(length, TINY), 0.0), 1.0)
    overlap = reach - abs(side)
    # Dead ahead neither side is better: it passes on its own left.
    sideways = -overlap * urgency if side > 0.0 else overlap * urgency
    brake = -_BRAKING * overlap * urgency
    return me.heading * complex(brake, sideways)


@compiled
def avoid_obstacles(
    me: Vehicle, obstacles: Obstacles, seconds: float = 1.0, margin: float = 0.0
) -> complex:
    """Steers away from the obstacle that would be hit first, and brakes (Buckland 2005).

    The push is R + r - |y|, doubled as it comes near, to the nearer side; a fifth of it brakes.
    It is in meters, and 0 if no obstacle is in the way; a weight of some max_force a meter
    makes it a force.

    Example:
        >>> me = Vehicle(velocity=4 + 0j)
        >>> near, far = Obstacle(3 + 0.5j, 1.0), Obstacle(4 - 0.5j, 1.0)
        >>> avoid_obstacles(me, [far, near]) == avoid_obstacles(me, [near])
        True
    """
    nearest, push = math.inf, 0j
    for obstacle in obstacles:
        distance, _ = distance_to_collision(me, obstacle, seconds, margin)
        if distance < nearest:
            nearest = distance
            push = avoid_obstacle(me, obstacle, seconds, margin)
    return push


@compiled
def nearest_approach_time(me: Vehicle, other: Vehicle) -> float:
    """The time at which two vehicles that go straight on are nearest, in seconds.

    -dot(dp, dv) / |dv|^2: negative if that was in the past; 0 if the distance does not change.

    Example:
        >>> other = Vehicle(position=4 + 1j, velocity=-1 + 0j)
        >>> nearest_approach_time(Vehicle(velocity=1 + 0j), other)
        2.0
    """
    offset = other.position - me.position
    drift = other.velocity - me.velocity
    square = dot(drift, drift)
    return -dot(offset, drift) / square if square > TINY else 0.0


@compiled
def avoid_collisions(
    me: Vehicle, neighbors: Vehicles, seconds: float = 3.0, margin: float = 0.0
) -> complex:
    """Sidesteps the vehicle that it would run into first (Reynolds 1999, unaligned).

    If two that go straight on come nearer than their radii and a margin, each steers away from
    the other's position at that moment; dead on, to its own left. The push is that of top
    speed, and 0 if no collision is less than ``seconds`` ahead.

    Example:
        >>> oncoming = Vehicle(position=4 + 0.5j, velocity=-1 + 0j)
        >>> avoid_collisions(Vehicle(velocity=1 + 0j), [oncoming])
        -1j
    """
    soonest, push = seconds, 0j
    for other in neighbors:
        time = nearest_approach_time(me, other)
        if not 0.0 < time <= soonest:
            continue
        miss = linear(me, time) - linear(other, time)
        if norm(miss) < me.radius + other.radius + margin:
            soonest = time
            push = unit(miss) if norm(miss) > 0.0 else left(me.heading)
    return scale(push, me.max_speed)
