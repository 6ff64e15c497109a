"""What holds for all inputs: symmetry, limits, and never NaN."""

from __future__ import annotations

import cmath
import itertools
import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steer_env import steering
from steer_env.steering import truncate, unit

from .vehicles import mirrored, rotated, vehicle

LAWS = [
    steering.none,
    steering.closing,
    steering.target_speed,
    steering.own_speed,
    steering.reynolds,
    steering.intercept,
]
PREDICTORS = [steering.linear, steering.turning, steering.braking, steering.accelerating]
PAIRS = [(law, steering.linear) for law in LAWS]
PAIRS += [(steering.closing, predictor) for predictor in PREDICTORS[1:]]


def pursuit(me, other, law, predictor):
    return steering.pursuit(me, other, law, predictor, True)


def evade(me, other, law, predictor):
    return steering.evade(me, other, law, predictor, math.inf)


def seek(me, other, law, predictor):
    return steering.seek(me, other.position)


def arrive(me, other, law, predictor):
    return steering.arrive(me, other.position, 0.6)


def flee(me, other, law, predictor):
    return steering.flee(me, other.position, 7.0)


BEHAVIORS = [(f, *pair) for f in (pursuit, evade) for pair in PAIRS] + [
    (f, steering.none, steering.linear) for f in (seek, arrive, flee)
]
IDS = ["-".join(part.__name__ for part in case) for case in BEHAVIORS]

coordinate = st.integers(-800, 800).map(lambda n: n / 100)
vectors = st.builds(complex, coordinate, coordinate)
angles = st.floats(-math.pi, math.pi)


@st.composite
def vehicles(draw):
    heading = cmath.exp(1j * draw(angles))
    speed = draw(st.sampled_from([0.0, 0.5, 1.0, 3.0]))
    return vehicle(
        draw(vectors), speed * heading, heading, 3.0, 9.0, draw(st.just(0j) | vectors)
    )


@pytest.mark.parametrize(("behavior", "law", "predictor"), BEHAVIORS, ids=IDS)
@settings(deadline=None, max_examples=40)
@given(me=vehicles(), other=vehicles(), angle=angles, shift=vectors)
def test_rotation_shift_and_reflection_carry_over(
    behavior, law, predictor, me, other, angle, shift
):
    offset = other.position - me.position
    assume(abs(offset) > 0.1)
    # Near a threshold of a law, rounding may decide either way.
    own_frame = me.heading.conjugate()
    for direction in (unit(offset), other.heading):
        for threshold in (0.707, -0.707, -0.95, 0.0):
            assume(abs((direction * own_frame).real - threshold) > 1e-6)
    assume(abs(abs(offset) - 7.0) > 1e-6)
    aim = predictor(other, law(me, other))
    assume(abs(aim - me.position) > 1e-3)  # on the aim itself there is no direction
    force = behavior(me, other, law, predictor)
    assume(math.isfinite(abs(force)))
    turned = behavior(rotated(me, angle, shift), rotated(other, angle, shift), law, predictor)
    reflected = behavior(mirrored(me), mirrored(other), law, predictor)
    if law is steering.own_speed and abs(me.velocity) == 0.0:
        return  # the prediction is a thousand million seconds away: rounding shows
    if law is steering.reynolds and abs(me.velocity) == 0.0:
        return
    assert turned == pytest.approx(force * cmath.exp(1j * angle), abs=1e-5)
    assert reflected == pytest.approx(force.conjugate(), abs=1e-5)


EDGE_NUMBERS = [0.0, -0.0, 1.0, -1e-9, 1e6, -1e-160]
EDGE_PAIRS = itertools.product(EDGE_NUMBERS[::2], EDGE_NUMBERS[1::2])
EDGE_POINTS = [complex(x, y) for x, y in EDGE_PAIRS]


@pytest.mark.parametrize(("behavior", "law", "predictor"), BEHAVIORS, ids=IDS)
def test_edge_cases_are_never_nan(behavior, law, predictor):
    for place, velocity, other_velocity, top in itertools.product(
        EDGE_POINTS, EDGE_POINTS, EDGE_POINTS, (0.0, 1.0)
    ):
        me = vehicle(0, velocity, 1, top, 1.0, velocity)
        other = vehicle(place, other_velocity, -1, top, 1.0, other_velocity)
        force = behavior(me, other, law, predictor)
        assert math.isfinite(force.real), (me, other)
        assert math.isfinite(force.imag), (me, other)


@settings(deadline=None)
@given(vector=vectors, limit=st.floats(0, 100))
def test_truncate_and_unit_keep_their_word(vector, limit):
    short = truncate(vector, limit)
    assert abs(short) <= limit * (1 + 1e-12)
    if abs(vector) <= limit:
        assert short == vector
    assert abs(unit(vector)) == pytest.approx(1.0 if vector else 0.0)
