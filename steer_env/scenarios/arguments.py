"""The arguments that a scenario's methods may ask for, by their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from steer_env.errors import InvalidType, nearest
from steer_env.steering.compilation import plain_function

ALWAYS = ("me", "is_pursuer", "number", "time", "time_left", "dt", "other", "world")
"""The names that every method may ask for, see `steer_env.scenarios.Scenario`."""

ARGUMENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "start": (*ALWAYS, "chance"),
        "limits": ALWAYS,
        "drag": ALWAYS,
        "motion": (*ALWAYS, "push"),
        "after": (*ALWAYS, "push"),
        "capture": (*ALWAYS, "evader", "pursuers", "distances"),
        "reward": (*ALWAYS, "step"),
        "ends": (
            *("evader", "evaders", "pursuer", "pursuers", "time", "time_left"),
            *("captured", "reached", "world"),
        ),
    }
)
"""The names that each rule of a scenario may ask for. A feature may ask for `ALWAYS`."""

MOVING = ("limits", "drag", "motion")
"""The methods that are called while players move, one after the other.

They see the others as they were before the step.
"""


def asked_for(what: str, function: Callable[..., Any], valid: tuple[str, ...]) -> list[str]:
    """The arguments that a method asks for after ``self``.

    A parameter of another name keeps its default if it has one.

    Raises:
        InvalidType: for any other name, with the nearest valid ones.
    """
    function = plain_function(getattr(function, "py_func", function))
    parameters = list(inspect.signature(function).parameters.values())
    asked, has_defaults = list[str](), False
    for place, one in enumerate(parameters or [_NONE]):
        if one.kind is not one.POSITIONAL_OR_KEYWORD or (has_defaults and one.name in valid):
            raise InvalidType(
                f"{what} must be a function of self and of what it asks for by name, got "
                f"{one}; valid are, in any order, and before others that have a default: "
                f"{', '.join(valid)}"
            )
        if place > 0 and one.name in valid:
            asked.append(one.name)
        elif place > 0 and one.default is one.empty:
            raise InvalidType(
                f"{what} asks for {one.name!r}, which it cannot have."
                f"{nearest(one.name, valid)} Valid are, in any order: {', '.join(valid)}"
            )
        else:
            has_defaults = place > 0
    return asked


_NONE = inspect.Parameter("no_parameter", inspect.Parameter.VAR_POSITIONAL)
