"""People's own functions and objects work in place of ours, and mistakes are told plainly."""

from __future__ import annotations

import cmath
import inspect
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steer_env import steering
from steer_env.errors import InvalidType
from steer_env.steering import (
    OBSTACLE,
    VEHICLE,
    Obstacle,
    Vehicle,
    apply_force,
    closing,
    evade,
    linear,
    pursuit,
    pursuit_aim,
    seek,
)

from .vehicles import moving

ME = moving(0, 1, max_speed=3)
QUARRY = moving(8 + 0j, 2j, max_speed=2, acceleration=-1 + 1j)
CROWD = [moving(2 + 1j, 1j), moving(-1 - 2j, 1 - 1j), moving(4 - 0.5j, -1, max_speed=2)]
ROCKS = [Obstacle(3 + 0.5j, 1.0), Obstacle(-4 + 2j, 2.0)]
PATH = [0j, 3 + 1j, 3 + 4j, -1 + 4j]


# ---- Functions of your own ----------------------------------------------------------------


def half_a_second(me, other):
    return 0.5


def always_the_gate(other, time):
    return 7 - 7j


class Remembers:
    """A predictor that is an object, as a learned one may be."""

    def __init__(self):
        self.seen = []

    def __call__(self, other, time):
        self.seen.append(time)
        return linear(other, time)


def test_a_plain_function_is_a_lookahead_law():
    assert pursuit_aim(ME, QUARRY, half_a_second, linear, False) == 8 + 1j
    assert pursuit(ME, QUARRY, half_a_second) == seek(ME, 8 + 1j)
    assert pursuit(ME, QUARRY, lambda me, other: 2.0) == seek(ME, 8 + 4j)
    assert pursuit(ME, QUARRY, lambda me, other: 2) == seek(ME, 8 + 4j)
    assert evade(ME, QUARRY, half_a_second) == steering.flee(ME, 8 + 1j)


def test_a_plain_function_is_a_predictor():
    assert pursuit(ME, QUARRY, closing, always_the_gate) == seek(ME, 7 - 7j)
    assert pursuit(ME, QUARRY, predict=always_the_gate) == seek(ME, 7 - 7j)
    assert evade(ME, QUARRY, predict=lambda other, time: 5j) == steering.flee(ME, 5j)
    remembers = Remembers()
    assert pursuit(ME, QUARRY, closing, remembers) == pursuit(ME, QUARRY)
    assert remembers.seen == [closing(ME, QUARRY)]


def test_a_plain_function_sees_the_vehicles_themselves():
    seen = []

    def law(me, other):
        seen.append((me, other))
        return 1.0

    pursuit(ME, QUARRY, law)
    assert seen == [(ME, QUARRY)]


def test_what_a_plain_function_raises_arrives():
    with pytest.raises(ZeroDivisionError):
        pursuit(ME, QUARRY, lambda me, other: 1 / 0)


# ---- Objects of your own ------------------------------------------------------------------


class Boat:
    """A class of a user's own, with more than a Vehicle has."""

    def __init__(self, name, body):
        self.name = name
        for field in Vehicle._fields:
            setattr(self, field, getattr(body, field))


def as_record(body):
    return np.array([tuple(body)], VEHICLE)[0]


def as_namespace(body):
    return SimpleNamespace(**body._asdict())


def as_boat(body):
    return Boat("Pequod", body)


TWO = {
    "pursuit": lambda me, other: pursuit(me, other),
    "evade": lambda me, other: evade(me, other),
    "seek": lambda me, other: seek(me, 5 + 2j),
    "turning": lambda me, other: steering.turning(other, 1.0),
    "intercept": lambda me, other: steering.intercept(me, other),
    "offset_pursuit": lambda me, other: steering.offset_pursuit(me, other, 1j, 0.6),
    "true_navigation": lambda me, other: steering.true_navigation(me, other, 3.0),
    "avoid_walls": lambda me, other: steering.avoid_walls(me, 1.0, 2.0),
    "wander": lambda me, other: steering.wander(me, 1j, 2.0, 1.2),
    "comes_at_me": lambda me, other: steering.comes_at_me(me, other),
    "part": lambda me, other: steering.part(me, other)[0],
    "apply_force": lambda me, other: apply_force(me, 2j, 0.1)[0],
    "avoid_obstacles": lambda me, other: steering.avoid_obstacles(me, ROCKS, 4.0),
}


@pytest.mark.parametrize("behavior", TWO)
@pytest.mark.parametrize("change", [as_record, as_namespace, as_boat])
def test_what_has_the_fields_of_a_vehicle_is_one(behavior, change):
    steer = TWO[behavior]
    expected = steer(ME, QUARRY)
    assert steer(change(ME), change(QUARRY)) == pytest.approx(expected)
    assert steer(ME, change(QUARRY)) == pytest.approx(expected)
    assert steer(change(ME), QUARRY) == pytest.approx(expected)


