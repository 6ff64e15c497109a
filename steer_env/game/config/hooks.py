"""The methods of a scenario that the loop calls: arguments, results and machine code."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from steer_env.fields import LARGEST_ANSWER
from steer_env.game.config.observation import FeatureFunction, ObservationConfig
from steer_env.game.transition import TERM_KIND
from steer_env.scenarios.arguments import ALWAYS, ARGUMENTS, MOVING, asked_for
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import OUTCOMES
from steer_env.steering import own_functions
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import (
    OwnKind,
    answer_many,
    answer_number,
    answer_numbers,
    me_and_other,
    one_number,
    one_outcome,
    one_vector,
)


@compiled
def _answer_start(call: np.record, answer: tuple[complex, complex, float]) -> None:
    position, heading, speed = answer
    call.vector, call.heading = one_vector(position), one_vector(heading)
    call.number = one_number(speed)


@compiled
def _answer_limits(call: np.record, answer: tuple[float, float]) -> None:
    max_speed, max_force = answer
    call.number, call.second = (one_number(max_speed), one_number(max_force))


def _rule(
    returns: str,
    unsound: str,
    instead: str,
    answer: Callable[[Any, Any], None] = answer_number,
    about: str = "me",
) -> OwnKind:
    contract = f"(self, ...) that returns {returns}"
    return OwnKind("method", contract, me_and_other, answer, (about,), unsound, instead)


_RULES: dict[str, OwnKind] = {
    "start": _rule(
        "(position, heading, speed): two complex numbers and a number",
        "a place outside the arena, in an obstacle or in a solid body, a heading of 0, or a "
        "speed beyond 0 and max_speed",
        "the random start",
        _answer_start,
    ),
    "limits": _rule(
        "(max_speed, max_force), two numbers",
        "nan, or a limit that is not above 0 or is above the vehicle's own",
        "the vehicle's own limits",
        _answer_limits,
    ),
    "drag": _rule(
        "a share a second, a number",
        f"nan, infinity or more than {LARGEST_ANSWER:g}, or less than 0",
        "a drag of 0",
    ),
    "motion": _rule(
        "(velocity, heading), two complex numbers",
        f"a velocity beyond me.max_speed, a heading of 0, or numbers beyond {LARGEST_ANSWER:g}",
        "the velocity, heading and own numbers before",
    ),
    "after": _rule(
        "the vehicle's own numbers, in their order",
        f"nan, infinity or more than {LARGEST_ANSWER:g}",
        "the numbers before",
    ),
    "capture": _rule("True or False", "nan", "no capture", about="evader"),
    "ends": _rule(
        "the name of an outcome, or None to go on",
        "a name that is not in outcomes",
        "no end",
        about="evader",
    ),
    "reward": TERM_KIND._replace(contract="(self, ...) that returns a number"),
}
"""Each of `HOOKS`, as the loop calls it, but for what `_kind_of` adds."""


@lru_cache(maxsize=1024)
def _kind_of(rule: OwnKind, scenario: Scenario, text: str, method: str) -> OwnKind:
    # One and the same for equal scenarios, so that a method is compiled once for them; the text
    # tells 1 from 1.0 and from True.
    from steer_env.game.run.arguments import take_of  # it knows the loop, of these rules
    from steer_env.game.run.own_motion import motion_routine

    function = getattr(type(scenario), method)
    valid = ARGUMENTS.get(method, ALWAYS)
    take = take_of(method, asked_for(method, function, valid), scenario)
    if method == "motion":
        rule = rule._replace(routine=motion_routine([*scenario.own]))
    if method == "after":
        rule = rule._replace(answer=answer_numbers([*scenario.own]))
    what, names = f"method of the scenario {scenario.name}", ", ".join(vars(scenario))
    hint = f"of self it reads parameters only: {names or '(it has none)'}"
    hint = f"its arguments are of {', '.join(valid)}; {hint}"
    if scenario.own:
        hint += f"; of me.own: {', '.join(scenario.own)}"
    answer = _answer_of_outcomes(scenario) if method == "ends" else rule.answer
    return rule._replace(what=what, take=take, answer=answer, hint=hint)


def _answer_of_outcomes(scenario: Scenario) -> Callable[[Any, Any], None]:
    """The function that keeps the number of an outcome, see `sides.OUTCOMES`."""
    names, every = tuple(scenario.outcomes), [*{**OUTCOMES, **scenario.outcomes}]
    numbers = tuple(float(every.index(name) + 1) for name in names)

    @compiled
    def answer(call: np.record, outcome: str | None) -> None:
        one_outcome(outcome)
        if outcome is None:
            call.number = 0.0
        else:
            call.number = 0.0 if outcome == "" else math.nan
            for place in range(len(names)):
                if outcome == names[place]:
                    call.number = numbers[place]

    return answer


_answer_many = lru_cache(maxsize=256)(answer_many)  # one and the same, see `_kind_of`


@dataclass(frozen=True)
class ScenarioFeature(FeatureFunction):
    """A method of a scenario that is a feature of a player's own block."""

    block: ClassVar[str] = "own"
    scenario: Scenario | None = None
    attribute: str = ""
    part: int = -1  # of several features that a method returns; -1 for a feature alone
    count: int = 0  # how many; 0 for a feature alone

    @property
    def name(self) -> str:
        """The name of its method in the class, with its place among several."""
        return self.attribute if self.part < 0 else f"{self.attribute}_{self.part}"

    @property
    def kind(self) -> OwnKind:
        """The kind of its method, in messages."""
        assert self.scenario is not None
        rule = _RULES["drag"]._replace(
            contract="(self, ...) that returns a number",
            unsound=f"a number beyond {self.low:g} and {self.high:g}",
            instead=f"{self.low:g} for it",
        )
        if self.count > 0:
            rule = rule._replace(
                contract=f"(self, ...) that returns {self.count} numbers",
                answer=_answer_many(self.count),
                unsound=f"another count than {self.count}, or {rule.unsound}",
            )
        return _kind_of(rule, self.scenario, repr(self.scenario), self.attribute)


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
    named: dict[str, list[Any]] = {}
    for name, span in scenario.features.items():
        how = getattr(type(scenario), name), *span[:2], scenario, name
        count = scenario.count_of(name)
        parts = [ScenarioFeature(*how, part, count) for part in range(count)]
        named |= {name: parts or [ScenarioFeature(*how)], **{one.name: [one] for one in parts}}
    found = (named.get(one, [one]) if isinstance(one, str) else [one] for one in chosen)
    return tuple(one for several in found for one in several)


def rule_addresses(scenario: Scenario | None) -> Iterator[tuple[str, int]]:
    """Yields a scenario's rules with the addresses of their routines, see `own_address`."""
    if scenario is not None:
        for name in scenario.hooks:
            kind = _kind_of(_RULES[name], scenario, repr(scenario), name)
            yield name, own_functions.own_address(kind, getattr(type(scenario), name))


def looks_back(scenario: Scenario | None) -> bool:
    """Returns whether rules of a scenario need the players as they were before the step."""
    if scenario is None:
        return False
    own, hooks = type(scenario), scenario.hooks
    asked = [asked_for(name, getattr(own, name), ARGUMENTS[name]) for name in hooks]
    looks = (name in MOVING and "other" in names for name, names in zip(hooks, asked))
    return "after" in hooks or any(looks)
