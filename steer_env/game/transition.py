"""The input of user-defined reward terms: one step of one of the learner's players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, get_type_hints

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, got
from steer_env.fields import LARGEST_REWARD, REWARD_TERM, check_within
from steer_env.machine_code.addresses import record_at
from steer_env.machine_code.marking import record_dtype
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import (
    OwnKind,
    answer_number,
    check_own_function,
    function_name,
    own_address,
)
from steer_env.steering.vehicle import VEHICLE, Vehicle, vehicle_of


class Transition(NamedTuple):
    """One transition, from one learning player's point of view.

    The other is the nearest opponent after the step that was in play before it. On a torus it
    is at its image nearest to me, and places before the step do not jump, so they may be beyond
    the edge.

    Attributes:
        me: the player after the step.
        other: its opponent after the step.
        me_before: the player before the step.
        other_before: the same opponent before the step.
        distance: between the two centers after the step, in meters.
        distance_before: the same before the step.
        action: what the player did, forward + left * 1j in its own frame before the step: its
            action, cut to the unit disc. A car's is its turn alone.
        caught: evaders caught in this step, by any pursuer.
        captured: evaders caught so far in the episode, with those of this step.
        free: evaders that are still free.
        me_caught: whether the player, an evader, was caught in this step.
        other_caught: whether the other, an evader, was caught in this step.
        terminated: whether the episode ends with this step, and not because the time is up.
        truncated: whether the time is up with this step.
        step: steps made in the episode, this one included.
        time: seconds played, this step included.
        time_left: seconds that are left.
        number: of the player in its team, from 0.
        capture_radius: in meters.
        dt: length of a step, in seconds.
        half_size: half the arena's side, in meters.

    Example:
        >>> Transition(action=0.6 + 0.8j).time_left
        0.0
    """

    me: Vehicle = Vehicle()
    other: Vehicle = Vehicle()
    me_before: Vehicle = Vehicle()
    other_before: Vehicle = Vehicle()
    distance: float = 0.0
    distance_before: float = 0.0
    action: complex = 0j
    caught: int = 0
    captured: int = 0
    free: int = 1
    me_caught: bool = False
    other_caught: bool = False
    terminated: bool = False
    truncated: bool = False
    step: int = 1
    time: float = 0.0
    time_left: float = 0.0
    number: int = 0
    capture_radius: float = 0.6
    dt: float = 1 / 30
    half_size: float = 10.0


_DTYPES: dict[Any, Any] = {
    Vehicle: VEHICLE,
    float: np.float64,
    complex: np.complex128,
    int: np.int64,
    bool: np.bool_,
}

TRANSITION = record_dtype(
    [(name, _DTYPES[kind]) for name, kind in get_type_hints(Transition).items()]
)
"""The same fields as `Transition`, as a numpy record."""


@compiled
def transition_of(record: np.record) -> Transition:
    """The Transition of a `TRANSITION` record, also in compiled code."""
    return Transition(
        vehicle_of(record.me),
        vehicle_of(record.other),
        vehicle_of(record.me_before),
        vehicle_of(record.other_before),
        record.distance,
        record.distance_before,
        record.action,
        record.caught,
        record.captured,
        record.free,
        record.me_caught,
        record.other_caught,
        record.terminated,
        record.truncated,
        record.step,
        record.time,
        record.time_left,
        record.number,
        record.capture_radius,
        record.dt,
        record.half_size,
    )


def shown_transition(record: np.void) -> Transition:
    """The Transition of a `TRANSITION` record, for messages."""
    fields: dict[str, Any] = dict(zip(Transition._fields, record.item()))
    for name in ("me", "other", "me_before", "other_before"):
        fields[name] = Vehicle(*fields[name])
    return Transition(**fields)


WeightedTerm: TypeAlias = tuple[Callable[[Transition], float], float]
"""A user-defined reward term, from a step to a number of either sign, and its weight."""


def weighted_terms(given: object) -> tuple[WeightedTerm, ...]:
    """Reward terms with a weight each, of a function, or functions and (function, weight).

    Anything else is an InvalidType, and a weight out of range an InvalidValue.
    """
    if callable(given):
        given = [given]
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidType(
            "reward terms must be a function (transition) -> float, or a list of such "
            f"functions and of pairs (function, weight); {got(given)}"
        )
    found = []
    for one in given:
        is_pair = isinstance(one, Sequence) and not isinstance(one, str) and len(one) == 2
        term, weight = one if is_pair else (one, 1.0)
        check_own_function(TERM_KIND, term)
        what = f"the weight of the reward term {function_name(term)}"
        found.append((term, check_within(REWARD_TERM, what, weight)))
    return tuple(found)


@compiled
def taken_transition(call: np.record) -> tuple[Transition]:
    """The arguments of reward terms."""
    return (transition_of(record_at(call.transition, TRANSITION)),)


TERM_KIND = OwnKind(
    "reward term",
    "(transition) that returns a number",
    taken_transition,
    answer_number,
    ("transition",),
    f"nan, infinity or more than {LARGEST_REWARD:g}",
    "a term of 0",
)


TERM = record_dtype([("address", np.intp), ("weight", np.float64)])
"""A user-defined reward term for the compiled loop."""


def term_table(terms: Sequence[WeightedTerm]) -> NDArray[np.void]:
    """One `TERM` row for each reward term, with addresses of this process."""
    table = np.zeros(len(terms), TERM)
    for row, (term, weight) in zip(table, terms):
        row["address"], row["weight"] = own_address(TERM_KIND, term), weight
    return table
