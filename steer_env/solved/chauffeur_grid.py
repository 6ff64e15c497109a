"""The homicidal chauffeur as a finite Markov game on a grid.

The states are the nodes of a square grid of places of the evader, right and ahead of the car,
in turning radii (see `steer_env.solved.chauffeur`). A step lasts for a fixed time. In it the
car turns left, drives straight or turns right, and the evader runs straight in one of several
directions, or rests. That leads to a place between nodes; the game goes on at one of the
corners of its cell, with the weights of linear interpolation as probabilities. This is the
Markov chain approximation of Kushner and Dupuis (2001), and value iteration on it a
semi-Lagrangian scheme (Falcone and Ferretti 2014).

The cost is the time. If the evader comes within the capture radius during a step, the game ends
at that moment. Otherwise it does not go on at corners inside the capture circle: their weights
go to the others of the cell, since an evader beside the car would else be caught by rounding.
Places beyond the grid count as the nearest ones on its edge.

The chance of the corners moves the evader by about a spacing in every step. So the jump of the
value at the barrier is smeared over some cells, and spacing**2 / step has to shrink.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue, check_integer, check_number
from steer_env.solved.elementwise import Numbers
from steer_env.solved.markov_game import MarkovGame

TURNS = (-1, 0, 1)
"""The car's actions: left, straight ahead, right."""

MOST_TRANSITIONS = 2 * 10**8
_PARTS = 4  # of a step, in each of which the relative motion counts as straight


class ChauffeurGrid(NamedTuple):
    """The game on a grid; its states are the nodes."""

    game: MarkovGame
    """Row actions are `TURNS`; column actions the directions and, as the last, resting."""
    right: Numbers
    """(S,), of the evader, in turning radii."""
    ahead: Numbers
    """(S,), likewise."""
    spacing: float
    """Between nodes."""
    step: float
    """The time of a step, in turning radii over the car's speed."""
    mirrored: NDArray[np.int64]
    """(S,), the state on the other side of the car."""


def chauffeur_game_on_grid(
    nu: float,
    l: float,  # noqa: E741
    spacing: float,
    headings: int = 16,
    size: float = 5.5,
    step: float | None = None,
) -> ChauffeurGrid:
    """Makes the finite game.

    Args:
        nu: the evader's speed over the car's, above 0 and below 1.
        l: the capture radius in turning radii.
        spacing: of the nodes, in turning radii; the grid has one in its middle.
        headings: the evader's directions, the first of them ahead as the car sees it.
        size: how far the grid reaches to each side, at least; it should hold what perfect play
            needs, such as the way to the end of the equivocal line.
        step: the time of a step; None for 0.8 spacing**(2/3): spacing**2 / step shrinks, and
            both together move farther in a step than a spacing.

    Raises:
        InvalidType: for anything but numbers.
        InvalidValue: for numbers out of range, or a grid that is too large.
    """
    nu = check_number("nu", nu, 0.0, 1.0, above=True)
    if nu == 1.0:
        raise InvalidValue("nu must be below 1, got 1: the evader is slower than the car")
    l = check_number("l", l, 0.0, above=True)  # noqa: E741
    spacing = check_number("spacing", spacing, 0.0, above=True)
    count = check_integer("headings", headings, 1)
    size = check_number("size", size, l, above=True)
    given = 0.8 * spacing ** (2.0 / 3.0) if step is None else step
    time = check_number("step", given, 0.0, above=True)
    half = math.ceil(size / spacing - 1e-9)
    if (2 * half + 1) ** 2 * len(TURNS) * (count + 1) * 4 > MOST_TRANSITIONS:
        raise InvalidValue(
            f"this grid has more than {MOST_TRANSITIONS:g} transitions: choose a larger "
            "spacing, a smaller size or fewer headings"
        )
    if half < 1 or (1.0 + nu) * time >= l + half * spacing:
        raise InvalidValue("the grid must be larger than what both move in a step")
    side = 2 * half + 1
    places = spacing * np.arange(-half, half + 1.0)
    right, ahead = (axis.ravel() for axis in np.meshgrid(places, places, indexing="ij"))
    is_over = np.hypot(right, ahead) <= l
    runs = _runs(count) * (nu * time)
    shape = right.size, len(TURNS), len(runs)
    successors, probabilities = np.zeros((*shape, 4), np.int32), np.zeros((*shape, 4))
    costs, captured = np.zeros(shape), right.size // 2  # the node in the middle
    for number, turn in enumerate(TURNS):
        shares = _shares_until_capture(right + 1j * ahead, runs, turn, time, l)
        later = _seen_after(right[:, None] + 1j * ahead[:, None] + runs, turn, time)
        nodes, weights = _corners(later, half, spacing, is_over)
        is_caught = (shares < 1.0)[..., None]
        successors[:, number] = np.where(is_caught, captured, nodes)
        probabilities[:, number] = np.where(is_caught, [1.0, 0.0, 0.0, 0.0], weights)
        costs[:, number] = time * shares
    game = MarkovGame(successors, probabilities, costs, is_over)
    mirrored = np.arange(right.size).reshape(side, side)[::-1].ravel()
    return ChauffeurGrid(game, right, ahead, spacing, time, mirrored)


