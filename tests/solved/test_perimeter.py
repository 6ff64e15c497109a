"""Perimeter defense: the formula against search, integration, Isaacs' equation and rollouts."""

from __future__ import annotations

import cmath
import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.solved import perimeter
from steer_env.solved.perimeter import (
    arc_to,
    barrier,
    breach_point,
    margin,
    matching,
    most_breaches,
    value,
)

SPEEDS = (1e-6, 0.1, 0.5, 0.8, 1.0 - 1e-9, 1.0)


def states(count, seed=0):
    """Random places of the attacker and the defender, and ratios of the speeds."""
    rng = np.random.default_rng(seed)
    azimuth, rim = rng.uniform(-math.pi, math.pi, (2, count))
    r = 1.0 + rng.exponential(1.0, count)
    return r * np.exp(1j * azimuth), np.exp(1j * rim), rng.uniform(0.05, 1.0, count)


# ---- The formula --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("r", "theta", "nu", "expected"),
    [
        (1.0, 1.2, 0.3, 1.2),  # on the rim
        (1.0, math.pi, 1.0, math.pi),
        (2.0, math.pi / 2, 1.0, math.pi / 2 + math.pi / 3 - math.sqrt(3.0)),
        (math.sqrt(2.0), math.pi, 1.0, 1.25 * math.pi - 1.0),
        # phi = pi/3 - pi/6, s = 3/2 - 1/2.
        (math.sqrt(3.0), 2.0, math.sqrt(0.75), 2.0 + math.pi / 6 - 2.0 / math.sqrt(3.0)),
        (1.0, 0.0, 0.5, 0.0),
        (2.0, 0.0, 1.0, math.pi / 3 - math.sqrt(3.0)),  # at its azimuth
        (1e9, 2.0, 1.0, 2.0 + math.pi / 2 - 1e9),  # far away
        (1.5, 3.0, 1e-6, 3.0 - 0.5e6),  # slow: straight to the rim
    ],
)
def test_figures_by_hand(r, theta, nu, expected):
    for side in (1.0, -1.0):
        found = margin(cmath.rect(r, side * theta), 1.0, nu)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert value(cmath.rect(r, side * theta), 1.0, nu) == max(0.0, found)
    assert value(1j - 1e-12j, 1.0, 1.0) == math.pi / 2  # in the disc by rounding


def test_no_breach_point_is_better():
    """Of all that the attacker sees, and of those on the other side."""
    attacker, defender, nu = states(100)
    r, theta = np.abs(attacker), np.abs(np.angle(attacker / defender))
    share = np.linspace(-1.0, 1.0, 4001)[:, None]
    phi = share * np.arccos(1.0 / r)
    s = np.abs(r - np.exp(1j * phi))
    late = (theta + phi - s / nu).max(axis=0)
    found = margin(attacker, defender, nu)
    assert np.all(found >= late - 1e-12)
    assert np.all(found <= late + 2e-5)


@pytest.mark.parametrize("nu", SPEEDS)
def test_the_margin_is_the_integral_of_isaacs_equation(nu):
    r, steps = 3.0, 20_000
    middle = 1.0 + (r - 1.0) * (np.arange(steps) + 0.5) / steps
    slope = -np.sqrt(1.0 / nu**2 - 1.0 / middle**2)
    integral = slope.sum() * (r - 1.0) / steps
    assert margin(-r, 1.0, nu) == pytest.approx(math.pi + integral, rel=1e-7)


