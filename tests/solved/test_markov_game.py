"""Finite Markov games: known values, bounds and symmetry; the chauffeur on grids converges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from steer_env.errors import InvalidType, InvalidValue
from steer_env.solved import chauffeur
from steer_env.solved.chauffeur_grid import TURNS, chauffeur_game_on_grid
from steer_env.solved.markov_game import MarkovGame
from steer_env.solved.matrix_game import COLUMN_FIRST, ROW_FIRST, matrix_game

PENNIES = np.array([[1.0, -1.0], [-1.0, 1.0]])


# ---- One matrix game ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("costs", "value", "row", "column"),
    [
        (PENNIES, 0.0, [0.5, 0.5], [0.5, 0.5]),
        ([[3.0, -1.0], [-2.0, 1.0]], 1 / 7, [3 / 7, 4 / 7], [2 / 7, 5 / 7]),
        ([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], 0.0, [1 / 3] * 3, [1 / 3] * 3),
        ([[2.0, 5.0], [1.0, 3.0]], 3.0, [0.0, 1.0], [0.0, 1.0]),  # a saddle point
        ([[7.0]], 7.0, [1.0], [1.0]),
        ([[4.0, 4.0, 4.0]], 4.0, [1.0], [1.0, 0.0, 0.0]),
    ],
)
def test_matrix_games_have_their_known_values(costs, value, row, column):
    found = matrix_game(costs)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.row == pytest.approx(row)
    assert found.column == pytest.approx(column)


@settings(max_examples=200, deadline=None)
@given(
    arrays(
        float,
        st.tuples(st.integers(1, 4), st.integers(1, 9)),
        elements=st.floats(-100.0, 100.0),
    )
)
def test_strategies_guarantee_the_value(costs):
    value, row, column = matrix_game(costs)
    scale = 1e-9 * (1.0 + np.abs(costs).max())
    assert row.sum() == pytest.approx(1.0)
    assert column.sum() == pytest.approx(1.0)
    assert min(row.min(), column.min()) >= -1e-12
    assert (row @ costs).max() <= value + scale
    assert (costs @ column).min() >= value - scale


@pytest.mark.parametrize("size", [9, 60, 200])
def test_large_matrices_are_solved_too(size):
    costs = np.random.default_rng(size).normal(size=(size, size + 1))
    value, row, column = matrix_game(costs)
    assert (row @ costs).max() == pytest.approx(value, abs=1e-12)
    assert (costs @ column).min() == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    "costs",
    [[], [1.0], [[math.nan]], [[math.inf, 0.0]], [[]], [[1e308, -1e308], [-1e308, 1e308]]],
)
def test_what_is_not_a_matrix_is_refused(costs):
    with pytest.raises(InvalidValue):
        matrix_game(costs)


# ---- Games of several states --------------------------------------------------------------


def pennies_until_equal(cost=1.0):
    """In state 0 both show a side. Equal ones lead to the end, state 1; others cost."""
    successors = np.array([[[[1], [0]], [[0], [1]]]] * 2)
    costs = np.array([[[0.0, cost], [cost, 0.0]]] * 2)
    return MarkovGame(successors, np.ones((2, 2, 2, 1)), costs, np.array([False, True]))


def test_a_game_of_pennies_that_goes_on_has_its_value():
    # The column player wants different sides: V = (1 + V) / 2, so V = 1. If it moves first it
    # is met at once; if it moves second it goes on forever.
    found = pennies_until_equal().value_iteration(1e-12, cap=50.0)
    assert found.value.tolist() == pytest.approx([1.0, 0.0])
    assert found.lower.tolist() == [0.0, 0.0]
    assert found.upper.tolist() == [50.0, 0.0]
    assert found.gap == 50.0
    row, column = pennies_until_equal().strategies(found.value)
    assert row.tolist() == [[0.5, 0.5], [0.0, 0.0]]
    assert column.tolist() == [[0.5, 0.5], [0.0, 0.0]]


def test_a_game_that_goes_on_forever_needs_a_cap(monkeypatch):
    monkeypatch.setattr("steer_env.solved.markov_game.MOST_SWEEPS", 100)
    with pytest.raises(InvalidValue, match="give a cap"):
        pennies_until_equal().value_iteration()


def test_values_of_steps_are_those_of_a_shorter_game():
    game = pennies_until_equal()
    values = [game.values_of_steps(steps)[0] for steps in range(4)]
    assert values == pytest.approx([0.0, 0.5, 0.75, 0.875])
    assert game.values_of_steps(3, order=ROW_FIRST)[0] == 3.0
    assert game.values_of_steps(3, order=COLUMN_FIRST)[0] == 0.0


def test_what_the_end_costs_and_probabilities_count():
    # One action each: to the end that costs 10 with 1/4, else again, for a cost of 1.
    game = MarkovGame(
        [[[[1, 0]]]] * 2,
        [[[[0.25, 0.75]]]] * 2,
        [[[1.0]]] * 2,
        np.array([False, True]),
        [0.0, 10.0],
    )
    found = game.value_iteration(1e-13)
    assert found.value.tolist() == pytest.approx([14.0, 10.0])
    assert found.gap == 0.0


def random_game(seed, states=12, rows=3, columns=4, places=3):
    generator = np.random.default_rng(seed)
    shape = states, rows, columns
    chances = generator.dirichlet(np.ones(places), shape)
    successors = generator.integers(states, size=(*shape, places))
    successors[..., 0], chances[...] = 0, 0.9 * chances + 0.1 * np.eye(places)[0]
    is_over = np.arange(states) == 0
    return MarkovGame(successors, chances, generator.uniform(0, 1, shape), is_over)


@pytest.mark.parametrize("seed", range(5))
def test_the_value_is_between_lower_and_upper_and_its_strategies_get_it(seed):
    game = random_game(seed)
    found = game.value_iteration(1e-12)
    assert (found.lower <= found.value + 1e-9).all()
    assert (found.value <= found.upper + 1e-9).all()
    assert found.gap == (found.upper - found.lower).max() > 0.01
    row, column = game.strategies(found.value)
    entries = game.costs + (game.probabilities * found.value[game.successors]).sum(axis=3)
    ahead = ~game.is_over
    worst = np.einsum("sa,sab->sb", row, entries).max(axis=1)
    best = np.einsum("sb,sab->sa", column, entries).min(axis=1)
    np.testing.assert_allclose(worst[ahead], found.value[ahead], atol=1e-9)
    np.testing.assert_allclose(best[ahead], found.value[ahead], atol=1e-9)


BAD = {
    "successors": [
        ([[[[2]]]] * 2, InvalidValue),
        ([[[[-1]]]] * 2, InvalidValue),
        ([[[[0.0]]]] * 2, InvalidType),
        ([0, 1], InvalidValue),
    ],
    "probabilities": [
        ([[[[0.5]]]] * 2, InvalidValue),
        ([[[[math.nan]]]] * 2, InvalidValue),
        ("x", InvalidType),
    ],
    "costs": [([[[math.inf]]] * 2, InvalidValue), ([1.0, 2.0], InvalidValue)],
    "is_over": [([0, 1], InvalidType), ([True], InvalidValue)],
    "ends": [([0.0], InvalidValue), ([0.0, math.nan], InvalidValue)],
}


@pytest.mark.parametrize(("name", "case"), [(n, case) for n in BAD for case in BAD[n]])
def test_damaged_games_are_refused(name, case):
    sound = {
        "successors": [[[[1]]]] * 2,
        "probabilities": [[[[1.0]]]] * 2,
        "costs": [[[1.0]]] * 2,
        "is_over": [False, True],
    }
    assert MarkovGame(**sound).value_iteration().value.tolist() == [1.0, 0.0]
    wrong, error = case
    with pytest.raises(error):
        MarkovGame(**{**sound, name: wrong})


def test_wrong_arguments_are_refused_and_arrays_are_its_own():
    game = random_game(0)
    for call in (
        lambda: game.value_iteration(0.0),
        lambda: game.value_iteration(cap=-1.0),
        lambda: game.values_of_steps(-1),
        lambda: game.values_of_steps(1, order=3),
        lambda: game.strategies([1.0]),
        lambda: game.strategies(np.full(12, np.nan)),
    ):
        with pytest.raises(InvalidValue):
            call()
    with pytest.raises(ValueError, match="read-only"):
        game.successors[0] = 99


# ---- The chauffeur ------------------------------------------------------------------------


def test_one_state_of_the_grid_by_hand():
    grid = chauffeur_game_on_grid(0.3, 0.3, 0.5, headings=4, size=2.0, step=0.5)
    state = int(np.flatnonzero((grid.right == 0.0) & (grid.ahead == 1.5))[0])
    straight, (north, east, south, west, rest) = TURNS.index(0), range(5)
    game = grid.game

    def expected(column):
        chances = game.probabilities[state, straight, column]
        nodes = game.successors[state, straight, column]
        return chances @ grid.right[nodes], chances @ grid.ahead[nodes]

    assert expected(north) == pytest.approx((0.0, 1.15))
    assert expected(east) == pytest.approx((0.15, 1.0))
    assert expected(south) == pytest.approx((0.0, 0.85))
    assert expected(west) == pytest.approx((-0.15, 1.0))
    assert expected(rest) == pytest.approx((0.0, 1.0))
    assert game.costs[state, straight] == pytest.approx([0.5] * 5)
    turning = game.probabilities[state, 2, rest] @ grid.right[game.successors[state, 2, rest]]
    x, y = -(1 - math.cos(0.5)), 1.5 - math.sin(0.5)
    assert turning == pytest.approx(x * math.cos(0.5) - y * math.sin(0.5))
    near = int(np.flatnonzero((grid.right == 0.0) & (grid.ahead == 0.5))[0])
    assert game.costs[near, straight, north] == pytest.approx(0.2 / 0.7)
    assert game.costs[near, straight, south] == pytest.approx(0.2 / 1.3)
    assert game.costs[near, straight, rest] == pytest.approx(0.2)
    assert game.is_over[game.successors[near, straight, rest]].all()


@pytest.mark.parametrize("headings", [1, 5, 12])
def test_the_game_mirrors_itself(headings):
    grid = chauffeur_game_on_grid(0.5, 0.5, 0.4, headings, size=4.0)
    assert grid.right[grid.mirrored].tolist() == (-grid.right).tolist()
    assert grid.ahead[grid.mirrored].tolist() == grid.ahead.tolist()
    for values in grid.game.value_iteration(1e-6, cap=20.0)[:3]:
        np.testing.assert_allclose(values[grid.mirrored], values, atol=1e-9)


@pytest.mark.compiled
def test_the_errors_shrink_with_the_spacing():
    nu = l = 0.3  # noqa: E741
    line = chauffeur.barrier(nu, l, 400)
    errors = []
    for spacing in (0.2, 0.1):
        grid = chauffeur_game_on_grid(nu, l, spacing)
        found = grid.game.value_iteration(1e-4, cap=20.0)
        assert (found.lower <= found.upper + 1e-5).all()
        state = grid.right + 1j * grid.ahead
        exact = chauffeur.value(grid.right, grid.ahead, nu, l)
        regions = chauffeur.region(grid.right, grid.ahead, nu, l)
        folded = np.abs(grid.right) + 1j * grid.ahead
        margin = np.min([np.abs(folded - complex(x, y)) for x, y in line], axis=0)
        counts = (np.abs(state) > l + 0.05) & (np.abs(state) < 3.0) & (margin > 0.3)
        off = np.abs(found.value - exact)
        errors.append([off[counts & (regions == region)].mean() for region in "DSW"])
        assert (found.upper - found.lower)[counts].max() < 0.2
    coarse, fine = np.array(errors)
    assert (fine < np.array([0.6, 0.85, 0.85]) * coarse).all(), errors
    assert (fine < [0.1, 0.8, 0.85]).all(), errors  # of up to 10.7


@pytest.mark.parametrize(
    "wrong",
    [
        {"nu": 1.5},
        {"l": 0.0},
        {"spacing": 0.0},
        {"spacing": 1e-3},
        {"headings": 0},
        {"size": 0.1},
        {"step": 9.0},
    ],
)
def test_grids_that_are_not_possible_are_refused(wrong):
    with pytest.raises(InvalidValue):
        chauffeur_game_on_grid(**{"nu": 0.3, "l": 0.3, "spacing": 0.2} | wrong)
