"""Two cars: the formula against search, the literature, Isaacs' equation and rollouts."""

from __future__ import annotations

import cmath
import doctest
import math

import numpy as np
import pytest

from steer_env.solved import two_cars
from steer_env.solved.two_cars import barrier, best_course, least_lead, turns, value

TURN = 2.0 * math.pi

# fmt: off
MERZ: dict[float, dict[str, tuple[tuple[float, float], ...]]] = {
    math.pi / 4: {
        "left": (
            (4.619398, 1.913417), (5.149817, 0.632872), (5.906000, -1.192717),
            (6.831139, -3.426200), (7.855731, -5.899782),
        ),
        "right": (
            (-4.619398, -1.913417), (-4.564616, -2.045672), (-4.515373, -2.164556),
            (-4.471744, -2.269884), (-4.433798, -2.361495), (-4.401592, -2.439246),
            (-4.375177, -2.503019), (-4.354592, -2.552714), (-4.339871, -2.588255),
            (-4.331034, -2.609588), (-4.328097, -2.616679), (-4.246257, -2.803652),
            (-4.150405, -3.001148), (-4.039598, -3.208335), (-3.912938, -3.424319),
            (-3.769576, -3.648157), (-3.608713, -3.878849), (-3.429602, -4.115347),
            (-3.231554, -4.356554), (-3.013937, -4.601329), (-2.776802, -4.847870),
            (-1.018390, -6.213616), (1.023304, -7.101739), (3.221274, -7.456992),
            (5.438793, -7.257275), (7.537917, -6.515013),
        ),
    },
    3 * math.pi / 4: {
        "left": (
            (1.913417, 4.619398), (3.646996, 3.901326), (5.449858, 3.154556),
            (7.252685, 2.407800), (8.986161, 1.689771), (10.583636, 1.028075),
            (11.983690, 0.448154), (13.132492, -0.027695), (13.985873, -0.381177),
            (14.511021, -0.598701), (14.687746, -0.671903), (15.719225, -1.230424),
        ),
        "right": (
            (-1.913417, -4.619398), (-0.934442, -5.024902), (-0.018083, -5.404471),
            (0.822950, -5.752838), (1.576991, -6.065172), (2.233582, -6.337141),
            (2.783617, -6.564973), (3.219466, -6.745507), (3.535084, -6.876241),
            (3.726093, -6.955359), (3.789844, -6.981766), (4.412208, -7.196130),
            (5.191015, -7.365574), (6.122455, -7.455874), (7.196806, -7.433302),
            (8.398521, -7.265546), (9.706458, -6.922609), (11.094231, -6.377675),
            (12.530692, -5.607917), (13.980530, -4.595235), (15.401473, -3.330406),
        ),
    },
}
"""Points (x, y) of the barrier by heading: solutions of Merz's equations for its parts."""
# fmt: on

TIPS = {math.pi / 4: (8.00598, -6.262517), 3 * math.pi / 4: (16.635508, -1.952158)}

GRID = [
    (6, 0, math.pi / 2, -0.7598),
    (7, -4, math.pi / 2, -2.8839),
    (7, 4, math.pi / 2, 2.7769),
    (5, 5, 3 * math.pi / 2, -2.8570),
    (10, -3, 2.5, -3.4532),
    (6, -4, 1, -1.6557),
    (3, -6, 1.5, -1.6685),
    (0, 6, math.pi, 0.9999),
]
"""States (x, y, psi) and their values on a grid of 101 x 79 x 100 points (air3D)."""


