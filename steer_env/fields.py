"""Fields of configurations: one entry has the default, unit, range and meaning of each.

Checks, docstrings and tables of keywords follow from the entries. Realistic settings stay far
inside the bounds; within them the compiled loop is far from overflow and subnormal numbers.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from steer_env.errors import check_choice, check_integer, check_number

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_):
        """Returns decorators unchanged: only type checkers need it."""
        return lambda decorated: decorated


class Bounds(NamedTuple):
    """The range of one number: its smallest and its largest value."""

    low: float
    high: float
    or_zero: bool = False  # 0 is valid as well, below the smallest value


NOISE = Bounds(0.0, 1e6)
"""Standard deviations of `ObservationConfig` and `ActionConfig`."""

DELAY = Bounds(0, 1000)
"""Delays of the same, in steps."""

FEATURE = Bounds(-1e6, 1e6)
"""The bounds of a user-defined feature."""

REWARD_TERM = Bounds(-1e6, 1e6)
"""The weight of a user-defined reward term."""

LARGEST_REWARD = 1e100
"""The largest value, of either sign, that a user-defined reward term may return."""

SCALE = Bounds(1e-6, 1e6)
"""`ObservationConfig`: the quantities that features show as 1."""

MOST_STARTS = 100_000
"""The largest number of starts that episodes draw from: `Game.start`."""

LARGEST_ANSWER = 1e100
"""The largest number, of either sign, that a user-defined function of a script may return.

That is a behavior (newtons), a lookahead law (seconds) or a predictor (meters); of a vector,
either component. From 1e154 on, squares leave floats.
"""

MOST_GAMES = 10**7
"""The largest ``num_envs``."""


def check_within(bounds: Bounds, what: str, given: object) -> float:
    """Returns a number within bounds, called ``what`` in messages, see `check_number`."""
    return check_number(what, given, bounds.low, bounds.high, or_zero=bounds.or_zero)


def check_count(bounds: Bounds, what: str, given: object) -> int:
    """Returns an integer within bounds, or raises the errors of `check_within`."""
    return check_integer(what, given, int(bounds.low), int(bounds.high))


def _shown(number: float) -> str:
    """A number in few characters: 1e-6, 1,024."""
    text = f"{number:,g}" if abs(number) < 1e6 else f"{number:g}"
    return text.replace("e-0", "e-").replace("e+0", "e")


_Class = TypeVar("_Class", bound=type)


class Entry(NamedTuple):
    """The description of one field."""

    meaning: str  # in words, without a period at the end
    unit: str  # in SI units
    within: Bounds | None  # the range of a number
    one_of: tuple[str, ...]  # valid names
    called: str  # its name in messages and among the keywords of environments, if another
    shown: str  # the default value in tables, if a few words say it better

    def text(self) -> str:
        """The meaning with the unit, and the range or the valid names."""
        about = [self.unit] if self.unit else []
        if self.within is not None:
            low, high, or_zero = self.within
            about.append(f"{'0 or ' if or_zero else ''}from {_shown(low)} to {_shown(high)}")
        if self.one_of:
            about.append(", ".join(f'"{name}"' for name in self.one_of))
        return f"{self.meaning} ({'; '.join(about)})." if about else f"{self.meaning}."


def entry(
    meaning: str,
    unit: str = "",
    within: Bounds | None = None,
    one_of: tuple[str, ...] = (),
    called: str = "",
    *,
    default: Any = None,
    factory: Callable[[], Any] | None = None,
    shown: str = "",
    **options: Any,
) -> Any:
    """A field of a configuration, described as in `Entry`.

    Its value is the default, or made by the factory; the options are `dataclasses.field`'s.
    """
    about = {"entry": Entry(meaning, unit, within, one_of, called, shown)}
    if factory is not None:
        return field(default_factory=factory, metadata=about, **options)
    return field(default=default, metadata=about, **options)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(entry,))
def configuration(kind: _Class) -> _Class:
    """Makes a class of entries a frozen dataclass, and lists them in its docstring."""
    made: Any = dataclass(frozen=True, kw_only=True)(kind)
    lines = [
        textwrap.fill(
            f"{name}: {one.text()}", 92, initial_indent=" " * 8, subsequent_indent=" " * 12
        )
        for name, one in entries(made).items()
    ]
    made.__doc__ = "\n".join(
        [(made.__doc__ or "").rstrip(), "", "    Attributes:", *lines, "    "]
    )
    return made


def rows(kind: type) -> list[tuple[str, str, str]]:
    """The name, default and short meaning (up to a semicolon or colon) of each field."""
    found = []
    for one in fields(kind):
        about: Entry = one.metadata["entry"]
        default = about.shown or (
            f'"{one.default}"' if isinstance(one.default, str) else f"{one.default}"
        )
        short = about._replace(meaning=re.split("[;:] ", about.meaning)[0])
        found.append((about.called or one.name, default, short.text().rstrip(".")))
    return found


def entries(kind: type) -> Mapping[str, Entry]:
    """The description of each field of a configuration."""
    return {one.name: one.metadata["entry"] for one in fields(kind)}


def ranges(kind: type) -> dict[str, Bounds]:
    """The range of each number in a configuration."""
    return {name: one.within for name, one in entries(kind).items() if one.within is not None}


def check_entries(config: Any, apart: Collection[str] = ()) -> None:
    """Checks and converts the numbers and names of a configuration that is being made.

    Fields whose names are in ``apart`` have checks of their own.
    """
    for one in fields(config):
        about: Entry = one.metadata["entry"]
        value, called = getattr(config, one.name), about.called or one.name
        if one.name in apart or (value is None and one.default is None):
            continue
        if about.within is not None:
            is_whole = str(one.type).startswith("int")  # its annotation is a text
            check: Callable[..., Any] = check_count if is_whole else check_within
            object.__setattr__(config, one.name, check(about.within, called, value))
        elif about.one_of:
            check_choice(called, value, about.one_of)
