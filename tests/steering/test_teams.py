"""Teams: encirclement, flanking, guarding, assignment and Voronoi pursuit."""

import cmath
import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from steer_env.steering.assignment import assignment
from steer_env.steering.basic import seek
from steer_env.steering.chase import (
    blind_side_place,
    pursuit,
)
from steer_env.steering.prediction import linear
from steer_env.steering.teams import (
    encirclement,
    encirclement_bearing,
    flanking,
)
from steer_env.steering.vehicle import VEHICLE, Vehicle, advance
from steer_env.steering.voronoi import voronoi_aim, voronoi_border, voronoi_pursuit

from .equations import check
from .vehicles import moving, vehicle

QUARRY = vehicle(1 + 2j)
degrees = st.integers(-1800, 1800).map(lambda n: n / 10)


def at(angle, distance=4.0, middle=1 + 2j):
    return vehicle(middle + cmath.rect(distance, math.radians(angle)))


def with_mates(hunters):
    """Each hunter, and the others."""
    return [(me, [mate for mate in hunters if mate is not me]) for me in hunters]


def bearings(hunters, quarry=QUARRY):
    """Of each hunter in degrees."""
    found = [encirclement_bearing(*team, quarry) for team in with_mates(hunters)]
    assert all(abs(one) == pytest.approx(1.0) for one in found)
    return [math.degrees(cmath.phase(one)) for one in found]


# ---- Encirclement -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("angles", "places"),
    [
        ([35], [35]),
        ([0, 20, 10], [-110, 130, 10]),
        ([90, -90], [90, -90]),
        ([80, 100], [0, 180]),
        ([170, -170], [90, -90]),  # behind the cut of the angles at 180 degrees
        ([45, 135, -135, -45], [45, 135, -135, -45]),
        ([0, 0.1, 0.2, 0.3, 0.4], [-143.8, -71.8, 0.2, 72.2, 144.2]),
    ],
)
def test_bearings_by_hand(angles, places):
    found = bearings([at(angle) for angle in angles])
    for one, place in zip(found, places, strict=True):
        assert math.remainder(one - place, 360) == pytest.approx(0, abs=1e-9)


@given(st.lists(degrees, min_size=2, max_size=6, unique=True))
def test_places_are_even_and_nobody_crosses_a_mate(angles):
    places = bearings([at(angle) for angle in angles])
    steps = sorted(places)
    gaps = [b - a for a, b in itertools.pairwise([*steps, steps[0] + 360])]
    assert gaps == pytest.approx([360 / len(angles)] * len(angles))
    turns = [math.remainder(p - a, 360) for a, p in zip(angles, places, strict=True)]
    order = np.argsort(angles)
    after = [angles[k] + turns[k] for k in order]
    assert after == sorted(after)


