"""Dynamic programming on grids of reduced states, with the engine as the model of the game.

On a grid of reduced states the best response to a fixed player satisfies Bellman's equation: a
game that lasts for one decision more begins with the response's best control u,

    W(x, n + 1) = opt over u of  W(x', n),

with the state x' that follows x, and from the payoff W(x, 0) of a game that ends at once. Where
a closest approach is the payoff, W is at most the least distance on the way from x to x'. The
engine plays that way, from each node with each control: there is no second model of the game.
W(x', n) is interpolated linearly: a monotone, semi-Lagrangian scheme (Falcone and Ferretti
2014).

The time to capture jumps, for instance at a barrier, and interpolating would smear the jump.
The closest approach up to a time is continuous. So the grid holds that, and the time to capture
is when it comes down to the capture radius (Mitchell, Bayen and Tomlin 2005).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.measures import payoff_of
from steer_env.baselines.reduced_states import Numbers, Reduction
from steer_env.baselines.rollouts import parts_of, records_of_episodes, seeds_from
from steer_env.baselines.solved_games import States
from steer_env.baselines.tasks import HELD_OUT_SEED
from steer_env.errors import InvalidValue
from steer_env.game.config import Game
from steer_env.game.engine import Engine
from steer_env.game.run.memory import make_measures
from steer_env.game.state import OVER, RUNNING
from steer_env.players.player import Player
from steer_env.sides import EVADER, Side

AT_ONCE = 2**14
"""Games that are played together."""

# Steps for which a control is held: captures are far away, and interpolation errs at each
# decision. In play another control may follow at each step.
_HOLD = {"time": 3}
_ASPECT = 1.5  # nodes of an angle for each of a distance
_BLOCK = 2**12  # nodes whose controls are compared together, so that they stay in the cache
_TOLERANCE = 1e-5  # of the largest change after which nothing more happens, in meters
_FINER = (-0.5, -0.25, 0.25, 0.5)  # spacings of controls beside the best
_AS_GOOD = 0.005  # meters
_LEAST, _OUTSIDE = 1e-12, 1.0 + 1e-6
_NEVER = 1e6  # seconds: beyond any game


class OneDecision:
    """Plays from many states until the next decision, against a fixed player of a side."""

    def __init__(self, config: Game, fixed: Player, side: Side, at_once: int = AT_ONCE) -> None:
        self.config, self._side, self.at_once = config, side, at_once
        scripts = [None] if fixed.script is None else [None, fixed.script]
        self._engine = Engine(config, *side.ordered(scripts, [None]), at_once, num_threads=1)
        self._engine.seed(seeds_from(HELD_OUT_SEED, at_once).tolist())
        self._engine.start()
        self._is_script, self._fixed = fixed.script is not None, fixed.join(self._engine, side)
        self._turns = config.model(side.other.name) == "simple_motion"
        self._goes_on = config.payoff == "time"  # after a capture, see above
        if self._goes_on:
            self._engine.rules["capture_distance"] = 0.0
        self._engine.state.script[:] = 0
        self._states, self._places = self._engine.get_state(), np.arange(at_once)

    def blank(self, count: int) -> States:
        """Returns states of running games, (count,), to be filled."""
        return np.repeat(self._states[:1], count)

    def decide(self, states: States) -> NDArray[np.float32]:
        """Returns the fixed player's actions in N states, (N, 1, 2)."""
        parts = []
        for first, size in parts_of(len(states), self.at_once):
            self._restore(states[first : first + size])
            parts.append(self._decided()[:size])
        return np.concatenate(parts)

    def play(
        self,
        states: States,
        decided: NDArray[np.float32],
        actions: NDArray[np.float32],
        steps: int = 1,
    ) -> tuple[list[NDArray[np.complex128]], NDArray[np.bool_], NDArray[np.void]]:
        """Plays steps from N states, at most `at_once`, with actions of both, (N, 1, 2).

        The response keeps its course or its turn, and the fixed player decides at each step.
        Returns places, headings and accelerations after them, (2, N), whether the games are
        over, and their records.
        """
        engine, measures, count = self._engine, make_measures(self.at_once), len(states)
        self._restore(states)
        own = np.zeros((self.at_once, 1, 2), np.float32)
        other = np.zeros_like(own)
        own[:count], other[:count] = decided, actions
        for step in range(steps):
            if step > 0:
                own = self._decided()
                if self._turns:
                    length = np.hypot(other[..., 0], other[..., 1])
                    other = np.stack([length, np.zeros_like(length)], axis=-1)
            engine.play(measures, 1, *self._side.ordered(own, other))
        with np.errstate(invalid="ignore"):
            records = records_of_episodes(engine, measures)
        state = engine.state
        columns = state.position, state.heading, state.acceleration
        over = state.phase[:count] == OVER
        return [one[:, :count] for one in columns], over, records[:count]

    def _decided(self) -> NDArray[np.float32]:
        """The fixed player's actions now (within the capture radius, those at its edge)."""
        state, side = self._engine.state, self._side
        place, seen = state.position[side.other], state.position[side.other].copy()
        if self._goes_on:
            offset = place - state.position[side]
            distance = np.maximum(np.abs(offset), _LEAST)
            least = self.config.capture_radius * _OUTSIDE
            place += offset * np.maximum(least / distance - 1.0, 0.0)
        if self._is_script:
            state.script[side] = 1
            found = self._engine.decisions(side)
            state.script[side] = 0
        else:
            running, found = state.phase != OVER, np.zeros((self.at_once, 1, 2), np.float32)
            found[running] = self._fixed.act(running, running)
            if self._fixed.remembers:
                raise InvalidValue(
                    f"{self._fixed.name} remembers what it saw, so the state of the game does "
                    "not say what it will do; best_response plays against it"
                )
        place[...] = seen
        return found

    def _restore(self, states: States) -> None:
        """Sets the first games to states, and ends the others."""
        self._states[: len(states)] = states
        game = self._states["game"]
        game["steps"] = 0  # times are from now on
        game["phase"] = np.where(self._places < len(states), RUNNING, OVER)
        game["pursuer_script"] = game["evader_script"] = 0
        self._engine.restore(self._states)


