"""The homicidal chauffeur next to the car: turns that catch E, and contact with the circle."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steer_env.solved import chauffeur
from steer_env.solved.chauffeur_game import TABLE_SIZE
from steer_env.solved.chauffeur_plan import game_of, plan_of

GAMES = [(0.3, 0.3), (0.5, 0.5), (0.5, 0.8), (0.7, 0.4), (0.8, 0.5), (0.87, 0.45), (0.2, 0.9)]

# Of an independent solution: nu, l, right, ahead, V.
STATES = [
    (0.1, 0.9454882742124278, 1.912288532802553, -0.42408769602655205, 2.912322),
    (0.5, 0.8586433977, -0.7353790672867863, -0.4432698792941351, 13.295059),  # leaves it
    (0.8, 0.522550852320387, 0.145873405, -0.501777186, 54.6294),  # leaves it in any case
    (0.87, 0.45, 0.3066349055, -0.3377592946, 93.12787),  # a straight run passes closely
]


@pytest.mark.parametrize(("nu", "l", "right", "ahead", "known"), STATES)
def test_values_near_the_circle_are_those_of_an_independent_solution(
    nu,
    l,  # noqa: E741
    right,
    ahead,
    known,
):
    assert chauffeur.value(right, ahead, nu, l) == pytest.approx(known, abs=5e-5)


@pytest.mark.parametrize("nu", [0.02, 0.1, 0.2, 0.3, 0.5, 0.8, 0.9])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.8, 0.95])
def test_a_turn_catches_the_evader_at_the_capture_radius(nu, share):
    l = share * math.sqrt(1.0 - nu * nu)  # noqa: E741
    generator = np.random.default_rng(3)
    size = np.where(np.arange(20_000) % 2, 2.5, 1.5 * l)
    x, y = size * generator.uniform(0, 1, 20_000), size * generator.uniform(-1, 1, 20_000)
    value = chauffeur.value(x, y, nu, l)
    distance = np.hypot(x, y)
    assert (value >= np.maximum(distance - l, 0.0) / (1.0 + nu) - 1e-9).all()
    turned = chauffeur.region(x, y, nu, l) == "T"
    t, place = value[turned], (x + 1j * y)[turned]
    assert turned.sum() > 5
    apart = np.abs(place - (1.0 - np.cos(t) + 1j * np.sin(t)))
    np.testing.assert_allclose(apart, l - nu * t, rtol=0, atol=1e-9)


def near_the_circle(nu, l, count):  # noqa: E741
    """Places on the right, most of them very near the capture circle, beside and behind."""
    generator = np.random.default_rng(4)
    bearing = generator.uniform(math.acos(nu), math.pi, count)
    r = l * (1.0 + 10.0 ** generator.uniform(-11.0, -0.5, count))
    return r * np.sin(bearing), r * np.cos(bearing)


@pytest.mark.parametrize(("nu", "l"), GAMES)
def test_the_evader_runs_straight_where_that_does_not_lead_into_the_circle(nu, l):  # noqa: E741
    game = game_of(nu, l, np.zeros(TABLE_SIZE))
    touched = 0
    for x, y in zip(*near_the_circle(nu, l, 1500)):
        plan = plan_of(x, y, game)
        if plan.turn >= 0.0 or not math.isfinite(plan.lasts):
            continue
        in_contact = plan.lasts < -plan.turn - 1e-9
        on_circle = math.hypot(x, y) - l <= 1e-10
        if on_circle:
            continue
        t = np.linspace(0.0, plan.lasts, 2000)
        offset = x + 1j * y + nu * t * plan.course - (np.exp(1j * t) - 1.0)
        least = np.abs(offset).min()
        assert least > l - 1e-9
        if in_contact:
            touched += 1
            assert least == pytest.approx(l, abs=1e-9)
            seen = offset[-1] * np.exp(-1j * t[-1])
            bearing = math.atan2(seen.real, seen.imag)
            assert math.acos(nu) - 1e-4 < bearing < game.s_exit + 1e-4
    assert touched > 100


@pytest.mark.parametrize(("nu", "l"), GAMES)
def test_the_value_has_no_jump_where_contact_begins(nu, l):  # noqa: E741
    x, y = near_the_circle(nu, l, 20_000)
    inside = np.isin(chauffeur.region(x, y, nu, l), ("S", "W"))
    inside &= np.hypot(x, y) > l * (1 + 1e-5)
    x, y = x[inside], y[inside]
    h = 1e-7 * l
    near = [(x + h, y), (x - h, y), (x, y + h), (x, y - h)]
    right, left, ahead, behind = (chauffeur.value(*place, nu, l) for place in near)
    p, q = (right - left) / (2 * h), (ahead - behind) / (2 * h)
    # Isaacs' equation, where the car turns to the side that is worse for the evader.
    rest = -np.abs(p * y - q * x) - q + nu * np.hypot(p, q) + 1.0
    wrong = np.abs(rest) > 1e-3 * (1.0 + np.hypot(p, q))
    # At the barrier's beginning, and where a difference reaches across a kink.
    wrong &= np.hypot(x - l * math.sqrt(1 - nu * nu), y - l * nu) > 0.02 * l
    assert wrong.mean() < 2e-3


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.5, 0.7, 0.8, 0.88])
def test_the_time_along_the_circle_is_its_integral(nu):
    q = math.sqrt(1.0 - nu * nu)
    threshold = chauffeur.landmarks(nu, 0.9 * q).forced_above
    l = 0.4 * threshold + 0.6 * min(q, nu * (2 * math.pi - 2 * math.acos(nu)))  # noqa: E741
    s_exit = game_of(nu, l, np.zeros(TABLE_SIZE)).s_exit
    w = np.linspace(-0.5 * math.pi, math.asin(-math.cos(s_exit) / nu), 200_001)
    s = np.arccos(-nu * np.sin(w))
    rate = 1.0 + (np.sin(s) - nu * np.cos(w)) / l
    whole = nu * np.cos(w) / np.sin(s) / rate
    time = np.concatenate([[0.0], np.cumsum(0.5 * (whole[1:] + whole[:-1]) * np.diff(w))])
    places = np.arange(20_000, 200_001, 20_000)
    r = l * (1.0 + 1e-13)
    value = chauffeur.value(r * np.sin(s[places]), r * np.cos(s[places]), nu, l)
    np.testing.assert_allclose(value + time[places], value[-1] + time[-1], rtol=0, atol=3e-9)