def test_isaacs_equation_holds():
    """Except on the rim, at the defender and opposite to it, where the margin has kinks."""
    attacker, defender, nu = states(2000)
    theta = np.abs(np.angle(attacker / defender))
    smooth = (np.abs(attacker) > 1.01) & (theta > 0.01) & (theta < math.pi - 0.01)
    attacker, defender, nu = attacker[smooth], defender[smooth], nu[smooth]
    h = 1e-6

    def slope(step, turn=1.0):
        high = margin(attacker + h * step, defender * turn, nu)
        return (high - margin(attacker - h * step, defender / turn, nu)) / (2.0 * h)

    gradient = np.hypot(slope(1.0), slope(1j))
    run = np.abs(slope(0.0, np.exp(1j * h)))
    assert run == pytest.approx(1.0, abs=1e-8)
    assert nu * gradient == pytest.approx(run, abs=1e-6)


# ---- The barrier --------------------------------------------------------------------------


@pytest.mark.parametrize("nu", SPEEDS)
def test_the_barrier_is_where_the_margin_is_0(nu):
    places = barrier(nu, 301)
    assert places.shape == (301,)
    assert np.abs(margin(places, 1.0, nu)).max() < 2e-9
    assert places[0] == 1.0
    assert places[-1].real < -1.0
    assert places[-1].imag == pytest.approx(0.0, abs=1e-12)
    assert np.all(places[1:-1].imag > 0.0)
    assert margin(1.01 * places[1:], 1.0, nu).max() < 0.0
    within = 0.5 * (places + places / np.abs(places))[1:]
    assert np.all((margin(within, 1.0, nu) > 0.0) & (margin(within.conj(), 1.0, nu) > 0.0))


# ---- Symmetry and scale -------------------------------------------------------------------

angle = st.floats(-math.pi, math.pi)
ratio = st.floats(1e-3, 1.0)


@given(st.floats(1.0, 50.0), angle, angle, ratio, angle, st.floats(1e-3, 1e3))
def test_the_frame_and_the_unit_do_not_matter(r, azimuth, rim, nu, turn, size):
    attacker, defender = cmath.rect(r, azimuth), cmath.rect(1.0, rim)
    one = pytest.approx(margin(attacker, defender, nu), rel=1e-9, abs=1e-9)
    assert margin(attacker.conjugate(), defender.conjugate(), nu) == one
    turned = cmath.rect(1.0, turn)
    assert margin(attacker * turned, defender * turned, nu) == one
    scaled = margin(attacker * size, defender * size, nu, size)
    assert scaled / size == one


@given(st.floats(1.0, 50.0), angle, angle, ratio, st.floats(1e-3, 1e3))
def test_the_breach_point_is_on_the_rim_and_as_late_as_the_margin(r, azimuth, rim, nu, size):
    attacker, defender = cmath.rect(size * r, azimuth), cmath.rect(size, rim)
    place = breach_point(attacker, defender, nu, size)
    assert abs(place) == pytest.approx(size, rel=1e-12)
    between = abs(cmath.phase(attacker / defender)) + abs(cmath.phase(place / attacker))
    late = size * between - abs(place - attacker) / nu
    assert late == pytest.approx(margin(attacker, defender, nu, size), abs=1e-6 * size)


# ---- Teams --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize("m", [0, 1, 3, 5])
def test_the_matching_is_the_largest(n, m):
    for seed in range(12):
        attackers, defenders = states(n, seed)[0], states(m, seed)[1]
        found = matching(attackers, defenders, 0.6)
        pairs = [(k, one) for k, one in enumerate(found.tolist()) if one >= 0]
        assert len({one for _, one in pairs}) == len(pairs)
        stops = margin(attackers[:, None], defenders, 0.6) <= 0.0
        assert all(stops[pair] for pair in pairs)
        padded = np.pad(stops, ((0, 0), (0, max(0, n - m)))).astype(int)
        most = max(
            padded[range(n), one].sum() for one in map(list, permutations(range(max(n, m)), n))
        )
        assert len(pairs) == most
        assert perimeter.most_breaches(attackers, defenders, 0.6) == n - most


