"""Perimeter defense: play by the formula gets its value, and no deviation gains."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from steer_env.solved.perimeter import arc_to, breach_point, matching, most_breaches, value


def go_on(attacker, defender, goal, arc, way):
    """The places after a step, and the arc between them if the attacker has come through."""
    step = (goal - attacker) * min(1.0, way / max(abs(goal - attacker), 1e-12))
    length, along = abs(step) ** 2, (attacker * step.conjugate()).real
    under = along**2 - length * (abs(attacker) ** 2 - 1.0)
    is_near = length > 0.0 and under >= 0.0 > along
    share = (-along - math.sqrt(under)) / length if is_near else math.inf
    is_through = share <= 1.0 + 1e-9
    share = min(share, 1.0)
    run = share * abs(step) / way if is_through else 1.0  # it may end within the step
    attacker, defender = attacker + share * step, defender * cmath.exp(1j * arc * run)
    apart = abs(cmath.phase(attacker / defender))
    return attacker, defender / abs(defender), apart if is_through else None


def play(state, step, goal=None, arc=None):
    """The payoff, 0 after the time 40; without a goal or an arc, that side plays its best."""
    attacker, defender, nu = state
    for n in range(round(40.0 / step)):
        at = attacker, defender, nu, 1.0
        target = breach_point(*at) if goal is None else goal(n, *at)
        run = arc_to(*at, step) if arc is None else step * arc(n, *at)
        assert abs(run) <= step
        attacker, defender, payoff = go_on(attacker, defender, target, run, nu * step)
        if payoff is not None:
            return payoff
    return 0.0


def mirrored(n, attacker, defender, nu, radius):
    place = breach_point(attacker, defender, nu, radius) / attacker
    return attacker * place.conjugate()


GOALS = {
    "straight in": lambda n, *at: 0j,
    "to the defender's side": mirrored,
    "zigzag": lambda n, *at: mirrored(n, *at) if n // 7 % 2 else breach_point(*at),
    "around first": lambda n, *at: at[0] * (1.0 + 1j) if n < 40 else breach_point(*at),
    "changing its mind": lambda n, *at: breach_point(*at) * cmath.exp(1j * math.sin(n * n)),
}
RUNS = {
    "away": lambda n, *at: -math.copysign(1.0, arc_to(*at, 1.0)),
    "nowhere": lambda n, *at: 0.0,
    "to and fro": lambda n, *at: 1.0 - 2.0 * (n % 2),
    "left": lambda n, *at: 1.0,
    "the shorter way": lambda n, *at: math.copysign(
        1.0, cmath.phase(breach_point(*at) / at[1])
    ),
}
STARTS = [
    (2 + 0.5j, 1j, 0.3), (1.2 - 1j, 1j, 0.8), (1.4 + 1.4j, -1 + 0j, 0.5),
    (-3 + 1j, 1 + 0j, 0.9), (1 - 0.5j, -1j, 0.2), (0.3 - 1.2j, -1 + 0j, 0.95),
    (-1.5 + 0j, 1 + 0j, 0.7), (-2 + 0j, 1 + 0j, 1.0), (1.3 + 0j, 1 + 0j, 1.0),
    (2j, 1 + 0j, 0.1), (-1.01 + 0j, 1 + 0j, 0.6), (-2 + 0.01j, 1 + 0j, 0.8),
]  # fmt: skip


@pytest.mark.parametrize("state", STARTS)
def test_no_single_deviation_gains(state):
    step, expected = 0.02, value(*state)
    assert play(state, step) == pytest.approx(expected, abs=step)
    for name, goal in GOALS.items():
        assert play(state, step, goal=goal) < expected + 2.0 * step, name
    for name, run in RUNS.items():
        assert play(state, step, arc=run) > expected - step, name


def test_matched_defenders_let_no_more_through_than_the_bound():
    """Each against its own attacker, whatever that one does: teams of three against four."""
    rng, nu, step = np.random.default_rng(0), 0.7, 0.02
    for _ in range(40):
        attackers = (1.0 + rng.exponential(1.0, 4)) * np.exp(1j * rng.uniform(-3.1, 3.1, 4))
        defenders = np.exp(1j * rng.uniform(-3.1, 3.1, 3))
        goals = list(rng.permutation([None, *GOALS.values()])[:4])
        of = matching(attackers, defenders, nu).tolist()
        late = [
            play((attackers[k], defenders[one], nu), step, goal=goals[k]) > 2.0 * step
            for k, one in enumerate(of)
            if one >= 0
        ]
        assert not any(late)
        assert len(attackers) - len(late) == most_breaches(attackers, defenders, nu)


def test_the_defender_never_runs_beyond_the_breach_point():
    for attacker, defender, nu in STARTS:
        run = arc_to(attacker, defender, nu, 1.0, 99.0)  # the whole way
        place = breach_point(attacker, defender, nu, 1.0)
        assert defender * cmath.exp(1j * run) == pytest.approx(place, abs=1e-12)
        little = arc_to(attacker, defender, nu, 1.0, 1e-3)
        assert 0.0 <= little / math.copysign(1e-3, run) <= 1.0
        for length in (0.1, 1.0, 3.0):  # the radius is the unit
            run = arc_to(attacker, defender, nu, 1.0, length)
            scaled = arc_to(5.0 * attacker, 5.0 * defender, nu, 5.0, 5.0 * length)
            assert scaled == pytest.approx(5.0 * run, abs=1e-12)


def test_play_at_its_edges():
    # A defender in time stops at the attacker's azimuth, here in a disc of radius 2.
    assert arc_to(3 + 0j, 1 + 0j, 0.5, 1.0, 0.1) == 0.0
    for side in (1.0, -1.0):
        attacker = 2.0 * cmath.rect(3.0, 0.05 * side)
        assert arc_to(attacker, 2 + 0j, 0.5, 2.0, 0.3) == pytest.approx(0.1 * side)
    # In line with the center both go counter-clockwise.
    assert breach_point(2 + 0j, 1 + 0j, 0.8, 1.0).imag > 0.0
    assert breach_point(-2 + 0j, 1 + 0j, 0.8, 1.0).imag < 0.0
    assert arc_to(-2 + 0j, 1 + 0j, 0.8, 1.0, 0.1) == 0.1
    # An attacker in the disc counts as one on the rim.
    assert breach_point(0.9j, 1 + 0j, 1.0, 1.0) == 1j
    assert arc_to(0.9j, 1 + 0j, 1.0, 1.0, 9.0) == math.pi / 2


@pytest.mark.compiled
def test_compiled_and_plain_python_give_the_same_bits():
    import numba

    both = numba.njit(lambda *at: (breach_point(*at), arc_to(*at, 0.1)))
    for attacker, defender, nu in STARTS:
        at = attacker, defender, nu, 1.0
        assert both(*at) == (breach_point(*at), arc_to(*at, 0.1))
