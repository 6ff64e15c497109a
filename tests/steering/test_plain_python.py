"""Calls from Python: your functions and objects, mistakes, any finite input, and examples."""

from __future__ import annotations

import cmath
import doctest
import inspect
import math
import sys
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env import steering
from steer_env.errors import InvalidType, InvalidValue
from steer_env.steering import compiled, seek
from steer_env.steering.chase import evade, pursuit, pursuit_aim
from steer_env.steering.prediction import closing, linear
from steer_env.steering.vehicle import Obstacle, Vehicle

from .vehicles import moving

ME = moving(0, 1, max_speed=3)
QUARRY = moving(8 + 0j, 2j, max_speed=2, acceleration=-1 + 1j)


# ---- Functions of your own ----------------------------------------------------------------


@compiled
def half_a_second(me, other):
    return 0.5


def always_the_gate(other, time):
    return 7 - 7j


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
    learned = Mock(side_effect=linear)  # an object, as a learned one may be
    assert pursuit(ME, QUARRY, closing, learned) == pursuit(ME, QUARRY)
    learned.assert_called_once_with(QUARRY, closing(ME, QUARRY))


# ---- Any finite input ---------------------------------------------------------------------

EXTREMES = [0.0, -0.0, 1.0, -1.0, 1e6, -1e6, 1e-9, 1e-160, 5e-324]
numbers = st.sampled_from(EXTREMES) | st.floats(-1e6, 1e6)
positive = numbers.map(abs)
points = st.builds(complex, numbers, numbers)
ways = st.sampled_from([1, -1, 1j, -1j]) | st.floats(-4, 4).map(lambda a: cmath.rect(1, a))
masses = st.sampled_from([0.0, 1e-9, 1.0, 70.0]) | st.floats(0.0, 1e6)
bodies = st.builds(Vehicle, points, points, ways, positive, positive, masses, positive, points)
rocks = st.builds(Obstacle, points, positive)
crowds = st.lists(bodies, max_size=3)
laws = [steering.none, steering.constant, closing, steering.target_speed]
laws += [steering.own_speed, steering.reynolds, steering.intercept]
predictors = [linear, steering.turning, steering.braking, steering.accelerating]
predictors.append(steering.contained)
GIVEN = [  # strategies, and the parameters that they are for; the rest is positive
    (bodies, "me vehicle other quarry menace leader hunter a b"),
    (points, "target point vector position other_position start end place offset jitter"),
    (points, "force total"),
    (crowds, "neighbors mates others menaces hunters quarries"),
    (numbers, "angle along factor gain step weight"),
    (st.booleans(), "closed facing_test"),
    (st.floats(-1, 1), "cos_max_angle side"),
    (st.floats(-math.pi, math.pi), "lead_angle"),
    (st.floats(0.0, math.pi), "view_angle"),
    (st.floats(0, 1), "dice"),
    (st.floats(1e-9, 1), "chance"),
    (st.lists(st.floats(0.0, 1.0), min_size=2, max_size=4), "chances"),
    (st.integers(0, 2), "count"),
    (st.integers(0, 3), "had_turn"),
    (st.integers(0, 1), "turn"),
    (st.just(0), "waypoint"),
    (st.integers(0, len(steering.METHODS) - 1), "method"),
    (rocks, "obstacle"),
    (st.lists(rocks, max_size=3), "obstacles"),
    (st.lists(points, min_size=1, max_size=4), "points"),
    (st.sampled_from(laws), "lookahead"),
    (st.sampled_from(predictors), "predict"),
    (positive.map(lambda number: max(number, 1e-9)), "dt"),
]
ARGUMENTS = {name: strategy for strategy, names in GIVEN for name in names.split()}
NOT_HERE = ("Blend", "Obstacle", "Vehicle", "as_vehicle", "compiled", "part_all")
PUBLIC = [name for name in steering.__all__ if callable(getattr(steering, name))]
FUNCTIONS = [name for name in PUBLIC if name not in NOT_HERE]


def numbers_of(result):
    if isinstance(result, tuple):
        for part in result:
            yield from numbers_of(part)
    else:
        yield result


@pytest.mark.parametrize("name", FUNCTIONS)
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
    if len(bodies_given) > 1 and data.draw(st.booleans(), "coincident"):
        last = [key for key, value in arguments.items() if isinstance(value, Vehicle)][-1]
        same = {"position": bodies_given[0].position, "velocity": bodies_given[0].velocity}
        arguments[last] = arguments[last]._replace(**same)
    for number in numbers_of(function(**arguments)):
        assert not cmath.isnan(number)


DOCUMENTED = [name for name in PUBLIC if name != "compiled"]
MODULES = {getattr(steering, name).__module__ for name in DOCUMENTED} | {steering.__name__}


@pytest.mark.parametrize("module", sorted(MODULES))
def test_the_examples_are_true(module):
    names = {**vars(steering), **vars(sys.modules[module])}
    spaces = doctest.NORMALIZE_WHITESPACE
    found = doctest.testmod(sys.modules[module], globs=names, optionflags=spaces)
    assert found.attempted > 0
    assert not found.failed


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_public_function_has_an_example(name):
    assert ">>>" in inspect.getdoc(getattr(steering, name))


# ---- Called from Python -------------------------------------------------------------------


