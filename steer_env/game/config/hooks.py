"""The methods of a scenario that the loop calls: arguments, results and machine code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from steer_env.fields import LARGEST_ANSWER
from steer_env.game.config.observation import FeatureFunction, ObservationConfig
from steer_env.game.transition import TERM_KIND
from steer_env.machine_code.addresses import read_only, records_at
from steer_env.scenarios.scenario import Scenario
from steer_env.steering import own_functions
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import OwnKind, answer_number, one_number, one_vector
from steer_env.steering.vehicle import VEHICLE, Vehicle, vehicle_of


@compiled
def _of_player(call: np.record) -> tuple[Any, ...]:
    chance = call.chance[0], call.chance[1], call.chance[2]
    return vehicle_of(call.me), call.is_pursuer, call.place, chance


@compiled
def _of_vehicle(call: np.record) -> tuple[Vehicle]:
    return (vehicle_of(call.me),)


@compiled
def _of_pursuers(call: np.record) -> tuple[Any, ...]:
    pursuers = read_only(records_at(call.pursuers, call.count, VEHICLE))
    distances = read_only(records_at(call.distances, call.count, np.float64))
    return vehicle_of(call.me), pursuers, distances


@compiled
def _answer_start(call: np.record, answer: tuple[complex, complex, float]) -> None:
    position, heading, speed = answer
    call.vector, call.heading = one_vector(position), one_vector(heading)
    call.number = one_number(speed)


@compiled
def _answer_limits(call: np.record, answer: tuple[float, float]) -> None:
    max_speed, max_force = answer
    call.number, call.second = (one_number(max_speed), one_number(max_force))


_RULES: dict[str, OwnKind] = {
    "start": OwnKind(
        "start",
        "(self, me, is_pursuer, number, chance) that returns (position, heading, speed): two "
        "complex numbers and a number",
        _of_player,
        _answer_start,
        ("me",),
        "a place outside the arena, in an obstacle or in a solid body, a heading of 0, or a "
        "speed beyond 0 and max_speed",
        "the random start",
    ),
    "limits": OwnKind(
        "limits",
        "(self, me) that returns (max_speed, max_force), two numbers",
        _of_vehicle,
        _answer_limits,
        ("me",),
        "nan, or a limit that is not above 0 or is above the vehicle's own",
        "the vehicle's own limits",
    ),
    "drag": OwnKind(
        "drag",
        "(self, me) that returns a share a second, a number",
        _of_vehicle,
        answer_number,
        ("me",),
        f"nan, infinity or more than {LARGEST_ANSWER:g}, or less than 0",
        "a drag of 0",
    ),
    "capture": OwnKind(
        "capture",
        "(self, evader, pursuers, distances) that returns True or False",
        _of_pursuers,
        answer_number,
        ("evader",),
        "nan",
        "no capture",
    ),
    "reward": TERM_KIND._replace(contract="(self, step), a Transition, that returns a number"),
}
"""Each of `HOOKS`, as the loop calls it."""


@lru_cache(maxsize=1024)
def _kind_of(rule: OwnKind, scenario: Scenario, text: str) -> OwnKind:
    # One and the same for equal scenarios, so that a method is compiled once for them; the text
    # tells 1 from 1.0 and from True.
    what, names = f"method of the scenario {scenario.name}", ", ".join(vars(scenario))
    hint = f"of self it reads parameters only: {names or '(it has none)'}"
    parameters, take = scenario.parameters, rule.take

    @compiled
    def with_parameters(call: np.record) -> tuple[Any, ...]:
        return (parameters,) + take(call)  # noqa: RUF005  (as the compiler reads it)

    return rule._replace(what=what, take=with_parameters, hint=hint)


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
        rule = _RULES["drag"]._replace(
            contract="(self, me) that returns a number",
            unsound=f"a number beyond {self.low:g} and {self.high:g}",
            instead=f"{self.low:g} for it",
        )
        return _kind_of(rule, self.scenario, repr(self.scenario))


def with_features(scenario: Scenario, observation: Any) -> Any:
    """An observation, or its fields, with a scenario's features after the own block."""
    is_dict = isinstance(observation, Mapping)
    if not scenario.features or not (is_dict or isinstance(observation, ObservationConfig)):
        return observation
    chosen = observation.get("features") if is_dict else observation.features
    if chosen is not None and (not isinstance(chosen, Sequence) or len(chosen) > 0):
        return observation
    lidar = observation.get("lidar") if is_dict else observation.lidar
    rays = () if lidar is None else ("lidar",)
    chosen = ("own", *scenario.features, "other", "obstacle", *rays)
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
