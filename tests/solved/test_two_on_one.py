"""Several pursuers after one evader: the formula against search, symmetries and edge cases."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from steer_env.solved import simple, two_on_one
from steer_env.solved.two_on_one import capture_point, steady_aim, tie_margin, value

places = st.builds(complex, st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
teams = st.lists(places, min_size=1, max_size=4)
speeds, shares = st.floats(0.1, 0.9), st.sampled_from([0.0, 0.1, 0.5, 0.9])
TURNS = np.exp(2j * np.pi * np.arange(720) / 720)


def states(count, pursuers, seed=0):
    """Random evaders, pursuers, speeds and capture radii; every other radius is 0."""
    rng = np.random.default_rng(seed)
    evader, team = (rng.normal(size=(2, count, n)) for n in (1, pursuers))
    evader, team = (parts[0] + 1j * parts[1] for parts in (evader, team))
    gaps = np.abs(team - evader).min(axis=1)
    radii = gaps * rng.uniform(0.0, 0.8, count) * (np.arange(count) % 2)
    return evader[:, 0], team, rng.uniform(0.1, 0.9, count), radii


def aim(evader, pursuers, nu, radius):
    """The capture point."""
    return capture_point(evader, np.array(pursuers, np.complex128), len(pursuers), nu, radius)


def radius_of(evader, pursuers, share):
    """A capture radius that is a share of the distance; refuses pursuers that are too close."""
    nearest = min(abs(pursuer - evader) for pursuer in pursuers)
    assume(nearest > 0.05)
    return share * nearest


def edges(evader, pursuers, nu, radius, courses):
    """Lengths of the evader's runs along each course until each pursuer catches it."""
    gaps = np.array(pursuers)[:, None] - evader
    behind = radius / nu + (gaps * courses.conj()).real
    square = np.abs(gaps) ** 2 - radius**2
    return square / (behind + np.sqrt(behind**2 + (1.0 / nu**2 - 1.0) * square))


def test_states_by_hand():
    assert value(0.0, [1.0, -1.0], 0.6) == pytest.approx(1.25)  # 3, 4, 5: x* is 0.75 away
    assert abs(aim(0j, [1.0, -1.0], 0.6, 0.0)) == pytest.approx(0.75)
    assert value(0.0, [1.0], 0.6) == pytest.approx(2.5)
    assert value(0.0, [1.0, 5.0], 0.6) == pytest.approx(2.5)
    # With a capture radius of 0.25 there is 1 left of the 1.25 when it has run 0.75.
    assert value(0.0, [1.0, -1.0], 0.75, 0.25) == pytest.approx(1.0)
    # The second is 3 ahead on the course away from the first: 0.5 * 3 / 1.5 < 0.5 * 1 / 0.5.
    assert value(0.0, [1.0, -3.0], 0.5) == pytest.approx(2.0)
    assert value(0.0, [1.0, -2.9], 0.5) < 2.0
    # In the middle of three it waits, also if it has to get there.
    three = np.exp(2j * np.pi * np.arange(3) / 3)
    assert value(0.0, three, 0.3) == pytest.approx(1.0)
    assert value(0.1, three, 0.3, 0.5) == pytest.approx(0.5)


@given(places, teams, speeds, shares, st.floats(-3.2, 3.2), st.floats(0.1, 10.0), st.randoms())
def test_the_frame_and_the_order(evader, pursuers, nu, share, angle, size, random):
    radius = radius_of(evader, pursuers, share)
    known, team = value(evader, pursuers, nu, radius), np.array(pursuers)
    spin, near = size * np.exp(1j * angle), {"rel": 1e-8, "abs": 1e-9 * size}
    moved = value(spin * evader + 2.0 - 1j, spin * team + 2.0 - 1j, nu, size * radius)
    assert moved == pytest.approx(size * known, **near)
    mirrored = value(np.conj(evader), np.conj(team), nu, radius)
    assert mirrored == pytest.approx(known, **near)
    assert value(evader, random.sample(pursuers, len(team)), nu, radius) == pytest.approx(known)
    doubled = value(evader, [*pursuers, pursuers[0]], nu, radius)
    assert doubled == pytest.approx(known, **near)


@given(places, teams, places, speeds, shares)
def test_more_pursuers_never_help_the_evader(evader, pursuers, another, nu, share):
    radius = radius_of(evader, pursuers, share)
    known = value(evader, pursuers, nu, radius)
    assert value(evader, [*pursuers, another], nu, radius) <= known * (1.0 + 1e-9) + 1e-12
    far = evader + 1000.0 * (known + radius)
    assert value(evader, [*pursuers, far], nu, radius) == pytest.approx(known, rel=1e-12)