def test_called_from_python_a_function_is_python():
    for name in steering.__all__:
        function = getattr(steering, name)
        if callable(function) and not isinstance(function, type):
            assert type(function) is FunctionType, name

    def half(me, other):
        return 0.5

    once = compiled(half)
    assert once.__wrapped__ is half
    assert compiled(once) is once


# ---- Errors name the argument that does not fit, or show the signature -----------------------

NAMES = {**vars(steering), "SimpleNamespace": SimpleNamespace}
NAMES |= {"ME": Vehicle(max_speed=2.0), "OTHER": Vehicle(3 + 4j, 1j)}

MISTAKES = [  # what is called, the error, and what it names
    ("pursuit(ME, OTHER, lokahead=1)", InvalidType, r"^pursuit\(.*'lokahead'"),
    ("seek(ME, OTHER)", InvalidType, "target of seek"),
    ("seek(ME, (3.0, 4.0))", InvalidType, "target of seek"),
    ("seek(ME, 'home')", InvalidType, "target of seek"),
    ("seek(ME, 10**400)", InvalidValue, "target of seek"),
    ("pursuit(ME, 3j)", InvalidType, r"^pursuit\(me: Vehicle, quarry: Vehicle, .*'complex'"),
    ("pursuit(ME, None)", InvalidType, r"^pursuit\(.*quarry: Vehicle, .*'NoneType'"),
    ("as_vehicle(SimpleNamespace(position=1j))", InvalidType, "body .*velocity, heading"),
    ("advance(ME, 1j, 0.0)", InvalidValue, "dt"),
    ("advance(None, 1j, 0.1)", InvalidType, "^me "),
    ("flee(ME, 1j, 'far')", InvalidType, "panic_distance of flee"),
    ("cohesion(ME, [1j, 2j])", InvalidType, r"^cohesion\(.*neighbors: .*'complex'"),
    ("separation(ME, OTHER)", InvalidType, "neighbors"),
    ("avoid_walls(ME, -1e-9)", InvalidValue, "half_size"),
    ("glide_on(1j, 0j, 0.5, True, [])", InvalidType, "half_size must be a number of meters"),
    ("hide(ME, OTHER, None)", InvalidType, r"^hide\(.*obstacles: .*'NoneType'"),
    ("avoid_obstacle(ME, Obstacle(1j, 'wide'))", InvalidType, r"obstacle: Obstacle, .*'str'"),
    ("next_waypoint(ME, [0j, 1j], '0')", InvalidType, "waypoint of next_waypoint"),
    ("next_waypoint(ME, [0j, 1j], 7)", InvalidValue, "waypoint must be from 0 to 1, got 7"),
    ("follow_waypoints(ME, [0j], -1)", InvalidValue, "waypoint must be from 0 to 0, got -1"),
    ("follow_path(ME, [])", InvalidValue, "a path needs at least one point"),
    ("pursuit(ME, OTHER, 0.5)", InvalidType, "lookahead: .*'float' object is not callable"),
    ("pursuit(ME, OTHER, lambda: 1.0)", InvalidType, "lookahead: .*2 were given"),
    ("pursuit(ME, OTHER, lambda me, other: None)", InvalidType, "lookahead: .*'NoneType'"),
    ("Blend('sum', 3)", InvalidType, "parts"),
    ("part_all([ME])", InvalidType, "vehicles"),
    ("assignment(3, [ME])", InvalidType, "hunters: Sequence.*'int' has no"),
    ("seek(ME)", TypeError, "'target'"),
    ("seek(ME, 1j, 2j)", TypeError, "3 were given"),
]


@pytest.mark.parametrize(("call", "error", "named"), MISTAKES)
def test_a_wrong_argument_is_named(call, error, named):
    with pytest.raises(error, match=named):
        eval(call, NAMES)


def test_where_no_argument_is_at_fault_the_error_stays():
    def wrong(me, other):
        raise ZeroDivisionError("a bug of the caller's")

    with pytest.raises(ZeroDivisionError, match="a bug of the caller's"):
        steering.pursuit(ME, QUARRY, wrong)
    me = SimpleNamespace(position=0j, velocity=1 + 0j, heading=1 + 0j, max_speed=1.0)
    assert steering.seek(me, 5 + 0j) == 0j  # it needs no other field
    with pytest.raises(ZeroDivisionError, match="a bug of the caller's"):
        steering.pursuit(me, QUARRY, wrong)
    with pytest.raises(TypeError, match="NoneType"):
        steering.pursuit(me, QUARRY, lambda me, other: None + me.position)
    with pytest.raises(InvalidType, match=r"^evade\(me: Vehicle.*attribute 'max_speed'"):
        steering.evade(SimpleNamespace(position=0j, velocity=1j), QUARRY)


def test_a_helper_of_the_callers_is_explained_too():
    @compiled
    def twice(point: complex) -> complex:
        return point * 2 + np.sqrt(abs(point))

    assert twice(4 + 0j) == 10
    with pytest.raises(InvalidType, match="point of twice must be a complex number"):
        twice(None)

    @compiled
    def half(law: Callable[..., float]) -> float:
        return law(0.0) / 2.0

    with pytest.raises(InvalidType, match=r"^half\(law: Callable.*'float' object"):
        half(3.0)
    with pytest.raises(TypeError, match="takes 0 positional arguments"):
        half(lambda: 1.0)
