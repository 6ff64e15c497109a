"""The two sides of the game, and everything that follows from which one it is."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from numbers import Integral
from types import MappingProxyType
from typing import NoReturn, TypeVar

from steer_env.errors import InvalidValue, check_choice, shown

_T = TypeVar("_T")


class Side(IntEnum):
    """A side: its value is its place wherever both sides stand in a row, pursuers first.

    Example:
        >>> Side.EVADER.name, Side.EVADER.other.name, Side.named("pursuer") == 0
        ('evader', 'pursuer', True)
    """

    PURSUER = 0
    EVADER = 1

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise InvalidValue(f"side must be PURSUER (0) or EVADER (1), got {shown(value)}")

    @classmethod
    def numbered(cls, value: object) -> Side:
        """The side of a number, or an InvalidValue for anything but 0 and 1."""
        if isinstance(value, Integral) and not isinstance(value, bool) and value in (0, 1):
            return cls(int(value))
        return cls._missing_(value)

    @classmethod
    def named(cls, name: str) -> Side:
        """The side of a name, "pursuer" or "evader", or an InvalidValue for any other."""
        check_choice("side", name, [side.name for side in cls])
        return cls[name.upper()]

    @property
    def name(self) -> str:
        """The word for it: "pursuer" or "evader"."""
        return self._name_.lower()

    @property
    def other(self) -> Side:
        """The opponent's side."""
        return Side(1 - self)

    def ordered(self, own: _T, other: _T) -> tuple[_T, _T]:
        """Returns what is the pursuers' and what is the evaders': own is this side's."""
        return (own, other) if self is PURSUER else (other, own)

    @property
    def verb(self) -> str:
        """The word for its task in ids of environments: "Pursuit" or "Evade"."""
        return ("Pursuit", "Evade")[self]

    @property
    def environment(self) -> str:
        """The id of the environment in which this side learns, such as "Pursuit-v0"."""
        return f"{self.verb}-v0"

    @property
    def default_opponent(self) -> str:
        """The script that plays against a learner of this side by default."""
        return self.other.default_script

    @property
    def default_script(self) -> str:
        """The script that plays this side by default: its textbook behavior."""
        return ("pursuit", "evade")[self]


PURSUER, EVADER = Side.PURSUER, Side.EVADER

OUTCOMES: Mapping[str, Side] = MappingProxyType(
    {"captured": PURSUER, "escaped": EVADER, "time up": EVADER, "decided": EVADER}
)
"""The ends of episodes, with the side that has won.

All evaders are caught, the last of them has reached a target, the horizon has come, or another
payoff can no longer change.
"""

CAPTURED, ESCAPED, TIME_UP, DECIDED = range(1, len(OUTCOMES) + 1)
"""Their numbers in a state. 0 is for none, and a scenario's own come after them."""
