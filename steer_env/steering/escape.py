"""Escape: plays each way out forward, and takes the one on which the menace catches it last.

The evader's best reply to a pursuer whose law it guesses (Isaacs 1965), found by rollouts of a
few straight runs (Bertsekas 2005, model predictive control), and again at every step.
docs/steering/escape.md has the formulas.
"""

from __future__ import annotations

import math

from steer_env.machine_code.addresses import (
    LANES,
    lane_count,
    lanes_of_numbers,
    lanes_of_vectors,
)
from steer_env.steering.basic import seek
from steer_env.steering.compilation import compiled
from steer_env.steering.overlap import push_out
from steer_env.steering.prediction import closing
from steer_env.steering.vectors import TINY, dot, norm, scale, truncate, unit
from steer_env.steering.vehicle import Obstacle, Obstacles, Vehicle, stop_at_walls

_QUARTER = (1 + 0j, complex(math.sqrt(0.75), 0.5), complex(0.5, math.sqrt(0.75)))
_COMPASS = tuple(run * turn for turn in (1, 1j, -1, -1j) for run in _QUARTER)

# Two seconds in eight steps, the first ones short: what happens soon decides a dodge.
_STEPS, _FIRST_STEP, _GROWTH = 8, 0.1, 1.25


@compiled
def _is_inside(position: complex, radius: float, obstacle: Obstacle) -> bool:
    offset, reach = position - obstacle.center, obstacle.radius + radius
    return dot(offset, offset) < reach * reach


@compiled
def _glide_past(
    position: complex, velocity: complex, radius: float, obstacle: Obstacle
) -> tuple[complex, complex]:
    """`glide_on` at one obstacle, without walls."""
    if not _is_inside(position, radius, obstacle):
        return position, velocity
    shift = push_out(position, radius, obstacle.center, obstacle.radius)
    outward = unit(shift)
    return position + shift, velocity - scale(outward, min(dot(velocity, outward), 0.0))


@compiled
def glide_on(
    position: complex, velocity: complex, radius: float, half_size: float, obstacles: Obstacles
) -> tuple[complex, complex]:
    """The place and the velocity of a body that walls and obstacles stop.

    The place is outside of them, and the velocity is without the part into them.

    Example:
        >>> glide_on(3 + 4j, 1 + 1j, 0.5, math.inf, [Obstacle(3 + 5j, 1.0)])
        ((3+3.5j), (1+0j))
    """
    for obstacle in obstacles:
        position, velocity = _glide_past(position, velocity, radius, obstacle)
    return stop_at_walls(position, velocity, half_size)


@compiled
def _turn(velocity: complex, desired: complex, most: float) -> complex:
    """The velocity after a change toward the desired one by ``most`` m/s at most."""
    return velocity + truncate(desired - velocity, most)


@compiled
def seconds_free(
    me: Vehicle,
    menace: Vehicle,
    run: complex,
    obstacles: Obstacles,
    half_size: float = math.inf,
    capture_radius: float = 0.6,
    lead: float = 0.0,
    agility: float = 1.0,
) -> float:
    """The time that I stay free on a straight run, in seconds.

    Two seconds are simulated: I turn into the run at full force, and walls and obstacles stop
    me; the menace seeks my position in ``lead`` seconds, counted down, at its assumed full
    force. Then the remaining distance over its top speed is added.

    The run is a unit vector, and obstacles stop me only. I am caught nearer than
    ``capture_radius``, center to center. The menace aims ``lead`` seconds ahead at first, and
    its acceleration is ``agility`` times mine.

    Example:
        >>> me, menace = Vehicle(max_force=9.0), Vehicle(position=-3 + 0j, max_speed=2.0)
        >>> behind_me = seconds_free(me, menace, run=1 + 0j, obstacles=[])
        >>> behind_me > seconds_free(me, menace, run=1j, obstacles=[])
        True
        >>> behind_me > seconds_free(me, menace, run=1 + 0j, obstacles=[], half_size=1.0)
        True
    """
    runs, seconds = lanes_of_vectors(), lanes_of_numbers()
    for k in range(LANES):
        runs[k] = run
    fill_seconds_free(
        seconds, runs, me, menace, obstacles, half_size, capture_radius, lead, agility
    )
    return seconds[0]


