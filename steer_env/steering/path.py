"""Following a path: inside a tube around a line of points, or from point to point.

A path is a sequence of points in meters (a complex numpy array, or a list), joined by
straight lines; a closed one goes on from the last point to the first. A path without points
is an InvalidValue, and so is a waypoint that it does not have. Sources: Reynolds 1999 (the
tube), Buckland 2005 (the waypoints).
"""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.errors import InvalidValue
from steer_env.steering.basic import arrive, seek
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, dot, norm, scale
from steer_env.steering.vehicle import Vehicle


@compiled
def path_length(points: Sequence[complex], closed: bool = False) -> float:
    """The length of a path, in meters.

    Example:
        >>> path_length([0j, 3 + 0j, 3 + 4j]), path_length([0j, 3 + 0j, 3 + 4j], closed=True)
        (7.0, 12.0)
    """
    total = 0.0
    for number in range(len(points) if closed else len(points) - 1):
        total += norm(points[(number + 1) % len(points)] - points[number])
    return total


@compiled
def _point_of(points: Sequence[complex], waypoint: int) -> complex:
    if len(points) == 0:
        raise InvalidValue("a path needs at least one point")
    if not 0 <= waypoint < len(points):
        raise InvalidValue(f"waypoint must be from 0 to {len(points) - 1}, got {waypoint}")
    return points[waypoint]


@compiled
def nearest_on_path(
    points: Sequence[complex], position: complex, closed: bool = False
) -> tuple[float, complex]:
    """The length of a path up to its point nearest to a position, and that point, in meters.

    Example:
        >>> nearest_on_path([0j, 3 + 0j, 3 + 4j], 5 + 1j)
        (4.0, (3+1j))
    """
    nearest, nearest_along = _point_of(points, 0), 0.0
    least = norm(position - nearest)
    before = 0.0
    for number in range(len(points) if closed else len(points) - 1):
        start = points[number]
        step = points[(number + 1) % len(points)] - start
        square = dot(step, step)
        share = min(max(dot(position - start, step) / max(square, TINY), 0.0), 1.0)
        candidate = start + scale(step, share)
        distance = norm(position - candidate)
        length = norm(step)
        if distance < least:
            least, nearest, nearest_along = distance, candidate, before + share * length
        before += length
    return nearest_along, nearest


@compiled
def point_on_path(points: Sequence[complex], along: float, closed: bool = False) -> complex:
    """The point at some distance along a path, at most at the end of an open one.

    Example:
        >>> point_on_path([0j, 3 + 0j, 3 + 4j], 5.0), point_on_path([0j, 3 + 0j], 9.0)
        ((3+2j), (3+0j))
    """
    start = _point_of(points, 0)
    if closed:
        along %= max(path_length(points, True), TINY)
    if along <= 0.0:
        return start
    for number in range(len(points) if closed else len(points) - 1):
        step = points[(number + 1) % len(points)] - points[number]
        length = norm(step)
        if along <= length:
            return points[number] + scale(step, along / max(length, TINY))
        along -= length
    return start if closed else points[len(points) - 1]


@compiled
def follow_path(
    me: Vehicle,
    points: Sequence[complex],
    radius: float = 1.0,
    seconds: float = 1.0,
    closed: bool = False,
) -> complex:
    """Keeps inside a tube around a path, and moves along it (Reynolds 1999).

    If its predicted place is inside the tube and farther along, it carries on at top speed: V h
    - v. Otherwise it seeks the point of the path that top speed reaches in ``seconds`` from the
    nearest one. The radius is the tube's, in meters.

    Example:
        >>> path = [0j, 10 + 0j]
        >>> follow_path(Vehicle(2 + 0j, 0.5 + 0j), path)
        (0.5+0j)
        >>> follow_path(Vehicle(2 + 3j, 1 + 0j), path).imag < 0
        True
    """
    ahead = me.position + scale(me.velocity, seconds)
    along, nearest = nearest_on_path(points, ahead, closed)
    along_now, _ = nearest_on_path(points, me.position, closed)
    progress = along - along_now
    if closed:
        total = path_length(points, True)
        progress -= total * round(progress / max(total, TINY))
    if norm(ahead - nearest) <= radius and progress > 0.0:
        return scale(me.heading, me.max_speed) - me.velocity
    return seek(me, point_on_path(points, along + me.max_speed * seconds, closed))


@compiled
def next_waypoint(
    me: Vehicle,
    points: Sequence[complex],
    waypoint: int,
    radius: float = 1.0,
    closed: bool = False,
) -> int:
    """The number of the point to steer for: the next one, once within its radius.

    An open path keeps its last point.

    Example:
        >>> path = [0j, 10 + 0j]
        >>> next_waypoint(Vehicle(0.5j), path, 0), next_waypoint(Vehicle(5j), path, 0)
        (1, 0)
    """
    if norm(_point_of(points, waypoint) - me.position) > radius:
        return waypoint
    if waypoint + 1 < len(points):
        return waypoint + 1
    return 0 if closed else waypoint


@compiled
def follow_waypoints(
    me: Vehicle,
    points: Sequence[complex],
    waypoint: int,
    deceleration_time: float = 0.6,
    closed: bool = False,
) -> complex:
    """Seeks a waypoint, and arrives at the last one of an open path (Buckland 2005).

    `next_waypoint` says when to go on to the next one.

    Example:
        >>> me = Vehicle(max_speed=2.0)
        >>> follow_waypoints(me, [9 + 0j, 0.3j], 0), follow_waypoints(me, [9 + 0j, 0.3j], 1)
        ((2+0j), 0.5j)
    """
    point = _point_of(points, waypoint)
    if waypoint == len(points) - 1 and not closed:
        return arrive(me, point, deceleration_time)
    return seek(me, point)
