"""User-defined functions inside compiled loops.

Each is compiled on its own, in about a second, and a loop calls its routine by the address in
this process. Outside values that it reads are constants there, see `closures`. A routine takes
the address of a `FUNCTION_CALL`, whose result stays as it is if the function raises an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from numbers import Complex, Real
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from gymnasium.error import DependencyNotInstalled

from steer_env.errors import FaultyBehavior, InvalidType, shown, unknown
from steer_env.machine_code.addresses import record_at, records_at
from steer_env.machine_code.marking import IS_PLAIN, record_dtype, when_compiled
from steer_env.machine_code.routines import Routine
from steer_env.steering.closures import Closure
from steer_env.steering.compilation import compiled
from steer_env.steering.vehicle import VEHICLE, Vehicle, copy_vehicle, vehicle_of

MOST_NUMBERS = 256
"""The numbers that a function may return together."""

FUNCTION_CALL = record_dtype(
    [
        ("me", VEHICLE),
        ("other", VEHICLE),
        ("time", np.float64),  # seconds ahead of a predictor, or played of a scenario's method
        ("number", np.float64),  # the answer of what returns a number
        ("vector", np.complex128),  # the answer of what returns a vector
        ("call_at", np.intp),  # of the loop's call, as the next two of a scenario's method
        ("game", np.int64),
        ("player", np.int64),
        ("row", np.int64),  # the place of the game in its block
        ("rival", np.int64),  # the number of a transition's other player
        ("push", np.complex128),  # its action, in its own frame
        ("chance", np.float64, (3,)),
        ("heading", np.complex128),  # an answer, as the next
        ("second", np.float64),
        ("numbers", np.float64, (MOST_NUMBERS,)),
        ("pursuers", np.intp),  # the address of their bodies, `VEHICLE`s
        ("distances", np.intp),  # the address of numbers, one for each
        ("evaders", np.intp),  # the address of those that are not caught, as the next three
        *[(name, np.int64) for name in ("count", "captured", "reached")],  # of an end
        ("transition", np.intp),  # the address of a reward's `TRANSITION`
        ("address", np.intp),  # of the routine
    ]
)
"""The arguments of a user-defined function, and its result."""


class OwnKind(NamedTuple):
    """A kind of user-defined functions."""

    what: str  # in messages, such as "behavior"
    contract: str  # its arguments and what it returns: "(me, other) that returns a force"
    take: Callable[[Any], tuple[Any, ...]]  # makes its arguments of a `FUNCTION_CALL` record
    answer: Callable[[Any, Any], None]  # writes its result into the record
    arguments: tuple[str, ...]  # in messages, see `fault_of`
    unsound: str  # answers that are faults, beside None
    instead: str  # what the step is made with then
    hint: str = ""  # for functions that are probably meant for something else
    # Makes a routine of ``take`` and a function, where `_routine_of` does not:
    routine: Callable[[Any, Any], Callable[..., None]] | None = None


def function_name(function: object) -> str:
    """A function's name in messages and tables."""
    return str(getattr(function, "__name__", function))


def check_own_function(kind: OwnKind, function: object) -> None:
    """Raises an InvalidType unless it is a function: only those can be compiled."""
    if not isinstance(function, FunctionType):
        article = "an" if kind.what[0] in "aeiou" else "a"
        raise InvalidType(
            f"{article} {kind.what} of your own must be a function of {kind.contract}, made "
            f"with def or lambda, got {shown(function)}{kind.hint and '; '}{kind.hint}"
        )


