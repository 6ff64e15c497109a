"""The input of a user's own reward terms: one step of one of the learner's players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, get_type_hints

import numpy as np

from steer_env.bounds import REWARD_TERM, check_within
from steer_env.errors import InvalidType, got
from steer_env.machine_code.addresses import column, record_at
from steer_env.machine_code.marking import record_dtype
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import (
    check_own_function,
    function_name,
    one_number,
    own_address,
)
from steer_env.steering.vehicle import VEHICLE, Vehicle, vehicle_of


class Transition(NamedTuple):
    """One step of the game, as one player of the learner's side goes through it.

    The other is the opponent that is nearest to me after the step, of those that were in play
    when it began: also one that has been caught in the step. On a torus it is where its image
    nearest to me is, and the places before the step are those that lead to the ones after it
    without a jump: they may be beyond the arena's edge.

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
        terminated: whether the episode ends with this step because all evaders are caught.
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
    capture_radius: float = 0.5
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


RewardTerm: TypeAlias = Callable[[Transition], float]
"""A reward term of a user's own: from a step to a number, of either sign."""

WeightedTerm: TypeAlias = tuple[RewardTerm, float]

_CONTRACT = "(transition) that returns a number"


def weighted_terms(given: object) -> tuple[WeightedTerm, ...]:
    """Reward terms with a weight each, from what a caller gave.

    Args:
        given: a function, or a sequence of functions and of pairs (function, weight).

    Raises:
        InvalidType: for anything else.
        InvalidValue: for a weight out of range.
    """
    if callable(given):
        given = [given]
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidType(
            "reward terms must be a function (transition) -> float, or a list of such "
            f"functions and of pairs (function, weight); {got(given)}"
        )
    return tuple(_weighted(entry) for entry in given)


def _weighted(entry: Any) -> WeightedTerm:
    is_pair = isinstance(entry, Sequence) and not isinstance(entry, str) and len(entry) == 2
    term, weight = entry if is_pair else (entry, 1.0)
    check_own_function("a reward term", _CONTRACT, term)
    what = f"the weight of the reward term {function_name(term)}"
    return term, check_within(REWARD_TERM, what, weight)


def term_address(term: RewardTerm) -> int:
    """The address of a routine that calls a reward term; it is compiled at the first call.

    The routine takes the addresses of a `TRANSITION` record and of a float, which it writes
    unless the term raises an error.

    Raises:
        InvalidType: if the term cannot be compiled, or does not return a number.
    """
    what = f"the reward term {function_name(term)!r}"
    contract = f"a reward term is a function of {_CONTRACT}"
    return own_address(term_routine, term, what, contract)


def term_routine(own: Any) -> Callable[[int, int], None]:
    """The routine of a reward term; see `term_address`."""

    def routine(transition: int, answer: int) -> None:
        reward = own(transition_of(record_at(transition, TRANSITION)))
        column(answer, 0, 1, np.float64)[0] = one_number(reward)

    return routine
