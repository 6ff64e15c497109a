"""Round lengths begin with 1, 2 or 5."""

import pytest

from steer_env.rendering.camera import rounded_down, rounded_up


@pytest.mark.parametrize(
    ("length", "down", "up"),
    [
        (0.03, 0.02, 0.05),
        (0.7, 0.5, 1),
        (1, 1, 1),
        (1.7, 1, 2),
        (3.1, 2, 5),
        (9.9, 5, 10),
        (10.0, 10, 10),
        (400, 200, 500),
    ],
)
def test_the_next_one_is_found_on_both_sides(length, down, up):
    assert rounded_down(length) == pytest.approx(down, rel=1e-12)
    assert rounded_up(length) == pytest.approx(up, rel=1e-12)


@pytest.mark.parametrize("exponent", range(-6, 7))
def test_what_is_round_stays_as_it_is(exponent):
    for digit in (1, 2, 5):
        length = digit * 10.0**exponent
        for noisy in (length, length * (1 + 1e-15), length * (1 - 1e-15)):
            assert rounded_up(noisy) == pytest.approx(length, rel=1e-12)
            assert rounded_down(noisy) == pytest.approx(length, rel=1e-12)