def test_records_of_a_recarray_are_vehicles_too():
    fleet = np.array([tuple(ME), tuple(QUARRY)], VEHICLE).view(np.recarray)
    assert pursuit(fleet[0], fleet[1]) == pursuit(ME, QUARRY)
    aim = 8 + 4j  # in 2 s, by a plain function that reads the top speed
    assert pursuit(fleet[0], fleet[1], lambda me, other: other.max_speed) == seek(ME, aim)
    near = steering.separation(fleet[0], [fleet[1]], 9.0, 9.0, -1.0)
    assert near == pytest.approx(-1)


CROWDS = {
    "separation": lambda me, crowd: steering.separation(me, crowd, 1.5, 5.0, -0.7),
    "alignment": lambda me, crowd: steering.alignment(me, crowd, 1.5, 7.5, 0.0),
    "cohesion": lambda me, crowd: steering.cohesion(me, crowd, 1.5, 9.0, -0.7),
    "avoid_collisions": lambda me, crowd: steering.avoid_collisions(me, crowd, 3.0, 1.0),
}
SCENERY = {
    "avoid_obstacles": lambda me, rocks: steering.avoid_obstacles(me, rocks, 4.0),
    "hide": lambda me, rocks: steering.hide(me, QUARRY, rocks, 1.0, 0.6),
}
PATHS = {
    "follow_path": lambda me, path: steering.follow_path(me, path, 0.1, 1.0, True),
    "follow_waypoints": lambda me, path: steering.follow_waypoints(me, path, 3, 0.6),
    "next_waypoint": lambda me, path: steering.next_waypoint(me, path, 0, 1.0),
    "path_length": lambda me, path: steering.path_length(path, True),
    "point_on_path": lambda me, path: steering.point_on_path(path, 5.0),
    "nearest_on_path": lambda me, path: steering.nearest_on_path(path, 2 + 3j)[1],
}


@pytest.mark.parametrize("behavior", CROWDS)
def test_a_list_of_neighbors_equals_an_array(behavior):
    steer = CROWDS[behavior]
    array = np.array([tuple(other) for other in CROWD], VEHICLE)
    expected = steer(ME, array)
    assert expected != 0j
    for crowd in (CROWD, tuple(CROWD), [as_boat(other) for other in CROWD]):
        assert steer(ME, crowd) == pytest.approx(expected)
    assert steer(ME, []) == steer(ME, array[:0]) == 0j


@pytest.mark.parametrize("behavior", SCENERY)
def test_a_list_of_obstacles_equals_an_array(behavior):
    steer = SCENERY[behavior]
    expected = steer(ME, np.array(ROCKS, OBSTACLE))
    assert expected != 0j
    trees = [SimpleNamespace(center=rock.center, radius=rock.radius) for rock in ROCKS]
    for rocks in (ROCKS, tuple(ROCKS), trees):
        assert steer(ME, rocks) == pytest.approx(expected)


@pytest.mark.parametrize("behavior", PATHS)
def test_a_list_of_points_equals_an_array(behavior):
    steer = PATHS[behavior]
    expected = steer(ME, np.array(PATH))
    for path in (PATH, tuple(PATH)):
        assert steer(ME, path) == pytest.approx(expected)


# ---- Mistakes -----------------------------------------------------------------------------

