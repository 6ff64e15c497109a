"""A script's functions of a user's own: its behavior, its lookahead law and its predictor.

The table of scripts holds their addresses; `steer_env.scripts.force` asks them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from steer_env.bounds import LARGEST_ANSWER
from steer_env.errors import FaultyBehavior
from steer_env.machine_code.addresses import call_routine, record_at, records_at
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import (
    ASKED,
    Ask,
    check_own_function,
    function_name,
    number_routine,
    own_address,
    own_functions,
    prediction_routine,
    vector_routine,
)
from steer_env.steering.vehicle import Vehicle, copy_vehicle

if TYPE_CHECKING:
    from steer_env.scripts.script import Script

NOT_A_POLICY = (
    "a function from observations to actions is FunctionPolicy(function), from baselines"
)
"""A hint for messages: such functions are easily taken for behaviors."""


class OwnKind(NamedTuple):
    """A kind of function that a script may have of a user's own."""

    field: str  # of the Script
    what: str  # it is, in messages
    contract: str  # its arguments, and what it returns
    ask: Ask
    unit: str  # of its answers
    instead: str  # what the step was made with, if it is at fault
    hint: str = ""


OWN_KINDS = (
    OwnKind(
        "behavior",
        "behavior",
        "(me, other), two Vehicles, that returns a force as a complex number",
        vector_routine,
        "newtons",
        "a force of 0",
        NOT_A_POLICY,
    ),
    OwnKind(
        "lookahead",
        "lookahead law",
        "(me, other), two Vehicles, that returns how many seconds ahead to predict",
        number_routine,
        "seconds, or less than 0",
        "a time of 0",
    ),
    OwnKind(
        "predictor",
        "predictor",
        "(other, time), a Vehicle and seconds, that returns a position as a complex number",
        prediction_routine,
        "meters",
        "its present position",
    ),
)


def check_own_functions(script: Script) -> None:
    """Raises an InvalidType if what a script has of a user's own are not functions."""
    for kind in OWN_KINDS:
        given = getattr(script, kind.field)
        if callable(given):
            check_own_function(f"a {kind.what} of your own", kind.contract, given, kind.hint)


def own_addresses(script: Script) -> Iterator[tuple[OwnKind, int]]:
    """Yields the kinds of user-defined functions that a script has, and their addresses.

    Raises:
        InvalidType: if one cannot be compiled, or does not return a number.
    """
    for kind in OWN_KINDS:
        function = getattr(script, kind.field)
        if callable(function):
            what = f"the {kind.what} {function_name(function)!r}"
            contract = f"a {kind.what} is a function of {kind.contract}"
            address = own_address(kind.ask, function, what, contract, kind.hint)
            yield kind, address


@compiled
def ask_behavior(address: int, me: Vehicle, other: Vehicle, asked: int) -> complex:
    """The force of a user's own behavior, in newtons; 0 if it is at fault.

    Args:
        address: of its routine.
        me: the vehicle.
        other: its nearest opponent.
        asked: the address of two `ASKED` records: the first is for this question, and the
            first question whose answer is not sound is kept in the second.
    """
    question = record_at(asked, ASKED)
    copy_vehicle(me, question.me)
    copy_vehicle(other, question.other)
    question.vector = complex(math.nan, 0.0)  # stays so if the behavior raises an error
    call_routine(address, (asked,))
    return question.vector if _is_sound(question.vector, address, asked) else 0j


@compiled
def ask_lookahead(address: int, me: Vehicle, other: Vehicle, asked: int) -> float:
    """The seconds of a user's own lookahead law; 0 if it is at fault. See `ask_behavior`."""
    question = record_at(asked, ASKED)
    copy_vehicle(me, question.me)
    copy_vehicle(other, question.other)
    question.number = math.nan
    call_routine(address, (asked,))
    time = question.number
    is_sound = _is_sound(complex(time if time >= 0.0 else math.nan, 0.0), address, asked)
    return time if is_sound else 0.0


@compiled
def ask_predictor(address: int, other: Vehicle, time: float, asked: int) -> complex:
    """The position of a user's own predictor, in meters; the present one if it is at fault.

    See `ask_behavior`.
    """
    question = record_at(asked, ASKED)
    copy_vehicle(other, question.other)
    question.time = time
    question.vector = complex(math.nan, 0.0)
    call_routine(address, (asked,))
    return question.vector if _is_sound(question.vector, address, asked) else other.position


@compiled
def _is_sound(answer: complex, address: int, asked: int) -> bool:
    """Whether an answer is finite and not too large; if not, the first such is kept."""
    if abs(answer.real) <= LARGEST_ANSWER and abs(answer.imag) <= LARGEST_ANSWER:
        return True
    records = records_at(asked, 2, ASKED)
    if records[1].address == 0:
        records[1] = records[0]
        records[1].address = address
    return False


def fault_of(scripts: Iterator[Script], asked: np.void) -> FaultyBehavior:
    """The error for the first function at fault.

    Args:
        scripts: that the games play.
        asked: the `ASKED` record that was kept.
    """
    (own,) = own_functions([int(asked["address"])])
    kind = next(
        kind
        for script in scripts
        for kind in OWN_KINDS
        if getattr(script, kind.field) is own.function
    )
    me, other = (Vehicle(*asked[name].item()) for name in ("me", "other"))
    question = f"me = {me} and other = {other}"
    if kind.field == "predictor":
        question = f"other = {other} and time = {asked['time']}"
    return FaultyBehavior(
        f"the {kind.what} {function_name(own.function)} raised an error (printed above), or "
        f"returned None, nan, infinity or more than {LARGEST_ANSWER:g} {kind.unit}; the step "
        f"has been made with {kind.instead}. It was called with {question}"
    )
