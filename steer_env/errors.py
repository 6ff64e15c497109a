"""Error messages that say what was wrong, what is valid, and what was probably meant."""

from __future__ import annotations

import dataclasses
import difflib
import math
import numbers
from collections.abc import Iterable, Mapping
from typing import Any


class UsageError(Exception):
    """An error in what a caller passed, with a message for people; not a bug of ours.

    The command line prints such an error as one line, and any other with its traceback.
    """


class InvalidValue(UsageError, ValueError):
    """An argument has a value that is not valid."""


class InvalidType(UsageError, TypeError):
    """An argument has a type that is not valid."""


class FaultyBehavior(UsageError, FloatingPointError):
    """A user's own behavior or policy returned something that is not a finite number."""


def unknown(what: str, given: object, valid: Iterable[str]) -> str:
    """The message for a name that is not among the valid ones, with the nearest match."""
    names = sorted(valid)
    if not names:
        return f"unknown {what} {given!r}: there are none"
    near = difflib.get_close_matches(str(given), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"unknown {what} {given!r}.{hint} Valid: {', '.join(map(repr, names))}."


def check_choice(what: str, given: object, valid: Iterable[str]) -> None:
    """Raises a ValueError unless the given name is a valid one."""
    names = list(valid)
    if not isinstance(given, str) or given not in names:
        raise InvalidValue(unknown(what, given, names))


def check_number(
    what: str,
    given: object,
    low: float,
    high: float = math.inf,
    *,
    above: bool = False,
    or_zero: bool = False,
) -> float:
    """Returns a finite number in [low, high].

    Args:
        what: its name in messages.
        given: the number.
        low: the smallest value.
        high: the largest value.
        above: whether it must be above ``low``.
        or_zero: whether 0 is valid as well.

    Raises:
        TypeError: if it is not a number.
        ValueError: if it is nan, infinite or out of range.
    """
    if isinstance(given, bool) or not isinstance(given, numbers.Real):
        raise InvalidType(f"{what} must be a number, got {given!r} ({type(given).__name__})")
    try:
        number = float(given)
    except OverflowError:  # an integer or a fraction beyond all floats
        number = math.inf
    too_low = number <= low if above else number < low
    is_zero = or_zero and number == 0.0
    if not math.isfinite(number) or (too_low and not is_zero) or number > high:
        bound = f"above {low:g}" if above else f"at least {low:g}"
        bound += "" if high == math.inf else f" and at most {high:g}"
        bound += ", or 0" if or_zero else ""
        raise InvalidValue(f"{what} must be finite and {bound}, got {_in_short(given)}")
    return number


def check_integer(what: str, given: object, low: int, high: int | None = None) -> int:
    """Returns an integer in [low, high].

    Raises:
        TypeError: if it is not an integer; floats and bools are rejected.
        ValueError: if it is out of range.
    """
    if isinstance(given, bool) or not isinstance(given, numbers.Integral):
        raise InvalidType(f"{what} must be an integer, got {given!r} ({type(given).__name__})")
    number = int(given)
    if number < low or (high is not None and number > high):
        bound = f"at least {low}" if high is None else f"from {low} to {high}"
        raise InvalidValue(f"{what} must be {bound}, got {_in_short(given)}")
    return number


def _in_short(number: numbers.Real) -> str:
    """A number as it was given, but not all digits of one with hundreds of them."""
    if isinstance(number, int) and number.bit_length() > 128:
        return f"an integer of {number.bit_length()} bits"
    text = repr(number)
    return text if len(text) <= 80 else f"{text[:77]}..."


def coerce(kind: type, what: str, given: Any, default: Any = None) -> Any:
    """Returns a dataclass unchanged, and makes one of a dict of its fields.

    Args:
        kind: the dataclass.
        what: its name in messages.
        given: the dataclass or the dict.
        default: an instance of the dataclass: the values of fields that the dict lacks.

    Raises:
        InvalidType: if it is neither, or if a key of the dict is not a field.
    """
    if isinstance(given, kind):
        return given
    names = [entry.name for entry in dataclasses.fields(kind)]
    if not isinstance(given, Mapping):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise InvalidType(
            f"{what} must be {article} {kind.__name__} or a dict, got {given!r} "
            f"({type(given).__name__}); its fields are {', '.join(names)}"
        )
    for name in given:
        if name not in names:
            raise InvalidType(unknown(f"field of {what}", name, names))
    return kind(**given) if default is None else dataclasses.replace(default, **given)
