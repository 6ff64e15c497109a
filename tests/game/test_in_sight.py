"""What is in sight: the geometry of range, field of view and occlusion."""

from __future__ import annotations

import cmath
import math
from itertools import product
from types import SimpleNamespace

import pytest
from hypothesis import assume, given, strategies as st

from steer_env.game.arena import ARENAS
from steer_env.game.config.observation import ObservationConfig
from steer_env.game.look.visibility import crosses_disc, hides, is_in_view
from steer_env.game.rules import sight_limits

WALLS, TORUS, OPEN = range(len(ARENAS))
HALF = 10.0

lengths = st.floats(-HALF, HALF)
points = st.builds(complex, lengths, lengths)
angles = st.floats(-math.pi, math.pi)


def limits(**fields):
    return SimpleNamespace(**sight_limits(ObservationConfig(**fields)))


def test_what_is_exactly_behind_or_at_my_own_place_is_seen():
    for angle in range(63):
        heading = cmath.exp(0.1j * angle)
        assert is_in_view(limits(), heading, -1e5 * heading, 0.0)
        assert is_in_view(limits(field_of_view=0.0), heading, 0j, 0.0)
    assert is_in_view(limits(field_of_view=1.0), 0j, 0j, 0.0)  # without a heading


@pytest.mark.parametrize(
    ("offset", "center", "radius", "crosses"),
    [
        (10, 5, 1.0, True),  # in between
        (10, 5 + 1j, 1.5, True),
        (10, 5 + 1j, 1.0, False),  # it touches
        (10, 5 + 1j, 1.0 + 1e-9, True),
        (10, -2, 1.9, False),  # behind me
        (10, 13, 2.9, False),  # behind the other
        (10, 11, 1.5, True),  # the other is in it
        (6 + 8j, 7 - 1j, 6.1, False),  # beside a slanting line: 6.2 m from it
        (6 + 8j, 7 - 1j, 6.3, True),
        (0, 2, 1.0, False),  # both at one place
    ],
)
def test_a_disc_crosses_the_line_between_two_centers(offset, center, radius, crosses):
    assert crosses_disc(complex(offset), complex(center), radius) == crosses


def test_a_body_that_touches_an_obstacle_is_not_blinded_by_rounding():
    for center in (1 + 0j, 1 - 1e-9 + 0j, 0.6 + 0.8j):
        assert not hides(OPEN, HALF, 0j, -5 + 0j, (center, 1.0))
    assert not hides(OPEN, HALF, 0j, 5 + 0j, (2 + 1j, 1.0 + 1e-9))
    assert hides(OPEN, HALF, 0j, 5 + 0j, (2 + 1j, 1.0 + 3e-9))
    assert not hides(OPEN, HALF, 0j, 5 + 0j, (2 + 0j, 0.0))  # there is none


def test_on_a_torus_the_image_nearest_to_the_line_counts():
    # The image nearest to me, to the other and to the middle of the line are three others.
    assert hides(TORUS, HALF, -5 - 5j, 10 + 10j, (9.9 - 9.9j, 7.1))
    assert not hides(TORUS, HALF, -5 - 5j, 10 + 10j, (9.9 - 9.9j, 7.0))


@given(points, points, points, st.floats(0.1, 9.0))
def test_on_a_torus_an_obstacle_hides_if_any_of_its_images_does(start, offset, center, radius):
    images = [center - start + 20.0 * complex(x, y) for x, y in product(range(-2, 3), repeat=2)]
    expected = any(crosses_disc(offset, image, radius - 1e-9) for image in images)
    barely = [
        crosses_disc(offset, image, radius + sign * 1e-6)
        for image in images
        for sign in (-1, 1)
    ]
    assume(barely[::2] == barely[1::2])
    assert hides(TORUS, HALF, start, offset, (center, radius)) == expected


@given(points, angles, st.floats(0.1, 20.0), st.floats(0.0, math.pi), angles)
def test_views_turn_and_mirror_with_the_scene(offset, facing, reach, width, angle):
    heading, turn = cmath.exp(facing * 1j), cmath.exp(angle * 1j)
    away = abs(cmath.phase(offset / heading)) if offset else 0.0
    assume(abs(abs(offset) - reach) > 1e-6)
    assume(offset == 0 or abs(offset) > 1e-100)  # shorter ones count as 0
    assume(offset == 0 or abs(away - width) > 1e-6)
    rules = limits(range=reach, field_of_view=width)
    expected = abs(offset) <= reach and (abs(offset) == 0.0 or away <= width)
    assert is_in_view(rules, heading, offset, 0.0) == expected
    assert is_in_view(rules, heading * turn, offset * turn, 0.0) == expected
    assert is_in_view(rules, heading.conjugate(), offset.conjugate(), 0.0) == expected
