"""Functions compile, compose with a user's own, and give the same compiled as they are."""

from __future__ import annotations

from types import FunctionType

import numba
import numpy as np
import pytest

from steer_env import steering
from steer_env.steering import compiled, pursuit, pursuit_aim, scale, seek
from steer_env.steering.compilation import (
    JIT_ENABLED,
    compiled_modular,
    is_same,
    record_dtype,
)

from .test_invariants import CASES, SQUARE_CASES, make_scene
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

ANGLES = np.exp(1j * np.arange(40.0))
SPEEDS = (0.0, 0.5, 1.0, 3.0, 2.9)


def make_scenes(count=60):
    """Scenes with vehicles that stand, meet, coincide, and move anywhere."""
    draw = np.random.default_rng(3)

    def body():
        heading = complex(draw.choice(ANGLES))
        place, change = draw.uniform(-8, 8, 2) @ (1, 1j), draw.uniform(-3, 3, 2) @ (1, 1j)
        velocity = heading * float(draw.choice(SPEEDS))
        return vehicle(place, velocity, heading, 3.0, 9.0, change)

    scenes = []
    for number in range(count):
        me, other, third = body(), body(), body()
        if number % 6 == 0:
            other = other._replace(position=me.position)
        vector, own = (complex(*draw.normal(size=2)) * (number % 5) for _ in range(2))
        side, share = float(draw.uniform(-1, 1)), float(draw.choice([0.0, 1.0, draw.random()]))
        reach = float(draw.choice([np.inf, 1.0, 4.0, 9.0]))
        scenes.append(make_scene(me, other, third, vector, own, side, share, reach))
    return scenes


SCENES = make_scenes()
NOT_COMPILED = {"advance", "assignment", "Blend"}  # they make objects, and explain


CALLS = [
    pytest.param(call, id=name)
    for group in (*CASES.values(), *SQUARE_CASES.values())
    for name, call in group.items()
    if name not in NOT_COMPILED
]


@pytest.mark.compiled
@pytest.mark.parametrize("call", CALLS)
def test_compiled_code_gets_what_python_gets(call):
    assert JIT_ENABLED
    in_machine_code = numba.njit(call, error_model="numpy")
    for scene in SCENES:
        plain, machine = call(scene), in_machine_code(scene)
        assert machine == pytest.approx(plain, rel=1e-12, abs=1e-12, nan_ok=True), scene


@pytest.mark.compiled
def test_users_compiled_functions_are_handed_on_in_compiled_code():
    @numba.njit
    def chase(me, quarry):
        return pursuit(me, quarry, half_a_second, twice_as_far)

    me, quarry = vehicle(), moving(8, 2j, max_speed=2)
    assert chase(me, quarry) == seek(me, 8 + 2j)


@pytest.mark.compiled
def test_functions_are_told_apart_in_compiled_code_as_well():
    @numba.njit
    def told_apart():
        return is_same(seek, seek), is_same(seek, pursuit)

    assert told_apart() == (is_same(seek, seek), is_same(seek, pursuit)) == (True, False)


@pytest.mark.compiled
def test_integers_wrap_around_in_both():
    @compiled_modular
    def thrice(bits):
        return bits * np.uint64(3)

    most = np.uint64(2**64 - 1)
    assert thrice(most) == numba.njit(lambda bits: thrice(bits))(most) == 2**64 - 3


# ---- Records ------------------------------------------------------------------------------


def test_records_have_their_fields_as_attributes():
    pair = record_dtype([("low", np.int8), ("high", np.float64, (2,))])
    array = np.zeros(3, pair)
    array[1].low, array[1].high[1] = 7, 0.5
    assert array["low"].tolist() == [0, 7, 0]
    assert array["high"][1].tolist() == [0, 0.5]
    assert pair.isalignedstruct
    nested = np.zeros(2, record_dtype([("pair", pair)]))
    assert nested[0].pair.low == 0
