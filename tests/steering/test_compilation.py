"""Functions compile, compose with a user's own, and give the same compiled as they are."""

from __future__ import annotations

from types import FunctionType

import numba
import pytest

from steer_env import steering
from steer_env.steering import compiled, pursuit, pursuit_aim, scale, seek

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
