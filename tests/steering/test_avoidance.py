"""Walls, obstacles, other vehicles and neighborhoods: forces, edges, and whether they help."""

import cmath
import functools
import itertools
import math
import random

import numpy as np
import pytest

from steer_env.steering.avoidance import (
    avoid_collisions,
    avoid_obstacle,
    avoid_obstacles,
    avoid_walls,
    distance_to_collision,
)
from steer_env.steering.basic import seek
from steer_env.steering.blending import Blend
from steer_env.steering.chase import evade
from steer_env.steering.flocking import alignment, cohesion, separation
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, Obstacle, advance
from steer_env.steering.wander import wander

from .vehicles import moving, played, vehicle

# ---- Walls --------------------------------------------------------------------------------


# ---- One obstacle -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("center", "in_the_way"),
    [
        (5.99 + 0j, True),  # forward up to the way of 4 m and R
        (6 + 0j, False),
        (3 + 2.49j, True),  # aside up to R + r
        (3 - 2.49j, True),
        (3 + 2.5j, False),
        (3 - 2.5j, False),
        (0 + 1j, False),  # beside it, and behind it, is past
        (-1 + 0j, False),
        (1e-9 + 0j, True),
    ],
)
def test_an_obstacle_is_in_the_way_or_not(center, in_the_way):
    me, obstacle = moving(0, 4), Obstacle(center, 2.0)
    assert math.isfinite(distance_to_collision(me, obstacle, 1.0)[0]) is in_the_way
    assert (avoid_obstacle(me, obstacle, 1.0) != 0j) is in_the_way


@pytest.mark.parametrize("turn", [1, 1j, -1, -1j])
def test_an_obstacle_dead_ahead_is_passed_on_the_left(turn):
    push = avoid_obstacle(moving(0, 4 * turn), Obstacle(3 * turn, 1.0), 1.0) / turn
    assert push.imag > 0.0
    assert push.real < 0.0


def test_of_many_obstacles_only_the_first_to_be_hit_counts():
    me = moving(0, 6)
    near, far, aside = Obstacle(3 + 0.5j, 1.0), Obstacle(5 - 0.5j, 1.5), Obstacle(2 + 4j, 1.0)
    for order in itertools.permutations((near, far, aside)):
        assert avoid_obstacles(me, order, 1.0) == avoid_obstacle(me, near, 1.0)
    assert avoid_obstacles(me, [aside], 1.0) == avoid_obstacles(me, [], 1.0) == 0j
    big = Obstacle(5.5 + 1j, 4.0)  # its center is farther, its edge is nearer
    assert avoid_obstacles(me, [near, big], 1.0) == avoid_obstacle(me, big, 1.0)


# ---- Other vehicles -----------------------------------------------------------------------


def test_of_many_vehicles_the_first_to_be_met_counts():
    me = moving(0, 2)
    soon, late = moving(4 + 0.4j, -2), moving(8 - 0.4j, -2)
    for order in itertools.permutations((soon, late, moving(3j, 2))):
        assert avoid_collisions(me, order, 3.0, 0.0) == -1j
    assert avoid_collisions(me, [late], 3.0, 0.0) == 1j


# ---- Rollouts -----------------------------------------------------------------------------


def least_distance(one, two, push_of):
    """The least distance of two that seek their goals, unless they are pushed aside."""

    def force(me, other, goal):
        push = push_of(me, [other])
        return 8 * push if push else seek(me, goal)

    here, there = (body.position + 6 * body.velocity for body in (one, two))
    forces = lambda a, b: force(a, b, here), lambda a, b: force(b, a, there)
    return min(abs(a.position - b.position) for a, b in played([one, two], forces, 240))


