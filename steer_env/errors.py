"""Error messages that say what was wrong, what is valid, and what was probably meant.

The functions `check_...` return the value that they are given, under the name that messages
shall have for it. They raise an `InvalidType` for a value of the wrong type, and an
`InvalidValue` for one that is out of range.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import numbers
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray


class UsageError(Exception):
    """An error in what a caller passed, and not a bug of ours.

    The command line prints such an error as one line, and any other with its traceback.
    """


class InvalidValue(UsageError, ValueError):
    """An argument has a value that is not valid."""


class InvalidType(UsageError, TypeError):
    """An argument has a type that is not valid."""


class InvalidAttribute(UsageError, AttributeError):
    """An attribute was assigned that does not exist, or cannot change."""


class FaultyBehavior(UsageError, FloatingPointError):
    """A user's own behavior or policy returned something that is not a finite number."""


class InUse(UsageError, RuntimeError):
    """A thread asked for an environment that another thread was using."""


EXTRAS = {
    "own": "the compiler, for functions of your own in the games",
    "render": "films, pictures and windows",
    "baselines": "measurements and plots",
    "multi": "PettingZoo: every player as an agent of its own",
    "agents": "stable-baselines3, and what trains and exports policies",
    "ray": "many machines, RLlib and Ray Tune",
}
"""The optional dependencies in pyproject.toml that users install, and what they are for."""


def to_install(extra: str) -> str:
    """The end of a message: how to install optional dependencies, and what they are for."""
    return f'run: pip install "steer-env[{extra}]" ({EXTRAS[extra]})'


@contextmanager
def needing(extra: str, package: str = "") -> Iterator[None]:
    """Raises a DependencyNotInstalled if what is imported within is missing.

    The message has the extra to install, or another remedy, and the package or missing module.
    """
    try:
        yield
    except ImportError as error:
        name = package or (error.name or "").partition(".")[0]
        if not package and (name == "steer_env" or not isinstance(error, ModuleNotFoundError)):
            raise
        remedy = to_install(extra) if extra in EXTRAS else extra
        raise DependencyNotInstalled(f"{name} is not installed; {remedy}") from error


_LONGEST = 200  # characters of a value in a message
_MOST_LISTED = 8  # names in a message; of more, only the nearest
_LEAST_LIKENESS = 0.6  # of a name to what was given, from 0 to 1
_MOST_BEHIND = 0.15  # likeness that a name may be behind the nearest one
_WORD = re.compile("[A-Z]?[a-z0-9]+|[A-Z]+")  # in names such as TagEvade-v0 or pursuit/pack
_MOST_WITHOUT_NEAR = 12  # names in a message, where none is near and nothing else lists them

_LISTED_BY: Mapping[str, str] = {
    **dict.fromkeys(("env_id", "environment"), "steer-env info environments"),
    **dict.fromkeys(("feature", "feature in noise"), "steer-env info features"),
    **dict.fromkeys(("opponent", "script"), "steer-env info opponents"),
    "annotation": "steer-env info annotations",
    "game": "steer-env info games",
    "pretrained policy": "steer-env info pretrained",
    **dict.fromkeys(("game or environment", "section or environment"), "steer-env info"),
}
"""By what a name is for, the command that lists the valid ones."""


def shown(value: object) -> str:
    """The repr of a value for a message, of bounded length."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = repr(value)
    except Exception:  # that of an object of the caller's
        return f"a value of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= _LONGEST else f"{text[:100]} ... {text[-100:]}"


def printable(text: str) -> str:
    r"""A text in one line that harms no terminal: what cannot be printed is escaped.

    Example:
        >>> printable("a\x1b[2Jb")
        'a\\x1b[2Jb'
    """
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def number_text(value: float, specification: str) -> str:
    """A number in text, without a minus if it is rounded to zero.

    Example:
        >>> number_text(-0.001, ".2f"), number_text(-0.0001, "+.1%"), number_text(-0.006, ".2f")
        ('0.00', '+0.0%', '-0.01')
    """
    text = format(value, specification)
    return text if re.search("[1-9a-z]", text) else format(0.0, specification)


def got(value: object) -> str:
    """The end of a message: what was given, and of which type."""
    return f"got {shown(value)} ({type(value).__name__})"


def unknown(what: str, given: object, valid: Iterable[str]) -> str:
    """The message for a name that is not valid, with the valid or nearest ones.

    Example:
        >>> unknown("fruit", "aple", ["apple", "pear"])
        "unknown fruit 'aple'. Did you mean 'apple'? Valid: 'apple', 'pear'."
    """
    names = sorted(valid)
    if not names:
        return f"unknown {what} {shown(given)}: there are none"
    return f"unknown {what} {shown(given)}.{_remedy(given, names, _LISTED_BY.get(what))}"


def unexpected_keyword(
    function: str, given: str, valid: Iterable[str], listed_by: str | None
) -> str:
    """The message for a keyword that a function lacks, in Python's own words."""
    text = f"{function}() got an unexpected keyword argument {shown(given)}."
    return f"{text}{_remedy(given, sorted(valid), listed_by)}"


def nearest(given: object, names: Iterable[str], count: int = 3) -> str:
    """A question about the names that are most alike, " Did you mean 'a' or 'b'?", or ""."""
    text = (given if isinstance(given, str) else shown(given))[:_LONGEST]
    ratios = {name: _likeness(text, name) for name in names}
    least = max(_LEAST_LIKENESS, max(ratios.values(), default=0.0) - _MOST_BEHIND)
    near = sorted((-ratio, name) for name, ratio in ratios.items() if ratio >= least)[:count]
    if not near:
        return ""
    *others, last = [repr(name) for _, name in near]
    return f" Did you mean {', '.join(others)}{' or ' * bool(others)}{last}?"