MISTAKES = {
    "no quarry": (lambda: pursuit(ME), TypeError),
    "a point for a quarry": (lambda: pursuit(ME, 3 + 0j), InvalidType),
    "nobody for a quarry": (lambda: pursuit(ME, None), InvalidType),
    "a word for a point": (lambda: seek(ME, "home"), TypeError),
    "a pair for a point": (lambda: seek(ME, (3.0, 4.0)), TypeError),
    "a list for a point": (lambda: seek(ME, [3.0, 4.0]), TypeError),
    "a vehicle for a point": (lambda: seek(ME, QUARRY), InvalidType),
    "a number for a law": (lambda: pursuit(ME, QUARRY, 0.5), TypeError),
    "a name for a law": (lambda: pursuit(ME, QUARRY, "closing"), TypeError),
    "a law of one argument": (lambda: pursuit(ME, QUARRY, lambda me: 0.5), TypeError),
    "a predictor that predicts words": (
        lambda: pursuit(ME, QUARRY, closing, lambda other, time: "there"),
        TypeError,
    ),
    "too many arguments": (lambda: seek(ME, 0j, 1.0, 2.0), TypeError),
    "an unknown argument": (lambda: seek(ME, goal=0j), InvalidType),
    "a number for obstacles": (lambda: steering.avoid_obstacles(ME, 3), TypeError),
    "one neighbor for many": (lambda: steering.separation(ME, QUARRY), InvalidType),
    "a thing that lacks a field": (
        lambda: seek(SimpleNamespace(position=0j), 5 + 0j),
        InvalidType,
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gives_a_short_error(mistake):
    call, error = MISTAKES[mistake]
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert 0 < len(message) < 120
    assert "\n" not in message
    for word in ("numba", "nopython", "Typing", "typing", "jit", "overload"):
        assert word not in message


def test_after_a_mistake_the_function_works_as_before():
    expected = pursuit(ME, QUARRY)
    for call, error in MISTAKES.values():
        with pytest.raises(error):
            call()
    assert pursuit(ME, QUARRY) == expected


# ---- Any finite input ---------------------------------------------------------------------

EXTREMES = [0.0, -0.0, 1.0, -1.0, 1e6, -1e6, 1e-9, 1e-160, 5e-324]
numbers = st.sampled_from(EXTREMES) | st.floats(-1e6, 1e6)
positive = numbers.map(abs)
points = st.builds(complex, numbers, numbers)
flags = st.booleans()
headings = st.sampled_from([1, -1, 1j, -1j]) | st.floats(-4, 4).map(lambda a: cmath.rect(1, a))
masses = st.sampled_from([0.0, 1e-9, 1.0, 70.0]) | st.floats(0.0, 1e6)
bodies = st.builds(
    Vehicle, points, points, headings, positive, positive, masses, positive, points
)
rocks = st.builds(Obstacle, points, positive)
laws = st.sampled_from(
    [
        *(steering.none, steering.constant, closing, steering.target_speed),
        *(steering.own_speed, steering.reynolds, steering.intercept),
    ]
)
predictors = st.sampled_from(
    [linear, steering.turning, steering.braking, steering.accelerating, steering.contained]
)
ARGUMENTS = {
    "angle": numbers,
    "lead_angle": st.floats(-math.pi, math.pi),
    "along": numbers,
    "chance": st.floats(1e-9, 1),
    "dice": st.floats(0, 1),
    "chances": st.lists(st.floats(0.0, 1.0), min_size=2, max_size=4),
    "closed": flags,
    "count": st.integers(0, 2),
    "had_turn": st.integers(0, 3),
    "turn": st.integers(0, 1),
    "cos_max_angle": st.floats(-1, 1),
    "facing_test": flags,
    "factor": numbers,
    "gain": numbers,
    "lookahead": laws,
    "method": st.integers(0, len(steering.METHODS) - 1),
    "neighbors": st.lists(bodies, max_size=3),
    "mates": st.lists(bodies, max_size=3),
    "others": st.lists(bodies, max_size=3),
    "menaces": st.lists(bodies, max_size=3),
    "hunters": st.lists(bodies, max_size=3),
    "quarries": st.lists(bodies, max_size=3),
    "view_angle": st.floats(0.0, math.pi),
    "obstacle": rocks,
    "obstacles": st.lists(rocks, max_size=3),
    "points": st.lists(points, min_size=1, max_size=4),
    "predict": predictors,
    "side": st.floats(-1, 1),
    "step": numbers,
    "waypoint": st.integers(0, 0),
    "weight": numbers,
    "dt": positive.map(lambda number: max(number, 1e-9)),
}
ARGUMENTS |= dict.fromkeys(("me", "vehicle", "other", "quarry", "menace", "leader"), bodies)
ARGUMENTS |= dict.fromkeys(("hunter", "a", "b"), bodies)
ARGUMENTS |= dict.fromkeys(("target", "point", "vector", "position", "other_position"), points)
ARGUMENTS |= dict.fromkeys(("start", "end", "place"), points)
ARGUMENTS |= dict.fromkeys(("offset", "jitter", "force", "total"), points)
NOT_HERE = ("Blend", "Obstacle", "Vehicle", "as_vehicle", "compiled")
FUNCTIONS = [
    name
    for name in steering.__all__
    if callable(getattr(steering, name)) and name not in (*NOT_HERE, "part_all")
]


def numbers_of(result):
    if isinstance(result, tuple):
        for part in result:
            yield from numbers_of(part)
    else:
        yield result


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_no_finite_input_gives_nan_or_an_exception(name, data):
    function, arguments = getattr(steering, name), {}
    for parameter in inspect.signature(function).parameters:
        is_pair = name in ("dot", "cross")  # whose a and b are vectors
        strategy = points if is_pair else ARGUMENTS.get(parameter, positive)
        arguments[parameter] = data.draw(strategy, parameter)
    if name == "advance":  # which refuses a body without mass
        arguments["me"] = arguments["me"]._replace(mass=1e-9 + arguments["me"].mass)
    bodies_given = [value for value in arguments.values() if isinstance(value, Vehicle)]
    if len(bodies_given) > 1 and data.draw(flags, "coincident"):
        last = [key for key, value in arguments.items() if isinstance(value, Vehicle)][-1]
        same = {"position": bodies_given[0].position, "velocity": bodies_given[0].velocity}
        arguments[last] = arguments[last]._replace(**same)
    for number in numbers_of(function(**arguments)):
        assert not cmath.isnan(number)
