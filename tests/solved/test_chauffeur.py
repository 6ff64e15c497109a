"""The homicidal chauffeur's value: independent figures, Isaacs' equation, edges."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.errors import InvalidType, InvalidValue
from steer_env.solved import chauffeur
from steer_env.solved.chauffeur_game import TABLE_SIZE
from steer_env.solved.chauffeur_plan import game_of, plan_of

# Of an independent solution: values to 1e-9 at ten states, and where its lines end.
FIGURES = json.loads((Path(__file__).parents[1] / "data" / "chauffeur.json").read_text())
GAMES = [tuple(map(float, name.split())) for name in FIGURES]
OPEN = [(0.3, 0.3), (0.5, 0.5), (0.5, 0.2), (0.2, 0.1), (0.7, 0.4), (0.3, 0.9), (0.1, 0.3)]
OPEN += [(0.1, 0.6), (0.05, 0.17), (0.2, 0.9), (0.02, 0.95)]  # region T beside the line
CLOSED = [(0.5, 0.1), (0.8, 0.3), (0.95, 0.2), (0.9, 0.43)]


@pytest.mark.parametrize(("nu", "l"), GAMES)
def test_values_are_those_of_an_independent_solution(nu, l):  # noqa: E741
    known = FIGURES[f"{nu:g} {l:g}"]
    right, ahead, value, region = zip(*known["states"])
    np.testing.assert_allclose(chauffeur.value(right, ahead, nu, l), value, rtol=0, atol=1e-8)
    assert chauffeur.region(right, ahead, nu, l).tolist() == list(region)
    found = chauffeur.landmarks(nu, l)
    assert found.y_star == pytest.approx(known["y_star"], abs=1e-9)
    assert found.c == pytest.approx(known["c"], abs=1e-9)
    assert found.tau_end == pytest.approx(known["tau_end"], abs=1e-12)
    assert found.end == pytest.approx(known["end"], abs=1e-12)
    line = chauffeur.equivocal_line(nu, l)
    np.testing.assert_allclose(line[0], known["end"], atol=1e-9)
    np.testing.assert_allclose(line[-1], [0.0, -known["y_star"]], atol=1e-9)


def residuals(nu, l, size):  # noqa: E741
    """Isaacs' equation at random states, by central differences: what is left; V's slope."""
    generator, h = np.random.default_rng(1), 1e-5
    x, y = generator.uniform(0, size, 20_000), generator.uniform(-size, size, 20_000)
    kept = np.hypot(x, y) > l + 0.003
    x, y = x[kept], y[kept]
    region = chauffeur.region(x, y, nu, l)
    points = [(x + h, y), (x - h, y), (x, y + h), (x, y - h)]
    near = [chauffeur.value(*point, nu, l) for point in points]
    same = [chauffeur.region(*point, nu, l) == region for point in points]
    smooth = np.all(same, axis=0) & np.isfinite(near).all(axis=0) & (x > 2 * h)
    near = [values[smooth] for values in near]
    p, q = (near[0] - near[1]) / (2 * h), (near[2] - near[3]) / (2 * h)
    x, y, slope = x[smooth], y[smooth], np.hypot(p, q)
    # The car turns to the side that is worse for the evader; the evader runs up the slope.
    left = -np.abs(p * y - q * x) - q + nu * slope + 1.0
    return left, slope, region[smooth]


@pytest.mark.parametrize(("nu", "l"), OPEN + CLOSED)
def test_isaacs_equation_holds(nu, l):  # noqa: E741
    left, slope, region = residuals(nu, l, l + 0.1 if (nu, l) in CLOSED else 3.0)
    wrong = np.abs(left) > 1e-3 * (1.0 + slope)
    assert wrong.sum() <= 1 + 2e-4 * len(wrong)  # a kink between the points of a difference
    assert len(left) > 20
    regions = {"T", "D"} if (nu, l) in CLOSED else {"T", "D", "S", "W"}
    assert set(region) <= regions


@pytest.mark.parametrize(("nu", "l"), [OPEN[0], *CLOSED])
def test_compiled_code_and_plain_python_write_the_same_table(nu, l):  # noqa: E741
    table = np.zeros(TABLE_SIZE)
    game_of(nu, l, table)
    np.testing.assert_array_equal(chauffeur.table_of(nu, l), table)


def test_near_the_car_the_evader_follows_the_capture_circle():
    """Its straight run would lead into the circle; the equation holds there, too."""
    game = game_of(0.5, 0.5, np.zeros(TABLE_SIZE))
    plan = plan_of(0.42, 0.525, game)
    t = np.linspace(0.0, plan.lasts, 1000)
    offset = (0.42 + 0.525j) + 0.5 * t * plan.course - (np.exp(1j * t) - 1)
    assert np.abs(offset).min() == pytest.approx(0.5, abs=1e-6)
    assert np.abs(offset)[-1] == pytest.approx(0.5, abs=1e-6)
    assert plan.value < 16.75  # 16.918 if the run could be straight
    generator = np.random.default_rng(0)
    x, y = generator.uniform(0.35, 0.7, 4000), generator.uniform(0.0, 0.75, 4000)
    inside = chauffeur.region(x, y, 0.5, 0.5) == "S"
    after = [plan_of(a, b, game) for a, b in zip(x[inside], y[inside])]
    touching = [p for p in after if p.lasts < -p.turn - 1e-9]
    assert len(touching) > 200


@pytest.mark.parametrize(("nu", "l"), OPEN)
def test_the_value_jumps_at_the_barrier_only(nu, l):  # noqa: E741
    generator = np.random.default_rng(2)
    x, y = generator.uniform(-3, 3, (2, 40_000))
    angle = generator.uniform(-np.pi, np.pi, 40_000)
    step = 1e-5
    jump = np.abs(
        chauffeur.value(x, y, nu, l)
        - chauffeur.value(x + step * np.cos(angle), y + step * np.sin(angle), nu, l)
    )
    line = chauffeur.barrier(nu, l, 4000)
    jumped = np.flatnonzero(jump > 0.01)
    for k in jumped:
        assert np.hypot(abs(x[k]) - line[:, 0], y[k] - line[:, 1]).min() < 2e-3


@pytest.mark.parametrize(("nu", "l"), OPEN + CLOSED)
def test_the_barrier_parts_what_a_turn_catches_from_what_slips_by(nu, l):  # noqa: E741
    line = chauffeur.barrier(nu, l, 50)
    assert np.hypot(*line[0]) == pytest.approx(l, abs=1e-12)
    middle = line[5:45]
    tau = np.linspace(0, chauffeur.landmarks(nu, l).tau_end, 50)[5:45]
    s = math.acos(nu) + tau
    outward = np.stack([np.sin(s), np.cos(s)], axis=1)  # to the side that slips by
    free = chauffeur.value(*(middle + 1e-3 * outward).T, nu, l)
    caught = chauffeur.value(*(middle - 1e-3 * outward).T, nu, l)
    if (nu, l) in CLOSED:
        assert np.isinf(free).all()
        assert np.isfinite(caught).all()
        assert line[-1, 0] == pytest.approx(0.0, abs=1e-9)
    else:
        assert (free > caught).all()


def test_below_the_threshold_some_places_are_free():
    threshold = chauffeur.landmarks(0.5, 0.3).forced_above
    assert threshold == pytest.approx(math.sqrt(0.75) + 0.5 * math.asin(0.5) - 1.0)
    far = (0.0, 30.0)
    assert math.isfinite(chauffeur.value(*far, 0.5, threshold + 1e-3))
    assert chauffeur.value(*far, 0.5, threshold - 1e-3) == math.inf
    assert chauffeur.region(*far, 0.5, threshold - 1e-3) == "free"
    assert math.isfinite(chauffeur.value(0.0, 0.2, 0.5, threshold - 1e-3))
    assert math.isnan(chauffeur.landmarks(0.5, 0.1).y_star)
    assert chauffeur.equivocal_line(0.5, 0.1).shape == (0, 2)


places = st.floats(-50.0, 50.0)


@given(places, places, st.floats(0.02, 0.97), st.floats(0.02, 0.98))
def test_invariants(right, ahead, nu, share):
    """Never negative or nan, the same on both sides; no less than what simple motion takes."""
    l = share * math.sqrt(1.0 - nu * nu)  # noqa: E741
    value = chauffeur.value(right, ahead, nu, l)
    assert value == chauffeur.value(-right, ahead, nu, l)
    distance = math.hypot(right, ahead)
    assert value >= max(0.0, (distance - l) / (1.0 - nu)) - 1e-9
    assert (value == 0.0) == (distance * distance <= l * l)
    if l > chauffeur.landmarks(nu, l).forced_above:
        assert math.isfinite(value)


def test_dead_ahead_is_a_race():
    assert chauffeur.value(0.0, 2.0, 0.3, 0.3) == pytest.approx(1.7 / 0.7)
    assert chauffeur.value(-1e-17, 2.0, 0.3, 0.3) == pytest.approx(1.7 / 0.7)
    assert chauffeur.value(0.0, 0.3, 0.3, 0.3) == 0.0
    assert chauffeur.region(0.0, 0.0, 0.3, 0.3) == "captured"


def test_arrays_broadcast_and_mix_games():
    right, nu = np.linspace(0.5, 2, 4)[:, None], np.array([0.3, 0.5, 0.3])
    found = chauffeur.value(right, 1.0, nu, 0.3)
    assert found.shape == (4, 3)
    assert found[2, 1] == chauffeur.value(right[2, 0], 1.0, 0.5, 0.3)
    np.testing.assert_array_equal(found[:, 0], found[:, 2])
    assert chauffeur.value(np.zeros(0), 0.0, 0.3, 0.3).shape == (0,)
    assert isinstance(chauffeur.value(1.0, 0.0, 0.3, 0.3), float)
    assert isinstance(chauffeur.region(1.0, 0.0, 0.3, 0.3), str)


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        ((math.nan, 0.0, 0.3, 0.3), InvalidValue, "right must not be nan"),
        ((1.0, "ahead", 0.3, 0.3), InvalidType, "ahead must be real numbers"),
        ((1.0, 0.0, 1.0, 0.3), InvalidValue, "nu must be above 0 and below 1, got 1"),
        ((1.0, 0.0, 0.6, 0.8), InvalidValue, r"l above 0 and below sqrt.*got l = 0.8"),
        ((1.0, 0.0, 0.3, -1.0), InvalidValue, "got l = -1"),
        ((np.zeros(2), np.zeros(3), 0.3, 0.3), InvalidValue, "shapes must broadcast"),
        ((math.inf, 0.0, 0.3, 0.3), InvalidValue, "right must be at least -1e"),
    ],
)
def test_wrong_arguments(given, error, match):
    with pytest.raises(error, match=match):
        chauffeur.value(*given)
    with pytest.raises(InvalidType):
        chauffeur.barrier("fast", 0.3)
    with pytest.raises(InvalidValue):
        chauffeur.barrier(0.3, 0.3, points=1)