class Grid:
    """A grid over reduced states, with linear interpolation between its nodes.

    Angles wrap, and distances may be spaced by their logarithms, closely at the capture radius.
    Beyond the ends of an axis the nearest end stands for a state.
    """

    def __init__(self, reduction: Reduction, nodes: int) -> None:
        numbers = reduction.numbers()
        self._is_angle = [one.is_angle for one in numbers.values()]
        self._is_logarithmic = [one.is_logarithmic for one in numbers.values()]
        self.shape = tuple(
            2 if one.has_two_values else round(_ASPECT * nodes) if one.is_angle else nodes + 1
            for one in numbers.values()
        )
        ends = np.array([(one.low, one.high) for one in numbers.values()]).T
        logs = np.log(np.maximum(ends, _LEAST))
        self._low, high = np.where(self._is_logarithmic, logs, ends)
        self._intervals = [
            size if angle else size - 1 for size, angle in zip(self.shape, self._is_angle)
        ]
        self._spacing = (high - self._low) / self._intervals
        sizes = [size + angle for size, angle in zip(self.shape, self._is_angle)]
        self._strides = [math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))]

    def nodes(self) -> Numbers:
        """Returns all nodes, (n, numbers)."""
        axes = []
        for axis, size in enumerate(self.shape):
            numbers = self._low[axis] + self._spacing[axis] * np.arange(size)
            axes.append(np.exp(numbers) if self._is_logarithmic[axis] else numbers)
        found = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
        return found.reshape(-1, len(self.shape))

    def locate(self, states: Numbers) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Returns the cells of states, (N,), and the places within them, (numbers, N).

        A cell's number is that of its first corner in padded values; places are from 0 to 1.
        """
        corners = np.zeros(len(states), np.int32)
        shares = np.empty((len(self.shape), len(states)), np.float32)
        for axis, most in enumerate(self._intervals):
            number = states[:, axis]
            if self._is_logarithmic[axis]:
                number = np.log(np.maximum(number, _LEAST))
            place = (number - self._low[axis]) / self._spacing[axis]
            place = place % most if self._is_angle[axis] else np.clip(place, 0.0, most)
            whole = np.minimum(place.astype(np.int32), most - 1)
            shares[axis] = place - whole
            corners += whole * np.int32(self._strides[axis])
        return corners, shares

    def padded(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Returns values of nodes, (n,), with those of an angle's first node after its last."""
        found = values.reshape(self.shape)
        for axis, is_angle in enumerate(self._is_angle):
            if is_angle:
                found = np.concatenate([found, np.take(found, [0], axis)], axis)
        return found.reshape(-1)

    def between(
        self, padded: Any, corners: Any, shares: NDArray[np.float32], axis: int = 0
    ) -> Any:
        """Interpolates padded values at places of `locate`, along axes from one on."""
        if axis == len(self.shape):
            return padded[corners]
        low = self.between(padded, corners, shares, axis + 1)
        high = self.between(padded, corners + self._strides[axis], shares, axis + 1)
        return low + shares[axis] * (high - low)