def _likeness(one: str, other: str) -> float:
    """From 0 to 1: how alike two texts are, also with the words of both in one order."""
    spelled = _ratio(one.casefold(), other.casefold())
    first, second = (sorted(map(str.casefold, _WORD.findall(text))) for text in (one, other))
    return max(spelled, _ratio(" ".join(first), " ".join(second))) if first else spelled


def _ratio(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _remedy(given: object, names: list[str], listed_by: str | None) -> str:
    if len(names) <= _MOST_LISTED:
        return f"{nearest(given, names, 1)} Valid: {', '.join(map(repr, names))}."
    hint = nearest(given, names)
    if listed_by is not None:
        return f"{hint} `{listed_by}` lists them."
    if hint:
        return f"{hint} There are {len(names)} valid names."
    text = given if isinstance(given, str) else shown(given)
    # With a cutoff of 0 those come that share at least some letters.
    some = difflib.get_close_matches(text[:_LONGEST], names, n=_MOST_WITHOUT_NEAR, cutoff=0.0)
    return f" Some of {len(names)} valid names: {', '.join(map(repr, some))}."


def check_choice(what: str, given: object, valid: Iterable[str]) -> None:
    """Raises an InvalidValue unless the given name is a valid one."""
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
    """Returns a finite number in [low, high] (``above``: above low), or 0 by ``or_zero``."""
    if isinstance(given, bool) or not isinstance(given, numbers.Real):
        raise InvalidType(f"{what} must be a number, {got(given)}")
    try:
        number = float(given)
    except OverflowError:  # an integer or a fraction beyond all floats
        number = math.inf
    too_low = number <= low if above else number < low
    if not math.isfinite(number) or number > high or (too_low and not (or_zero and not number)):
        bound = f"{'above' if above else 'at least'} {low:g}"
        bound += f" and at most {high:g}" * (high < math.inf) + ", or 0" * or_zero
        raise InvalidValue(f"{what} must be finite and {bound}, got {shown(given)}")
    return number


def check_integer(what: str, given: object, low: int, high: int | None = None) -> int:
    """Returns an integer in [low, high]. Floats and bools are of the wrong type."""
    if isinstance(given, bool) or not isinstance(given, numbers.Integral):
        raise InvalidType(f"{what} must be an integer, {got(given)}")
    number = int(given)
    if number < low or (high is not None and number > high):
        bound = f"at least {low}" if high is None else f"from {low} to {high}"
        raise InvalidValue(f"{what} must be {bound}, got {shown(given)}")
    return number


def check_text(what: str, given: object) -> str:
    """Returns a string."""
    if not isinstance(given, str):
        raise InvalidType(f"{what} must be a string, {got(given)}")
    return given


def check_sequence(what: str, given: object) -> tuple[Any, ...]:
    """Returns the entries of a list or a tuple."""
    if not isinstance(given, list | tuple):
        raise InvalidType(f"{what} must be a list, {got(given)}")
    return tuple(given)


def check_texts(what: str, given: object) -> tuple[str, ...]:
    """Returns the strings in a list or a tuple."""
    entries = enumerate(check_sequence(what, given))
    return tuple(check_text(f"{what}[{place}]", entry) for place, entry in entries)


def check_flag(what: str, given: object) -> bool:
    """Returns True or False, and rejects anything else that would count as one of them."""
    if not isinstance(given, bool | np.bool_):
        raise InvalidType(f"{what} must be True or False, {got(given)}")
    return bool(given)


def check_path(what: str, given: object) -> Path:
    """Returns a path."""
    if not isinstance(given, str | os.PathLike) or not isinstance(os.fspath(given), str):
        raise InvalidType(f"{what} must be a path, {got(given)}")
    text = os.fspath(given)
    if "\0" in text or not 0 < len(text) <= 4096:
        raise InvalidValue(f"{what} must be the path of a file, got {shown(given)}")
    return Path(given)


def check_array(what: str, given: object, dtype: Any = np.float64) -> NDArray[Any]:
    """Returns an array of real numbers of any shape, among them nan and inf."""
    try:
        with np.errstate(over="ignore"):
            array = np.asarray(given)
            if array.dtype.kind not in "fiub":
                raise TypeError
            return np.asarray(array, dtype)
    except Exception:  # whatever the objects in it raise
        raise InvalidType(f"{what} must be real numbers, {got(given)}") from None


def coerce(kind: type, what: str, given: Any, default: Any = None) -> Any:
    """Returns a dataclass unchanged, and makes one of a dict of its fields.

    Fields that the dict lacks are as in ``default``, an instance, or else in the dataclass.
    """
    if isinstance(given, kind):
        return given
    names = [entry.name for entry in dataclasses.fields(kind)]
    if not isinstance(given, Mapping):
        raise InvalidType(
            f"{what} must be of the type {kind.__name__} or a dict, {got(given)}"
            f"; its fields are {', '.join(names)}"
        )
    for name in given:
        if name not in names:
            raise InvalidType(unknown(f"field of {what}", name, names))
    for entry in dataclasses.fields(kind) if default is None else ():
        is_needed = entry.default is entry.default_factory is dataclasses.MISSING
        if is_needed and entry.name not in given:
            raise InvalidType(f"{what} lacks the field {entry.name!r}, {got(given)}")
    try:
        return kind(**given) if default is None else dataclasses.replace(default, **given)
    except UsageError as error:
        raise type(error)(f"{what}: {error}") from None
