"""The homicidal chauffeur, a car against a pedestrian (Isaacs 1965, Merz 1971).

The pursuer P is a car of speed vp with a smallest turning radius R, the evader E a pedestrian
of speed nu vp, caught at a distance of l R. Lengths are in units of R, times in R / vp; E is
seen from the car, x right of its nose and y ahead of it. The value is known by region for
l < q = sqrt(1 - nu**2); docs/game/derivations.md has the formulas and names:

- T: E is caught in a turn to the right. D: the car turns to E, and follows it.
- W: the car turns left, up to the equivocal line. S: it leaves E astern, and turns round later.
- The barrier, where E just slips past a turn, and the equivocal line behind it divide them.
"""

# ruff: noqa: E741
from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from steer_env.errors import InvalidValue, check_integer, check_number
from steer_env.machine_code.addresses import address_of, column, matrix_at
from steer_env.machine_code.routines import routine
from steer_env.solved import chauffeur_game
from steer_env.solved.chauffeur_game import (
    TABLE_SIZE,
    ChauffeurGame,
    barrier_point,
    game_with,
    line_at,
)
from steer_env.solved.chauffeur_plan import REGIONS, game_of, plan_of
from steer_env.solved.elementwise import Numbers, as_given, broadcast, flat

_POINTS = 257  # of the equivocal line


@routine
def solve_chauffeur(states_at: int, table_at: int, found_at: int, count: int) -> None:
    """Writes the value and the region of every state, with room for a game's table."""
    states = matrix_at(states_at, 4, count, np.float64)
    found = matrix_at(found_at, 2, count, np.float64)
    table = column(table_at, 0, TABLE_SIZE, np.float64)
    game = game_of(states[2, 0], states[3, 0], table)
    for k in range(count):
        nu, l = states[2, k], states[3, k]
        if nu != game.nu or l != game.l:
            game = game_of(nu, l, table)
        plan = plan_of(states[0, k], states[1, k], game)
        found[0, k], found[1, k] = plan.value, plan.region


def _solve(right: Any, ahead: Any, nu: Any, l: Any) -> Numbers:
    """The values and, behind them, the numbers of regions, both in the arguments' shape."""
    places = {"right": (right, -1e6, 1e6), "ahead": (ahead, -1e6, 1e6)}
    arrays = broadcast(**places, nu=(nu, -np.inf, np.inf), l=(l, -np.inf, np.inf))
    _check_parameters(*arrays[2:])
    rows, table = flat(arrays), np.zeros(TABLE_SIZE)
    found = np.zeros((2, *arrays[0].shape))
    if found.size:
        solve_chauffeur.call(*map(address_of, (rows, table, found)), arrays[0].size)
    return found


def _check_parameters(nu: Any, l: Any) -> None:
    nu, l = np.asarray(nu), np.asarray(l)
    wrong = nu[~((nu > 0.0) & (nu < 1.0))]
    if wrong.size:
        raise InvalidValue(f"nu must be above 0 and below 1, got {wrong[0]:g}")
    wrong = l[~((l > 0.0) & (l < np.sqrt(1.0 - nu * nu)))]
    if wrong.size:
        raise InvalidValue(
            "the solution is known for l above 0 and below sqrt(1 - nu**2), the share of the "
            f"turning radius at which the capture circle covers the turn; got l = {wrong[0]:g}"
        )


def value(right: Any, ahead: Any, nu: Any, l: Any) -> Any:
    """The time to capture under perfect play.

    Args:
        right: the evader's place to the right of the pursuer's nose, in turning radii.
        ahead: its place ahead of the pursuer, in turning radii.
        nu: the evader's speed over the pursuer's, above 0 and below 1.
        l: the capture radius in turning radii, above 0 and below sqrt(1 - nu**2).

    Returns:
        Times in units of turning radius / pursuer's speed, exact to 1e-9; 0 within the capture
        radius, infinite where capture cannot be forced.

    Example:
        >>> [round(value(right, 0.0, 0.3, 0.3), 5) for right in (1.0, 3.0)]
        [9.41712, 5.03778]
    """
    return as_given(_solve(right, ahead, nu, l)[0, ...])


