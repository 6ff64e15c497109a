"""User-defined functions inside compiled loops, which are not compiled anew for them.

A function is compiled on its own, in a second or so, to machine code at some address, and a
loop calls it there. Addresses are valid in one process: what is unpickled in another process
asks for them again. The values outside the function that it reads are constants in its machine
code: it is compiled again if they have changed.

The routines here take the address of an `ASKED` record, with the arguments of the function and
room for its answer. An answer stays as it is if the function raises an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from numbers import Complex, Real
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled

from steer_env.errors import ChangedValue, InvalidType, shown, unknown
from steer_env.machine_code.addresses import record_at
from steer_env.machine_code.marking import IS_PLAIN, record_dtype, when_compiled
from steer_env.machine_code.routines import Routine
from steer_env.steering.closures import MISSING, Closure, Read
from steer_env.steering.compilation import compiled
from steer_env.steering.vehicle import VEHICLE, Vehicle, vehicle_of

ASKED = record_dtype(
    [
        ("me", VEHICLE),
        ("other", VEHICLE),
        ("time", np.float64),  # seconds ahead that a predictor is asked for
        ("number", np.float64),  # the answer of what returns a number
        ("vector", np.complex128),  # the answer of what returns a vector
        ("address", np.intp),  # of the routine that was asked
    ]
)
"""The arguments of a user-defined function, and its answer."""

Ask = Callable[[Any], Callable[..., None]]
"""Makes the routine that calls a function."""


def function_name(function: object) -> str:
    """A function's name in messages and tables."""
    return str(getattr(function, "__name__", function))


def check_own_function(what: str, contract: str, function: object, hint: str = "") -> None:
    """Raises an InvalidType unless it is a function: only those can be compiled.

    Args:
        what: its kind in messages.
        contract: its arguments and what it returns, as "(me, other) that returns a force".
        function: as a caller gave it.
        hint: what to do if it is meant for something else.
    """
    if not isinstance(function, FunctionType):
        raise InvalidType(
            f"{what} must be a function of {contract}, made with def or lambda, got "
            f"{shown(function)}{hint and '; '}{hint}"
        )


class OwnFunction:
    """A user-defined function as machine code, with the values that it read at that time.

    Attributes:
        function: as the user gave it.
        address: of its routine.
        has_same_objects: see `Closure.has_same_objects`.
    """

    def __init__(self, ask: Ask, function: Callable[..., Any], what: str) -> None:
        self.function, self._what = function, what
        # Plain Python reads everything anew, and a debugger wants the function itself.
        self._closure = None if IS_PLAIN else Closure(function)
        own = function if self._closure is None else compiled(self._closure.function)
        self.address = Routine(ask(own), is_users=True).address

        self.has_same_objects = (
            self._closure.has_same_objects if self._closure else lambda: True
        )

    def changed(self) -> Read | None:
        """The first value that Python would now read anew; None if there is none."""
        return self._closure.changed() if self._closure else None

    def check_unchanged(self) -> None:
        """Raises a ChangedValue if Python would read another value now."""
        read = self.changed()
        if read is not None:
            now = "not defined" if read.now() is MISSING else shown(read.now())
            raise ChangedValue(
                f"{self._what} reads {read.name}, which was {read.text} when it was compiled, "
                f"and is {now} now; a new environment compiles it with the new value, and for "
                "an opponent set_opponent does"
            )


_known: dict[tuple[Ask, Callable[..., Any]], list[OwnFunction]] = {}
_at_address: dict[int, OwnFunction] = {}


def own_address(
    ask: Ask, function: Callable[..., Any], what: str, contract: str, hint: str = ""
) -> int:
    """The address of the routine that calls a function, which is compiled if need be.

    Args:
        ask: makes the routine.
        function: of a user.
        what: its kind and name in messages.
        contract: its arguments and what it returns, in full.
        hint: what to do if it is meant for something else.

    Raises:
        InvalidType: if the function cannot be compiled, or returns something else.
    """
    versions = _known.setdefault((ask, function), [])
    own = next((own for own in versions if own.changed() is None), None)
    if own is None:
        try:
            own = OwnFunction(ask, function, what)
        except DependencyNotInstalled:
            raise
        except Exception as error:  # numba's own errors, and others where it gives up
            raise InvalidType(
                f"{what} cannot be compiled: {_cause(error)}; {contract}, and uses numbers, "
                "math, functions of steer_env.steering and helpers of that kind only"
                f"{hint and '; '}{hint}"
            ) from None
        versions.append(own)
        _at_address[own.address] = own
    return own.address


