# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "open_spiel", "cvxpy", "ecos"]
# ///
"""The homicidal chauffeur in OpenSpiel: a game of simultaneous moves and chance, solved there.

    python examples/open_spiel_chauffeur.py

`chauffeur_on_grid` makes a finite Markov game of the chauffeur. Here it becomes a game of
OpenSpiel: in each step both players choose at once, and a chance node chooses the corner of the
cell where the game goes on. It ends with the capture, or after some steps. OpenSpiel's value
iteration, with its linear program at each state, finds the value of a coarse one. It must be
that of value iteration on the arrays.
"""

import argparse
import time
from typing import NamedTuple

import numpy as np
import pyspiel
from open_spiel.python.algorithms import value_iteration

from steer_env.baselines.cross_play import solve_matrix_game

PARAMETERS = {
    "nu": 0.3,
    "l": 0.5,
    "spacing": 0.5,
    "headings": 4,
    "size": 1.5,
    "step": 0.75,
    "steps": 5,
    "right": 0.5,
    "ahead": 1.5,
}
"""The game on a grid, how many steps it lasts, and where the evader starts."""

GAME_TYPE = pyspiel.GameType(
    short_name="python_homicidal_chauffeur",
    long_name="Homicidal chauffeur on a grid",
    dynamics=pyspiel.GameType.Dynamics.SIMULTANEOUS,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.REWARDS,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=False,
    provides_factored_observation_string=False,
    parameter_specification=PARAMETERS,
)

TURNS = (-1, 0, 1)
"""The car's actions: left, straight ahead, right."""


class Grid(NamedTuple):
    """A finite Markov game of S states, 3 turns of the car and A runs of the evader."""

    places: np.ndarray
    """(S,), the evader's: right + i ahead of the car, in turning radii."""
    successors: np.ndarray
    """(S, 3, A, 4), the corners of the cell to which a step leads."""
    probabilities: np.ndarray
    """(S, 3, A, 4), the weights of linear interpolation."""
    costs: np.ndarray
    """(S, 3, A), the time until the end of the step or the capture."""
    is_over: np.ndarray
    """(S,), within the capture radius."""


def chauffeur_on_grid(nu, l, spacing, headings, size, step):  # noqa: E741
    """Returns the game on a grid: the Markov chain of Kushner and Dupuis (2001).

    The evader runs straight in one of some directions, or rests. A place between nodes counts
    as the corners of its cell, one beyond the grid as the nearest on its edge. Corners inside
    the capture circle pass their weight on: rounding must not catch the evader.

    Args:
        nu: the evader's speed over the car's.
        l: the capture radius.
        spacing: of the nodes.
        headings: the evader's directions, clockwise from ahead as the car sees it.
        size: how far the grid reaches to each side.
        step: the time of a step.
    """
    half = round(size / spacing)
    axis = spacing * np.arange(-half, half + 1.0)
    places = (axis[:, None] + 1j * axis).ravel()
    is_over = np.abs(places) <= l
    runs = np.append(1j * np.exp(-2j * np.pi * np.arange(headings) / headings), 0.0)
    shares = _shares_until_capture(places, nu * runs, step, l)
    # The car turns clockwise, so what it sees turns the other way.
    later = _seen_after(places, nu * runs, step) * np.exp(1j * step * np.array(TURNS)[:, None])
    i, j = (np.clip(x / spacing + half, 0.0, 2.0 * half) for x in (later.real, later.imag))
    row, column = (np.minimum(x.astype(int), 2 * half - 1) for x in (i, j))
    t, u = i - row, j - column
    side = 2 * half + 1
    nodes = (row * side + column)[..., None] + np.array([0, 1, side, side + 1])
    weights = np.stack([(1 - t) * (1 - u), (1 - t) * u, t * (1 - u), t * u], axis=-1)
    outside = np.where(is_over[nodes], 0.0, weights)
    total = outside.sum(axis=-1, keepdims=True)
    weights = np.where(total > 1e-9, outside / np.maximum(total, 1e-9), weights)
    is_caught = (shares < 1.0)[..., None]
    middle = places.size // 2
    return Grid(
        places,
        np.where(is_caught, middle, nodes),
        np.where(is_caught, [1.0, 0.0, 0.0, 0.0], weights),
        step * shares,
        is_over,
    )


def _seen_after(places, velocities, time):
    """The evader from the car, (S, 3, A), in the frame in which the car began to turn."""
    turns = np.array(TURNS)[:, None]
    car = np.where(turns == 0, 1j * time, turns * (1.0 - np.exp(-1j * turns * time)))
    return places[:, None, None] + time * velocities - car


