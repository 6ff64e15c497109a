"""Shortest ways: against another solver, and their edges."""

import heapq
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from weekly import weekly_but

from steer_env.maps import Map, make_walls, make_ways
from steer_env.steering.walls import has_room, has_way
from steer_env.steering.ways import SLACK, shortest_way, stopped_at_walls

RADIUS = 0.4
SQUARE = [(-5, -5), (5, -5), (5, 5), (-5, 5)]
YARD = Map(SQUARE, solids=[[(-1, -1), (1, -1), (1, 1), (-1, 1)]], walls=[[(-5, 2), (2, 2)]])


def ways_of(world, radius=RADIUS):
    walls = make_walls(world, radius + 0.2)
    return walls, make_ways(world, walls, radius)


# ---- Another solver -----------------------------------------------------------------------
# With x and y in separate arrays, and other formulas: corners from intersections of lines that
# are offset by the radius, distances of segments by their four ends, and heaps.


def xy(places):
    return np.stack([np.real(places), np.imag(places)], -1)


def distance_to_points(points, starts, ends):
    """The distances of points (N, 1, 2) from segments (M, 2)."""
    along = ends - starts
    share = ((points - starts) * along).sum(-1) / (along**2).sum(-1)
    nearest = starts + np.clip(share, 0, 1)[..., None] * along
    return np.hypot(*np.moveaxis(points - nearest, -1, 0))


def side(a, b, c):
    return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (
        c[..., 0] - a[..., 0]
    )


def is_clear(start, end, segments, reach):
    """Returns whether a line stays this far away from all segments."""
    a, b = segments[:, 0], segments[:, 1]
    one, other = np.array([[start]]), np.array([[end]])
    apart = np.minimum(distance_to_points(one, a, b), distance_to_points(other, a, b))
    if (start != end).any():
        apart = np.minimum(apart, distance_to_points(a[:, None], start, end).T)
        apart = np.minimum(apart, distance_to_points(b[:, None], start, end).T)
    crosses = (side(a, b, start) * side(a, b, end) < 0) & (
        side(start, end, a) * side(start, end, b) < 0
    )
    return not crosses.any() and (apart >= reach).all()


def free_places(world, places, radius):
    a, b = np.moveaxis(xy(world.segments), 1, 0)
    far = distance_to_points(xy(places)[:, None], a, b).min(1) >= radius - 1e-9
    return far & world.contains(places)


def corner_places(world, radius):
    """The turning places, as the corners of polygons that touch the circles around corners."""
    segments = xy(world.segments)
    corners = {tuple(np.round(end, 8)): end for end in segments.reshape(-1, 2)}
    found = {}
    for corner in corners.values():
        angles = []
        for a, b in segments:
            for end in (a, b):
                is_on = distance_to_points(corner[None, None], a[None], b[None])[0, 0] < 1e-9
                if is_on and np.hypot(*(end - corner)) > 1e-9:
                    angles.append(math.atan2(*(end - corner)[::-1]))
        angles = sorted({round(angle, 9): angle for angle in angles}.values())
        for angle, following in zip(angles, [*angles[1:], angles[0] + 2 * math.pi]):
            turn = following - angle - math.pi
            if turn <= 1e-6:
                continue
            quarters = max(1, math.ceil(turn / (math.pi / 2) - 1e-9))
            for finer in (1, 2, 4):
                edges = np.linspace(
                    angle + math.pi / 2, following - math.pi / 2, finer * quarters + 1
                )
                normals = np.stack([np.cos(edges), np.sin(edges)], 1)
                places = [
                    complex(*(corner + np.linalg.solve(pair, [radius, radius])))
                    for pair in np.stack([normals[:-1], normals[1:]], 1)
                ]
                free = free_places(world, np.array(places), radius)
                if free.all():
                    break
            for place in np.array(places)[free]:
                found[complex(np.round(place, 8))] = place
    return np.array([*found.values()], complex)


class Solver:
    def __init__(self, world, radius):
        self.segments, self.radius = xy(world.segments), radius
        self.turns = corner_places(world, radius)
        count = len(self.turns)
        self.near = {k: {} for k in range(count)}
        for k in range(count):
            for j in range(k):
                if self.is_clear(self.turns[k], self.turns[j], radius - SLACK / 2):
                    self.near[k][j] = self.near[j][k] = abs(self.turns[k] - self.turns[j])

    def is_clear(self, start, end, reach):
        return is_clear(*xy(np.array([start, end])), self.segments, reach)

    def length(self, start, end):
        reach = self.radius - SLACK
        if self.is_clear(start, end, reach):
            return abs(end - start)
        first, last = (
            {
                k: abs(turn - one)
                for k, turn in enumerate(self.turns)
                if self.is_clear(one, turn, reach)
            }
            for one in (start, end)
        )
        best = {k: math.inf for k in range(len(self.turns))} | first
        heap = sorted((length, k) for k, length in first.items())
        while heap:
            length, k = heapq.heappop(heap)
            if length > best[k]:
                continue
            for j, step in self.near[k].items():
                if length + step < best[j]:
                    best[j] = length + step
                    heapq.heappush(heap, (best[j], j))
        return min((best[k] + length for k, length in last.items()), default=math.inf)