def states(count, size=4.0, seed=0):
    """Random states in turning radii."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-size, size, (2, count))
    return x, y, rng.uniform(-math.pi, math.pi, count)


def distance(x, y, psi):
    """The value in turning radii, for the capture radius 0."""
    return value(x, y, psi, 1.0, 1.0, 0.0)


def drive(x, y, psi, turn, other_turn, seconds):
    """The state after both have turned by some angles at a constant rate, at the speed 1."""
    way, other_way = (
        seconds * np.exp(0.5j * angle) * np.sinc(0.5 * angle / math.pi)
        for angle in (np.asarray(turn), np.asarray(other_turn))
    )
    place = (x + 1j * y + np.exp(1j * psi) * other_way - way) * np.exp(-1j * np.asarray(turn))
    return place.real, place.imag, psi + other_turn - turn


def leads(x, y, psi, angle):
    """W for arrays, from its definition: the least lead over all times."""

    def way_along(turn, time):
        turning = np.minimum(turn, time)
        return np.sin(turn) - np.sin(turn - turning) + time - turning

    turn, other_turn = (np.abs(np.angle(np.exp(1j * (angle - own)))) for own in (0.0, psi))
    lead = -x * np.cos(angle) - y * np.sin(angle)
    times = (0.0, turn, other_turn, np.maximum(turn, other_turn) + 1.0)
    return lead + np.min([way_along(turn, t) - way_along(other_turn, t) for t in times], axis=0)


# ---- The formula --------------------------------------------------------------------------


@pytest.mark.parametrize("psi", MERZ)
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_value_is_0_on_merz_barrier(psi, side):
    x, y = np.array(MERZ[psi][side]).T
    assert np.abs(value(x, y, psi)).max() < 1e-6


@pytest.mark.parametrize(("x", "y", "psi", "on_grid"), GRID)
def test_the_value_is_that_on_a_grid(x, y, psi, on_grid):
    assert value(x, y, psi) == pytest.approx(on_grid, abs=0.02)


def test_with_equal_headings_nobody_can_change_the_distance():
    x, y, _ = states(200, 30.0)
    assert value(x, y, 0.0) == pytest.approx(np.hypot(x, y) - 5.0, abs=1e-12)


def test_head_on_the_pursuer_mirrors_the_evader():
    """The evader is too close to the line that bisects the way between them, and crosses it."""
    assert value(8.0, 0.0, math.pi) == pytest.approx(-5.0, abs=1e-12)
    assert value(10.0, 0.0, math.pi) == pytest.approx(-5.0, abs=1e-12)
    assert value(11.0, 0.0, math.pi) > -5.0 + 1e-3


def test_both_turn_to_the_same_side():
    """|C| - (a - b): here the centers are 5 radii apart, and the angle is a quarter turn."""
    x, y = -1.0 - 5.0 * math.cos(2.0) + 2.0, 1.0 - 5.0 * math.sin(2.0)
    assert distance(x, y, math.pi / 2) == pytest.approx(5.0 - math.pi / 2, abs=1e-12)


def test_no_course_is_better():
    x, y, psi = (array[:, None] for array in states(3000))
    angles = np.linspace(-math.pi, math.pi, 721)
    best, spacing = leads(x, y, psi, angles).max(axis=1), TURN / 720
    found = distance(x, y, psi)[:, 0]
    assert np.all(found >= best - 1e-12)
    assert np.all(found <= best + 0.5 * spacing * (np.hypot(x, y)[:, 0] + 2.0))


def test_the_lead_is_the_least_over_all_times():
    x, y, psi = states(300)
    angle = np.linspace(-3.1, 3.1, 300)
    ours = [
        least_lead(complex(*place), cmath.rect(1.0, heading), cmath.rect(1.0, course))
        for *place, heading, course in zip(x, y, psi, angle)
    ]
    assert ours == pytest.approx(leads(x, y, psi, angle), abs=1e-12)


# ---- Isaacs' equation ---------------------------------------------------------------------


def after_a_step(x, y, psi, seconds):
    """The value after a step: the evader chooses its turn, then the pursuer."""
    rates = (-1.0, -0.5, 0.0, 0.5, 1.0)
    answered = [
        np.min(
            [distance(*drive(x, y, psi, a * seconds, b * seconds, seconds)) for b in rates],
            axis=0,
        )
        for a in rates
    ]
    return np.max(answered, axis=0)


def test_perfect_play_keeps_the_value():
    x, y, psi = states(4000)
    now, seconds = distance(x, y, psi), 0.01
    residual = (after_a_step(x, y, psi, seconds) - now) / seconds
    assert residual.min() > -1e-10  # the evader can keep it everywhere
    coming = now < np.hypot(x, y) - 4.0 * seconds  # the least distance is still to come
    assert 0.3 < coming.mean() < 0.7
    assert residual[coming].max() < 1e-3


def ties(count):
    """States where two courses are equally good, and these two: bisected between states."""
    rng = np.random.default_rng(1)
    low = np.array(states(count, 3.0)).T
    high = low + rng.uniform(-1.0, 1.0, low.shape)
    found = []
    for one, other in zip(low, high):
        course, other_course = (best_course(complex(*at[:2]), at[2])[1] for at in (one, other))
        for _ in range(32):
            half = 0.5 * (one + other)
            between = best_course(complex(*half[:2]), half[2])[1]
            if abs(between - course) < abs(between - other_course):
                one, course = half, between
            else:
                other, other_course = half, between
        if abs(course - other_course) > 1e-3:
            found.append((one, course, other_course))
    return found


# ---- Symmetry and scale -------------------------------------------------------------------


def test_mirrored_states_have_the_same_value():
    x, y, psi = states(2000)
    assert np.array_equal(distance(x, y, psi), distance(x, -y, -psi))


def test_whole_turns_of_the_heading_change_nothing():
    x, y, psi = states(2000)
    for turned in (psi + TURN, psi - TURN, psi + 1000 * TURN):
        assert distance(x, y, turned) == pytest.approx(distance(x, y, psi), abs=1e-11)


def test_the_turning_radius_is_the_unit():
    x, y, psi = states(2000)
    in_meters = value(6.0 * x, 6.0 * y, psi, 3.0, 0.5, 2.0)
    assert in_meters == pytest.approx(6.0 * distance(x, y, psi) - 2.0, abs=1e-12)


# ---- Edge cases ---------------------------------------------------------------------------


def test_numbers_give_a_float_and_arrays_an_array():
    assert type(value(1, 2, 3)) is float
    assert value([1.0, 2.0], 0.0, [[0.0], [1.0], [2.0]]).shape == (3, 2)
    assert value(np.zeros((0, 3)), 0.0, 0.0).shape == (0, 3)
    strided = np.arange(12.0)[::3]
    assert value(strided, 1.0, 2.0)[2] == value(6.0, 1.0, 2.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": math.nan}, "x must not be nan"),
        ({"y": [0.0, math.inf]}, "y must be at least -1e\\+20 and at most 1e\\+20, got inf"),
        ({"psi": -math.inf}, "psi must be at least"),
        ({"speed": -1.0}, "speed must be at least"),
        ({"turn_rate": 0.0}, "turn_rate must be at least"),
        ({"beta": -1.0}, "beta must be at least 0, got -1"),
        ({"x": [1.0, 2.0], "y": [1.0, 2.0, 3.0]}, "the shapes must broadcast together"),
    ],
)
def test_wrong_numbers_raise(given, message):
    with pytest.raises(ValueError, match=message):
        value(**{"x": 1.0, "y": 2.0, "psi": 3.0, **given})


@pytest.mark.compiled
def test_compiled_and_plain_python_give_the_same_bits():
    x, y, psi = states(300)
    plain = [best_course(complex(*place), heading)[0] for *place, heading in zip(x, y, psi)]
    assert distance(x, y, psi).tolist() == plain


def test_the_examples_are_true():
    assert doctest.testmod(two_cars).failed == 0


# ---- Turns --------------------------------------------------------------------------------


def play(state, pursuer_knows, evader_knows, seconds=0.02, duration=7.0):
    """The least distance if some play by `turns`, and the others well against it."""
    rates = (-1.0, 0.0, 1.0)
    least = math.hypot(*state[:2])
    for _ in range(round(duration / seconds)):
        turn, other_turn = turns(*state, 1.0, 1.0, seconds)
        if not evader_knows:
            after = [best_after(state, rate * seconds, other_turn, seconds) for rate in rates]
            turn = rates[int(np.argmax(after))] * seconds
        if not pursuer_knows:
            after = [best_after(state, turn, rate * seconds, seconds) for rate in rates]
            other_turn = rates[int(np.argmin(after))] * seconds
        state = tuple(float(part) for part in drive(*state, turn, other_turn, seconds))
        least = min(least, math.hypot(*state[:2]))
    return least


def best_after(state, turn, other_turn, seconds):
    """The value after a step, which the player that moves last would look at."""
    x, y, psi = (float(part) for part in drive(*state, turn, other_turn, seconds))
    return best_course(complex(x, y), psi)[0]


@pytest.mark.parametrize("state", [*zip(*states(6, 2.5, seed=3)), (2.4, 0.0, math.pi)])
def test_rollouts_come_as_near_as_the_value(state):
    expected = distance(*state)
    assert play(state, True, True) == pytest.approx(expected, abs=0.03)
    assert play(state, True, False) < expected + 0.06  # three steps: it sees ties a step late
    assert play(state, False, True) > expected - 0.001


# ---- The barrier --------------------------------------------------------------------------


def distances_to(line, points):
    """From points to a polyline."""
    points = np.asarray(points)[:, None]
    start, step = line[:-1], np.diff(line, axis=0)
    length = np.maximum((step * step).sum(axis=1), 1e-300)
    share = np.clip(((points - start) * step).sum(axis=2) / length, 0.0, 1.0)
    return np.linalg.norm(points - start - share[..., None] * step, axis=2).min(axis=1)


@pytest.mark.parametrize("psi", MERZ)
def test_the_barrier_is_that_of_merz(psi):
    ours = barrier(psi)
    assert distances_to(ours.left, MERZ[psi]["left"]).max() < 1e-3
    assert distances_to(ours.right, MERZ[psi]["right"]).max() < 1e-3
    assert ours.tip == pytest.approx(TIPS[psi], abs=1e-5)


@pytest.mark.parametrize("psi", [0.0, 1e-9, 1e-3, 1.0, 3.0, math.pi, -math.pi, 4.0, -2.0, 50.0])
def test_the_barrier_runs_from_the_circle_to_the_tip_on_value_0(psi):
    ours = barrier(psi, 60)
    for side in (ours.left, ours.right):
        assert side.shape == (60, 2)
        assert np.abs(value(*side.T, psi)).max() < 1e-6
        assert np.hypot(*side[0]) == pytest.approx(5.0, abs=1e-12)
        assert np.all(np.hypot(*side.T) > 5.0 - 1e-9)
        assert side[-1] == pytest.approx(ours.tip, abs=1e-5)
    assert ours.left[0, 1] >= ours.right[0, 1] - 1e-12


def test_inside_the_barrier_the_value_is_negative():
    ours = barrier(1.0)
    inside = 0.5 * (ours.left[20:-20] + ours.right[20:-20])
    assert value(*inside.T, 1.0).max() < 0.0
    beyond = ours.tip * 1.01
    assert value(*beyond, 1.0) > 0.0


def test_the_barrier_of_a_mirrored_heading_is_mirrored():
    ours, mirrored = barrier(1.2), barrier(-1.2)
    assert np.array_equal(mirrored.left, ours.right * (1.0, -1.0))
    assert np.array_equal(mirrored.right, ours.left * (1.0, -1.0))
    assert np.allclose(barrier(1.2 - TURN).left, ours.left, atol=1e-9)


@pytest.mark.parametrize(
    ("psi", "points", "error"),
    [(math.nan, 9, ValueError), (math.inf, 9, ValueError), ("east", 9, TypeError),
     (1.0, 1, ValueError), (1.0, 2.5, TypeError)],
)  # fmt: skip
def test_wrong_barriers_raise(psi, points, error):
    with pytest.raises(error):
        barrier(psi, points)
