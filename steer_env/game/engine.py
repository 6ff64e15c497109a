"""The engine: N games in columns, stepped by the compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.bounds import MOST_GAMES, Bounds, check_count
from steer_env.errors import InvalidValue
from steer_env.game.config import GameConfig
from steer_env.game.credit import Credit, make_credit
from steer_env.game.damage import check_records
from steer_env.game.exchange import Actions, Outcome, check_finite
from steer_env.game.explanation import EXPLANATION
from steer_env.game.features import Feature, observation_layout
from steer_env.game.learner import Learner
from steer_env.game.limits import limits_of
from steer_env.game.loop import (
    DECIDE,
    FAULTY_BEHAVIOR,
    FAULTY_FEATURE,
    FAULTY_TERM,
    NO_FAULT,
    REFUSE,
    REST,
    RESTART,
    write_actions,
)
from steer_env.game.measurement import measure
from steer_env.game.memory import BLOCK, Measures
from steer_env.game.observation import decode
from steer_env.game.observation_config import ObservationConfig
from steer_env.game.optimal import solutions_of
from steer_env.game.other_scripts import faulty_function
from steer_env.game.random import key_of_seed
from steer_env.game.rules import game_rules, set_script_rows
from steer_env.game.runner import Runner
from steer_env.game.searching import sighting_rows
from steer_env.game.start_states import start_table
from steer_env.game.state import (
    RUNNING,
    State,
    make_state,
    past_of,
    records_of,
    set_records,
    state_dtype,
)
from steer_env.game.threads import thread_count
from steer_env.machine_code.addresses import address_of
from steer_env.scripts.script import Script
from steer_env.scripts.table import Mixtures
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.steering.vectors import truncate

LARGEST_SEED = 2**64 - 1


class Engine:
    """N independent games of pursuit and evasion.

    Game i depends on its own seed and actions only: not on how many games there are, nor
    on the number of threads.

    Args:
        config: the game.
        pursuers: scripts of the pursuers; every episode draws one of them for the side.
            None among them stands for pursuers that are steered from outside.
        evaders: the same for the evaders.
        num_games: N.
        max_episode_steps: the length of an episode if it is shorter than the horizon.
        num_threads: at most so many; None for as many as the machine has, where the
            number of games is worth it.
        learner: the side that learns, PURSUER or EVADER: the reward terms, observations and
            actions of the configuration are its own. None for nobody.
        credit_method: by which each step also writes `credit`, which takes time: TEAM or OWN
            of `steer_env.game.credit`; None for no credit. With it, those that were out
            of play before a step observe zeros after it.

    Attributes:
        state: the live columns: look, do not write.
        credit: what the last step was for each player; None unless asked for.
    """

    def __init__(
        self,
        config: GameConfig,
        pursuers: Sequence[Script | None],
        evaders: Sequence[Script | None],
        num_games: int = 1,
        max_episode_steps: int | None = None,
        num_threads: int | None = None,
        learner: int | None = None,
        credit_method: int | None = None,
    ) -> None:
        self.config = config
        self.num_games = check_count(Bounds(1, MOST_GAMES), "num_envs", num_games)
        self.num_threads = thread_count(num_threads, num_games)
        self.num_players = config.pursuers + config.evaders
        obstacles = config.arena.obstacles
        self.num_features = len(
            observation_layout(self.num_players, config.arena.num_obstacles)
        )
        self.mixtures = Mixtures(pursuers, evaders, config.dt)
        self._solutions = solutions_of(self.mixtures.scripts, config)
        steps = min(config.horizon, max_episode_steps or config.horizon)
        self._rules = game_rules(config, self.mixtures.counts, steps)
        self._limits = limits_of(config)
        self._starts = start_table(config.start, (config.pursuers, config.evaders))
        self._learner = Learner(config, learner, num_games)
        self._observation_sizes = [len(self.features(side)) for side in Side]
        rows = sighting_rows(self.mixtures.scripts, self.num_players)
        past = self._learner.past._replace(sightings=rows)
        self.state = make_state(num_games, self.num_players, config.arena.num_obstacles, past)
        if not isinstance(obstacles, int):
            for number, (x, y, radius) in enumerate(obstacles):
                self.state.center[number] = complex(x, y)
                self.state.obstacle_radius[number] = radius
        self._actions = self._make_actions()
        self.credit: Credit | None = None
        self._credit_method = credit_method
        if credit_method is not None:
            self.credit = make_credit(config.pursuers, config.evaders, num_games)
        self._lay_out()

    def _make_actions(self) -> Actions:
        is_steered = [None in self.mixtures.scripts_of(side) for side in Side]
        return Actions(self.num_games, [self.side_size(side) for side in Side], is_steered)

    def _lay_out(self) -> None:
        """Makes what holds addresses, which are valid in this process only."""
        self._runner = Runner(
            self.config,
            self.state,
            self._limits,
            self._starts,
            self.num_features,
            self._rules,
            self.mixtures.table,
            self._solutions,
            self._learner,
            None if self.credit is None else (self.credit, self._credit_method or 0),
            self.num_threads,
            self._rows_in_play,
        )

    def _rows_in_play(self) -> list[int]:
        """The rows of the scripts that play now, or that episodes may draw."""
        rows, first = [], 0
        for side in Side:
            playing = {*self.state.script[side].tolist()}
            weights = self.mixtures.weights(side)
            rows += [first + i for i, w in enumerate(weights) if w > 0.0 or i in playing]
            first += len(weights)
        return rows

    def side_size(self, side: int) -> int:
        """How many players a side has."""
        return self.config.pursuers if side == PURSUER else self.config.evaders

    @property
    def learner(self) -> int | None:
        """The side that learns; None for nobody."""
        return self._learner.side

    def features(self, side: int) -> tuple[Feature, ...]:
        """The features of a player's observation on a side, one for each number."""
        return self._learner.features(side)

    def sense(self, side: int, observation: ObservationConfig | None = None) -> None:
        """Has a side observe what is chosen, exact and at once; see `Learner.sense`."""
        self._learner.sense(side, observation)
        self._runner.renew_learner()
        self._observation_sizes = [len(self.features(side)) for side in Side]

    @property
    def rules(self) -> NDArray[np.void]:
        """The rules of the games, an array of one `RULES` record; look, do not write."""
        return self._rules

    def get_state(self) -> NDArray[np.void]:
        """A copy of the state of all the games, (N,) records of `state_dtype`."""
        return records_of(self.state, self._rules[0])

    def record(self, game: int = 0) -> np.void:
        """A copy of the state of one game, a record of `state_dtype`."""
        columns: list[Any] = [column[..., game : game + 1] for column in self.state]
        return records_of(State(*columns), self._rules[0])[0]

    def set_state(self, state: NDArray[np.void]) -> None:
        """Puts all the games into a state that `get_state` returned.

        Raises:
            InvalidType: if it is not an array with the records of this engine.
            InvalidValue: if there are not N of them, or they are damaged.
        """
        self.check_state(state)
        self.restore(state)

    def restore(self, state: NDArray[np.void]) -> None:
        """As `set_state`, without its checks: for states that this very engine was in."""
        set_records(self.state, state)
        self._runner.spaces[0].force[...] = 0.0  # of a step that led elsewhere

    def check_state(self, state: NDArray[np.void]) -> None:
        """Raises what `set_state` would, and changes nothing."""
        sizes = self.num_players, self.config.arena.num_obstacles, past_of(self.state)
        counts = self.mixtures.counts
        check_records(state, state_dtype(*sizes), self.num_games, self.config, counts)

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Seeds each game's random stream; None leaves a game's as it is.

        Args:
            seeds: N integers from 0 to LARGEST_SEED, or None.
        """
        places = [place for place, seed in enumerate(seeds) if seed is not None]
        if places:
            given = np.array([seeds[place] for place in places], np.uint64)
            self.state.key[places] = key_of_seed(given)

    def start(
        self, mask: NDArray[np.bool_] | None = None, limits: GameConfig | None = None
    ) -> None:
        """Begins the next episode of all games, or of those whose mask (N,) is True.

        Args:
            mask: None for all games.
            limits: a game whose limits of vehicles these episodes have; None for the engine's.
        """
        outcome = self.new_outcome(PURSUER, is_observed=False)
        if limits is not None:
            self._write_limits(limits)
        try:
            self._call(PURSUER, outcome, 0, RESTART, mask=mask)
        finally:
            if limits is not None:
                self._write_limits(self.config)

    def check_limits(self, config: GameConfig) -> None:
        """Raises an InvalidValue if optimal scripts do not know a game's limits of vehicles."""
        known = solutions_of(self.mixtures.scripts, config)
        if not all(map(np.array_equal, known, self._solutions)):
            raise InvalidValue(
                "an optimal opponent plays by the limits that its game was made with; make "
                "another environment for others"
            )

    def set_limits(self, config: GameConfig) -> None:
        """Has episodes that begin from now on draw their vehicles' limits as a game says.

        Args:
            config: the engine's game, but for these limits.
        """
        self._write_limits(config)
        self.config = config

    def set_start(self, start: Mapping[str, Any]) -> None:
        """Has episodes that begin from now on start elsewhere; see `GameConfig.start`.

        Raises:
            InvalidType, InvalidValue: as `GameConfig`; nothing has changed then.
        """
        self.config = replace(self.config, start=start)
        counts = self.config.pursuers, self.config.evaders
        self._starts = start_table(self.config.start, counts)
        self._runner.set_starts(self._starts)

    def _write_limits(self, config: GameConfig) -> None:
        for array, values in zip(self._limits, limits_of(config)):
            array[...] = values
        self._rules["widest_radius"] = config.highest("radius")

    def set_scripts(
        self,
        side: int,
        scripts: Sequence[Script | None],
        weights: NDArray[np.float64],
        numbers: NDArray[np.int64],
    ) -> None:
        """Replaces the scripts of a side, also of episodes that run.

        Args:
            side: PURSUER or EVADER.
            scripts: see `Engine`.
            weights: see `Mixtures.set_weights`.
            numbers: the new number of each script of before.

        Raises:
            InvalidType: if a user's own behavior cannot be compiled; nothing has changed then.
            InvalidValue: for an optimal script of another game; likewise.
        """
        mixtures = self.mixtures.replaced(side, scripts)
        mixtures.set_weights(side, weights)
        self._solutions = solutions_of(mixtures.scripts, self.config)
        self.mixtures = mixtures
        self.state.script[side] = numbers[self.state.script[side]]
        set_script_rows(self._rules, self.mixtures.counts)
        self._make_room_for_sightings()
        self._runner.set_scripts(self.mixtures.table, self._solutions)
        self._actions = self._make_actions()

    def _make_room_for_sightings(self) -> None:
        """Lets games remember if a script needs it; once they do, states go on having it."""
        rows = sighting_rows(self.mixtures.scripts, self.num_players)
        if rows > len(self.state.sightings):
            self.state = self.state._replace(sightings=np.zeros((rows, self.num_games)))
            self._runner.set_sightings(self.state.sightings)

    def observe(
        self,
        side: int,
        mask: NDArray[np.bool_] | None = None,
        into: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """The observations of a side, (N, players of the side, features) in float32.

        Features are those of `features`.

        Args:
            side: PURSUER or EVADER.
            mask: (N,); only the games where it is True are written.
            into: the array to write into; a new one if None.
        """
        outcome = self.new_outcome(side, is_observed=into is None)
        if into is not None:
            shape = self.num_games, self.side_size(side), self._observation_sizes[side]
            if into.shape != shape or into.dtype != np.float32 or not into.flags.carray:
                raise InvalidValue(f"into must be a C-contiguous float32 array {shape}")
            outcome = outcome._replace(observations=into)
        self._call(side, outcome, 0, REST, mask=mask)
        return outcome.observations

    def forces(self, game: int = 0) -> NDArray[np.complex128]:
        """The steering forces of a game's last step, (players,), in newtons; a copy.

        They are cut to max_force, also where the model of motion cuts something else. They
        are 0 for players that are caught; and for all if there was no step: the game began with
        the last one, `start`, or `set_state`, or the engine was copied since.

        The step leaves them in its scratch space, so they cost it nothing, and more than
        `BLOCK` games overwrite each other's: then they are nan.

        Args:
            game: which of the N.
        """
        if self.num_games > BLOCK:
            return np.full(self.num_players, complex(np.nan, np.nan))
        if self.state.steps[game] == 0:
            return np.zeros(self.num_players, np.complex128)
        limits = self.state.max_force[:, game]
        forces = self._runner.spaces[0].force[:, game].copy()
        squares = forces.real * forces.real + forces.imag * forces.imag
        for number in np.flatnonzero(~(squares <= limits * limits)):
            forces[number] = truncate(forces[number], limits[number])
        forces[~self.state.active[:, game]] = 0j
        return forces

    def new_outcome(self, side: int, is_observed: bool = True) -> Outcome:
        """Arrays for what a side gets of a step, with nothing in them yet."""
        games = self.num_games
        ends = np.empty(games, np.bool_), np.empty(games, np.bool_)
        return Outcome(self._new_observations(side, is_observed), np.empty(games), *ends)

    def _new_observations(self, side: int, is_observed: bool = True) -> NDArray[np.float32]:
        games = self.num_games if is_observed else 0
        shape = games, self.side_size(side), self._observation_sizes[side]
        return np.empty(shape, np.float32)

    def no_actions(self, side: int) -> NDArray[np.float32]:
        """The actions of a side that scripts steer: none, (0, players of the side, 2)."""
        return self._actions.none[side]

    def prepare_step(
        self,
        outcome: Outcome,
        pursuer_actions: NDArray[np.float32],
        evader_actions: NDArray[np.float32],
        side: int,
    ) -> Callable[[], int]:
        """A call that steps all games, with the same arrays each time.

        Args:
            outcome: where to write what the side gets.
            pursuer_actions: float32, C-contiguous, (N, pursuers, 2), or (0, pursuers, 2)
                if the pursuers are scripted; read anew in every call.
            evader_actions: the same for the evaders.
            side: PURSUER or EVADER.

        Returns:
            A function that returns NO_FAULT, or what `raise_fault` takes.

        Raises:
            InvalidValue: for actions of another shape or dtype.
        """
        self._actions.check(pursuer_actions, evader_actions)
        actions = None, pursuer_actions, evader_actions
        return self._runner.prepared(self, 1, (REFUSE, int(side), *actions, *outcome))

    def step(
        self,
        pursuer_actions: NDArray[np.float32],
        evader_actions: NDArray[np.float32],
        side: int,
        restart: bool,
        is_observed: bool = True,
    ) -> Outcome:
        """Steps all games once.

        Args:
            pursuer_actions: see `prepare_step`.
            evader_actions: likewise.
            side: PURSUER or EVADER: the outcome is this side's.
            restart: whether a game that is over begins anew instead of its step.
            is_observed: whether the outcome has observations; among many vehicles they take
                longer than the step.

        Raises:
            InvalidValue: if an action is not finite, or actions have another shape; no game
                has been stepped then.
            gymnasium.error.ResetNeeded: if a game is over and not restarted; likewise.
            FaultyBehavior: if a user's own behavior returned no number.
        """
        self._actions.check(pursuer_actions, evader_actions)
        outcome = self.new_outcome(side, is_observed)
        when_over = RESTART if restart else REFUSE
        self._call(side, outcome, 1, when_over, (pursuer_actions, evader_actions))
        return outcome

    def step_both(
        self,
        pursuer_actions: NDArray[np.float32],
        evader_actions: NDArray[np.float32],
        restart: bool,
    ) -> tuple[Outcome, Outcome]:
        """`step` with the outcomes of both sides, the pursuers' first."""
        self._actions.check(pursuer_actions, evader_actions)
        pursuers, evaders = self.new_outcome(PURSUER), self._new_observations(EVADER)
        memory, when_over = self._runner.memory, RESTART if restart else REFUSE
        memory["others_observations"] = address_of(evaders)
        try:
            self._call(PURSUER, pursuers, 1, when_over, (pursuer_actions, evader_actions))
        finally:
            memory["others_observations"] = 0
        return pursuers, pursuers._replace(observations=evaders, rewards=-pursuers.rewards)

    def decide(self, side: int, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """The actions of a script that sees no more than observations show.

        The games of the engine are overwritten with what the observations show, but their
        chance and their wander points go on.

        Args:
            side: the script's; the engine must have been made with it.
            observations: (N, features), of the first player of the side in each game.

        Returns:
            The player's actions, (N, 2).

        Raises:
            FaultyBehavior: if a user's own behavior returned no number.
        """
        decode(observations, self._rules[0], side, self.state)
        self.state.phase[:] = RUNNING
        return self.decisions(side)[:, 0]

    def decisions(self, side: int) -> NDArray[np.float32]:
        """What the scripts of a side would do now, (N, players of the side, 2); nobody moves.

        Raises:
            FaultyBehavior: if a user's own behavior returned no number.
        """
        self._runner.need(write_actions)
        actions = [np.zeros((self.num_games, self.side_size(s), 2), np.float32) for s in Side]
        self._call(side, self.new_outcome(side, is_observed=False), 1, DECIDE, actions)
        return actions[side]

    def explain(self) -> NDArray[np.void]:
        """Why scripts steer as they would now, (players, N) of `EXPLANATION`; nobody moves.

        Deciding turns wanderers and draws chance, so `restore` the state before a step.
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
        measures: Measures,
        steps: int,
        pursuer_actions: NDArray[np.float32],
        evader_actions: NDArray[np.float32],
    ) -> None:
        """Plays all games that run for some steps, or to their end if that is sooner.

        Args:
            measures: of these games; added to.
            steps: how many at most; with actions from outside, they are the same in each.
            pursuer_actions: see `prepare_step`.
            evader_actions: likewise.

        Raises:
            InvalidValue, FaultyBehavior: as `step`.
        """
        self._actions.check(pursuer_actions, evader_actions)
        outcome = self.new_outcome(PURSUER, is_observed=False)
        measure(self._runner.memory, measures)
        try:
            self._call(PURSUER, outcome, steps, REST, (pursuer_actions, evader_actions))
        finally:
            measure(self._runner.memory, None)

    def _call(
        self,
        side: int,
        outcome: Outcome,
        steps: int,
        when_over: int,
        actions: Sequence[NDArray[np.float32]] | None = None,
        mask: NDArray[np.bool_] | None = None,
    ) -> None:
        """Calls the loop, in as many threads as are worth it, and raises what it reports."""
        given = self._actions.none if actions is None else actions
        chosen = None if mask is None else np.require(mask, np.bool_, ["C", "W"])
        if chosen is not None and chosen.shape != (self.num_games,):
            raise InvalidValue(
                f"a mask must have shape ({self.num_games},), got {chosen.shape}"
            )
        if self.num_threads > 1 and steps > 0:  # before any thread steps its share
            self.check_step(given, when_over != REFUSE)
        fault = self._runner.call(steps, (when_over, int(side), chosen, *given, *outcome))
        if fault != NO_FAULT:
            self.raise_fault(fault, *given)

    def check_step(self, actions: Sequence[NDArray[np.float32]], restart: bool) -> None:
        """Raises an error if an action is not finite, or a game is over and may not restart."""
        at_fault = np.zeros(self.num_games, np.bool_)
        for given in actions:
            if not np.isfinite(given).all():  # to look at each game takes longer than a step
                at_fault |= ~np.isfinite(given).all(axis=(1, 2))
        if not restart:
            at_fault |= self.state.phase != RUNNING
        if at_fault.any():
            self.raise_fault(int(at_fault.argmax()), *actions)

    def raise_fault(self, game: int, *actions: NDArray[np.float32]) -> None:
        """Raises the exception that matches a fault code of the loop, or a game at fault."""
        if game in (FAULTY_TERM, FAULTY_FEATURE):
            raise self._learner.fault(self._runner.spaces)
        if game == FAULTY_BEHAVIOR:
            raise faulty_function(self.mixtures.scripts, self._runner.spaces)
        check_finite(game, actions)
        raise ResetNeeded(f"game {game} is over or has not begun; reset it first")

    def close(self) -> None:
        """Ends the threads."""
        self._runner.close()

    def __getstate__(self) -> dict[str, Any]:
        """All but what holds addresses."""
        kept = self.__dict__.copy()
        del kept["_runner"]
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Makes the addresses and the scratch space anew."""
        self.__dict__.update(kept)
        self._lay_out()
