"""The methods of a scenario that the loop calls: arguments, results and machine code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, ClassVar, TypeAlias

import numpy as np

from steer_env.fields import LARGEST_ANSWER, LARGEST_REWARD
from steer_env.game.config.observation import FeatureFunction, ObservationConfig
from steer_env.game.transition import TRANSITION, transition_of
from steer_env.machine_code.addresses import read_only, record_at, records_at
from steer_env.scenarios.scenario import Scenario
from steer_env.steering import own_functions
from steer_env.steering.own_functions import FUNCTION_CALL, OwnKind, one_number, one_vector
from steer_env.steering.vehicle import VEHICLE, vehicle_of

_NOT_FINITE = f"nan, infinity or more than {LARGEST_ANSWER:g}"


def _start_routine(parameters: Any, own: Any) -> Callable[..., None]:
    def routine(calls: int) -> None:
        call = record_at(calls, FUNCTION_CALL)
        chance = call.chance[0], call.chance[1], call.chance[2]
        me, is_pursuer = vehicle_of(call.me), call.is_pursuer
        position, heading, speed = own(parameters, me, is_pursuer, call.place, chance)
        call.vector, call.heading = one_vector(position), one_vector(heading)
        call.number = one_number(speed)

    return routine


def _limits_routine(parameters: Any, own: Any) -> Callable[..., None]:
    def routine(calls: int) -> None:
        call = record_at(calls, FUNCTION_CALL)
        max_speed, max_force = own(parameters, vehicle_of(call.me))
        call.number, call.second = (one_number(max_speed), one_number(max_force))

    return routine


def _number_routine(parameters: Any, own: Any) -> Callable[..., None]:
    def routine(calls: int) -> None:
        call = record_at(calls, FUNCTION_CALL)
        call.number = one_number(own(parameters, vehicle_of(call.me)))

    return routine


def _capture_routine(parameters: Any, own: Any) -> Callable[..., None]:
    def routine(calls: int) -> None:
        call = record_at(calls, FUNCTION_CALL)
        pursuers = read_only(records_at(call.pursuers, call.count, VEHICLE))
        distances = read_only(records_at(call.distances, call.count, np.float64))
        evader = vehicle_of(call.me)
        call.number = one_number(own(parameters, evader, pursuers, distances))

    return routine


def _reward_routine(parameters: Any, own: Any) -> Callable[..., None]:
    def routine(transition: int, calls: int) -> None:
        step = transition_of(record_at(transition, TRANSITION))
        record_at(calls, FUNCTION_CALL).number = one_number(own(parameters, step))

    return routine


_Rule: TypeAlias = tuple[Callable[..., Callable[..., None]], str, tuple[str, ...], str, str]
"""Makes a routine from parameters and a method, with the fields of an `OwnKind`.

They are the contract, the arguments, unsound answers, and what the step is made with instead.
"""

_RULES: dict[str, _Rule] = {
    "start": (
        _start_routine,
        "(self, me, is_pursuer, number, chance) that returns (position, heading, speed): two "
        "complex numbers and a number",
        ("me",),
        "a place outside the arena, in an obstacle or in a solid body, a heading of 0, or a "
        "speed beyond 0 and max_speed",
        "the random start",
    ),
    "limits": (
        _limits_routine,
        "(self, me) that returns (max_speed, max_force), two numbers",
        ("me",),
        "nan, or a limit that is not above 0 or is above the vehicle's own",
        "the vehicle's own limits",
    ),
    "drag": (
        _number_routine,
        "(self, me) that returns a share a second, a number",
        ("me",),
        f"{_NOT_FINITE}, or less than 0",
        "a drag of 0",
    ),
    "capture": (
        _capture_routine,
        "(self, evader, pursuers, distances) that returns True or False",
        ("evader",),
        "nan",
        "no capture",
    ),
    "reward": (
        _reward_routine,
        "(self, step), a Transition, that returns a number",
        ("transition",),
        f"nan, infinity or more than {LARGEST_REWARD:g}",
        "a term of 0",
    ),
}
"""Each of `HOOKS`, as the loop calls it."""


@lru_cache(maxsize=1024)
def _kind_of(rule: _Rule, scenario: Scenario, text: str) -> OwnKind:
    # One and the same for equal scenarios, so that a method is compiled once for them; the text
    # tells 1 from 1.0 and from True.
    make_routine, contract, arguments, unsound, instead = rule
    what, names = f"method of the scenario {scenario.name}", ", ".join(vars(scenario))
    hint = f"of self it reads parameters only: {names or '(it has none)'}"
    make = partial(make_routine, scenario.parameters)
    return OwnKind(what, contract, make, arguments, unsound, instead, hint)


@dataclass(frozen=True)
class ScenarioFeature(FeatureFunction):
    """A method of a scenario that is a feature of a player's own block."""

    block: ClassVar[str] = "own"
    scenario: Scenario | None = None
    attribute: str = ""

    @property
    def name(self) -> str:
        """The name of its method in the class."""
        return self.attribute

    @property
    def kind(self) -> OwnKind:
        """The kind of its method, in messages."""
        assert self.scenario is not None
        contract = "(self, me) that returns a number"
        unsound = f"a number beyond {self.low:g} and {self.high:g}"
        rule = _number_routine, contract, ("me",), unsound, f"{self.low:g} for it"
        return _kind_of(rule, self.scenario, repr(self.scenario))


def with_features(scenario: Scenario, observation: Any, has_obstacles: bool) -> Any:
    """An observation, or a dict of its fields, with the features of a scenario.

    By default they follow the own block's features.
    """
    is_dict = isinstance(observation, Mapping)
    if not scenario.features or not (is_dict or isinstance(observation, ObservationConfig)):
        return observation
    chosen = observation.get("features") if is_dict else observation.features
    if chosen is not None and (not isinstance(chosen, Sequence) or len(chosen) > 0):
        return observation
    last = ("obstacle",) if has_obstacles else ()
    chosen = ("own", *scenario.features, "other", *last)
    if is_dict:
        return {**observation, "features": chosen}
    return replace(observation, features=named_features(scenario, chosen))


def named_features(scenario: Scenario | None, chosen: Any) -> Any:
    """Chosen features, with a scenario's in place of their names."""
    if scenario is None or isinstance(chosen, str) or not isinstance(chosen, Sequence):
        return chosen
    named = {
        name: ScenarioFeature(getattr(type(scenario), name), *span[:2], scenario, name)
        for name, span in scenario.features.items()
    }
    return tuple(named.get(one, one) if isinstance(one, str) else one for one in chosen)


def rule_addresses(scenario: Scenario | None) -> Iterator[tuple[str, int]]:
    """Yields a scenario's rules with the addresses of their routines, see `own_address`."""
    if scenario is not None:
        for name in scenario.hooks:
            kind = _kind_of(_RULES[name], scenario, repr(scenario))
            yield name, own_functions.own_address(kind, getattr(type(scenario), name))
