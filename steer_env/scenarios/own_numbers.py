"""The numbers of a vehicle's own in a scenario, such as its energy or its steering angle."""

from __future__ import annotations

import keyword
import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple

from steer_env.errors import InvalidType, InvalidValue, got, shown

MOST_OWN = 8
"""The numbers of its own that a vehicle may have."""


class Rider(NamedTuple):
    """A Vehicle with its own numbers, as a scenario's methods see it.

    Example:
        >>> from steer_env import Scenario
        >>> class Tired(Scenario):
        ...     own = {"energy": 1.0}
        ...
        ...     def after(self, me, dt):
        ...         return me.own.energy - 0.1 * dt
        >>> round(Tired().after(Tired().rider(energy=0.5), dt=1.0), 6)
        0.4
    """

    position: complex
    velocity: complex
    heading: complex
    max_speed: float
    max_force: float
    mass: float
    radius: float
    acceleration: complex
    own: Any  # a named tuple of the scenario's own numbers


def checked_own(scenario: str, given: Any) -> dict[str, float]:
    """The names of own numbers, and their values at the start of an episode.

    Raises:
        InvalidType: unless it is a dict of finite numbers by name.
        InvalidValue: for names that cannot be read as ``me.own.name``, or more than `MOST_OWN`.
    """
    what = f"own of the scenario {scenario}"
    if not isinstance(given, Mapping):
        raise InvalidType(f'{what} must be a dict such as {{"energy": 1.0}}, {got(given)}')
    if len(given) > MOST_OWN:
        raise InvalidValue(f"{what} has {len(given)} numbers, and {MOST_OWN} are the most")
    for name, value in given.items():
        is_name = isinstance(name, str) and name.isidentifier() and not name.startswith("_")
        if not is_name or keyword.iskeyword(name):
            raise InvalidValue(f"{what} must have names such as 'energy', got {shown(name)}")
        if not isinstance(value, Real) or not math.isfinite(value):
            raise InvalidType(f"{name} in {what} must be a finite number, got {shown(value)}")
    return {name: float(value) for name, value in given.items()}
