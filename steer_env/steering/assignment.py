"""Target assignment: the quarries of a team with the smallest sum of running times.

Solved exactly by shortest augmenting paths, the Hungarian method (Kuhn 1955; Jonker and
Volgenant 1987). Every hunter solves the same problem and takes its own part of the solution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from steer_env.steering.compilation import compiled, explaining
from steer_env.steering.vectors import TINY, norm, shortest_offset
from steer_env.steering.vehicle import Vehicle, Vehicles


class Workspace(NamedTuple):
    """Room for solving an assignment: for n hunters and m quarries n + m numbers each."""

    target: Any  # the quarry of each hunter; written
    hunter: Any  # the hunter that has a place, counted from 1; 0 for none
    before: Any  # the place before, on the way to this one
    is_seen: Any
    hunter_price: Any
    place_price: Any
    detour: Any  # the least extra cost at which a place is reached


@compiled
def _seconds(
    me: Vehicle, mates: Vehicles, quarries: Vehicles, hunter: int, place: int, period: float
) -> float:
    """The seconds that a hunter needs to run to a quarry's place (hunter 1 is me)."""
    quarry = quarries[place % len(quarries)].position
    if hunter == 1:
        return norm(shortest_offset(me.position, quarry, period)) / max(me.max_speed, TINY)
    mate = mates[hunter - 2]
    return norm(shortest_offset(mate.position, quarry, period)) / max(mate.max_speed, TINY)


@compiled
def fill_assignment(
    space: Workspace, me: Vehicle, mates: Vehicles, quarries: Vehicles, period: float
) -> None:
    """Writes the `assignment` of me (entry 0) and my mates to quarries into ``space.target``.

    Other arguments as in `assignment`; there must be a quarry.
    """
    target, holder, before, is_seen = space.target, space.hunter, space.before, space.is_seen
    hunter_price, place_price, detour = space.hunter_price, space.place_price, space.detour
    hunters, count = 1 + len(mates), len(quarries)
    # Each quarry has room for the same number of hunters: that many places, 1, 2, ...
    places = count * ((hunters + count - 1) // count)
    for k in range(places + 1):
        holder[k], place_price[k] = 0, 0.0
    for k in range(hunters):
        target[k], hunter_price[k + 1] = 0, 0.0
    hunter_price[0] = 0.0
    for hunter in range(1, hunters + 1):
        # The cheapest way to give one more hunter a place, by moving others on.
        for k in range(places + 1):
            detour[k], is_seen[k] = math.inf, False
        holder[0], here = hunter, 0
        while holder[here] != 0:
            is_seen[here] = True
            one, least, next_one = holder[here], math.inf, 0
            for k in range(1, places + 1):
                if not is_seen[k]:
                    cost = _seconds(me, mates, quarries, one, k - 1, period)
                    cost -= hunter_price[one] + place_price[k]
                    if cost < detour[k]:
                        detour[k], before[k] = cost, here
                    if detour[k] < least:
                        least, next_one = detour[k], k
            if next_one == 0:  # a vehicle is nowhere: at inf or nan
                return
            for k in range(places + 1):
                if is_seen[k]:
                    hunter_price[holder[k]] += least
                    place_price[k] -= least
                else:
                    detour[k] -= least
            here = next_one
        while here != 0:
            holder[here] = holder[before[here]]
            here = before[here]
    for k in range(1, places + 1):
        if holder[k] > 0:
            target[holder[k] - 1] = (k - 1) % count


@explaining
def assignment(
    hunters: Sequence[Vehicle], quarries: Sequence[Vehicle], period: float = 0.0
) -> tuple[int, ...]:
    """Assigns each hunter a quarry with the smallest sum of running times.

    The time is the distance over the hunter's top speed. Of n hunters and m quarries at most
    ceil(n / m) get the same quarry; it takes O(n (n + m)^2) steps. Returns each hunter's index
    of a quarry; () if there are none.

    Example:
        >>> hunters = [Vehicle(position=0j), Vehicle(position=2 + 0j)]
        >>> quarries = [Vehicle(position=3 + 0j), Vehicle(position=9 + 0j)]
        >>> assignment(hunters, quarries)  # although the first quarry is the nearest of both
        (0, 1)
    """
    if len(hunters) == 0 or len(quarries) == 0:
        return ()
    size = len(hunters) + len(quarries)
    space = Workspace(*([0] * size for _ in Workspace._fields))
    fill_assignment(space, hunters[0], hunters[1:], quarries, period)
    return tuple(space.target[: len(hunters)])