class OwnFunction(Closure):
    """A user-defined function as machine code, with the values that it read at that time."""

    def __init__(self, kind: OwnKind, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self.kind, self.name = kind, function_name(function)
        if IS_PLAIN:  # it reads everything at each call, and a debugger wants the function
            self.function, self._reads = function, []
        own = self.function if IS_PLAIN else compiled(self.function)
        made = kind.routine(kind.take, own) if kind.routine else _routine_of(kind, own)
        self.address = Routine(made, is_users=True).address


_known: dict[tuple[OwnKind, Callable[..., Any]], list[OwnFunction]] = {}
_at_address: dict[int, OwnFunction] = {}


def own_address(kind: OwnKind, function: Callable[..., Any]) -> int:
    """The address of a function's routine, or an InvalidType for what cannot be compiled."""
    versions = _known.setdefault((kind, function), [])
    own = next((own for own in versions if not own.has_changed()), None)
    if own is None:
        try:
            own = OwnFunction(kind, function)
        except DependencyNotInstalled:
            raise
        except Exception as error:  # numba's own errors, and others where it gives up
            raise InvalidType(
                f"the {kind.what} {function_name(function)!r} cannot be compiled: "
                f"{_cause(error)}; a {kind.what} is a function of {kind.contract}, and uses "
                "numbers, math, functions of steer_env.steering and helpers of that kind only"
                f"{kind.hint and '; '}{kind.hint}"
            ) from None
        versions.append(own)
        _at_address[own.address] = own
    return own.address


_COLOR = re.compile("\x1b\\[[0-9;]*m")  # as in a terminal, where colorama is installed
_RECORD = re.compile(r"\b(Vehicle|Transition|Rider)\((?:[^()]|\([^()]*\))*\)")
_ATTRIBUTE = re.compile(r"Unknown attribute '(\w+)' of type (?:Vehicle|Rider)")
_PLACE = re.compile(r'^ *File "([^"]+)", line (\d+):$', re.MULTILINE)


def _cause(error: Exception) -> str:
    """The innermost cause in a message of numba, with its place in the user's file."""
    text = _RECORD.sub(r"\1", _COLOR.sub("", str(error)))
    text = text.split("raised a specific error:")[-1]
    lines = [line for line in text.splitlines() if line.strip() and "nopython mode" not in line]
    if not lines:
        return f"the compiler gives no reason ({error!r})"
    cause = re.sub("^ *(TypingError|UnsupportedError): ", "", lines[0]).strip() or repr(error)
    attribute = _ATTRIBUTE.match(cause)
    if attribute is not None:
        cause = unknown("field of a Vehicle", attribute[1], Vehicle._fields).rstrip(".")
    if "FORMAT_WITH_SPEC" in cause or "format spec" in cause:
        cause = 'compiled code has no formats such as f"{x:.2f}"; print(x) will do'
    if "readonly" in cause:
        cause = "it writes to an array that is read-only"
    places = [(Path(file), line) for file, line in _PLACE.findall(text)]
    users = [f"line {line} of {file.name}" for file, line in places if not _is_ours(file)]
    return f"{cause} ({users[0]})" if users else cause


def _is_ours(file: Path) -> bool:
    """True for a file of this package, and of one that it needs."""
    return bool({"steer_env", "site-packages"} & {*file.parts}) and "tests" not in file.parts


_NOT_A_VECTOR = "it returns {}, and must return a complex number: write complex(x, y)"
_NOT_A_NUMBER = "it returns {}, and must return a real number"


def one_vector(answer: complex) -> complex:
    """Returns an answer that is one complex number, or raises an InvalidType."""
    if isinstance(answer, Complex) and not isinstance(answer, (bool, np.bool_)):
        return answer
    raise InvalidType(_NOT_A_VECTOR.format(shown(answer)))


def one_number(answer: float) -> float:
    """Returns an answer that is one real number, as `one_vector` does."""
    if isinstance(answer, (Real, np.bool_)):
        return answer
    raise InvalidType(_NOT_A_NUMBER.format(shown(answer)))


_NO_OUTCOME = "it returns {}, and must return the name of an outcome, or None to go on"


def one_outcome(answer: str | None) -> str | None:
    """Returns an answer that is a name, or None, as `one_vector` does."""
    if answer is None or isinstance(answer, str):
        return answer
    raise InvalidType(_NO_OUTCOME.format(shown(answer)))


def _unchanged(answer: Any, kinds: Sequence[str], message: str) -> Callable[[Any], Any]:
    from numba import TypingError, types

    kind = getattr(answer, "type", answer)  # None at times is noticed when it is returned
    if isinstance(kind, tuple(getattr(types, name) for name in kinds)):
        return lambda answer: answer
    raise TypingError(message.format(answer))


@when_compiled(one_vector)
def _one_vector(answer: Any) -> Callable[[Any], Any]:
    return _unchanged(answer, ("Number",), _NOT_A_VECTOR)


@when_compiled(one_outcome)
def _one_outcome(answer: Any) -> Callable[[Any], Any]:
    return _unchanged(answer, ("UnicodeType", "NoneType"), _NO_OUTCOME)


@when_compiled(one_number)
def _one_number(answer: Any) -> Callable[[Any], Any]:
    return _unchanged(answer, ("Integer", "Float", "Boolean"), _NOT_A_NUMBER)


def numbers_in_order(names: Sequence[str]) -> Callable[[Any], tuple[float, ...]]:
    """A function that returns an answer of as many numbers as a tuple, or raises InvalidType.

    A number alone is a tuple of one.
    """
    count = len(names)
    message = f"it returns {{}}, and must return numbers for ({', '.join(names)})"

    def numbers(answer: Any) -> tuple[float, ...]:
        entries = answer if isinstance(answer, tuple) else (answer,)
        if len(entries) != count:
            raise InvalidType(message.format(shown(answer)))
        return tuple(1.0 * one_number(entry) for entry in entries)

    @when_compiled(numbers)
    def choose(answer: Any) -> Callable[[Any], Any]:
        from numba import TypingError, types

        is_tuple = isinstance(answer, types.BaseTuple)
        if (answer.count if is_tuple else 1) != count:
            raise TypingError(message.format(answer))
        if not is_tuple:
            return lambda answer: (1.0 * one_number(answer),)
        taken = in_tuple([_number_at(place) for place in range(count)])
        return lambda answer: taken(answer)

    return numbers


def _number_at(place: int) -> Callable[[Any], float]:
    return compiled(lambda answer: 1.0 * one_number(answer[place]))


def in_tuple(parts: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """A function that returns what one function or several return for its arguments."""
    made: Any = None
    for part in parts:
        made = _with_one_more(made, part) if made else _alone(part)
    return made


def _alone(part: Any) -> Any:
    return compiled(lambda *arguments: (part(*arguments),))


def _with_one_more(made: Any, part: Any) -> Any:
    # As the compiler reads it: it knows no star in a tuple.
    return compiled(lambda *arguments: made(*arguments) + (part(*arguments),))  # noqa: RUF005


def answer_numbers(names: Sequence[str]) -> Callable[[Any, Any], None]:
    """Makes what keeps a result of as many numbers."""
    in_order, count = numbers_in_order(names), len(names)

    @compiled
    def answer(call: np.record, given: Any) -> None:
        numbers = in_order(given)
        for place in range(count):
            call.numbers[place] = numbers[place]

    return answer


def answer_many(count: int) -> Callable[[Any, Any], None]:
    """Makes what keeps a result of numbers in a tuple, list or array."""
    message = f"it returns {{}}, and must return {count} numbers"

    def answer(call: Any, given: Any) -> None:
        numbers = [one_number(one) for one in np.atleast_1d(np.array(given, dtype=object))]
        if len(numbers) != count:
            raise InvalidType(message.format(shown(given)))
        call.numbers[:count] = numbers

    @when_compiled(answer)
    def choose(call: Any, given: Any) -> Callable[[Any, Any], None]:
        from numba import TypingError, literal_unroll, types

        is_tuple = isinstance(given, types.BaseTuple)
        if is_tuple and given.count != count:
            raise TypingError(message.format(given))

        def each(call: Any, given: Any) -> None:
            place = 0
            for one in literal_unroll(given):
                call.numbers[place] = one_number(one)
                place += 1  # noqa: SIM113

        def copy(call: Any, given: Any) -> None:
            for place in range(count if len(given) == count else 0):  # else it is at fault
                call.numbers[place] = one_number(given[place])

        def alone(call: Any, given: Any) -> None:
            call.numbers[0] = one_number(given)

        if is_tuple:
            return copy if isinstance(given, types.UniTuple) else each
        is_array = isinstance(given, types.Array) and given.ndim == 1
        if count > 1 and not is_array and not isinstance(given, types.List):
            raise TypingError(message.format(given))
        return copy if is_array or isinstance(given, types.List) else alone

    return answer


def _routine_of(kind: OwnKind, own: Any) -> Callable[[int], None]:
    take, answer = kind.take, kind.answer

    def routine(calls: int) -> None:
        call = record_at(calls, FUNCTION_CALL)
        answer(call, own(*take(call)))

    return routine


@compiled
def me_and_other(call: np.record) -> tuple[Vehicle, Vehicle]:
    """The arguments of behaviors, lookahead laws and features."""
    return vehicle_of(call.me), vehicle_of(call.other)


@compiled
def other_and_time(call: np.record) -> tuple[Vehicle, float]:
    """The arguments of predictors."""
    return vehicle_of(call.other), call.time


@compiled
def answer_vector(call: np.record, answer: complex) -> None:
    """Keeps a result that is a vector."""
    call.vector = one_vector(answer)


@compiled
def answer_number(call: np.record, answer: float) -> None:
    """Keeps a result that is a number."""
    call.number = one_number(answer)


@compiled
def begin_call(calls: int, me: Vehicle, other: Vehicle) -> np.record:
    """The `FUNCTION_CALL` record at an address, with these vehicles, and nan for results."""
    call = record_at(calls, FUNCTION_CALL)
    copy_vehicle(me, call.me)
    copy_vehicle(other, call.other)
    call.vector = complex(math.nan, 0.0)
    call.number = call.second = math.nan
    return call


@compiled
def note_fault(address: int, calls: int) -> None:
    """Keeps the first call with an invalid result, of two `FUNCTION_CALL` records.

    They are this call of the routine at an address, and the first fault.
    """
    records = records_at(calls, 2, FUNCTION_CALL)
    if records[1].address == 0:
        records[1] = records[0]
        records[1].address = address


def fault_of(call: np.void, arguments: Mapping[str, object]) -> FaultyBehavior:
    """The error for a `FUNCTION_CALL` record, with arguments that it does not hold."""
    own = _at_address[int(call["address"])]
    me, other = (Vehicle(*call[name].item()) for name in ("me", "other"))
    values = {"me": me, "other": other, "time": call["time"], "evader": me, **arguments}
    called = " and ".join(f"{name} = {values[name]}" for name in own.kind.arguments)
    return FaultyBehavior(
        f"the {own.kind.what} {own.name} raised an error (printed above), or returned None, "
        f"{own.kind.unsound}; the step has been made with {own.kind.instead}. It was called "
        f"with {called}"
    )