def _shares_until_capture(places, velocities, step, l, parts=4):  # noqa: E741
    """The share of the step, (S, 3, A), after which the evader is caught; 1 if it is not.

    In each part of the step the relative motion counts as straight, in the car's first frame.
    """
    shares = np.ones((places.size, len(TURNS), velocities.size))
    before = np.broadcast_to(places[:, None, None], shares.shape)
    for part in range(1, parts + 1):
        after = _seen_after(places, velocities, step * part / parts)
        move = after - before
        square = np.maximum(np.abs(move) ** 2, 1e-300)
        along = (before * move.conj()).real
        root = along**2 - square * (np.abs(before) ** 2 - l * l)
        at = (-along - np.sqrt(np.maximum(root, 0.0))) / square
        touches = (root > 0.0) & (at >= 0.0) & (at < 1.0) & (shares == 1.0)
        caught = np.minimum((part - 1.0 + at) / parts, 1.0 - 1e-12)
        shares, before = np.where(touches, caught, shares), after
    return shares


def values_of_steps(grid, steps):
    """Returns the value of each state if the game ends after some steps: value iteration."""
    values = np.zeros(grid.places.size)
    for _ in range(steps):
        expected = grid.costs + (grid.probabilities * values[grid.successors]).sum(axis=-1)
        values = np.array(
            [
                0.0 if is_over else solve_matrix_game(costs)[2]
                for is_over, costs in zip(grid.is_over, expected)
            ]
        )
    return values


class ChauffeurGame(pyspiel.Game):
    """The game on a grid; player 0 is the car, player 1 the evader."""

    def __init__(self, params=None):
        given = PARAMETERS | dict(params or {})
        self.steps = given.pop("steps")
        start = complex(given.pop("right"), given.pop("ahead"))
        self.grid = chauffeur_on_grid(**given)
        self.start = int(np.abs(self.grid.places - start).argmin())
        longest = self.steps * given["step"]
        _, rows, columns, corners = self.grid.successors.shape
        info = pyspiel.GameInfo(
            num_distinct_actions=max(rows, columns),
            max_chance_outcomes=corners,
            num_players=2,
            min_utility=-longest,
            max_utility=longest,
            utility_sum=0.0,
            max_game_length=self.steps,
        )
        super().__init__(GAME_TYPE, info, PARAMETERS | dict(params or {}))

    def new_initial_state(self):
        """The start that the parameters say."""
        return ChauffeurState(self)


class ChauffeurState(pyspiel.State):
    """A node of the grid and a step; or a chance node after both players' actions."""

    def __init__(self, game):
        super().__init__(game)
        self._node, self._step = game.start, 0
        self._actions = None  # at a chance node those that lead there
        self._cost, self._paid = 0.0, 0.0

    @property
    def _grid(self):
        return self.get_game().grid

    def is_terminal(self):
        """True if the evader is caught, or time is up."""
        is_late = self._step == self.get_game().steps
        return self._actions is None and bool(is_late or self._grid.is_over[self._node])

    def current_player(self):
        """Both at once, chance, or nobody."""
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        is_chance = self._actions is not None
        return pyspiel.PlayerId.CHANCE if is_chance else pyspiel.PlayerId.SIMULTANEOUS

    def _legal_actions(self, player):
        return list(range(self._grid.costs.shape[1 + player]))

    def chance_outcomes(self):
        """The corners of the cell and their probabilities."""
        chances = self._grid.probabilities[(self._node, *self._actions)]
        return [(k, float(chance)) for k, chance in enumerate(chances) if chance > 0.0]

    def _apply_actions(self, actions):
        self._actions = tuple(actions)
        self._cost = float(self._grid.costs[(self._node, *self._actions)])

    def _apply_action(self, action):
        self._node = int(self._grid.successors[(self._node, *self._actions, action)])
        self._paid += self._cost
        self._step += 1
        self._actions = None

    def rewards(self):
        """Minus the time of the last step for the car, once chance has chosen."""
        cost = self._cost if self._actions is None else 0.0
        return [-cost, cost]

    def returns(self):
        """Minus the time so far for the car."""
        return [-self._paid, self._paid]

    def _action_to_string(self, player, action):
        if player == pyspiel.PlayerId.CHANCE:
            return f"corner {action}"
        return ("left", "straight", "right")[action] if player == 0 else f"heading {action}"

    def __str__(self):
        # States of one name are one state to OpenSpiel's value iteration.
        return f"{self._step} {self._node} {self._paid!r} {self._actions}"


pyspiel.register_game(GAME_TYPE, ChauffeurGame)


def solve(**params):
    """Returns the value of the start in OpenSpiel and here, and how many states it has seen."""
    game = pyspiel.load_game(GAME_TYPE.short_name, params)
    values = value_iteration.value_iteration(game, -1, 1e-9, cyclic_game=True)
    theirs = -values[str(game.new_initial_state())]
    ours = ChauffeurGame(params)
    return theirs, values_of_steps(ours.grid, ours.steps)[ours.start], len(values)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=PARAMETERS["steps"])
    given = parser.parse_args()
    began = time.perf_counter()
    theirs, ours, states = solve(steps=given.steps)
    seconds = time.perf_counter() - began
    print(f"{states} states, {seconds:.1f} s")
    print(
        f"result: OpenSpiel {theirs:.9f}, steer_env {ours:.9f}, apart {abs(theirs - ours):.1e}"
    )
    if not abs(theirs - ours) < 1e-6:
        raise SystemExit("the two values differ")
