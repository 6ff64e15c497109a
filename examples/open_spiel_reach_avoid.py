# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines,multi]", "open_spiel"]
# ///
"""Guarding a target in OpenSpiel: a `steer_env.parallel_env` as a game of pyspiel.

    python examples/open_spiel_reach_avoid.py

Few long steps and four courses make a finite game of `ReachAvoid-v0`. Its equilibrium comes
from the matrix game of each state, solved from the end backward. OpenSpiel turns the game into
one with turns and hidden choices, and measures exploitability with its own best responses: that
of the equilibrium must be 0, and that of random play must be the one of best responses here.
"""

import argparse
import copy
import re
import time

import numpy as np
import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability

from steer_env import parallel_env
from steer_env.baselines.cross_play import solve_matrix_game

PARAMETERS = {"steps": 2, "dt": 1.0, "nu": 0.7}
"""The number of steps, their length in seconds, and the attacker's speed."""

COURSES = (1, 3, 5, 7)
"""Of the nine actions: ahead, to the left, back and to the right."""

START = {
    "pursuer": {"position": (1.0, 0.6), "heading": 0.0, "speed": 0.0},
    "evader": {"position": (-1.6, -1.0), "heading": 0.0, "speed": 0.0},
}

GAME_TYPE = pyspiel.GameType(
    short_name="python_reach_avoid",
    long_name="Guarding a target in few steps",
    dynamics=pyspiel.GameType.Dynamics.SIMULTANEOUS,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=False,
    provides_factored_observation_string=False,
    parameter_specification=PARAMETERS,
)


class JointState:
    """A state in which both sides choose at once: an environment, and how it got there.

    After the start nothing is random, so equal actions lead to equal states.
    """

    def __init__(self, **game):
        self.env = parallel_env(action_type="discrete", **game)
        self.env.reset(seed=0)
        self.history, self.returns = [], np.zeros(2)

    def is_terminal(self):
        """True after a capture, or when time is up."""
        return not self.env.agents

    def after(self, actions):
        """The state after a step, in which the sides choose actions from 0 to 8."""
        following = copy.deepcopy(self)
        rewards = following.env.step(dict(zip(self.env.agents, actions)))[1]
        following.returns += list(rewards.values())
        following.history += map(int, actions)
        return following


class ReachAvoidGame(pyspiel.Game):
    """The game in few steps. Player 0 is the defender, player 1 the attacker."""

    def __init__(self, params=None):
        given = PARAMETERS | dict(params or {})
        self.first = JointState(
            game="reach_avoid",
            start=START,
            nu=given["nu"],
            dt=given["dt"],
            horizon=int(given["steps"]),
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=len(COURSES),
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-10.0,
            max_utility=10.0,
            utility_sum=0.0,
            max_game_length=int(given["steps"]),
        )
        super().__init__(GAME_TYPE, info, PARAMETERS | dict(params or {}))

    def new_initial_state(self):
        """The start."""
        return ReachAvoidState(self)

    def make_py_observer(self, iig_obs_type=None, params=None):
        """The observer that names information states."""
        return Actions()


class Actions:
    """The observer of both players."""

    tensor, dict = None, {}

    def set_from(self, state, player):
        """Does nothing, since there is no tensor."""

    def string_from(self, state, player):
        """All actions so far, of both."""
        return f"{player}: {state}"


class ReachAvoidState(pyspiel.State):
    """A state of the game: `JointState` with the names of OpenSpiel."""

    def __init__(self, game):
        super().__init__(game)
        self._state = game.first

    def __deepcopy__(self, memo):
        """A copy, as OpenSpiel's `clone` asks for one; joint states never change."""
        other = ReachAvoidState(self.get_game())
        other._state = self._state
        return other

    def is_terminal(self):
        """True if the attacker is caught or has reached the target, or time is up."""
        return self._state.is_terminal()

    def current_player(self):
        """Both at once, or nobody."""
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        return pyspiel.PlayerId.SIMULTANEOUS

    def _legal_actions(self, player):
        return [] if self.is_terminal() else list(range(len(COURSES)))

    def _apply_actions(self, actions):
        self._state = self._state.after([COURSES[action] for action in actions])

    def returns(self):
        """The growth of the attacker's distance from the target since the start, at the end."""
        return self._state.returns.tolist() if self.is_terminal() else [0.0, 0.0]

    def _action_to_string(self, player, action):
        return f"player {player}: {('ahead', 'left', 'back', 'right')[action]}"

    def __str__(self):
        return str(self._state.history)


pyspiel.register_game(GAME_TYPE, ReachAvoidGame)


class Solution:
    """The equilibrium of each state, and the best responses to random play, by recursion."""

    def __init__(self, first):
        self.mixtures = {}  # of both players, by the history so far
        self.value, *self.against_random = self._solve(first)

    def _solve(self, state):
        """The defender's payoffs: in equilibrium, as best response, and when responded to."""
        if state.is_terminal():
            return (state.returns[0],) * 3
        payoffs = np.empty((3, len(COURSES), len(COURSES)))
        for row, one in enumerate(COURSES):
            for column, other in enumerate(COURSES):
                payoffs[:, row, column] = self._solve(state.after([one, other]))
        rows, columns, cost = solve_matrix_game(-payoffs[0])
        self.mixtures[str(state.history)] = rows, columns
        return -cost, payoffs[1].mean(axis=1).max(), payoffs[2].mean(axis=0).min()


def measure(**params):
    """Returns exploitability in OpenSpiel and here, of the equilibrium and of random play."""
    game = pyspiel.load_game(GAME_TYPE.short_name, params)
    solution = Solution(ReachAvoidGame(params).first)
    turns = pyspiel.convert_to_turn_based(game)
    equilibrium = policy.TabularPolicy(turns)
    for name, row in equilibrium.state_lookup.items():
        player, history = re.search(r"^(\d): (\[.*\])", name, re.MULTILINE).groups()
        equilibrium.action_probability_array[row] = solution.mixtures[history][int(player)]
    best, worst = solution.against_random
    theirs = [
        exploitability.exploitability(turns, one)
        for one in (equilibrium, policy.UniformRandomPolicy(turns))
    ]
    # Both players' gains, and OpenSpiel takes the mean of them.
    return theirs, [0.0, 0.5 * (best - worst)], solution.value


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=PARAMETERS["steps"])
    given = parser.parse_args()
    began = time.perf_counter()
    theirs, ours, value = measure(steps=given.steps)
    print(f"value {value:.6f} m farther than at first, {time.perf_counter() - began:.1f} s")
    for name, one, other in zip(("equilibrium", "random play"), theirs, ours):
        print(f"result: exploitability of {name}: OpenSpiel {one:.9f}, steer_env {other:.9f}")
    if not np.allclose(theirs, ours, atol=1e-6):
        raise SystemExit("the two differ")
