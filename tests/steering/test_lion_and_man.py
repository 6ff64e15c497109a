"""Theorems about pursuit in polygons, with turns: a man goes a step, then his lions do.

All are as fast as one another, and nearly points. In a simply connected polygon one lion's move
catches any man (Isler, Kannan and Khanna 2005, Randomized pursuit-evasion in a polygonal
environment). Around a pillar a man is safe from one lion. A pursuer can guard a shortest path,
so that nobody crosses it alive: two guards and a lion catch a man among two pillars (three
pursuers do in any polygon: Bhadauria, Klein, Isler and Suri 2012).
"""

import cmath
import math
from itertools import pairwise

import numba
import numpy as np
import pytest

from steer_env.machine_code.jit import OPTIONS, know_functions
from steer_env.maps import Map, make_walls, make_ways
from steer_env.steering.walls import has_room, has_way
from steer_env.steering.ways import shortest_way

pytestmark = [pytest.mark.weekly, pytest.mark.compiled]

STEP, RADIUS, DIRECTIONS = 0.2, 1e-3, 12
SQUARE = [(-5, -5), (5, -5), (5, 5), (-5, 5)]
PILLAR = [(-1, -1), (1, -1), (1, 1), (-1, 1)]

know_functions()


@numba.njit(**OPTIONS)
def way_of(walls, ways, start, end):
    return shortest_way(walls, ways, start, end)


@numba.njit(**OPTIONS)
def is_clear(walls, start, end):
    return has_way(walls, RADIUS - 2e-6, start, end - start)


class Place:
    """A map with its ways for points."""

    def __init__(self, world):
        self.world, self.walls = world, make_walls(world, 0.3)
        self.ways = make_ways(world, self.walls, RADIUS)

    def distance(self, start, end):
        return way_of(self.walls, self.ways, start, end)[0]

    def way(self, start, end):
        """The corners of the shortest way, from its start to its end."""
        points, is_straight = [start], False
        while not is_straight:
            _, place, is_straight = way_of(self.walls, self.ways, points[-1], end)
            points.append(place)
        return points

    def toward(self, start, end, length=STEP):
        """The place after some meters of the way to an end."""
        return along(self.way(start, end), length)

    def steps(self, place):
        """The places of a body after a step."""
        ends = [
            place + STEP * cmath.rect(1, 2 * math.pi * k / DIRECTIONS)
            for k in range(DIRECTIONS)
        ]
        return [place, *(end for end in ends if is_clear(self.walls, place, end))]

    def random_place(self, random):
        while True:
            place = complex(*random.uniform(-1, 1, 2)) * self.world.half_size
            if self.world.contains(np.array([place]))[0] and has_room(
                self.walls, [], 0.01, place
            ):
                return place


def along(points, length):
    for one, other in pairwise(points):
        size = abs(other - one)
        if length < size:
            return one + (other - one) * (length / size)
        length -= size
    return points[-1]


def lions_move(place, origin, lion, man):
    """The last point that the lion reaches of the shortest way from its origin to the man."""
    points = place.way(origin, man)
    for one, other in reversed([*pairwise(points)]):
        line, offset = other - one, lion - one
        size = abs(line)
        if size == 0:
            continue
        middle = (offset * line.conjugate()).real / size
        aside = abs((offset * line.conjugate()).imag) / size
        if aside <= STEP * 1.001:
            half = math.sqrt(max((STEP * 1.001) ** 2 - aside**2, 0))
            last, first = min((middle + half) / size, 1.0), max((middle - half) / size, 0.0)
            for share in np.linspace(last, first, 40 if last >= first else 0):
                if is_clear(place.walls, lion, one + line * share):
                    return one + line * share
    raise AssertionError("the lion has lost the way")


def men(place, random):
    """The plans of men: to run from the nearest lion by ways, at random, or both in turn."""

    def run(man, lions):
        return max(
            place.steps(man), key=lambda end: min(place.distance(one, end) for one in lions)
        )

    def stray(man, lions):
        nonlocal goal
        if abs(goal - man) < STEP:
            goal = place.random_place(random)
        return place.toward(man, goal)

    def both(man, lions):
        near = min(place.distance(one, man) for one in lions) < 2
        return (run if near else stray)(man, lions)

    goal = place.random_place(random)
    return {"run": run, "stray": stray, "both": both}