@pytest.mark.parametrize("miss", [0.0, 0.3])
@pytest.mark.parametrize("degrees", [20, 45, 90, 135, 170, 180])
def test_two_that_cross_or_come_head_on_do_not_touch(degrees, miss):
    flight = cmath.rect(2, math.radians(degrees))
    one = moving(-5, 2, max_speed=2, max_force=8)
    two = moving(miss * 1j - 2.5 * flight, flight, max_speed=2, max_force=8)
    assert least_distance(one, two, lambda me, others: 0j) < 0.31
    for margin in (0.0, 0.3):
        dodge = functools.partial(avoid_collisions, seconds=3.0, margin=margin)
        assert least_distance(one, two, dodge) > 1.0 + 0.9 * margin


@pytest.mark.parametrize("angle", [0, 20, 45])
def test_who_avoids_walls_stays_inside(angle):
    heading = cmath.exp(1j * math.radians(angle))
    start = moving(0, 3 * heading, max_speed=3, max_force=12)

    def force(me):
        return 8 * avoid_walls(me, 10.0, 3.0) + wander(me, 1 + 0j, 2.0, 1.2)

    for (me,) in played([start], [force], 1200):
        assert max(abs(me.position.real), abs(me.position.imag)) < 10.0


HALF = 15.0  # of the arena with obstacles


def random_rocks(draw, count=12):
    rocks = []
    while len(rocks) < count:
        center, radius = complex(*draw.uniform(3 - HALF, HALF - 3, 2)), draw.uniform(0.7, 2.0)
        apart = [abs(center - other) - radius - size for other, size in rocks]
        if min([abs(center + 12) - radius - 1.5, *apart]) > 0.5 + 1.0:
            rocks.append((center, radius))
    return np.array(rocks, OBSTACLE)


def clearance(me, rocks):
    return float(np.min(np.abs(rocks["center"] - me.position) - rocks["radius"])) - me.radius


def fly_through_rocks(drive, scenes=200, dt=1 / 30):
    """In how many scenes it hits a rock, its deepest overlap, and how often it arrives."""
    draw = np.random.default_rng(0)
    hit, deepest, arrived = 0, 0.0, 0
    for _ in range(scenes):
        rocks, target = random_rocks(draw), 0j
        while clearance(vehicle(target), rocks) < 1.0:
            target = complex(*draw.uniform(2 - HALF, HALF - 2, 2))
        me = moving(-12, 3 * (target + 12) / abs(target + 12), max_speed=3, max_force=15)
        least = math.inf
        for _ in range(600):
            me = advance(me, drive(me, obstacles=rocks, target=target), dt)
            least = min(least, clearance(me, rocks))
            assert max(abs(me.position.real), abs(me.position.imag)) < HALF
            if abs(me.position - target) < 0.5:
                arrived += 1
                break
        hit += least < 0.0
        deepest = max(deepest, -least)
    return hit, deepest, arrived


@pytest.mark.weekly
def test_avoidance_takes_a_vehicle_through_200_scenes_of_obstacles():
    def go_round(me, obstacles):
        return avoid_obstacles(me, obstacles, 1.0, 0.3)

    inside = functools.partial(avoid_walls, half_size=HALF, feeler_length=2.0)
    hit, deepest, arrived = fly_through_rocks(lambda me, obstacles, target: seek(me, target))
    assert (hit > 80, deepest > 2.0, arrived) == (True, True, 200)
    careful = Blend("budget", [(go_round, 10), (inside, 8), (seek, 1)])
    hit, deepest, arrived = fly_through_rocks(careful)
    assert (hit <= 2, deepest < 0.1, arrived) == (True, True, 200)


def farthest_out(method, hunter):
    """The farthest that a prey's center gets outside the walls, driven into a corner."""
    walls = functools.partial(avoid_walls, half_size=10.0, feeler_length=2.0)
    blend = Blend(method, [(walls, 8), (evade, 4)])
    forces = (
        lambda prey, hunter: blend(prey, menace=hunter),
        lambda prey, hunter: seek(hunter, prey.position),
    )
    states = played([vehicle(7 + 7j, max_speed=3, max_force=12), hunter], forces, 720)
    places = [prey.position for prey, _ in states]
    return max(max(abs(place.real), abs(place.imag)) for place in places) - 10


