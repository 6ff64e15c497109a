"""Which quarry is mine: what a player of a team sees of its mates' likely choices.

Two hunters side by side see nearly the same, and a smooth function of that sends both to the
same quarry. So each quarry is allotted to one of them: the two that are nearest to each other
are a pair, for which both are taken; then, of those left, the next. Between walls all hunters
find the same pairs, so no word is needed; the way around a torus is ignored. A flag says for
each quarry whether it is mine. In the words here a player and its mates are the hunters, and
their opponents the quarries; it serves both sides.

The functions take arrays of numpy and of torch: `xp` is the library of theirs.
"""

from __future__ import annotations

from typing import Any

ALLOTTED = 4
"""The numbers for each quarry: mine, a mate's, my place near it, and its place near me."""

ROUNDS = 3
"""In each, all pairs are made that are nearest to each other at the same time."""

OUT_OF_REACH = 1e12
"""Stands for the squared distance of a hunter and a quarry if one of them is absent."""


def allotted(xp: Any, mates: Any, quarries: Any, are_mates: Any, are_quarries: Any) -> Any:
    """What each quarry is to me, from the offsets that I observe.

    Args:
        xp: numpy or torch.
        mates: their offsets from me, (N, mates, 2).
        quarries: likewise, (N, quarries, 2), at least one.
        are_mates: which of them are present, (N, mates); others pursue nothing.
        are_quarries: likewise, (N, quarries).

    Returns:
        (N, quarries, `ALLOTTED`): a flag for mine, one for a mate's, 1 / my place in the order
        of the hunters by their distance to it, and 1 / its place among the quarries by their
        distance to me. Of equal distances each has the better place.
    """
    me = xp.zeros_like(quarries[:, :1])
    hunters = xp.concatenate([me, mates], axis=1)
    are_hunters = xp.concatenate([xp.ones_like(are_quarries[:, :1]), are_mates], axis=1)
    difference = hunters[:, :, None] - quarries[:, None]
    is_pair = are_hunters[:, :, None] & are_quarries[:, None]
    squared = xp.where(is_pair, (difference * difference).sum(axis=-1), OUT_OF_REACH)
    mine, of_mates = _pairs(xp, squared)
    own = squared[:, 0]
    nearer_hunters = (squared < own[:, None]).sum(axis=1)
    nearer_quarries = (own[:, None] < own[:, :, None]).sum(axis=-1)
    orders = [1.0 / (1.0 + count) for count in (nearer_hunters, nearer_quarries)]
    return xp.stack([mine * 1.0, of_mates * 1.0, *orders], axis=-1)


def _pairs(xp: Any, squared: Any) -> tuple[Any, Any]:
    """Whether a quarry, (N, quarries), is in a pair with the first hunter, or with another.

    Args:
        xp: numpy or torch.
        squared: distances, (N, hunters, quarries).
    """
    pairs = squared < 0.0  # none yet
    for _ in range(ROUNDS):
        nearest_quarry = xp.amin(squared, axis=2, keepdims=True)
        nearest_hunter = xp.amin(squared, axis=1, keepdims=True)
        is_new = (squared == nearest_quarry) & (squared == nearest_hunter)
        pairs = pairs | (is_new & (squared < OUT_OF_REACH))
        is_taken = pairs.any(axis=2)[:, :, None] | pairs.any(axis=1)[:, None]
        squared = xp.where(is_taken, OUT_OF_REACH, squared)
    return pairs[:, 0], pairs[:, 1:].any(axis=1)