def random_map(seed):
    random = np.random.RandomState(seed)
    kind, size = random.randint(4), random.uniform(6, 14)
    if kind == 0:
        return Map.rooms(1, seed, size=size, across=random.randint(2, 4), door=size / 9)[0]
    if kind == 1:
        return Map.maze(1, seed, size=size, across=random.randint(3, 6))[0]
    if kind == 2:
        return Map.pillars(1, seed, size=size, number=random.randint(1, 7), gap=1.0)[0]
    return Map.caves(1, seed, size=size)[0]


def random_places(world, radius, count, random):
    places = random.uniform(-1, 1, (2, 60 * count)) * world.half_size
    places = places[0] + 1j * places[1]
    return places[free_places(world, places, radius)][:count]


@pytest.mark.compiled
@pytest.mark.parametrize("seed", weekly_but(range(0, 1000, 40), range(1000)))
def test_ways_are_as_long_as_those_of_another_solver(seed):
    world, random = random_map(seed), np.random.RandomState(seed)
    radius = random.uniform(0.05, 0.35)
    walls, ways = ways_of(world, radius)
    solver = Solver(world, radius)
    assert np.allclose(
        np.sort_complex(ways.turns.round(7)), np.sort_complex(solver.turns.round(7))
    )
    places = random_places(world, radius, 12, random)
    for start, end in pairwise(places):
        length, aim, is_straight = shortest_way(walls, ways, start, end)
        expected = solver.length(start, end)
        assert length == pytest.approx(expected, abs=1e-9)
        if length < math.inf:
            assert has_way(walls, radius - SLACK, start, aim - start)
            assert is_straight == (aim == end)
            rest, _, _ = shortest_way(walls, ways, aim, end)
            assert abs(aim - start) + rest == pytest.approx(length, abs=1e-6)


# ---- Lengths by hand, and edges -----------------------------------------------------------

WALL = Map(SQUARE, walls=[[(0, -5), (0, 3)]])
CLOSET = Map(SQUARE, walls=[[(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]])


def test_a_way_around_a_walls_end():
    length, aim, is_straight = shortest_way(*ways_of(WALL, 0.5), -3 + 0j, 3 + 0j)
    assert length == pytest.approx(2 * math.hypot(2.5, 3.5) + 1)
    assert (aim, is_straight) == (pytest.approx(-0.5 + 3.5j), False)


def test_a_way_around_a_pillar():
    pillar = Map(SQUARE, solids=[[(-1, -1), (1, -1), (1, 1), (-1, 1)]])
    length, aim, _ = shortest_way(*ways_of(pillar, 0.5), -3 + 0.1j, 3 + 0.1j)
    assert length == pytest.approx(2 * math.hypot(1.5, 1.4) + 3)
    assert aim == pytest.approx(-1.5 + 1.5j)


def test_a_corner_is_passed_by_more_places_where_one_has_no_room():
    # A gap of 1.5 radii from corner to corner along a diagonal, as seen from the right angles.
    blocks = Map(
        SQUARE,
        [[(-5, -5), (0, -5), (0, 0), (-5, 0)], [(0.65, 0.65), (5, 0.65), (5, 5), (0.65, 5)]],
    )
    walls, ways = ways_of(blocks, 0.4)
    assert shortest_way(walls, ways, -3 + 3j, 3 - 3j)[0] < 10
    assert shortest_way(*ways_of(blocks, 0.47), -3 + 3j, 3 - 3j)[0] == math.inf


@pytest.mark.parametrize(("narrower", "passes"), [(0.0, True), (0.01, False), (-0.01, True)])
def test_a_corridor_as_wide_as_the_body(narrower, passes):
    half = RADIUS - narrower / 2
    corridor = [
        [(-1, half), (1, half), (1, 5), (-1, 5)],
        [(-1, -5), (1, -5), (1, -half), (-1, -half)],
    ]
    length, _, _ = shortest_way(*ways_of(Map(SQUARE, corridor)), -3 + 2j, 3 + 2j)
    assert (length < math.inf) is passes
    if passes:
        sides = half - RADIUS  # beside the middle
        assert length == pytest.approx(
            2 * math.hypot(3 - 1 - RADIUS, 2 - max(sides, 0)) + 2 + 2 * RADIUS, abs=1e-6
        )


def test_no_way_out_of_a_closet():
    walls, ways = ways_of(CLOSET)
    assert shortest_way(walls, ways, 0j, 3 + 3j) == (math.inf, 3 + 3j, False)
    assert shortest_way(walls, ways, 3 + 3j, 0j)[0] == math.inf
    assert shortest_way(walls, ways, 0j, 0.2 + 0.1j)[2]


@pytest.mark.parametrize("place", [0j, 3 - 3j, -4.6 - 4.6j])
def test_a_way_to_the_same_place(place):
    assert shortest_way(*ways_of(WALL), place + 2, place + 2) == (0.0, place + 2, True)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (-3 + 0j, 0j),  # in the middle of the pillar
        (-3 + 0j, 0.9 + 0j),
        (-3 + 4j, 9 + 9j),  # outside
        (3 - 3j, 100 - 100j),
        (-3 + 4j, -3 + 2j),  # on a thin wall
        (-3 + 4j, -3 + 2.1j),  # in the space that a body has not
        (-3 + 4j, -3 + 1.9j),  # also behind the wall
        (0.9j, -3 - 4j),  # from such a place
        (9 + 9j, -9 - 9j),
    ],
)
def test_places_without_room_count_as_near_ones_with_room(start, end):
    walls, ways = ways_of(YARD)
    length, aim, _ = shortest_way(walls, ways, start, end)
    assert length < math.inf
    assert has_room(walls, [], RADIUS - SLACK, aim)
    # The way goes on from turn to turn, and ends near the place.
    for _ in range(10):
        _, following, is_straight = shortest_way(walls, ways, aim, end)
        assert has_way(walls, RADIUS - SLACK, aim, following - aim)
        aim = following
        if is_straight:
            break
    assert is_straight
    inside = complex(np.clip(end.real, -5, 5), np.clip(end.imag, -5, 5))
    assert abs(aim - inside) < 2.0


