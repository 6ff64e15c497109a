"""Functions compile, compose with a user's own, and give the same compiled as they are."""

from __future__ import annotations

from types import FunctionType, SimpleNamespace

import numba
import numpy as np
import pytest

from steer_env import steering
from steer_env.errors import InvalidType, InvalidValue
from steer_env.steering import Vehicle, compiled, pursuit, scale, seek

from .vehicles import moving, vehicle

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


@compiled
def half_a_second(me, other):
    return 0.5


@compiled
def twice_as_far(other, time):
    return other.position + scale(other.velocity, 2 * time)


@pytest.mark.parametrize(
    "compiler", [None, pytest.param(numba.njit, marks=pytest.mark.compiled)]
)
def test_users_functions_are_handed_on(compiler):
    def chase(me, quarry):
        return pursuit(me, quarry, half_a_second, twice_as_far)

    me, quarry = vehicle(), moving(8, 2j, max_speed=2)
    assert (compiler or compiled)(chase)(me, quarry) == seek(me, 8 + 2j)


# ---- Errors name the argument that does not fit ----------------------------------------------

ME, OTHER = Vehicle(max_speed=2.0), Vehicle(3 + 4j, 1j)

MISTAKES = [  # what is called, the error, and what it names
    ("pursuit(ME, OTHER, lokahead=1)", InvalidType, "'lokahead'.*'lookahead'"),
    ("seek(ME, OTHER)", InvalidType, "target of seek"),
    ("seek(ME, (3.0, 4.0))", InvalidType, "target of seek"),
    ("seek(ME, 'home')", InvalidType, "target of seek"),
    ("seek(ME, 10**400)", InvalidValue, "target of seek"),
    ("pursuit(ME, 3j)", InvalidType, "quarry of pursuit"),
    ("pursuit(ME, None)", InvalidType, "quarry of pursuit"),
    ("as_vehicle(SimpleNamespace(position=1j))", InvalidType, "body .*velocity, heading"),
    ("advance(ME, 1j, 0.0)", InvalidValue, "dt"),
    ("advance(None, 1j, 0.1)", InvalidType, "^me "),
    ("flee(ME, 1j, 'far')", InvalidType, "panic_distance of flee"),
    ("cohesion(ME, [1j, 2j])", InvalidType, "entry 0 of neighbors of cohesion"),
    ("separation(ME, OTHER)", InvalidType, "neighbors"),
    ("avoid_walls(ME, -1e-9)", InvalidValue, "half_size"),
    ("hide(ME, OTHER, None)", InvalidType, "obstacles of hide"),
    ("avoid_obstacle(ME, Obstacle(1j, 'wide'))", InvalidType, "radius of obstacle of avoid_ob"),
    ("next_waypoint(ME, [0j, 1j], '0')", InvalidType, "waypoint of next_waypoint"),
    ("pursuit(ME, OTHER, 0.5)", InvalidType, "lookahead of pursuit"),
    ("pursuit(ME, OTHER, lambda: 1.0)", InvalidType, "lookahead of pursuit"),
    ("pursuit(ME, OTHER, lambda me, other: None)", InvalidType, "time of linear"),
    ("Blend('sum', 3)", InvalidType, "parts"),
    ("part_all([ME])", InvalidType, "vehicles"),
    ("assignment(3, [ME])", InvalidType, "hunters of assignment must be a list"),
    ("seek(ME)", TypeError, "'target'"),
    ("seek(ME, 1j, 2j)", TypeError, "3 were given"),
]


@pytest.mark.parametrize(("call", "error", "named"), MISTAKES)
def test_a_wrong_argument_is_named(call, error, named):
    names = {**vars(steering), "ME": ME, "OTHER": OTHER, "SimpleNamespace": SimpleNamespace}
    with pytest.raises(error, match=named):
        eval(call, names)


def test_where_no_argument_is_at_fault_the_error_stays():
    def wrong(me, other):
        raise ZeroDivisionError("a bug of the caller's")

    with pytest.raises(ZeroDivisionError, match="a bug of the caller's"):
        steering.pursuit(ME, OTHER, wrong)
    me = SimpleNamespace(position=0j, velocity=1 + 0j, heading=1 + 0j, max_speed=1.0)
    assert steering.seek(me, 5 + 0j) == 0j  # it needs no other field
    with pytest.raises(ZeroDivisionError, match="a bug of the caller's"):
        steering.pursuit(me, OTHER, wrong)
    with pytest.raises(TypeError, match="NoneType"):
        steering.pursuit(me, OTHER, lambda me, other: None + me.position)
    with pytest.raises(InvalidType, match=r"me of evade must be a Vehicle.*has no max_speed"):
        steering.evade(SimpleNamespace(position=0j, velocity=1j), OTHER)
    with pytest.raises(IndexError, match="no waypoint"):
        steering.next_waypoint(ME, [0j, 1j], 7)


def test_a_helper_of_the_callers_is_explained_too():
    @compiled
    def twice(point: complex) -> complex:
        return point * 2 + np.sqrt(abs(point))

    assert twice(4 + 0j) == 10
    with pytest.raises(InvalidType, match="point of twice must be a complex number"):
        twice(None)
