"""Two cars: the formula against search, the literature and Isaacs' equation."""

import cmath
import json
import math
from pathlib import Path

import numpy as np
import pytest

from steer_env.solved.two_cars import barrier, best_course, tie_margin, turns, value

TURN = 2.0 * math.pi

# Points of the barrier by heading, which solve Merz's equations for its parts, and its tips;
# states (x, y, psi) and their values on a grid of 101 x 79 x 100 points (air3D).
DATA = json.loads((Path(__file__).parents[1] / "data" / "two_cars.json").read_text())
MERZ, GRID = {one["psi"]: one for one in DATA["barriers"]}, DATA["grid"]


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


def test_the_value_is_that_of_others():
    for one in MERZ.values():
        for side in ("left", "right"):
            assert np.abs(value(*np.array(one[side]).T, one["psi"])).max() < 1e-6
    *state, on_grid = np.array(GRID).T
    assert value(*state) == pytest.approx(on_grid, abs=0.02)


def test_states_by_hand():
    x, y, _ = states(200, 30.0)  # with equal headings nobody can change the distance
    assert value(x, y, 0.0) == pytest.approx(np.hypot(x, y) - 5.0, abs=1e-12)
    # Head-on the evader is too close to the line that bisects the way, and crosses it.
    assert value(8.0, 0.0, math.pi) == pytest.approx(-5.0, abs=1e-12)
    assert value(10.0, 0.0, math.pi) == pytest.approx(-5.0, abs=1e-12)
    assert value(11.0, 0.0, math.pi) > -5.0 + 1e-3
    # Both turn to the same side: |C| - (a - b), 5 radii and a quarter turn.
    x, y = -1.0 - 5.0 * math.cos(2.0) + 2.0, 1.0 - 5.0 * math.sin(2.0)
    assert distance(x, y, math.pi / 2) == pytest.approx(5.0 - math.pi / 2, abs=1e-12)


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


def test_the_frame_and_the_unit_do_not_matter():
    x, y, psi = states(2000)
    known = distance(x, y, psi)
    assert np.array_equal(distance(x, -y, -psi), known)
    for turned in (psi + TURN, psi - TURN, psi + 1000 * TURN):
        assert distance(x, y, turned) == pytest.approx(known, abs=1e-11)
    in_meters = value(6.0 * x, 6.0 * y, psi, 3.0, 0.5, 2.0)
    assert in_meters == pytest.approx(6.0 * known - 2.0, abs=1e-12)


@pytest.mark.compiled
def test_compiled_and_plain_python_give_the_same_bits():
    x, y, psi = states(300)
    plain = [best_course(complex(*place), heading)[0] for *place, heading in zip(x, y, psi)]
    assert distance(x, y, psi).tolist() == plain


@pytest.mark.parametrize("psi", MERZ)
def test_the_barrier_is_that_of_merz(psi):
    ours = barrier(psi, 20_000)
    assert ours.tip == pytest.approx(MERZ[psi]["tip"], abs=1e-5)
    for side in ("left", "right"):
        line, known = getattr(ours, side) @ (1, 1j), np.array(MERZ[psi][side]) @ (1, 1j)
        assert np.abs(np.subtract.outer(line, known)).min(axis=0).max() < 1e-3


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


def test_inside_the_barrier_the_value_is_negative_and_it_is_mirrored():
    ours = barrier(1.0)
    inside = 0.5 * (ours.left[20:-20] + ours.right[20:-20])
    assert value(*inside.T, 1.0).max() < 0.0
    assert value(*ours.tip * 1.01, 1.0) > 0.0
    ours, mirrored = barrier(1.2), barrier(-1.2)
    assert np.array_equal(mirrored.left, ours.right * (1.0, -1.0))
    assert np.array_equal(mirrored.right, ours.left * (1.0, -1.0))
    assert np.allclose(barrier(1.2 - TURN).left, ours.left, atol=1e-9)


def test_turns_are_at_most_the_turn_rate_and_no_more_than_needed():
    x, y, psi = states(100)
    for state in zip(5.0 * x, 5.0 * y, psi):
        course = cmath.phase(best_course(complex(*state[:2]) / 5.0, state[2])[1])
        needed = [math.remainder(course - own, TURN) for own in (0.0, state[2])]
        for seconds in (0.1, 1.0, 10.0):
            made = turns(*state, 5.0, 1.0, seconds)
            allowed = np.clip(needed, -seconds, seconds)
            assert made[0] == pytest.approx(allowed[0], abs=1e-9)
            # Near a tie, also of half a turn to either side, the pursuer may hedge.
            if tie_margin(*state) > 20.0 * seconds and abs(needed[1]) < math.pi - 4 * seconds:
                assert made[1] == pytest.approx(allowed[1], abs=1e-9)