def own_functions(addresses: Iterable[int]) -> list[OwnFunction]:
    """The functions whose routines are at these addresses; other addresses are skipped."""
    return [_at_address[address] for address in addresses if address in _at_address]


_COLOR = re.compile("\x1b\\[[0-9;]*m")  # as in a terminal, where colorama is installed
_RECORD = re.compile(r"\b(Vehicle|Transition)\((?:[^()]|\([^()]*\))*\)")
_ATTRIBUTE = re.compile(r"Unknown attribute '(\w+)' of type Vehicle")
_PLACE = re.compile(r'^ *File "([^"]+)", line (\d+):$', re.MULTILINE)


def _cause(error: Exception) -> str:
    """The innermost cause in a message of numba, with its place in the user's file."""
    text = _RECORD.sub(r"\1", _COLOR.sub("", str(error)))
    text = text.split("raised a specific error:")[-1]
    lines = [line for line in text.splitlines() if line.strip() and "nopython mode" not in line]
    cause = re.sub("^ *(TypingError|UnsupportedError): ", "", lines[0]).strip() or repr(error)
    attribute = _ATTRIBUTE.match(cause)
    if attribute is not None:
        cause = unknown("field of a Vehicle", attribute[1], Vehicle._fields).rstrip(".")
    if "FORMAT_WITH_SPEC" in cause or "format spec" in cause:
        cause = 'compiled code has no formats such as f"{x:.2f}"; print(x) will do'
    place = _PLACE.search(text)
    if place is None or Path(place[1]).name == Path(__file__).name:
        return cause
    return f"{cause} (line {place[2]} of {Path(place[1]).name})"


def one_vector(answer: complex) -> complex:
    """Returns an answer that is one complex number.

    Raises:
        InvalidType: for any other, of which a part would be lost; in compiled code, when it is
            compiled.
    """
    if isinstance(answer, Complex) and not isinstance(answer, (bool, np.bool_)):
        return answer
    raise InvalidType(_NOT_A_VECTOR.format(shown(answer)))


def one_number(answer: float) -> float:
    """Returns an answer that is one real number; see `one_vector`."""
    if isinstance(answer, (Real, np.bool_)):
        return answer
    raise InvalidType(_NOT_A_NUMBER.format(shown(answer)))


_NOT_A_VECTOR = "it returns {}, and must return a complex number: write complex(x, y)"
_NOT_A_NUMBER = "it returns {}, and must return a real number"


@when_compiled(one_vector)
def _one_vector(answer: Any) -> Any:
    from numba import TypingError, types

    kind = getattr(answer, "type", answer)  # None at times is noticed when it is returned
    if isinstance(kind, types.Number):
        return lambda answer: answer
    raise TypingError(_NOT_A_VECTOR.format(answer))


@when_compiled(one_number)
def _one_number(answer: Any) -> Any:
    from numba import TypingError, types

    kind = getattr(answer, "type", answer)
    if isinstance(kind, (types.Integer, types.Float, types.Boolean)):
        return lambda answer: answer
    raise TypingError(_NOT_A_NUMBER.format(answer))


def vector_routine(own: Any) -> Callable[..., None]:
    """The routine of a function (me, other) that returns a vector."""

    def routine(asked: int) -> None:
        question = record_at(asked, ASKED)
        question.vector = one_vector(own(vehicle_of(question.me), vehicle_of(question.other)))

    return routine


def number_routine(own: Any) -> Callable[..., None]:
    """The routine of a function (me, other) that returns a number."""

    def routine(asked: int) -> None:
        question = record_at(asked, ASKED)
        question.number = one_number(own(vehicle_of(question.me), vehicle_of(question.other)))

    return routine


def prediction_routine(own: Any) -> Callable[..., None]:
    """The routine of a function (other, time) that returns a vector."""

    def routine(asked: int) -> None:
        question = record_at(asked, ASKED)
        question.vector = one_vector(own(vehicle_of(question.other), question.time))

    return routine
