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

    One points ahead, two of half the length point 45 degrees to each side.

    Args:
        me: the vehicle.
        feeler_length: of the one ahead, in meters.

    Returns:
        Three points, in meters.

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

    See `wall_feelers`. The walls are those of a square arena around the origin.

    Args:
        me: the vehicle.
        half_size: half the side of the arena in meters; inf where there are no walls.
        feeler_length: in meters.

    Returns:
        The sum of the overshoots, in meters, pointing inward; 0 far from walls.

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

    The wall's inward push on the predicted position, less its part along the
    heading: the vehicle turns instead of braking. Head-on into a wall it brakes.

    Returns:
        The push in meters; 0 while the predicted position is inside.

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
    """The box ahead of a vehicle in which an obstacle's center is in the way (Buckland 2005).

    With a radius of 0 it is what the vehicle's body needs: its way within some seconds, and
    room for itself. An obstacle of radius R that overlaps this box has its center in the box
    that is larger by R.

    Args:
        me: the vehicle; at rest its own box has no length.
        seconds: how far ahead to look, at the present speed.
        margin: to leave between the bodies, in meters.
        obstacle_radius: R, in meters.

    Returns:
        How far it reaches ahead, s * seconds + R, and to each side, R + r + margin; meters.

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
    """How far ahead, and on which side, an obstacle lies in the way (Buckland 2005).

    In the own frame (x forward, y left) an obstacle of radius R is in the way of a vehicle of
    radius r, its margin included, at speed s if x > 0, x < s * seconds + R and |y| < R + r:
    see `detection_box`.

    Returns:
        The free way to the obstacle in meters, from center to contact (0 or less: they
        touch), inf if it is not in the way; and y in meters.

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
    """Steers around one obstacle, if it is in the way: see `avoid_obstacles`.

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

    The push grows with how far the obstacle reaches over the way's middle, R + r - |y|, and
    doubles as it comes near. It goes to the side that is nearer to freedom; in Buckland's
    own formula, R - y, an obstacle on the right pushes further to the right. A
    fifth of the push also brakes.

    Args:
        me: the vehicle.
        obstacles: a list of `Obstacle`, or a record array of `OBSTACLE`.
        seconds: how far ahead to look, at the present speed.
        margin: to leave between the bodies, in meters. Without any, the push fades as the
            way becomes free, and the vehicle grazes what it passes.

    Returns:
        The push in meters; 0 if no obstacle is in the way. A weight of some max_force a
        meter makes it a force.

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
    """When two vehicles that go straight on are nearest: -dot(dp, dv) / |dv|^2 seconds.

    Negative if that was in the past; 0 if the distance does not change.

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

    If two that go straight on come nearer than their radii and a margin, each steers away
    from where the other will be then: along the line between their two positions at that
    moment, which lengthens it fastest. Dead on, each goes to its own left.

    Args:
        me: the vehicle.
        neighbors: the other vehicles, without me: a list, or a record array of `VEHICLE`.
        seconds: collisions later than this do not matter yet.
        margin: to leave between the bodies, in meters.

    Returns:
        A push at top speed; 0 if no collision is ahead.

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
