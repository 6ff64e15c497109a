"""The engine: N games in columns, stepped by the compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.fields import MOST_GAMES, Bounds, check_count
from steer_env.game import state as states
from steer_env.game.config import Game
from steer_env.game.config.features import Feature
from steer_env.game.config.observation import ObservationConfig
from steer_env.game.config.starts import start_table
from steer_env.game.look.learner import Learner
from steer_env.game.random import key_of_seed
from steer_env.game.rules import game_rules, limits_of, unscaled_features
from steer_env.game.run import memory
from steer_env.game.run.runner import Actions, Outcome, Runner, thread_count
from steer_env.game.run.turn import Turn
from steer_env.game.state import RUNNING, State, sighting_rows, state_dtype
from steer_env.machine_code.addresses import address_of
from steer_env.scripts.script import Script
from steer_env.scripts.table import EXPLANATION, Mixtures
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.steering.vectors import truncate

LARGEST_SEED = 2**64 - 1


class Engine:
    """N independent games of pursuit and evasion.

    Game i depends on its own seed and actions only: not on the number of games, nor of threads.

    Args:
        config: the game.
        pursuers: scripts, of which every episode draws one; None for players steered from
            outside.
        evaders: the same for the evaders.
        num_games: N.
        max_episode_steps: the length of an episode if it is shorter than the horizon.
        num_threads: see `thread_count`.
        learner: PURSUER or EVADER, the side that learns; None for neither.
        credit_method: TEAM or OWN of `reward_terms`, by which steps also write `credit`, and
            zero observations of players out of play; None for no credit.

    Attributes:
        space: the game that it was made with: its limits are the largest ones.
        state: the live columns, read-only.
        rules: an array of one `RULES` record, read-only.
        credit: the last step for each player; None unless asked for.
        turn: for environments to take for as long as a call of theirs lasts.
    """

    def __init__(
        self,
        config: Game,
        pursuers: Sequence[Script | None],
        evaders: Sequence[Script | None],
        num_games: int = 1,
        max_episode_steps: int | None = None,
        num_threads: int | None = None,
        learner: int | None = None,
        credit_method: int | None = None,
    ) -> None:
        self.config = self.space = config
        self.num_games = check_count(Bounds(1, MOST_GAMES), "num_envs", num_games)
        self.num_threads = thread_count(num_threads, num_games)
        self.num_players = config.pursuers + config.evaders
        obstacles, count = config.obstacles, config.num_obstacles
        self.num_features = len(unscaled_features(config))
        self.mixtures = Mixtures(pursuers, evaders, config.dt)
        self.solutions = [_solution_of(script, config) for script in self.mixtures.scripts]
        steps = min(config.horizon, max_episode_steps or config.horizon)
        self.rules = game_rules(config, self.mixtures.counts, steps)
        self.limits, teams = limits_of(config), (config.pursuers, config.evaders)
        self.starts = start_table(config.start, teams)
        self.learner, self.credit, self.credit_method = learner, None, credit_method
        self.learning = Learner(config, learner, num_games, self.num_features)
        rows = sighting_rows(self.mixtures.scripts, self.num_players, bool(config.map))
        own, maps = len(config.own) * self.num_players, 2 if config.map else 0
        past = self.learning.past._replace(sightings=rows, map=maps, own=own)
        is_observed = learner is not None or credit_method is not None
        needs = self.learning.memory_of_game(past, is_observed)
        needs["vehicles and obstacles"] = state_dtype(self.num_players, count).itemsize
        memory.check_memory(num_games, needs)
        self.state = states.make_state(num_games, self.num_players, count, past)
        if not isinstance(obstacles, int):
            for number, (x, y, radius) in enumerate(obstacles):
                self.state.center[number] = complex(x, y)
                self.state.obstacle_radius[number] = radius
        if credit_method is not None:
            self.credit = memory.make_credit(*teams, num_games)
        self._connect()

    def _connect(self) -> None:
        self.turn, self._runner = Turn(self.state.phase), Runner(self)

    def side_size(self, side: int) -> int:
        """The number of a side's players."""
        return self.config.pursuers if side == PURSUER else self.config.evaders

    def features(self, side: int) -> tuple[Feature, ...]:
        """The features of a player's observation on a side, one for each number."""
        return self.learning.features(side)

    def sense(self, side: int, observation: ObservationConfig | None = None) -> None:
        """Gives a side the configured features, without noise or delay, see `Learner.sense`."""
        self.learning.sense(side, observation)
        self._runner.renew_learner()

    def get_state(self) -> NDArray[np.void]:
        """A copy of the state of all the games, (N,) records of `state_dtype`."""
        return states.records_of(self.state, self.rules[0])

    def record(self, game: int = 0) -> np.void:
        """A copy of the state of one game, a record of `state_dtype`."""
        columns: list[Any] = [column[..., game : game + 1] for column in self.state]
        return states.records_of(State(*columns), self.rules[0])[0]

    def set_state(self, state: NDArray[np.void]) -> None:
        """Restores a state that `get_state` returned, see `check_records`."""
        self.check_state(state)
        self.restore(state)

    def restore(self, state: NDArray[np.void]) -> None:
        """Restores a state of this very engine, without checks."""
        states.set_records(self.state, state)
        self._runner.spaces[0].force[...] = 0.0  # forces belong to a step that was rolled back

    def check_state(self, state: NDArray[np.void]) -> None:
        """Raises the errors of `set_state`, and changes nothing."""
        states.check_records(state, self.state, self.space, self.mixtures.counts)

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Seeds games' random streams with N integers from 0 to LARGEST_SEED, None for none."""
        places = [place for place, seed in enumerate(seeds) if seed is not None]
        if places:
            given = np.array([seeds[place] for place in places], np.uint64)
            self.state.key[places] = key_of_seed(given)

    def start(
        self,
        mask: NDArray[np.bool_] | None = None,
        limits: Game | None = None,
        maps: NDArray[np.int64] | None = None,
    ) -> None:
        """Begins the next episode of all games, or of those whose mask (N,) is True.

        These episodes have the limits of another game's vehicles if there is one, and the maps
        of these numbers, (N,), which are drawn for -1.
        """
        outcome = self.new_outcome(PURSUER, is_observed=False)
        if limits is not None:
            self._write_limits(limits)
        if maps is not None:
            self._runner.memory["chosen_maps"] = address_of(maps)
        try:
            self._runner.call(PURSUER, outcome, 0, memory.RESTART, mask=mask)
        finally:
            self._runner.memory["chosen_maps"] = 0  # the array is the caller's
            if limits is not None:
                self._write_limits(self.config)

    def check_limits(self, config: Game) -> None:
        """Raises an InvalidValue if optimal scripts do not know a game's limits of vehicles."""
        known = (_solution_of(script, config) for script in self.mixtures.scripts)
        if not all(map(np.array_equal, known, self.solutions)):
            raise InvalidValue(
                "an optimal opponent plays by the limits that its game was made with; make "
                "another environment for others"
            )

    def set_limits(self, config: Game) -> None:
        """Uses the vehicle limits of `config` for later episodes."""
        self._write_limits(config)
        self.config = config

    def _write_limits(self, config: Game) -> None:
        for array, values in zip(self.limits, limits_of(config)):
            array[...] = values
        self.rules["widest_radius"] = config.highest("radius")

    def set_scripts(
        self,
        side: int,
        scripts: Sequence[Script | None],
        weights: NDArray[np.float64],
        numbers: NDArray[np.int64],
    ) -> None:
        """Replaces the scripts of a side, also of episodes that run.

        ``weights`` are those of `Mixtures.set_weights`; ``numbers`` maps old script numbers to
        new ones. Nothing changes on an error: an InvalidType for a behavior that cannot be
        compiled, an InvalidValue for an optimal script of another game.
        """
        mixtures = self.mixtures.replaced(side, scripts)
        mixtures.set_weights(side, weights)
        self.solutions = [_solution_of(script, self.config) for script in mixtures.scripts]
        self.mixtures, counts = mixtures, mixtures.counts
        self.state.script[side] = numbers[self.state.script[side]]
        self.rules["first_script"], self.rules["num_scripts"] = (0, counts[0]), counts
        rows = sighting_rows(mixtures.scripts, self.num_players, bool(self.config.map))
        if rows > len(self.state.sightings):  # they never shrink
            self.state = self.state._replace(sightings=np.zeros((rows, self.num_games)))
        self._runner.set_scripts()

    def observe(
        self,
        side: int,
        mask: NDArray[np.bool_] | None = None,
        into: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """The observations of a side, (N, players of the side, features) in float32.

        They are written into an array if there is one, where the mask (N,) is True.
        """
        outcome = self.new_outcome(side, is_observed=into is None)
        if into is not None:
            shape = self.num_games, *outcome.observations.shape[1:]
            if into.shape != shape or into.dtype != np.float32 or not into.flags.carray:
                raise InvalidValue(f"into must be a C-contiguous float32 array {shape}")
            outcome = outcome._replace(observations=into)
        self._runner.call(side, outcome, 0, memory.IDLE, mask=mask)
        return outcome.observations

    def forces(self, game: int = 0) -> NDArray[np.complex128]:
        """A copy of the steering forces of a game's last step, (players,), in newtons.

        They are cut to max_force, 0 for caught players and without a last step (after `start`,
        `restore` or a copy), and nan with more than `BLOCK` games.
        """
        if self.num_games > memory.BLOCK:
            return np.full(self.num_players, complex(np.nan, np.nan))
        if self.state.steps[game] == 0:
            return np.zeros(self.num_players, np.complex128)
        decided, limits = self._runner.spaces[0].force[:, game], self.state.max_force[:, game]
        forces = [*map(truncate, decided.tolist(), limits.tolist())]
        return np.where(self.state.active[:, game], forces, 0j)

    def new_outcome(self, side: int, is_observed: bool = True) -> Outcome:
        """Uninitialized arrays for the outcome of a step for a side."""
        games = self.num_games
        shape = games * is_observed, self.side_size(side), self.learning.sizes[side]
        ends = np.empty(games, np.bool_), np.empty(games, np.bool_)
        return Outcome(np.empty(shape, np.float32), np.empty(games), *ends)

    def no_actions(self, side: int) -> Actions:
        """The actions of a side that scripts steer: none, (0, players of the side, 2)."""
        return self._runner.no_actions[side]

    def prepare_step(
        self, outcome: Outcome, pursuer_actions: Actions, evader_actions: Actions, side: int
    ) -> Callable[[], int]:
        """A function that steps all games, reading and writing the same arrays each time.

        It returns NO_FAULT or a code for `raise_fault`.
        """
        self._runner.check_actions(pursuer_actions, evader_actions)
        actions = None, pursuer_actions, evader_actions
        return self._runner.prepared(1, (memory.REFUSE, int(side), *actions, *outcome))

    def step(
        self,
        pursuer_actions: Actions,
        evader_actions: Actions,
        side: int,
        restart: bool,
        is_observed: bool = True,
    ) -> Outcome:
        """Steps all games once, and returns a side's outcome.

        With ``restart`` a game that is over starts its next episode instead.

        Raises:
            InvalidValue: if an action is not finite, or actions have another shape.
            gymnasium.error.ResetNeeded: if a game is over and not restarted. No game has been
                stepped then, nor with such actions.
            FaultyBehavior: if a user-defined behavior returned no number.
        """
        self._runner.check_actions(pursuer_actions, evader_actions)
        outcome = self.new_outcome(side, is_observed)
        when_over = memory.RESTART if restart else memory.REFUSE
        self._runner.call(side, outcome, 1, when_over, (pursuer_actions, evader_actions))
        return outcome

    def step_both(
        self, pursuer_actions: Actions, evader_actions: Actions, restart: bool
    ) -> tuple[Outcome, Outcome]:
        """`step` with the outcomes of both sides, the pursuers' first."""
        record, evaders = self._runner.memory, self.new_outcome(EVADER).observations
        record["others_observations"] = address_of(evaders)
        try:
            pursuers = self.step(pursuer_actions, evader_actions, PURSUER, restart)
        finally:
            record["others_observations"] = 0
        return pursuers, pursuers._replace(observations=evaders, rewards=-pursuers.rewards)

    def decide(self, side: int, observations: NDArray[np.float32]) -> Actions:
        """The actions, (N, 2), of a script that sees no more than observations show.

        The observations, (N, features), are those of the side's first player in each game, and
        overwrite the games, except their chance and wander points.
        """
        from steer_env.game.look.encoding import decode  # few games need it

        decode(observations, self.rules[0], side, self.state)
        self.state.phase[:] = RUNNING
        return self.decisions(side)[:, 0]

    def decisions(self, side: int) -> Actions:
        """The actions of a side's scripts now, (N, players of the side, 2), without a step."""
        actions = [np.zeros((self.num_games, self.side_size(s), 2), np.float32) for s in Side]
        outcome = self.new_outcome(side, is_observed=False)
        self._runner.call(side, outcome, 1, memory.DECIDE, actions)
        return actions[side]

    def explain(self) -> NDArray[np.void]:
        """The reasons of scripts' decisions now, (players, N) of `EXPLANATION`, without a step.

        It changes wander points and draws chance, so `restore` the state before a step.
        """
        explanations = np.zeros((self.num_players, self.num_games), EXPLANATION)
        self._runner.explain_into(explanations)
        try:
            self.decisions(PURSUER)
        finally:
            self._runner.memory["explanations"] = 0  # the array is the caller's
        return explanations

    def play(
        self,
        measures: memory.Measures,
        steps: int,
        pursuer_actions: Actions,
        evader_actions: Actions,
    ) -> None:
        """Plays running games for some steps with the same actions, and measures them."""
        self._runner.check_actions(pursuer_actions, evader_actions)
        outcome = self.new_outcome(PURSUER, is_observed=False)
        self._runner.measure(measures)
        try:
            actions = pursuer_actions, evader_actions
            self._runner.call(PURSUER, outcome, steps, memory.IDLE, actions)
        finally:
            self._runner.measure(None)

    def check_step(self, actions: Sequence[Actions], restart: bool) -> None:
        """Raises an error if an action is not finite, or a game is over and may not restart."""
        self._runner.check_step(actions, restart)

    def raise_fault(self, game: int, *actions: Actions) -> None:
        """Raises the exception that matches a fault code of the loop, or a game at fault."""
        self._runner.raise_fault(game, *actions)

    def close(self) -> None:
        """Ends the threads."""
        self._runner.close()

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the addresses of this process."""
        kept = self.__dict__.copy()
        del kept["_runner"], kept["turn"]
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Rebuilds the addresses and the scratch space."""
        self.__dict__.update(kept)
        self._connect()


def _solution_of(script: Script | None, config: Game) -> NDArray[np.float64]:
    """The solution that a script reads, one 0 if it is not optimal."""
    if script is None or not script.is_optimal:
        return np.zeros(1)
    from steer_env.game.run.optimal import solution_of  # with all solved games

    return solution_of(script.behavior_name, config)