@pytest.mark.parametrize("kind", ["run", "stray", "both"])
@pytest.mark.parametrize("seed", range(4))
def test_one_lion_catches_a_man_in_a_simply_connected_polygon(seed, kind):
    world = (
        Map.maze(1, seed=seed, size=8.0, across=4, loops=0.0)[0]
        if seed < 2
        else Map(Map.caves(1, seed=seed, size=10.0)[0].outline)
    )
    place, random = Place(world), np.random.RandomState(seed)
    lion, man = place.random_place(random), place.random_place(random)
    origin, move, progress = lion, men(place, random)[kind], 0.0
    for _ in range(4000):
        man = move(man, [lion])
        lion = lions_move(place, origin, lion, man)
        if abs(man - lion) < STEP and is_clear(place.walls, lion, man):
            return
        before, progress = progress, place.distance(origin, lion)
        # Of the proof: the square of the distance grows by that of a step.
        assert progress**2 > before**2 + 0.5 * STEP**2
    pytest.fail("the man is still free")


def test_one_lion_catches_no_man_around_a_pillar():
    place = Place(Map(SQUARE, [PILLAR]))
    loop = [complex(*corner) * (1 + 1.01 * RADIUS) for corner in PILLAR]
    loop.append(loop[0])
    length = sum(abs(other - one) for one, other in pairwise(loop))

    def beside(lion):
        """The way around the pillar to the point nearest to a lion, in meters."""
        before, best = 0.0, (math.inf, 0.0)
        for one, other in pairwise(loop):
            line = other - one
            share = ((lion - one) * line.conjugate()).real / abs(line) ** 2
            share = min(max(share, 0.0), 1.0)
            best = min(best, (abs(lion - one - line * share), before + share * abs(line)))
            before += abs(line)
        return best[1]

    lion = 3 + 3j
    man = along(loop, (beside(lion) + length / 2) % length)
    for step in range(1500):
        # One that goes the shortest way, or turns back now and then to cut the man off.
        goal = man if step % 97 < 70 else -man * (1.5 + step % 3)
        lion = place.toward(lion, goal)
        before, man = man, along(loop, (beside(lion) + length / 2) % length)
        assert place.distance(before, man) <= STEP * 1.01
        assert place.distance(lion, man) > 3.9


@pytest.mark.parametrize("seed", range(3))
def test_two_guards_and_a_lion_catch_a_man_among_two_pillars(seed):
    pillars = [[(-3, -1), (-1, -1), (-1, 1), (-3, 1)], [(1, 0), (3, -1), (3, 1)]]
    place = Place(Map(SQUARE, pillars))
    doors = [[(-3, 0), (-5, 0)], [(3, 0), (5, 0)]]  # from the pillars to the walls
    parted = Place(Map(SQUARE, pillars, doors))
    # The pillars are joined to the walls, and what is left is simply connected.
    random = np.random.RandomState(seed)
    guards, man = [-4 + 0j, 4 + 0j], place.random_place(random)
    ends = [complex(*door[0]) + (-1 if door[0][0] < 0 else 1) * 2 * RADIUS for door in doors]
    move, are_ready = men(place, random)["both"], False
    lion = origin = parted.random_place(random)
    for _ in range(4000):
        before, man = man, move(man, [*guards, lion])
        posts = []
        for end, door in zip(ends, doors):
            size = abs(door[1][0] - door[0][0]) - 4 * RADIUS
            far = min(place.distance(end, man), size)
            posts.append(end + far * (1 if end.real > 0 else -1))
        guards = [place.toward(guard, post) for guard, post in zip(guards, posts)]
        if not are_ready:
            are_ready = max(map(abs, np.array(guards) - posts)) < 1e-9
            continue
        # Whoever crosses a door meets its guard there.
        if not is_clear(parted.walls, before, man):
            door = int(man.real > 0)
            assert abs(guards[door] - man) <= 1.5 * STEP
            return
        lion = lions_move(parted, origin, lion, man)
        if abs(man - lion) < STEP and is_clear(place.walls, lion, man):
            return
        if any(abs(man - guard) < STEP for guard in guards):
            return
    pytest.fail("the man is still free")