def _runs(headings: int) -> NDArray[np.complex128]:
    """Unit vectors right + i ahead, clockwise from ahead, and 0; symmetric to the bit."""
    angles = 2.0 * np.pi / headings * np.arange(headings // 2 + 1)
    half = np.sin(angles) + 1j * np.cos(angles)
    half.real[0] = 0.0
    if headings % 2 == 0:
        half.real[-1] = 0.0
    others = half[1 : (headings + 1) // 2][::-1]
    return np.concatenate([half, -others.conj(), [0.0]])


def _seen_after(
    place: NDArray[np.complex128], turn: int, time: float
) -> NDArray[np.complex128]:
    """A place as the car sees it after it has moved for a time."""
    if turn == 0:
        return place - 1j * time
    car = turn * (1.0 - math.cos(time)) + 1j * math.sin(time)
    # The car turns clockwise by turn * time, so what it sees turns the other way.
    return (place - car) * complex(math.cos(time), turn * math.sin(time))


def _shares_until_capture(
    place: NDArray[np.complex128],
    runs: NDArray[np.complex128],
    turn: int,
    time: float,
    l: float,  # noqa: E741
) -> Numbers:
    """The share of the step, (S, B), after which the evader is caught; 1 if it is not."""
    shares = np.ones((place.size, runs.size))
    before = np.broadcast_to(place[:, None], shares.shape)
    for part in range(1, _PARTS + 1):
        share = part / _PARTS
        after = _seen_after(place[:, None] + share * runs, turn, share * time)
        # Distances do not depend on the frame, but a straight line does: the first one's.
        turned = turn * share * time
        after = after * complex(math.cos(turned), -math.sin(turned))
        move = after - before
        square = np.maximum(np.abs(move) ** 2, 1e-300)
        along = (before * move.conj()).real
        root = along**2 - square * (np.abs(before) ** 2 - l * l)
        at = (-along - np.sqrt(np.maximum(root, 0.0))) / square
        touches = (root > 0.0) & (at >= 0.0) & (at < 1.0) & (shares == 1.0)
        shares = np.where(touches, np.minimum(share - (1.0 - at) / _PARTS, 1.0 - 1e-12), shares)
        before = after
    return shares


def _corners(
    later: NDArray[np.complex128], half: int, spacing: float, is_over: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Numbers]:
    """The corners of the cells that places are in, and their weights, (S, B, 4)."""
    side = 2 * half + 1
    i = np.clip(later.real / spacing + half, 0.0, 2.0 * half)
    j = np.clip(later.imag / spacing + half, 0.0, 2.0 * half)
    row, column = (np.minimum(x.astype(np.int64), 2 * half - 1) for x in (i, j))
    t, u = i - row, j - column
    node = row * side + column
    nodes = np.stack([node, node + 1, node + side, node + side + 1], axis=-1)
    weights = np.stack([(1 - t) * (1 - u), (1 - t) * u, t * (1 - u), t * u], axis=-1)
    outside = np.where(is_over[nodes], 0.0, weights)
    total = outside.sum(axis=-1, keepdims=True)
    kept = total > 1e-9
    return nodes, np.where(kept, outside / np.where(kept, total, 1.0), weights)