def test_bodies_in_contact_with_walls_have_ways():
    walls, ways = ways_of(YARD)
    for rounding in (-1e-9, 0.0, 1e-9):
        start, end = 3 + (5 - RADIUS + rounding) * 1j, -3 + (5 - RADIUS + rounding) * 1j
        assert shortest_way(walls, ways, start, end) == (6.0, end, True)
        start = -3 + (2 + RADIUS + rounding) * 1j
        length, aim, _ = shortest_way(walls, ways, start, -3 + 0j)
        assert aim == pytest.approx(2 + RADIUS + (2 + RADIUS) * 1j)
        assert length < 14


def test_a_body_at_a_turn_steers_for_the_next():
    walls, ways = ways_of(YARD)
    for turn in ways.turns:
        for error in (0, 1e-9, -1e-8j):
            length, aim, _ = shortest_way(walls, ways, turn + error, -4 + 0j)
            assert abs(aim - turn) > 0.1 or length < 1e-6


# ---- Properties ---------------------------------------------------------------------------


def test_lengths_between_turns_are_a_metric():
    for seed in range(4):
        _, ways = ways_of(random_map(seed), 0.2)
        lengths = ways.lengths.reshape(ways.number, -1)
        assert (np.diag(lengths) == 0).all()
        assert np.allclose(lengths, lengths.T, atol=1e-12)
        assert (lengths[:, None] <= lengths[:, :, None] + lengths.T[None] + 1e-12).all()
        straight = np.abs(ways.turns[:, None] - ways.turns)
        assert (lengths >= straight - 1e-12).all()


PLACES = st.sampled_from(random_places(YARD, RADIUS, 40, np.random.RandomState(1)).tolist())


@settings(max_examples=40, deadline=None)
@given(PLACES, PLACES, st.floats(0, 2 * math.pi))
def test_ways_turn_with_the_map(start, end, angle):
    turn = complex(math.cos(angle), math.sin(angle))

    def turned(points):
        return [((z := complex(*point) * turn).real, z.imag) for point in points]

    solids, lines = (list(map(turned, parts)) for parts in (YARD.solids, YARD.walls))
    other = Map(turned(YARD.outline), solids, lines)
    length, _, is_straight = shortest_way(*ways_of(YARD), start, end)
    shift = other.middle
    found, other_aim, was_straight = shortest_way(
        *ways_of(other), start * turn - shift, end * turn - shift
    )
    assert found == pytest.approx(length, abs=1e-9)
    assert was_straight == is_straight
    back, _, _ = shortest_way(*ways_of(YARD), end, start)
    assert back == pytest.approx(length, abs=1e-9)
    rest, _, _ = shortest_way(*ways_of(YARD), other_aim / turn + shift / turn, end)
    assert abs(other_aim - start * turn + shift) + rest == pytest.approx(length, abs=1e-6)


@pytest.mark.compiled
def test_compiled_ways_are_the_same_in_all_bits():
    import numba

    from steer_env.machine_code.jit import OPTIONS, know_functions

    know_functions()
    walls, ways = ways_of(random_map(6), 0.2)
    places = random_places(random_map(6), 0.2, 40, np.random.RandomState(0))

    @numba.njit(**OPTIONS)
    def compiled_way(walls, ways, start, end):
        return shortest_way(walls, ways, start, end)

    for start, end in zip(places, places[::-1]):
        assert compiled_way(walls, ways, start, end) == shortest_way(walls, ways, start, end)


# ---- Where walls stop a prediction --------------------------------------------------------


def test_a_line_ends_before_a_wall():
    walls, _ = ways_of(WALL)
    assert stopped_at_walls(walls, 0.5, -3 + 0j, 2 + 0j) == -1  # a line, not yet a body
    assert stopped_at_walls(walls, 0.5, -3 + 0j, 4 + 0j) == pytest.approx(-0.5)
    assert stopped_at_walls(walls, 0.5, -3 + 0j, 0j) == -3
    assert stopped_at_walls(walls, 0.5, -0.2 + 0j, 4 + 0j) == -0.2
