"""Several pursuers after one evader: Isaacs' equation, ties and rollouts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.solved.two_on_one import capture_point, steady_aim, tie_margin, value
from steer_env.steering.vectors import unit

from .test_two_on_one import TURNS, aim, speeds, states

# ---- Isaacs' equation ---------------------------------------------------------------------

STEP = 1e-6


def rates(evaders, teams, state, now):
    """How fast the value changes if the players move to these places."""
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


@given(st.floats(-0.9, 0.9), speeds, st.floats(0.0, 0.09))
def test_two_pursuers_can_answer_at_a_tie(evader, nu, radius):
    """On the segment between them: every course of the evader has an answer to both points."""
    team, step = np.array([1.0, -1.0]), 1e-5
    now = value(evader, team, nu, radius)
    point = aim(evader, team, nu, radius)
    toward = (point - team) / np.abs(point - team)
    evaders = evader + nu * step * TURNS[::60]
    shares = np.linspace(
        -1.0, 1.0, 81
    )  # of their motion across the segment, and the rest along
    tried = np.sign(toward.real) * np.sqrt(1.0 - (shares[:, None] * toward.imag) ** 2)
    tried = team + step * (tried + 1j * shares[:, None] * toward.imag)
    then = value(evaders, tried[:, None, None, :], nu, radius)[:, 0, :]
    assert ((then.min(axis=0) - now) / step).max() < -1.0 + 2e-3


def test_three_pursuers_cannot_always_answer():
    """Where waiting and two ways out are as good, the evader gains by keeping them open."""
    team = np.exp(2j * np.pi * np.array([0.0, 0.4, 0.6]))  # with gaps of 144 degrees
    nu, step = 2.0 * math.cos(math.radians(72.0)), 1e-4  # |exp(72 degrees i) nu - 1| is 1
    assert value(0.0, team, nu) == pytest.approx(1.0)
    assert tie_margin(0.0, team, nu) == pytest.approx(0.0, abs=1e-9)
    courses = [team[n] + step * TURNS[::10] for n in range(3)]  # one each
    tried = np.stack(np.meshgrid(*courses, indexing="ij"), axis=-1)
    then = value(nu * step * TURNS[120], tried, nu).min()  # the best of all answers
    assert (then - 1.0) / step > -0.96  # it would be -1 if V was the value


# ---- Rollouts -----------------------------------------------------------------------------


def play(state, choose, step=0.01):
    """The time to capture if the pursuers run for the capture point, and the evader chooses."""
    evader, team, nu, radius = state
    time = 0.0
    while np.abs(team - evader).min() > radius + 2.0 * step and time < 50.0:
        evader = evader + nu * step * choose(evader, team)  # the pursuers know that
        gap = capture_point(evader, team, len(team), nu, radius) - team
        team, time = team + step * gap / np.abs(gap), time + step
    return time + value(evader, team, nu, radius)


@pytest.mark.parametrize("state", [*zip(*states(6, 2, seed=5))])
def test_rollouts_take_as_long_as_the_value(state):
    nu, radius = state[2:]

    def best(evader, team):
        return unit(capture_point(evader, team, 2, nu, radius) - evader)

    def greedy(evader, team):
        return TURNS[value(evader + 0.3 * TURNS, team, nu, radius).argmax()]

    def between(evader, team):  # to the middle of the segment, where a tie is
        return unit(team.mean() - evader)

    assert play(state, best) == pytest.approx(value(*state), abs=0.01)
    for other in (greedy, between, lambda *_: 1.0, lambda *_: 0.0):
        assert play(state, other) < value(*state) + 0.01


# ---- Play in steps ------------------------------------------------------------------------


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
def test_near_a_tie_pursuers_run_across_the_line_between_them_in_proportion(
    evader, pursuers, step, expected
):
    places = np.array(pursuers, np.complex128)
    for number in (0, 1):
        found = steady_aim(1j, evader, places, number, step)
        assert found == pytest.approx(expected, abs=1e-12)