@given(st.lists(degrees, min_size=2, max_size=4, unique=True))
def test_no_other_even_formation_takes_less_turning(angles):
    def cost(places):
        pairs = zip(angles, places, strict=True)
        return sum(math.remainder(place - angle, 360) ** 2 for angle, place in pairs)

    count = len(angles)
    least = cost(bearings([at(angle) for angle in angles]))
    for order in itertools.permutations(range(count)):
        for first in range(360 // count):
            assert least <= cost([first + 360 * k / count for k in order]) + 1e-6


def test_bearings_at_their_limits():
    near, far = at(0, 2.0), at(0, 5.0)  # in one direction the nearer goes first
    assert bearings([near, far]) == pytest.approx([-90, 90])
    on_it, me = vehicle(QUARRY.position), at(70)  # has no direction, and takes no place
    assert encirclement_bearing(on_it, [me], QUARRY) == 0j
    assert encirclement_bearing(me, [on_it], QUARRY) == encirclement_bearing(me, [], QUARRY)
    assert encirclement(on_it, [], QUARRY) == 0j


# ---- By hand ------------------------------------------------------------------------------

OVER_THERE = vehicle(-9)  # two meters ahead of one at 9
MATE, HERE, AWAY = vehicle(8), vehicle(), moving(4, 1j)
UPWARD = Vehicle(4j, heading=1j)  # its left is to the left
LEFT, MIDDLE, RIGHT = vehicle(-3 + 0j), vehicle(0), vehicle(3 + 0j)
GUARD, WARD, MENACE = vehicle(2 - 7j), moving(3, 1j), moving(9 + 1j, -2)
FAR, THREE = [vehicle(-30j), vehicle(40)], [vehicle(k) for k in range(3)]
FOUR = [vehicle(place) for place in (1, 1 + 9j, 1 - 9j, 60)]


def in_3_s(me, other):
    return 3.0


EQUATIONS = [
    "encirclement_bearing(OVER_THERE, [], vehicle(9), period=20.0) == approx(1)",
    "encirclement_bearing(vehicle(7), [OVER_THERE], vehicle(9), period=20.0) == approx(-1)",
    # Beside the predicted place.
    "encirclement_bearing(HERE, [MATE], AWAY) == approx(-1)",
    "encirclement_point(HERE, [MATE], AWAY, 4 + 9j, 0.5) == approx(2 + 9j)",
    "encirclement_aim(HERE, [MATE], AWAY, 0.5, in_3_s) == approx(2 + 3j)",
    "encirclement(HERE, [MATE], AWAY, 0.5, in_3_s)"
    " == seek(HERE, encirclement_aim(HERE, [MATE], AWAY, 0.5, in_3_s))",
    "encirclement(HERE, [MATE], AWAY, 0.0, none) == seek(HERE, 4)",
    # Flanks are 0.4 * 5 m away.
    "flank_offset(LEFT, [MIDDLE, RIGHT], UPWARD, 0.4) == approx(2 + 2j)",
    "flank_offset(MIDDLE, [LEFT, RIGHT], UPWARD, 0.4) == flank_offset(LEFT, [], UPWARD) == 0j",
    "flank_offset(RIGHT, [LEFT, MIDDLE], UPWARD, 0.4) == approx(2 - 2j)",
    "flank_offset(LEFT, [RIGHT], UPWARD, 0.4) == approx(2 + 2j)",
    "flanking_aim(LEFT, [MIDDLE, RIGHT], UPWARD, 0.4)"
    " == offset_pursuit_aim(LEFT, UPWARD, 2 + 2j) == approx(-2 + 6j)",
    "flanking(LEFT, [MIDDLE, RIGHT], UPWARD, 0.4)"
    " == seek(LEFT, flanking_aim(LEFT, [MIDDLE, RIGHT], UPWARD, 0.4))",
    "flanking(UPWARD, [], UPWARD) == 0j",
    # Guarding is interposing between the ward and its menace.
    "guard_aim(GUARD, [FAR[0], WARD], [MENACE, FAR[1]])"
    " == (True, interpose_aim(GUARD, WARD, MENACE))",
    "guard(GUARD, [WARD], [MENACE], 0.9) == interpose(GUARD, WARD, MENACE, 0.9)",
    "guard_aim(vehicle(9), [MATE], [vehicle(-8)], period=20.0) == (True, approx(10))",
    # Nobody is hunted twice while there are enough quarries.
    "sorted(assignment(THREE, FOUR)) == [0, 1, 2]",
    "assignment(THREE, FOUR)[1] == 0",
]


@pytest.mark.parametrize("equation", EQUATIONS)
def test_an_equation_holds(equation):
    check(equation, globals())


# ---- The blind side -----------------------------------------------------------------------


@given(degrees, degrees, st.floats(0.0, math.pi))
def test_out_of_sight_is_as_far_away_and_on_the_same_side(angle, heading, view):
    hunter = vehicle(2 - 1j, heading=cmath.rect(1, math.radians(heading)))
    me = at(angle, 3.0, hunter.position)
    off = math.remainder(math.radians(angle - heading), 2 * math.pi)
    far_enough = 0.5 * (view + math.pi)
    assume(1e-6 < abs(off) < math.pi - 1e-6)
    place = blind_side_place(me, hunter, view)
    assert abs(place - hunter.position) == pytest.approx(3.0)
    after = cmath.phase((place - hunter.position) / hunter.heading)
    assert abs(after) == pytest.approx(max(abs(off), far_enough), abs=1e-6)
    assert after * off > 0 or abs(after) > math.pi - 1e-6


def hunt(steer, hunters, quarry, seconds=20.0, dt=0.05):
    """The gaps in degrees between hunters around the quarry when the first is within 1 m."""
    for _ in range(round(seconds / dt)):
        if min(abs(one.position - quarry.position) for one in hunters) < 1.0:
            break
        forces = [steer(*team, quarry) for team in with_mates(hunters)]
        hunters = [advance(me, f, dt) for me, f in zip(hunters, forces, strict=True)]
        quarry = advance(quarry, 0j, dt)
    else:
        pytest.fail("nobody came near")
    angles = sorted(cmath.phase(one.position - quarry.position) for one in hunters)
    around = [*angles, angles[0] + 2 * math.pi]
    return [math.degrees(b - a) for a, b in itertools.pairwise(around)]


def pack(count):
    places = [-12 + 1.5j * (k - (count - 1) / 2) for k in range(count)]
    return [Vehicle(place, max_speed=3.0, max_force=9.0) for place in places]


@pytest.mark.parametrize(
    ("steer", "count", "speed", "most"),
    [(encirclement, 2, 0, 260), (encirclement, 4, 0, 260), (flanking, 2, 1, 230)],
)
def test_a_pack_comes_from_several_sides(steer, count, speed, most):
    quarry = Vehicle(velocity=complex(speed), max_speed=1.0, max_force=9.0)

    def tail(me, mates, quarry):
        return pursuit(me, quarry)

    assert max(hunt(steer, pack(count), quarry)) < most
    assert max(hunt(tail, pack(count), quarry)) > 300


coordinates = st.integers(-900, 900).map(lambda n: n / 100)
places = st.builds(complex, coordinates, coordinates)
teams = st.lists(places, min_size=1, max_size=7)


def seconds(hunter, quarry):
    return abs(quarry.position - hunter.position) / hunter.max_speed


@given(teams, teams, st.randoms())
def test_the_total_time_is_that_of_scipys_solver(hunters, quarries, dice):
    from scipy.optimize import linear_sum_assignment

    hunters = [vehicle(place, max_speed=dice.choice([1, 2, 5])) for place in hunters]
    quarries = [vehicle(place) for place in quarries]
    most = -(-len(hunters) // len(quarries))
    cost = np.array([[seconds(one, other) for other in quarries] for one in hunters])
    rows, columns = linear_sum_assignment(np.tile(cost, most))
    least = np.tile(cost, most)[rows, columns].sum()
    found = assignment(hunters, quarries)
    assert max(map(found.count, found)) <= most
    assert sum(map(seconds, hunters, [quarries[k] for k in found])) == pytest.approx(least)
    array = np.array([tuple(one) for one in hunters], VEHICLE)
    assert assignment(array, quarries) == found


def test_the_order_of_the_hunters_does_not_matter():
    places = (0.3 + 1j, 5 - 2.1j, -3 + 3.3j, 2 + 7j)
    hunters, quarries = [vehicle(p) for p in places], [vehicle(4 + 4j), vehicle(-2 - 1j)]
    found = dict(zip(places, assignment(hunters, quarries), strict=True))
    for order in itertools.permutations(range(4)):
        again = assignment([hunters[k] for k in order], quarries)
        assert again == tuple(found[places[k]] for k in order)


# ---- Voronoi pursuit: borders of cells ------------------------------------------------------

HALF = 8.0
CLOSE = {"rel": 1e-9, "abs": 1e-9}


def places_in(dice, count):
    return list(map(complex, *dice.uniform(-HALF, HALF, (2, count))))


def mirrored_in_walls(places):
    """Points whose Voronoi diagram has the walls among its edges."""
    found = list(places)
    for place in places:
        x, y = place.real, place.imag
        found += [complex(s * 2 * HALF - x, y) for s in (-1, 1)]
        found += [complex(x, s * 2 * HALF - y) for s in (-1, 1)]
    return found


def tiled(places):
    """Points and their images all around on a torus."""
    shifts = [2 * HALF * complex(x, y) for x, y in itertools.product((-1, 0, 1), repeat=2)]
    shifts.remove(0)
    return [*places, *(place + shift for shift in shifts for place in places)]


def diagram(places):
    from scipy.spatial import Voronoi

    return Voronoi([(place.real, place.imag) for place in places])


def borders(found, mine, quarry=0):
    """(point, middle, length) of the edges between the quarry and my points."""
    for pair, ends in zip(found.ridge_points.tolist(), found.ridge_vertices, strict=True):
        if quarry in pair and (set(pair) - {quarry}) & mine and -1 not in ends:
            a, b = (complex(*found.vertices[end]) for end in ends)
            other = (set(pair) - {quarry}).pop()
            yield complex(*found.points[other]), (a + b) / 2, abs(b - a)


ARENAS = {
    "walls": (mirrored_in_walls, {"half_size": HALF}),
    "torus": (tiled, {"period": 2 * HALF}),
}


@pytest.mark.parametrize("arena", ARENAS)
@pytest.mark.parametrize("seed", range(20))
def test_borders_are_those_of_scipy(seed, arena):
    images, keywords = ARENAS[arena]
    count = 2 + seed % 4
    places = places_in(np.random.default_rng(seed), count)
    quarry, *hunters = map(vehicle, places)
    found = diagram(images(places))
    for number, (me, mates) in enumerate(with_mates(hunters), 1):
        middle, length = voronoi_border(me, mates, quarry, **keywords)
        mine = {number + k * count for k in range(9 if arena == "torus" else 1)}
        expected = list(borders(found, mine))
        assert length == pytest.approx(sum(edge[2] for edge in expected), **CLOSE)
        if expected:
            weights = [size / abs(image - quarry.position) for image, _, size in expected]
            ways = [center - image for image, center, _ in expected]
            way = np.dot(weights, ways) / sum(weights)
            assert middle - me.position == pytest.approx(way, **CLOSE)
        elif arena == "walls":
            assert middle == quarry.position


def test_in_the_open_a_border_may_have_no_end():
    quarry = vehicle()
    ring = [vehicle(cmath.rect(4, turn * math.pi / 3)) for turn in (0, 2, 4)]
    for me, mates in with_mates(ring):
        middle, length = voronoi_border(me, mates, quarry)
        assert 0.0 < length < math.inf  # it is surrounded
        assert middle == pytest.approx(me.position / 2)
    assert voronoi_border(ring[0], ring[1:2], quarry) == (0j, math.inf)
    assert voronoi_pursuit(ring[0], [], quarry) == seek(ring[0], 0j)


def test_seconds_ahead_everybody_has_moved_on():
    places, velocities = (-3 + 1j, 4 - 4j, 1 + 0j), (1 + 2j, -1j, 2 - 1j)
    me, mate, quarry = map(Vehicle, places, velocities)
    then = [one._replace(position=linear(one, 0.5)) for one in (me, mate, quarry)]
    aim = voronoi_aim(me, [mate], quarry, HALF, seconds=0.5)
    way = voronoi_aim(then[0], [then[1]], then[2], HALF) - then[0].position
    assert aim - me.position == pytest.approx(way)