@compiled
def fill_seconds_free(
    seconds: list[float],
    runs: list[complex],
    me: Vehicle,
    menace: Vehicle,
    obstacles: Obstacles,
    half_size: float,
    capture_radius: float,
    lead: float,
    agility: float,
) -> None:
    """Writes the `seconds_free` of as many runs as there are `LANES`, imagined side by side.

    Finished runs keep the time of their capture. ``seconds`` are lanes to write to, ``runs``
    lanes of unit vectors.
    """
    mine, my_velocity = lanes_of_vectors(), lanes_of_vectors()
    its, its_velocity = lanes_of_vectors(), lanes_of_vectors()
    offset = lanes_of_vectors()
    for k in range(LANES):
        mine[k], my_velocity[k] = me.position, me.velocity
        its[k], its_velocity[k] = menace.position, menace.velocity
        offset[k], seconds[k] = me.position - menace.position, math.inf
    thrust, caught_below = me.max_force / max(me.mass, TINY), capture_radius * capture_radius
    max_speed, its_max_speed, radius = me.max_speed, menace.max_speed, me.radius
    time, step = 0.0, _FIRST_STEP
    for _ in range(_STEPS):
        ahead, most = max(lead - time, 0.0), agility * thrust * step
        for k in range(LANES):
            toward = unit(offset[k] + scale(my_velocity[k], ahead))
            its_velocity[k] = _turn(its_velocity[k], scale(toward, its_max_speed), most)
            its[k] += scale(its_velocity[k], step)
        most = thrust * step
        for k in range(LANES):
            my_velocity[k] = _turn(my_velocity[k], scale(runs[k], max_speed), most)
            mine[k] += scale(my_velocity[k], step)
        for obstacle in obstacles:
            inside = 0
            for k in range(lane_count()):
                inside += _is_inside(mine[k], radius, obstacle)
            if inside > 0:  # seldom, and gliding takes long
                for k in range(LANES):
                    mine[k], my_velocity[k] = _glide_past(
                        mine[k], my_velocity[k], radius, obstacle
                    )
        for k in range(LANES):
            mine[k], my_velocity[k] = stop_at_walls(mine[k], my_velocity[k], half_size)
            drift, before = mine[k] - its[k] - offset[k], seconds[k]
            share = -dot(offset[k], drift) / max(dot(drift, drift), TINY)
            share = min(max(share, 0.0), 1.0)
            nearest = offset[k] + scale(drift, share)
            is_caught = dot(nearest, nearest) < caught_below and before == math.inf
            seconds[k] = time + share * step if is_caught else before
            offset[k] += drift
        time += step
        step *= _GROWTH
    for k in range(LANES):
        uncaught, before = time + norm(offset[k]) / max(its_max_speed, TINY), seconds[k]
        seconds[k] = uncaught if before == math.inf else before


@compiled
def escape_aim(
    me: Vehicle,
    menace: Vehicle,
    obstacles: Obstacles,
    half_size: float = math.inf,
    capture_radius: float = 0.6,
    lead: float = 0.0,
    agility: float = 1.0,
) -> complex:
    """The point that `escape` seeks: a second ahead on the run with the most `seconds_free`.

    Ties go to the run directly away from the menace, then in compass order from +x to the left.

    Example:
        >>> cornered, menace = Vehicle(position=9 + 9j, max_force=9.0), Vehicle(2 + 8j)
        >>> escape_aim(cornered, menace, [], half_size=9.0)
        (9+8j)
    """
    away = unit(me.position - menace.position)
    runs, seconds = lanes_of_vectors(), lanes_of_numbers()
    for k in range(LANES):
        runs[k] = _COMPASS[k] if k < len(_COMPASS) else away
    fill_seconds_free(
        seconds, runs, me, menace, obstacles, half_size, capture_radius, lead, agility
    )
    best, longest = away, seconds[LANES - 1]
    for k in range(len(_COMPASS)):
        if seconds[k] > longest:
            best, longest = runs[k], seconds[k]
    return me.position + scale(best, me.max_speed)


@compiled
def escape(
    me: Vehicle,
    menace: Vehicle,
    obstacles: Obstacles,
    half_size: float = math.inf,
    capture_radius: float = 0.6,
    agility: float = 1.0,
) -> complex:
    """Runs where a menace that leads me by the `closing` law would catch me last.

    A faster vehicle slips past its menace out of corners, and a more agile one (``agility``
    below 1) sidesteps at the last moment. Arguments as in `seconds_free`; `escape_aim` has the
    runs.

    Example:
        >>> cornered, menace = Vehicle(position=9 + 9j, max_force=9.0), Vehicle(2 + 8j)
        >>> escape(cornered, menace, [], half_size=9.0)  # evade would run on into the corner
        -1j
    """
    lead = closing(menace, me)
    return seek(me, escape_aim(me, menace, obstacles, half_size, capture_radius, lead, agility))