@given(places, places, speeds, st.floats(0.0, 4.0))
def test_one_pursuer_is_simple_motion(evader, pursuer, nu, radius):
    expected = simple.value(abs(pursuer - evader), 1.0, nu, radius)
    assert value(evader, [pursuer], nu, radius) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert tie_margin(evader, [pursuer], nu, radius) == math.inf


def test_the_edges_of_the_game():
    assert value(1.0, [1.2, 5.0], 0.5, 0.2 + 1e-12) == 0.0
    assert value(1.0, [1.0, 1.0], 0.5) == 0.0
    assert aim(1 + 1j, [1 + 1j, 3.0], 0.5, 0.0) == 1 + 1j
    assert tie_margin(1.0, [1.0, -1.0], 0.5) == math.inf
    assert value(0.0, [1.0, 2.0, 3.0], 0.5) == pytest.approx(2.0)  # collinear, one behind
    assert value(0.0, [1.0, 1.0 + 1e-13j, -1.0], 0.6) == pytest.approx(1.25)
    assert value(0.0, [1e9, -1e9], 0.6) == pytest.approx(1.25e9)
    assert value(0.0, [1.0, -1.0], 0.999999) == pytest.approx(1.0 / math.sqrt(2e-6), rel=1e-3)


def test_tie_margins():
    assert tie_margin(0.2, [1.0, -1.0], 0.6) == pytest.approx(0.0, abs=1e-12)
    up, down = aim(0.2 + 1e-9j, [1, -1], 0.6, 0.0), aim(0.2 - 1e-9j, [1, -1], 0.6, 0.0)
    assert up == pytest.approx(down.conjugate(), abs=1e-6)
    ahead = edges(0.1j, [1.0, -1.0], 0.6, 0.0, np.array([1j, -1j])).min(axis=0) / 0.6
    assert tie_margin(0.1j, [1.0, -1.0], 0.6) == pytest.approx(ahead[0] - ahead[1])
    assert tie_margin(0j, [1.0, -9.0], 0.5) == math.inf  # it only runs from the first


@pytest.mark.compiled
def test_compiled_and_plain_python_give_the_same_bits():
    for count in (1, 2, 3, 4):
        given = states(100, count)
        plain = [
            two_on_one.best_point(two_on_one.Chase(*state[:2], count, *state[2:]), 0j, 0.0)[0]
            for state in zip(*given)
        ]
        assert value(*given).tolist() == plain


STEP = 1e-6


def rates(evaders, teams, state, now):
    """Rates at which the value changes if the players move to these places."""
    return (value(evaders, teams, state[2], state[3]) - now) / STEP


@pytest.mark.parametrize("pursuers", [1, 2, 3, 4])
def test_nobody_gains_by_another_course(pursuers):
    tried = 0
    for state in zip(*states(150, pursuers, seed=pursuers)):
        evader, team, nu, radius = state
        now, point = value(*state), capture_point(evader, team, pursuers, nu, radius)
        if now < 0.05 or tie_margin(*state) < 1e-3 or abs(point - evader) < 1e-3:
            continue
        tried += 1
        course = (point - evader) / abs(point - evader)
        ran = evader + nu * STEP * course
        moved = team + STEP * (point - team) / np.abs(point - team)
        assert rates(ran, moved, state, now) == pytest.approx(-1.0, abs=1e-3)
        # The evader alone takes other courses, or stands still.
        evaders = evader + nu * STEP * np.append(TURNS[::10], 0.0)
        assert rates(evaders, moved, state, now).max() < -1.0 + 1e-3
        for n in range(pursuers):  # a pursuer alone takes other courses
            others = np.tile(moved, (72, 1))
            others[:, n] = team[n] + STEP * TURNS[::10]
            assert rates(ran, others, state, now).min() > -1.0 - 1e-3
    assert tried > 75


@pytest.mark.parametrize(
    ("evader", "pursuers", "step", "expected"),
    [
        (0.05j, (-1.0, 1.0), 0.1, 0.5j),  # half a step from the line: half of the way across
        (0j, (-1.0, 1.0), 0.1, 0j),
        (0.05j, (-1.0, 1.0), 0.05, 1j),
        (2.0 + 0j, (-1.0, 1.0), 0.1, 1j),  # not between them
        (0j, (-1.0, 3.0), 0.1, 1j),  # the first one decides alone
    ],
)
def test_near_a_tie_pursuers_run_across(evader, pursuers, step, expected):
    places = np.array(pursuers, np.complex128)
    for number in (0, 1):
        found = steady_aim(1j, evader, places, number, step)
        assert found == pytest.approx(expected, abs=1e-12)
