"""Functions compile, compose with a user's own, and give the same compiled as they are."""

from __future__ import annotations

from types import FunctionType, SimpleNamespace

import numba
import numpy as np
import pytest

from steer_env import steering
from steer_env.errors import InvalidType, InvalidValue
from steer_env.steering import Obstacle, Vehicle, compiled, pursuit, pursuit_aim, scale, seek

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


def test_a_users_own_law_and_predictor_work_in_place_of_ours():
    quarry = moving(8, 2j, max_speed=2)
    assert pursuit_aim(vehicle(), quarry, half_a_second, twice_as_far, False) == 8 + 2j


# ---- Called from compiled code ------------------------------------------------------------


@pytest.mark.compiled
def test_users_compiled_functions_are_handed_on_in_compiled_code():
    @numba.njit
    def chase(me, quarry):
        return pursuit(me, quarry, half_a_second, twice_as_far)

    me, quarry = vehicle(), moving(8, 2j, max_speed=2)
    assert chase(me, quarry) == seek(me, 8 + 2j)


# ---- Errors name the argument that does not fit ----------------------------------------------

ME, OTHER = Vehicle(max_speed=2.0), Vehicle(3 + 4j, 1j)

CALLS = {  # what is called, the error, and what it names
    "an unknown argument": (
        lambda: steering.pursuit(ME, OTHER, lokahead=1),
        InvalidType,
        "'lokahead'.*'lookahead'",
    ),
    "a vehicle for a point": (lambda: steering.seek(ME, OTHER), InvalidType, "target of seek"),
    "a pair for a point": (
        lambda: steering.seek(ME, (3.0, 4.0)),
        InvalidType,
        "target of seek",
    ),
    "a word for a point": (lambda: steering.seek(ME, "home"), InvalidType, "target of seek"),
    "a number beyond all floats": (
        lambda: steering.seek(ME, 10**400),
        InvalidValue,
        "target of seek",
    ),
    "a point for a vehicle": (
        lambda: steering.pursuit(ME, 3j),
        InvalidType,
        "quarry of pursuit",
    ),
    "nobody for a vehicle": (
        lambda: steering.pursuit(ME, None),
        InvalidType,
        "quarry of pursuit",
    ),
    "an object without fields": (
        lambda: steering.as_vehicle(SimpleNamespace(position=1j)),
        InvalidType,
        "body .*velocity, heading",
    ),
    "no time to advance": (lambda: steering.advance(ME, 1j, 0.0), InvalidValue, "dt"),
    "no body to advance": (lambda: steering.advance(None, 1j, 0.1), InvalidType, "^me "),
    "a word for a length": (
        lambda: steering.flee(ME, 1j, "far"),
        InvalidType,
        "panic_distance of flee",
    ),
    "points for bodies": (
        lambda: steering.cohesion(ME, [1j, 2j]),
        InvalidType,
        "entry 0 of neighbors of cohesion",
    ),
    "one body for many": (lambda: steering.separation(ME, OTHER), InvalidType, "neighbors"),
    "an arena of negative size": (
        lambda: steering.avoid_walls(ME, -1e-9),
        InvalidValue,
        "half_size",
    ),
    "nothing for obstacles": (
        lambda: steering.hide(ME, OTHER, None),
        InvalidType,
        "obstacles of hide",
    ),
    "a word for a radius": (
        lambda: steering.avoid_obstacle(ME, Obstacle(1j, "wide")),
        InvalidType,
        "radius of obstacle of avoid_obstacle",
    ),
    "a half waypoint": (
        lambda: steering.next_waypoint(ME, [0j, 1j], "0"),
        InvalidType,
        "waypoint of next_waypoint",
    ),
    "a law that is no function": (
        lambda: steering.pursuit(ME, OTHER, 0.5),
        InvalidType,
        "lookahead of pursuit",
    ),
    "a law of nothing": (
        lambda: steering.pursuit(ME, OTHER, lambda: 1.0),
        InvalidType,
        "lookahead of pursuit",
    ),
    "a law that returns nothing": (
        lambda: steering.pursuit(ME, OTHER, lambda me, other: None),
        InvalidType,
        "time of linear",
    ),
    "a blend of one": (lambda: steering.Blend("sum", 3), InvalidType, "parts"),
    "a list for records": (lambda: steering.part_all([ME]), InvalidType, "vehicles"),
    "too few arguments": (lambda: steering.seek(ME), TypeError, "'target'"),
    "too many arguments": (lambda: steering.seek(ME, 1j, 2j), TypeError, "3 were given"),
}


@pytest.mark.parametrize(("call", "error", "named"), CALLS.values(), ids=CALLS)
def test_a_wrong_argument_is_named(call, error, named):
    with pytest.raises(error, match=named):
        call()


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
