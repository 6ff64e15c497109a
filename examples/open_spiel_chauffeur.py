# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "open_spiel", "cvxpy", "ecos"]
# ///
"""The homicidal chauffeur in OpenSpiel: a game of simultaneous moves and chance, solved there.

    python examples/open_spiel_chauffeur.py

`steer_env.solved.chauffeur_grid` makes a finite Markov game of the chauffeur. Here it becomes a
game of OpenSpiel: in each step both players choose at once, and a chance node chooses the
corner of the cell where the game goes on. It ends with the capture, or after some steps.
OpenSpiel's value iteration, with its linear program at each state, finds the value of a coarse
one. It must be that of our own value iteration.
"""

import argparse
import time

import numpy as np
import pyspiel
from open_spiel.python.algorithms import value_iteration

from steer_env.solved.chauffeur_grid import chauffeur_game_on_grid

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


class ChauffeurGame(pyspiel.Game):
    """The game on a grid; player 0 is the car, player 1 the evader."""

    def __init__(self, params=None):
        given = PARAMETERS | dict(params or {})
        self.steps = given.pop("steps")
        start = complex(given.pop("right"), given.pop("ahead"))
        self.grid = chauffeur_game_on_grid(**given)
        places = self.grid.right + 1j * self.grid.ahead
        self.start = int(np.abs(places - start).argmin())
        longest = self.steps * self.grid.step
        _, rows, columns, corners = self.grid.game.successors.shape
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
    def _game(self):
        return self.get_game().grid.game

    def is_terminal(self):
        """Whether the evader is caught, or time is up."""
        is_late = self._step == self.get_game().steps
        return self._actions is None and bool(is_late or self._game.is_over[self._node])

    def current_player(self):
        """Both at once, chance, or nobody."""
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        is_chance = self._actions is not None
        return pyspiel.PlayerId.CHANCE if is_chance else pyspiel.PlayerId.SIMULTANEOUS

    def _legal_actions(self, player):
        return list(range(self._game.costs.shape[1 + player]))

    def chance_outcomes(self):
        """The corners of the cell and their probabilities."""
        chances = self._game.probabilities[(self._node, *self._actions)]
        return [(k, float(chance)) for k, chance in enumerate(chances) if chance > 0.0]

    def _apply_actions(self, actions):
        self._actions = tuple(actions)
        self._cost = float(self._game.costs[(self._node, *self._actions)])

    def _apply_action(self, action):
        self._node = int(self._game.successors[(self._node, *self._actions, action)])
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
    return theirs, ours.grid.game.values_of_steps(ours.steps)[ours.start], len(values)


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