def region(right: Any, ahead: Any, nu: Any, l: Any) -> Any:
    """The region of a state, one of `REGIONS`, or an array, for arguments as in `value`.

    Example:
        >>> region([0.0, 0.6], [1.0, 0.6], 0.3, 0.3).tolist()
        ['D', 'S']
    """
    numbers = _solve(right, ahead, nu, l)[1, ...].astype(np.int64)
    return as_given(np.array(REGIONS)[numbers])


def regions_of_game(nu: float, l: float) -> tuple[str, ...]:
    """The regions that a game has outside the capture circle, in the order of `REGIONS`.

    Example:
        >>> regions_of_game(0.3, 0.3), regions_of_game(0.1, 0.6), regions_of_game(0.5, 0.1)
        (('T', 'D', 'S', 'W'), ('T', 'D', 'W'), ('T', 'D', 'free'))
    """
    game = _checked_game(nu, l)
    if game.is_closed:
        return ("T", "D", "free")
    return ("T", "D", "S", "W") if _has_swerve(game) else ("T", "D", "W")


def table_of(nu: float, l: float) -> Numbers:
    """The table that `game_of` writes, in compiled code."""
    state, table, found = np.array([0.0, 2.0, nu, l]), np.zeros(TABLE_SIZE), np.zeros(2)
    solve_chauffeur.call(*map(address_of, (state, table, found)), 1)
    return table


class Landmarks(NamedTuple):
    """The numbers that a game's picture is drawn from."""

    forced_above: float  # capture from everywhere can be forced with a larger l
    tau_end: float  # the time to go at the barrier's end
    end: tuple[float, float]  # the barrier's end (right, ahead)
    y_star: float  # the equivocal line ends at (0, -y_star); nan if it does not get there
    c: float  # V(0, -y_star) + y_star / (1 - nu); nan in the same case


def _checked_game(nu: Any, l: Any) -> ChauffeurGame:
    nu, l = check_number("nu", nu, 0.0), check_number("l", l, 0.0)
    _check_parameters(nu, l)
    return game_with(nu, l, table_of(nu, l))


def landmarks(nu: float, l: float) -> Landmarks:
    """The landmarks of a game, for single numbers."""
    game = _checked_game(nu, l)
    end = barrier_point(game.nu, game.l, game.q, game.tau_end)
    of_line = (game.y_star, game.c) if _has_swerve(game) else (math.nan, math.nan)
    forced_above = chauffeur_game.force_capture_above(game.nu)
    return Landmarks(forced_above, game.tau_end, (end.real, end.imag), *map(float, of_line))


def barrier(nu: float, l: float, points: int = 200) -> Numbers:
    """The right barrier, from the capture circle to its end, (points, 2) of right and ahead."""
    game, count = _checked_game(nu, l), check_integer("points", points, 2)
    times = np.linspace(0.0, game.tau_end, count).tolist()
    found = [barrier_point(game.nu, game.l, game.q, tau) for tau in times]
    return np.array([(point.real, point.imag) for point in found])


def equivocal_line(nu: float, l: float) -> Numbers:
    """The equivocal line on the right, from the barrier's end to where it stops.

    Returns (points, 2) of right and ahead, (0, 2) where capture cannot be forced.
    """
    game = _checked_game(nu, l)
    if game.is_closed:
        return np.zeros((0, 2))
    angles = np.linspace(game.s0, _last_angle(game), _POINTS)
    r = np.array([line_at(game, a) for a in angles.tolist()])
    return np.stack([r * np.sin(angles), -r * np.cos(angles)], axis=1)


def _has_swerve(game: ChauffeurGame) -> bool:
    """True if there is a region S."""
    return not game.is_closed and bool(game.y_star > game.l)


def _last_angle(game: ChauffeurGame) -> float:
    """The angle a at which the line ends, on the axis or on the capture circle."""
    if _has_swerve(game):
        return 0.0
    low, high = 0.0, game.s0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if line_at(game, middle) < game.l else (low, middle)
    return high