class Tried(NamedTuple):
    """The outcomes of k controls in n states."""

    costs: NDArray[np.float32]  # (k, n), in m: the closest approach, or the payoff if over
    corners: NDArray[np.int32]  # (k, n): places on the grid, see `Grid.locate` ...
    shares: NDArray[np.float32]  # (numbers, k, n)
    over: NDArray[np.bool_]  # (k, n): whether the game is over


class Solution:
    """The best response on one grid.

    Attributes:
        grid: of the reduced states.
        levels: W of the nodes, padded, for each number of decisions from 0 on, in meters.
    """

    def __init__(
        self, one: OneDecision, reduction: Reduction, nodes: int, controls: int
    ) -> None:
        self._reduction = reduction
        self.grid, self.controls = Grid(reduction, nodes), reduction.controls(controls)
        self._payoff, self._radius = one.config.payoff, one.config.capture_radius
        is_evader = reduction.fixed.other is EVADER
        self._sign = np.float32(1.0 if is_evader else -1.0)
        self._hurries = is_evader == (self._payoff not in ("time", "closest_approach"))
        self._hold, dt = _HOLD.get(self._payoff, 1), one.config.dt
        self._seconds, self._most = self._hold * dt, one.config.horizon * dt
        places = self.grid.nodes()
        states = one.blank(len(places))
        reduction.place(dict(zip(reduction.names, places.T)), states)
        everywhere = np.repeat(self.controls[:, None], len(places), axis=1)
        tried = self._try(states, everywhere, one)
        levels = [reduction.payoff_at_once(places).astype(np.float32)]
        for _ in range(math.ceil(one.config.horizon / self._hold)):
            levels.append(self._improved(tried, levels[-1]))
            if np.abs(levels[-1] - levels[-2]).max() < _TOLERANCE:
                break
        self.levels = np.stack([self.grid.padded(one) for one in levels])

    def payoffs(self, states: States) -> Numbers:
        """Returns the payoffs from states of the game, (N,), in s or m."""
        corners, shares = self.grid.locate(self._reduction.of_states(states))
        if self._payoff != "time":
            return self.grid.between(self.levels[-1], corners, shares).astype(np.float64)
        return np.minimum(self._times(corners, shares), self._most)

    def actions(self, states: States, one: OneDecision) -> NDArray[np.float32]:
        """Returns the best actions in states of the game, (N, 1, 2)."""
        everywhere = np.repeat(self.controls[:, None], len(states), axis=1)
        best = self.controls[self._scores(states, everywhere, one).argmax(axis=0)]
        finer = np.concatenate([best[None], self._beside(best)])
        chosen = self._scores(states, finer, one).argmax(axis=0)
        return self._reduction.actions(states, finer[chosen, np.arange(len(states))])

    def _scores(self, states: States, controls: Numbers, one: OneDecision) -> Numbers:
        """The worth of controls, (k, N), in states of the game."""
        tried = self._try(states, controls, one)
        left = np.maximum(self._decisions(states) - 1, 0)
        after = self._level(left, tried.corners, tried.shares)
        values = self._joined(tried.costs, after, tried.over)
        if self._payoff == "time":
            later = self._seconds + self._times(tried.corners, tried.shares)
            times = np.where(tried.costs <= self._radius, self._at_once(states, tried), later)
            values = np.where(times < _NEVER, times, _NEVER + values)
        return self._sign * values

    def _decisions(self, states: States) -> NDArray[np.int64]:
        """The fewest decisions after which the payoff is as good as it will ever be, (N,).

        A response that can wait would else put off what it gains. Without a hurry it is the
        number of all levels.
        """
        last = np.full(len(states), len(self.levels) - 1)
        if not self._hurries:
            return last
        corners, shares = self.grid.locate(self._reduction.of_states(states))
        goal = self._sign * self._level(last, corners, shares) - _AS_GOOD
        low, high = np.full(len(states), -1), last
        while (high - low > 1).any():
            middle = (low + high + 1) // 2
            is_good = self._sign * self._level(middle, corners, shares) >= goal
            low, high = np.where(is_good, low, middle), np.where(is_good, middle, high)
        return high

    def _level(self, number: NDArray[np.int64], corners: Any, shares: Any) -> Any:
        """W after some numbers of decisions, at places on the grid."""
        return self.grid.between(
            self.levels.reshape(-1), corners + number * self.levels.shape[1], shares
        )

    def _at_once(self, states: States, tried: Tried) -> Numbers:
        """The times of captures before the next decision."""
        before = states["game"]["distance"]
        fall = np.maximum(before - tried.costs, 1e-12)
        return self._seconds * np.clip((before - self._radius) / fall, 0.0, 1.0)

    def _times(self, corners: NDArray[np.int32], shares: NDArray[np.float32]) -> Numbers:
        """The times to capture from places on the grid, 1e6 s for never."""
        low, high = np.zeros(corners.shape, np.int64), np.full(corners.shape, len(self.levels))
        while (high - low > 1).any():  # levels fall from one decision to the next
            middle = (low + high) // 2
            number = np.minimum(middle, len(self.levels) - 1)
            is_caught = self._level(number, corners, shares) <= self._radius
            is_caught |= middle == len(self.levels)
            low, high = np.where(is_caught, low, middle), np.where(is_caught, middle, high)
        before, after = (
            self._level(np.minimum(number, len(self.levels) - 1), corners, shares)
            for number in (low, high)
        )
        fall = np.maximum(before - after, 1e-12)
        share = np.clip((before - self._radius) / fall, 0.0, 1.0)
        times = self._seconds * (low + share)
        return np.where(high == len(self.levels), _NEVER, times)

    def _beside(self, best: Numbers) -> Numbers:
        """Returns controls between the best ones, (N,), and their neighbors, (k, N)."""
        spacing = self.controls[1] - self.controls[0]
        found = best + spacing * np.array(_FINER)[:, None]
        if not self._reduction.turns_on_the_spot:
            found = np.clip(found, self.controls[0], self.controls[-1])
        return np.asarray(found)

    def _try(self, states: States, controls: Numbers, one: OneDecision) -> Tried:
        """Holds each of some controls, (k, n), in n states."""
        decided, parts = one.decide(states), []
        place = np.tile(np.arange(len(states)), len(controls))
        column = payoff_of(self._payoff).column
        for first, size in parts_of(len(place), one.at_once):
            here = place[first : first + size]
            begun, chosen = states[here], controls.ravel()[first : first + size]
            actions = self._reduction.actions(begun, chosen)
            columns, over, records = one.play(begun, decided[here], actions, self._hold)
            corners, shares = self.grid.locate(self._reduction.read(*columns))
            costs = records["closest" if self._payoff == "time" else column]
            parts.append((costs.astype(np.float32), corners, shares, over))
        found = (np.concatenate(part, axis=-1) for part in zip(*parts))
        return Tried(*(np.reshape(part, (*part.shape[:-1], *controls.shape)) for part in found))

    def _improved(self, tried: Tried, level: NDArray[np.float32]) -> NDArray[np.float32]:
        """Returns the next level: the best that a control leads to, from each node."""
        padded, found = self.grid.padded(level), np.empty_like(level)
        for first, size in parts_of(len(level), _BLOCK):
            here = np.index_exp[:, first : first + size]
            corners, shares = tried.corners[here], tried.shares[:, :, first : first + size]
            after = self.grid.between(padded, corners, shares)
            values = self._sign * self._joined(tried.costs[here], after, tried.over[here])
            found[here[1]] = self._sign * values.max(axis=0)
        return found

    def _joined(self, costs: Any, after: Any, over: NDArray[np.bool_]) -> Any:
        """The values of controls, by what happens at first and what comes after it."""
        is_least = self._payoff in ("time", "closest_approach")
        return np.where(over, costs, np.minimum(costs, after) if is_least else after)
