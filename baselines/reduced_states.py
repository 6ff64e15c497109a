"""The reduced states of solved games: the few numbers that matter if one player is fixed.

The fixed player acts by what it observes, and a game stays the same when both vehicles are
moved or turned together. So a state is the place of one as seen from the other, with headings
and the last turn only where a step depends on them. `Reduction` finds which numbers these are,
and refuses a player that depends on any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.solved_games import States, behavior_of_game
from steer_env.errors import InvalidValue
from steer_env.game.config import Game
from steer_env.sides import EVADER, PURSUER, Side

Numbers = NDArray[np.float64]
Situations = Mapping[str, Numbers]
"""Numbers (N,) by their name, see `Reduction.numbers`."""

_TRIED = 2**14  # situations in which a number that may not matter is drawn again
_SAME = 1e-3  # of a step
_MOST_OTHER = 5e-4  # share of situations with another step: rounding near a jump
_INNERMOST = 0.05  # of the target's radius
_FARTHEST = 1e3  # meters by which both vehicles are moved


class Number(NamedTuple):
    """A number of a situation, uniform where it is drawn."""

    low: float
    high: float
    default: float  # where it does not matter
    is_reduced: bool  # whether a reduced state may have it
    words: str
    is_angle: bool = False
    has_two_values: bool = False
    is_logarithmic: bool = False  # nodes are spaced by its logarithm


class Reduction:
    """The reduced states of a game against one fixed player.

    Attributes:
        names: of the numbers of a reduced state.
        fixed: the side of the fixed player; the response's is the other.
        reach: the largest distance, in meters.
    """

    def __init__(self, config: Game, fixed: Side, reach: float) -> None:
        behavior = behavior_of_game(config)
        if behavior in ("optimal_drag", "optimal_two_on_one"):
            name = behavior.removeprefix("optimal_")
            raise InvalidValue(
                f"an exact response needs a game with at most four reduced numbers, and {name} "
                "has more; best_response searches for one"
            )
        self.config, self.fixed, self.reach = config, fixed, reach
        self.has_target = config.target is not None
        self.models = tuple(config.model(side.name) for side in Side)
        vehicles = [config.vehicles(side.name)[0] for side in Side]
        self.speeds = tuple(one.max_speed for one in vehicles)
        self._rates = tuple(one.max_force / (one.mass * one.max_speed) for one in vehicles)
        self._all = self._of_target() if self.has_target else self._of_chase()
        self.names = tuple(name for name in self._all if self._always_matters(name))

    def _always_matters(self, name: str) -> bool:
        """Returns whether a number is in every reduced state: it moves a vehicle."""
        if name in ("distance", "attacker", "apart"):
            return True
        if name == "defender":
            return not self.is_on_rim
        whose = self.fixed if name == "own bearing" else self.fixed.other
        is_bearing = name in ("own bearing", "other bearing")
        return is_bearing and self.models[whose] == "car"

    @property
    def is_on_rim(self) -> bool:
        """True if the pursuer stays on the rim of the target."""
        return bool(self.has_target and self.config.targets[0].on_rim)

    def _of_chase(self) -> dict[str, Number]:
        is_time = self.config.payoff == "time"  # inside, the capture is what counts
        nearest = 0.5 * self.config.capture_radius if is_time else 0.0
        given: Any = {"words": "the distance", "is_logarithmic": is_time}
        return {
            "distance": Number(nearest, self.reach, self.reach, True, **given),
            "own bearing": _angle(0.0, True, "its own heading"),
            "other bearing": _angle(0.0, True, "the other's heading"),
            # Not 0, which perfect play takes for the first step.
            "other turn": Number(-1.0, 1.0, 1e-6, True, "the other's last turn"),
            **self._hidden(),
            "place": Number(-_FARTHEST, _FARTHEST, 0.0, False, "the place in the arena"),
        }

    def _of_target(self) -> dict[str, Number]:
        (shape,) = self.config.shapes
        if shape.is_half_plane:
            raise InvalidValue("an exact response needs a target that is a disc")
        rim = float(shape.radius)
        return {
            "attacker": Number(rim, self.reach, self.reach, True, "the attacker's distance"),
            # At the center its heading would have no bearing.
            "defender": Number(
                _INNERMOST * rim, self.reach, rim, True, "the defender's distance"
            ),
            "apart": _angle(0.0, True, "the angle between both"),
            "own bearing": self._heading(self.fixed, "its own heading"),
            "other bearing": self._heading(self.fixed.other, "the other's heading"),
            **self._hidden(),
        }

    def _heading(self, side: Side, words: str) -> Number:
        if self.is_on_rim and side is PURSUER:  # along the rim, one way or the other
            return Number(0.0, 1.0, 0.0, True, words, has_two_values=True)
        return _angle(0.0, True, words)

    def _hidden(self) -> dict[str, Number]:
        """The numbers that no reduced state has."""
        return {
            "own speed": Number(0.0, 1.0, 1.0, False, "its own speed before"),
            "other speed": Number(0.0, 1.0, 1.0, False, "the other's speed before"),
            "own turn": Number(-1.0, 1.0, 0.0, False, "its own last turn"),
            "turned": _angle(0.0, False, "the direction in the arena"),
            "time": Number(0.0, 0.5, 0.0, False, "the time"),
        }

    def numbers(self) -> dict[str, Number]:
        """Returns the numbers of a reduced state by their names."""
        return {name: self._all[name] for name in self.names}

    @property
    def dimension(self) -> int:
        """The number of numbers in a reduced state that have more than two values."""
        return sum(not one.has_two_values for one in self.numbers().values())

    def find(self, step_of: Callable[[Situations], NDArray[np.complex128]]) -> None:
        """Adds to `names` whatever the fixed player's step depends on.

        The function returns steps (N,) in the frame of a situation, as shares of the largest.

        Raises:
            InvalidValue: if the step depends on a number that no reduced state has.
        """
        random = np.random.default_rng(0)
        everything = {one: self._draw(random, one) for one in self._drawn("")}
        # Before the first step a vehicle may be slower than ever after.
        is_fast = np.allclose(np.abs(step_of(everything)), 1.0, atol=_SAME)
        implied = (*self.names, "other speed", *(["own speed"] if is_fast else []))
        for name, number in self._all.items():
            if name in implied or name in self.names:
                continue
            # What may matter is drawn in all situations, so that no default hides another.
            drawn = {one: self._draw(random, one) for one in self._drawn(name)}
            other = {**drawn, name: self._draw(random, name)}
            apart = np.abs(step_of(drawn) - step_of(other)) > _SAME
            if np.mean(apart) <= _MOST_OTHER:
                continue
            if not number.is_reduced:
                known = [self._all[one].words for one in self.names]
                raise InvalidValue(
                    f"the {self.fixed.name} is not a function of the reduced state: what it "
                    f"does depends on {number.words}, besides {', '.join(known)}; an exact "
                    "response needs a policy that was trained on reduced features (see "
                    "steer_env.scenarios.registry.SOLVED[...].reduced) or a script that looks "
                    "at nothing else"
                )
            self.names = tuple(one for one in self._all if one in (*self.names, name))

    def _draw(self, random: np.random.Generator, name: str) -> Numbers:
        number = self._all[name]
        low = self.config.capture_radius if name == "distance" else number.low
        return random.uniform(low, number.high, _TRIED)

    def _drawn(self, name: str) -> list[str]:
        """The numbers that are drawn while one of them is tried."""
        return [one for one, number in self._all.items() if number.is_reduced or one == name]

    # ---- Situations and states -----------------------------------------------------------

    def place(self, situations: Situations, states: States) -> None:
        """Writes situations, (N,), into states of the game, (N,)."""
        count = len(states)
        full = {
            name: np.broadcast_to(situations.get(name, number.default), count)
            for name, number in self._all.items()
        }
        own, other = self.fixed, self.fixed.other
        places = np.zeros((2, count), np.complex128)
        headings = np.ones((2, count), np.complex128)
        if self.has_target:
            (shape,) = self.config.shapes
            places[EVADER] = full["attacker"] * np.exp(1j * full["apart"])
            places[PURSUER] = shape.radius if self.is_on_rim else full["defender"]
            for side, name in ((own, "own bearing"), (other, "other bearing")):
                out = places[side] / np.abs(places[side])
                is_on_rim = self.is_on_rim and side is PURSUER
                rim = 1j * np.where(full[name] < 0.5, 1.0, -1.0)
                headings[side] = out * (rim if is_on_rim else np.exp(-1j * full[name]))
            middle: Any = shape.center
        else:
            places[other] = full["distance"]
            headings[own] = np.exp(-1j * full["own bearing"])
            headings[other] = -np.exp(-1j * full["other bearing"])
            middle = full["place"] * (1.0 + 0.3j)
        turned = np.exp(1j * full["turned"])
        body = states["players"]["body"]
        for side, share, turn in (
            (own, full["own speed"], full["own turn"]),
            (other, full["other speed"], full.get("other turn", np.zeros(count))),
        ):
            heading, is_car = headings[side] * turned, self.models[side] == "car"
            speed = self.speeds[side] * (1.0 if is_car else share)
            angle = turn * self._rates[side] * self.config.dt
            before = heading * np.exp(-1j * angle) if is_car else heading
            body["position"][:, side] = places[side] * turned + middle
            body["heading"][:, side], body["velocity"][:, side] = heading, speed * heading
            body["acceleration"][:, side] = speed * (heading - before) / self.config.dt
        steps = states["game"]["steps"]
        steps[...] = np.round(full["time"] * self.config.horizon)
        offsets = body["position"][:, 1] - body["position"][:, 0]
        states["game"]["distance"] = np.abs(offsets)

    def of_states(self, states: States) -> Numbers:
        """Returns the reduced states, (N, numbers), of states of the game, (N,)."""
        body = states["players"]["body"]
        return self.read(body["position"].T, body["heading"].T, body["acceleration"].T)

    def read(self, places: Any, headings: Any, accelerations: Any) -> Numbers:
        """As `of_states`, of columns (2, N)."""
        own, other = self.fixed, self.fixed.other
        found = dict[str, Numbers]()
        if self.has_target:
            (shape,) = self.config.shapes
            out = places - shape.center
            found["attacker"], found["defender"] = np.abs(out[EVADER]), np.abs(out[PURSUER])
            found["apart"] = np.angle(out[EVADER] * out[PURSUER].conj())
            for side, name in ((own, "own bearing"), (other, "other bearing")):
                bearing = np.angle(out[side] * headings[side].conj())
                is_on_rim = self.is_on_rim and side is PURSUER
                found[name] = np.where(bearing > 0.0, 1.0, 0.0) if is_on_rim else bearing
        else:
            between = places[other] - places[own]
            found["distance"] = np.abs(between)
            found["own bearing"] = np.angle(between * headings[own].conj())
            found["other bearing"] = np.angle(-between * headings[other].conj())
            rate = self.speeds[other] * self._rates[other]
            turn = accelerations[other] * headings[other].conj()
            found["other turn"] = np.clip(turn.imag / rate, -1.0, 1.0)
        return np.stack([found[name] for name in self.names], axis=-1)

    def in_frame(self, situations: Situations, steps: NDArray[Any]) -> NDArray[np.complex128]:
        """Turns displacements, (N,), into the frame of their situations."""
        turned = situations.get("turned", 0.0)
        speed = self.speeds[self.fixed] * self.config.dt
        return np.asarray(steps * np.exp(-1j * np.asarray(turned)) / speed)

    # ---- Controls ------------------------------------------------------------------------

    def controls(self, count: int) -> Numbers:
        """Returns the controls that a response chooses from, evenly spaced.

        They are directions in simple motion, 0 straight at the other (or away from the
        target), and shares of the largest turn, or of the largest step along a rim.
        """
        if self.turns_on_the_spot:
            return np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
        return np.linspace(-1.0, 1.0, 1 + 2 * (count // 6))

    @property
    def turns_on_the_spot(self) -> bool:
        """True if the response chooses directions."""
        other = self.fixed.other
        return self.models[other] != "car" and not (self.is_on_rim and other is PURSUER)

    def actions(self, states: States, controls: Numbers) -> NDArray[np.float32]:
        """Returns the actions, (N, 1, 2), of controls (N,) in states of the game."""
        other, body = self.fixed.other, states["players"]["body"]
        places, heading = body["position"].T, body["heading"][:, self.fixed.other]
        if self.models[other] == "car":
            own = 1j * controls
        else:
            line = places[self.fixed] - places[other]
            if self.has_target:
                line = places[other] - self.config.shapes[0].center
            turned = np.exp(1j * controls) if self.turns_on_the_spot else 1j * controls
            own = line / np.maximum(np.abs(line), 1e-12) * turned * heading.conj()
        return np.stack([own.real, own.imag], axis=-1).astype(np.float32)[:, None]

    def payoff_at_once(self, reduced: Numbers) -> Numbers:
        """Returns the payoffs of games that end in reduced states, (N, numbers)."""
        first = reduced[:, 0]
        if self.config.payoff in ("time", "closest_approach"):
            return np.array(first)
        if self.config.payoff == "target_distance":
            return np.asarray(self.config.shapes[0].radius - first)
        return np.zeros(len(first))


def _angle(default: float, is_reduced: bool, words: str) -> Number:
    return Number(-math.pi, math.pi, default, is_reduced, words, True)