@pytest.mark.weekly
@pytest.mark.parametrize("place", [0j, 2 - 3j, -5 + 1j, 6j])
def test_budget_keeps_a_cornered_prey_inside_where_the_plain_sum_does_not(place):
    hunter = vehicle(place, max_speed=2.5, max_force=12)
    assert farthest_out("sum", hunter) > 0.2
    assert farthest_out("budget", hunter) < -0.1


# ---- Neighborhoods ------------------------------------------------------------------------

FORCES = (separation, alignment, cohesion)


def at(distance, degrees):
    return vehicle(cmath.rect(distance, math.radians(degrees)))


def test_who_is_not_in_the_neighborhood_does_not_count():
    me = vehicle()
    neighbors, strangers = [at(3, 20), at(4, -30)], [at(3, 170), at(30, 10), at(6, -60)]
    neighbors = [one._replace(heading=1j) for one in neighbors]
    for steer in FORCES:
        expected = steer(me, neighbors, 1.0, 5.0, 0.5)
        assert steer(me, neighbors + strangers, 1.0, 5.0, 0.5) == expected != 0j
        assert steer(me, strangers, 1.0, 5.0, 0.5) == 0j


@pytest.mark.parametrize(
    ("steer", "distance", "degrees"),
    [(separation, 5.0, 134), (alignment, 7.5, 45), (cohesion, 9.0, 98)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_neighborhoods_are_those_of_opensteers_demonstration(steer, distance, degrees):
    for length, angle, is_seen in (
        *((distance - 0.01, 0, True), (distance + 0.01, 0, False)),
        *((3, degrees, True), (3, degrees + 2, False)),
        *((1.49, 180, True), (1.51, 180, False)),
    ):
        other = at(length, angle)._replace(heading=1j)
        assert (steer(vehicle(), [other]) != 0j) is is_seen


def crowd(speed, **limits):
    draw = random.Random(0).uniform
    return [
        moving(complex(draw(-2, 2), draw(-2, 2)), cmath.rect(speed, draw(-3, 3)), **limits)
        for _ in range(20)
    ]


def spread(boids):
    """0 if all face the same way, 1 if they face all ways."""
    return 1 - abs(sum(one.heading for one in boids)) / len(boids)


def flock(boids, force_of, steps, dt=1 / 30):
    """All of them after some steps."""
    for _ in range(steps):
        rows = np.array([tuple(one) for one in boids], VEHICLE)
        others = [np.delete(rows, number) for number in range(len(boids))]
        forces = [force_of(me, neighbors) for me, neighbors in zip(boids, others)]
        boids = [advance(me, force, dt) for me, force in zip(boids, forces)]
    return boids


def width(boids):
    return float(np.std([one.position for one in boids]))


def nearest_two(boids):
    places = np.array([one.position for one in boids])
    gaps = np.abs(places[:, None] - places) + np.diag([math.inf] * len(boids))
    return gaps.min()


def test_alignment_alone_turns_all_the_same_way():
    start = crowd(2.0, max_speed=2, max_force=4)

    def steer(me, others):
        return 2 * alignment(me, others, 1.5, 99.0, -1.1) + 2 * me.heading - me.velocity

    end = flock(start, steer, 90)
    assert spread(start) > 0.6
    assert spread(end) < 0.1


def test_separation_alone_spreads_a_crowd_and_cohesion_contracts_it():
    start = crowd(0.01, max_speed=2, max_force=2)

    def apart(me, others):
        return 2 * separation(me, others, 1.5, 5.0, -1.1) - me.velocity

    def together(me, others):
        return 2 * cohesion(me, others, 1.5, 9.0, -1.1) - me.velocity

    end = flock(start, apart, 200)
    assert width(end) > 4 * width(start)
    assert nearest_two(end) > 3.0
    assert nearest_two(start) < 0.5
    assert width(flock(start, together, 60)) < 0.4 * width(start)
