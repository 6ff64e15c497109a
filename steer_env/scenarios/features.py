"""The decorators that make methods of a scenario features of an observation."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, TypeVar

from steer_env.errors import InvalidType, check_integer
from steer_env.fields import Bounds
from steer_env.steering.own_functions import MOST_NUMBERS

_Method = TypeVar("_Method", bound=Callable[..., float])
_Numbers = TypeVar("_Numbers", bound=Callable[..., Any])


def feature(low: float = -1.0, high: float = 1.0) -> Callable[[_Method], _Method]:
    """Makes a method of a scenario a feature of every player's observation.

    It asks for its arguments by their names, see `Scenario`.

    Args:
        low: smallest value.
        high: largest value.

    Raises:
        InvalidType: if the bounds are missing, or are not numbers.
    """
    if not (isinstance(low, Real) and isinstance(high, Real)):
        raise InvalidType("write @feature(low, high), with the bounds of the feature")

    def decorate(method: _Method) -> _Method:
        method.bounds = Bounds(low, high)
        return method

    return decorate


def features(
    count: int, low: float = -1.0, high: float = 1.0
) -> Callable[[_Numbers], _Numbers]:
    """Makes a method of a scenario several features, a tuple or an array of its numbers.

    In ``observation["features"]`` the name of the method ``rays`` stands for all of them, and
    ``rays_0`` for the first.

    Args:
        count: how many, from 1 to `MOST_NUMBERS`.
        low: smallest value of each.
        high: largest value of each.

    Raises:
        InvalidType: if the count is no integer, or the bounds are no numbers.
        InvalidValue: if the count is out of range.
    """
    if callable(count) or not (isinstance(low, Real) and isinstance(high, Real)):
        raise InvalidType("write @features(count, low, high), with the bounds of the features")
    count = check_integer("the count of @features", count, 1, MOST_NUMBERS)

    def decorate(method: _Numbers) -> _Numbers:
        method.bounds, method.count = Bounds(low, high), count
        return method

    return decorate
