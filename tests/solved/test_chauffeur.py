"""The homicidal chauffeur: figures of others, Isaacs' equation, and play near the circle."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.solved import chauffeur
from steer_env.solved.chauffeur_game import TABLE_SIZE
from steer_env.solved.chauffeur_plan import game_of
from steer_env.solved.chauffeur_play import evader_velocity, pursuer_turn

# Of an independent solution: values to 1e-9 at ten states, and where its lines end; then nu, l,
# right, ahead and V of states near the car, and of slow evaders and wide captures.
FIGURES = json.loads((Path(__file__).parents[1] / "data" / "chauffeur.json").read_text())
GAMES = [tuple(map(float, name.split())) for name in FIGURES]
NEAR = [
    (0.1, 0.9454882742124278, 1.912288532802553, -0.42408769602655205, 2.912322),
    (0.5, 0.8586433977, -0.7353790672867863, -0.4432698792941351, 13.295059),  # leaves it
    (0.8, 0.522550852320387, 0.145873405, -0.501777186, 54.6294),  # leaves it in any case
    (0.87, 0.45, 0.3066349055, -0.3377592946, 93.12787),  # a straight run passes closely
]
SLOW = [
    (0.1, 0.8628, 1.4508083, -0.1613660, 3.4283),
    (0.05, 0.4967, 1.6127107, -0.1073751, 3.7279),
    (0.02, 0.8126, 0.8268983, -0.4680055, 4.2957),
    (0.02, 0.953, 0.9621811, -0.0206901, 4.0451),
    (0.2, 0.9662, 1.5913433, -0.3681838, 4.1435),
]
OPEN = [(0.3, 0.3), (0.5, 0.5), (0.5, 0.2), (0.2, 0.1), (0.7, 0.4), (0.3, 0.9), (0.1, 0.3)]
OPEN += [(0.1, 0.6), (0.05, 0.17), (0.2, 0.9), (0.02, 0.95)]  # region T beside the line
WIDE = [(0.02, 0.0824), (0.05, 0.17), (0.05, 0.5), (0.1, 0.3474), (0.1, 0.6), (0.25, 0.93)]
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


def test_values_near_the_circle_and_beside_the_line():
    for tolerance, states in ((5e-5, NEAR), (6e-5, SLOW)):
        for nu, l, right, ahead, known in states:  # noqa: E741
            assert chauffeur.value(right, ahead, nu, l) == pytest.approx(known, abs=tolerance)
    assert chauffeur.value(0.42, 0.525, 0.5, 0.5) < 16.75  # 16.918 if E could run straight


def residuals(x, y, nu, l, h):  # noqa: E741
    """Isaacs' equation by central differences: what is left, and V's slope."""
    points = [(x + h, y), (x - h, y), (x, y + h), (x, y - h)]
    right, left, ahead, behind = (chauffeur.value(*point, nu, l) for point in points)
    p, q = (right - left) / (2 * h), (ahead - behind) / (2 * h)
    slope = np.hypot(p, q)
    # The car turns to the side that is worse for the evader; the evader runs up the slope.
    return -np.abs(p * y - q * x) - q + nu * slope + 1.0, slope


@pytest.mark.parametrize(("nu", "l"), OPEN + CLOSED)
def test_isaacs_equation_holds(nu, l):  # noqa: E741
    generator, h = np.random.default_rng(1), 1e-5
    size = l + 0.1 if (nu, l) in CLOSED else 3.0
    x, y = generator.uniform(0, size, 20_000), generator.uniform(-size, size, 20_000)
    kept = (np.hypot(x, y) > l + 0.003) & (x > 2 * h)
    x, y = x[kept], y[kept]
    region = chauffeur.region(x, y, nu, l)
    points = [(x + h, y), (x - h, y), (x, y + h), (x, y - h)]
    same = np.all([chauffeur.region(*point, nu, l) == region for point in points], axis=0)
    smooth = same & np.isfinite(chauffeur.value(x, y, nu, l))
    left, slope = residuals(x[smooth], y[smooth], nu, l, h)
    wrong = np.abs(left) > 1e-3 * (1.0 + slope)
    assert wrong.sum() <= 1 + 2e-4 * len(wrong)  # a kink between the points of a difference
    assert len(left) > 20
    regions = {"T", "D"} if (nu, l) in CLOSED else {"T", "D", "S", "W"}
    assert set(region[smooth]) <= regions


@pytest.mark.parametrize(("nu", "l"), [OPEN[0], *CLOSED])
def test_compiled_code_and_plain_python_write_the_same_table(nu, l):  # noqa: E741
    table = np.zeros(TABLE_SIZE)
    game_of(nu, l, table)
    np.testing.assert_array_equal(chauffeur.table_of(nu, l), table)


@pytest.mark.parametrize(("nu", "l"), OPEN)
def test_the_value_jumps_at_the_barrier_only(nu, l):  # noqa: E741
    generator = np.random.default_rng(2)
    x, y = generator.uniform(-3, 3, (2, 40_000))
    angle = generator.uniform(-np.pi, np.pi, 40_000)
    step = 1e-5
    beside = x + step * np.cos(angle), y + step * np.sin(angle)
    jump = np.abs(chauffeur.value(x, y, nu, l) - chauffeur.value(*beside, nu, l))
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


@pytest.mark.parametrize(("nu", "l"), WIDE)
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


def play(seen, nu, l, steer=None, run=None, dt=0.05):  # noqa: E741
    """The time to capture in steps, up to 30; another turn or run stands in for the best."""
    game, time, turn, velocity = game_of(nu, l, np.zeros(TABLE_SIZE)), 0.0, 0.0, 0j
    while abs(seen) > l and time < 30.0:
        at = seen.real, seen.imag, game, dt
        turn, velocity = (
            pursuer_turn(*at, velocity) if steer is None else steer(seen) * dt,
            evader_velocity(*at, turn) if run is None else run(seen),
        )
        car = 1j * dt * np.exp(-0.5j * turn) * np.sinc(0.5 * turn / np.pi)
        seen = complex((seen + nu * dt * velocity - car) * np.exp(1j * turn))
        time += dt
    return time


STARTS = [state[:4] for state in SLOW[:1]]
STARTS += [(0.3, 0.3, 0.6, 0.6), (0.3, 0.3, -0.4, -0.3), (0.5, 0.5, 0.42, 0.525)]
STARTS += [(0.3, 0.3, 0.0, 2.0), (0.5, 0.1, 0.5, 0.2)]


@pytest.mark.parametrize(("nu", "l", "right", "ahead"), STARTS)
def test_play_in_steps_takes_the_value_and_nobody_does_better(nu, l, right, ahead):  # noqa: E741
    seen, value = complex(right, ahead), min(chauffeur.value(right, ahead, nu, l), 30.0)
    assert value - 1e-6 <= play(seen, nu, l) <= value + 0.05
    for steer in (lambda seen: math.copysign(1.0, seen.real), lambda seen: 0.0):
        assert play(seen, nu, l, steer=steer) >= value - 1e-6
    for run in (lambda seen: seen / abs(seen), lambda seen: -1j):
        assert play(seen, nu, l, run=run) <= value + 0.05
