"""The homicidal chauffeur with a slow evader or a wide capture: what is next to its line."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steer_env.solved import chauffeur
from steer_env.solved.chauffeur_game import TABLE_SIZE
from steer_env.solved.chauffeur_plan import AWAY, TURNING, game_of, plan_of

# Of an independent solution: nu, l, right, ahead, V.
STATES = [
    (0.1, 0.8628, 1.4508083, -0.1613660, 3.4283),
    (0.05, 0.4967, 1.6127107, -0.1073751, 3.7279),
    (0.02, 0.8126, 0.8268983, -0.4680055, 4.2957),
    (0.02, 0.953, 0.9621811, -0.0206901, 4.0451),
    (0.2, 0.9662, 1.5913433, -0.3681838, 4.1435),
]
GAMES = [(0.02, 0.0824), (0.05, 0.17), (0.05, 0.5), (0.1, 0.3474), (0.1, 0.6), (0.25, 0.93)]


@pytest.mark.parametrize(("nu", "l", "right", "ahead", "known"), STATES)
def test_values_are_those_of_an_independent_solution(nu, l, right, ahead, known):  # noqa: E741
    assert chauffeur.value(right, ahead, nu, l) == pytest.approx(known, abs=6e-5)


@pytest.mark.parametrize(("nu", "l"), GAMES)
def test_the_line_has_region_t_beside_it_up_to_the_car_circle(nu, l):  # noqa: E741
    line = chauffeur.equivocal_line(nu, l)
    np.testing.assert_allclose(line[0], chauffeur.landmarks(nu, l).end, atol=1e-12)
    r, a = np.hypot(*line.T), np.arctan2(line[:, 0], -line[:, 1])
    assert (np.diff(r) < 0.0).all()
    joint = math.pi - l / (2 * nu)
    turning, places = a > joint + 1e-3, slice(2, -2)  # V has a root at the barrier's end
    known = 2 * np.sin(a) + 2 * nu * (math.pi - a) - l
    np.testing.assert_allclose(r[turning], known[turning], atol=1e-12)
    assert (r[a < joint - 1e-3] > 2 * np.sin(a[a < joint - 1e-3])).all()  # outside of it
    outward = line / r[:, None]
    outer, inner = (line + e * outward for e in (1e-9, -1e-9))
    outer_value, inner_value = (chauffeur.value(*side.T, nu, l) for side in (outer, inner))
    np.testing.assert_allclose(outer_value[places], inner_value[places], atol=1e-6)
    value = 2 * (math.pi - a)
    beside = np.flatnonzero(turning)[2:-2]
    np.testing.assert_allclose(outer_value[beside], value[beside], atol=1e-6)
    regions = np.where(turning, "T", "D")[places]
    clear = np.abs(a - joint)[places] > 1e-3
    assert (chauffeur.region(*outer.T, nu, l)[places] == regions)[clear].all()
    assert (chauffeur.region(*inner.T, nu, l)[places] == "W").all()
    game = game_of(nu, l, np.zeros(TABLE_SIZE))
    for k in beside[::20]:  # on both sides E runs to the car's place
        for side in outer[k], inner[k]:
            course = plan_of(*side, game).course
            assert abs(course + complex(*outward[k])) < 1e-4


def test_where_the_line_ends_on_the_capture_circle_nobody_swerves():
    assert chauffeur.regions_of_game(0.1, 0.6) == ("T", "D", "W")
    assert chauffeur.regions_of_game(0.1, 0.3474) == ("T", "D", "S", "W")
    assert chauffeur.regions_of_game(0.3, 0.3) == ("T", "D", "S", "W")
    assert chauffeur.regions_of_game(0.5, 0.1) == ("T", "D", "free")
    found = chauffeur.landmarks(0.1, 0.6)
    assert math.isnan(found.y_star)
    assert math.isnan(found.c)
    assert np.hypot(*chauffeur.equivocal_line(0.1, 0.6)[-1]) == pytest.approx(0.6, abs=1e-9)
    assert chauffeur.equivocal_line(0.1, 0.3474)[-1, 0] == 0.0
    generator = np.random.default_rng(5)
    x, y = generator.uniform(-2.0, 2.0, (2, 50_000))
    for nu, l in ((0.1, 0.6), (0.2, 0.9), (0.02, 0.95), (0.28, 0.955)):  # noqa: E741
        met = set(chauffeur.region(x, y, nu, l).tolist()) - {"captured"}
        assert met == set(chauffeur.regions_of_game(nu, l))


@pytest.mark.parametrize(("nu", "l", "right", "ahead"), [state[:4] for state in STATES])
def test_perfect_play_takes_the_value(nu, l, right, ahead):  # noqa: E741
    game, passed, seen = game_of(nu, l, np.zeros(TABLE_SIZE)), 0.0, right + 1j * ahead
    value, regions = chauffeur.value(right, ahead, nu, l), []
    while passed < value - 1e-9 and len(regions) < 10:
        assert passed + chauffeur.value(seen.real, seen.imag, nu, l) == pytest.approx(
            value, abs=1e-6
        )
        plan = plan_of(seen.real, seen.imag, game)
        regions.append(plan.region)
        # On the line the next turn, to the right, begins.
        turn = plan.turn if abs(plan.turn) > 1e-9 else 1e-9
        lasts = min(max(plan.lasts, 1e-9), value - passed)
        turn = math.copysign(lasts, turn)
        car = math.copysign(1.0, turn) * (1.0 - math.cos(turn)) + 1j * math.sin(lasts)
        seen = (seen + nu * lasts * plan.course - car) * np.exp(1j * turn)
        passed += lasts
    assert abs(seen) == pytest.approx(l, abs=1e-6)
    assert regions[0] == AWAY
    assert regions[-1] == TURNING