def test_an_attacker_leaves_its_defender_to_one_that_needs_it():
    assert margin(1j, 1j, 0.5) == 0.0
    assert matching([1j], [1j], 0.5).tolist() == [0]  # just in time
    # Both defenders stop the first attacker, and only the first defender stops the second.
    assert matching([6.0], [1.0, 1j], 0.5).tolist() == [0]
    assert matching([6.0, 1.5], [1.0, 1j], 0.5).tolist() == [1, 0]
    assert matching([60.0, 15.0, 60j], [10.0, 10j], 0.5, 10.0).tolist() == [1, 0, -1]


DIRECTIONS = 48  # of the attacker
SPEEDS_ALONG = np.array([-1.0, 0.0, 1.0])  # of the defender


def solve(nu, farthest, rows, attacker_first):
    """W of long games on nodes from r = 1 to the farthest radius and theta = 0 to pi."""
    spacing = (farthest - 1.0) / (rows - 1)
    columns = round(math.pi / spacing) + 1
    r = np.linspace(1.0, farthest, rows)[:, None, None, None]
    theta = np.linspace(0.0, math.pi, columns)[:, None, None]
    step = 2.0 * spacing
    moves = nu * step * np.exp(2j * math.pi * np.arange(DIRECTIONS) / DIRECTIONS)[:, None]
    # The part of the move until it comes through the rim, if it does: |r + share * move| = 1.
    length, along = (nu * step) ** 2, r * moves.real
    under = along**2 - length * (r**2 - 1.0)
    share = (-along - np.sqrt(np.maximum(under, 0.0))) / length
    is_through = (under >= 0.0) & (share >= 0.0) & (share <= 1.0)
    share = np.where(is_through, share, 1.0)
    after = r + share * moves
    angle = theta + np.angle(after) - share * step * SPEEDS_ALONG
    angle = np.abs(np.angle(np.exp(1j * angle)))  # both sides are mirror images
    # Between nodes.
    row = np.clip((np.abs(after) - 1.0) / spacing, 0.0, rows - 1.0)
    row, column = np.broadcast_arrays(row, angle * (columns - 1) / math.pi)
    i, j = np.minimum(row.astype(int), rows - 2), np.minimum(column.astype(int), columns - 2)
    t, u = row - i, column - j
    corner = i * columns + j
    weights = (1 - t) * (1 - u), (1 - t) * u, t * (1 - u), t * u
    corners = corner, corner + 1, corner + columns, corner + columns + 1
    payoff = np.zeros((rows, columns))
    for _ in range(round(1.5 * (farthest + math.pi) / (nu * step))):
        later = sum(w * payoff.ravel()[c] for w, c in zip(weights, corners))
        later = np.where(is_through, angle, later)
        if attacker_first:
            payoff = later.min(axis=3).max(axis=2)
        else:
            payoff = later.max(axis=2).min(axis=2)
    return r[..., 0, 0], theta[:, 0, 0], payoff


@pytest.mark.weekly
@pytest.mark.parametrize(("nu", "farthest"), [(0.6, 2.9), (1.0, 4.7)])
@pytest.mark.parametrize("attacker_first", [True, False])
def test_the_errors_of_grids_shrink_with_the_spacing(nu, farthest, attacker_first):
    """Beyond the farthest radius the attacker never wins. Rounding a barrier off costs most."""
    means = []
    for rows in (11, 21, 41):
        r, theta, payoff = solve(nu, farthest, rows, attacker_first)
        exact = perimeter.value(r * np.exp(1j * theta), 1.0, nu)
        behind = (theta + np.arccos(nu / r) - math.acos(nu) > math.pi) & (exact > 0.3)
        errors = np.abs(payoff - exact)
        means.append([errors[region].mean() for region in (exact >= 0.0, exact > 0.0, behind)])
    coarse, middle, fine = np.array(means)
    assert np.all(middle < 0.6 * coarse)
    assert np.all(fine < 0.6 * middle)
    assert np.all(fine < ((0.06, 0.02, 0.02) if attacker_first else (0.16, 0.04, 0.04)))


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
