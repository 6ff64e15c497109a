"""The blocks of an observation, and the numbers that are added to them for a network.

Added is what small networks hardly learn to compute themselves: where something is as a
direction and a nearness, where the middle of the arena is, and for each opponent where its
nearest mate of mine is (for each mate, its nearest opponent), so that the network can see which
quarry is already a teammate's. The latter is worked out from the observed offsets: it is exact
between walls, but on a torus it ignores the way around, and in the open plane it is distorted
as far offsets are. Where several opponents are to be shared among mates, what
`steer_env.policies.allotment` says of them may come last.

The functions take arrays of numpy and of torch: `xp` is the library of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from steer_env.game.features import OBSTACLE_SIZE, OTHER_SIZE, OWN_SIZE, place_of
from steer_env.policies.allotment import ALLOTTED, allotted

KINDS = ("opponents", "mates", "obstacles")
"""The kinds of blocks after the own features, in the order of the observation."""

BLOCK_SIZES = {"opponents": OTHER_SIZE, "mates": OTHER_SIZE, "obstacles": OBSTACLE_SIZE}
PRESENCE = {
    "opponents": place_of("other", "presence"),
    "mates": place_of("other", "presence"),
    "obstacles": place_of("obstacle", "presence"),
}
NEAR = (0.1, 0.02)
"""In the scale of offsets, so 2 m and 0.4 m in the default one: the distances d at which the
two nearnesses d / (d + near) of a block are one half."""

OFFSET = place_of("other", "offset_forward")
"""Where the offset stands in a block of any kind; its part to the left comes next."""

assert place_of("obstacle", "offset_forward") == OFFSET
DIRECTION_SIZE = 2 + len(NEAR)
"""The numbers that `direction_to` makes of an offset."""

COUNTERPARTS = {"opponents": "mates", "mates": "opponents"}
"""For each of these kinds, a block also shows the nearest block of the other kind."""

FAR = 1e6
"""The distance of a counterpart where there is none: its nearnesses are 1, but for rounding."""

POSITION, HEADING = place_of("own", "position_x"), place_of("own", "heading_x")
"""Where these begin in the own features."""

TINY = 1e-6
EXTENDED_OWN_SIZE = OWN_SIZE + 2


class BlockCounts(NamedTuple):
    """How many blocks of each kind an observation has."""

    opponents: int
    mates: int
    obstacles: int

    @property
    def features(self) -> int:
        """The numbers of such an observation."""
        blocks = sum(count * BLOCK_SIZES[kind] for kind, count in zip(KINDS, self))
        return OWN_SIZE + blocks

    def split(self, observation: Any) -> dict[str, Any]:
        """The blocks, (N, count, size) of each kind, of observations (N, features)."""
        found, first = {}, OWN_SIZE
        for kind, count in zip(KINDS, self):
            size = BLOCK_SIZES[kind]
            blocks = observation[:, first : first + count * size]
            found[kind] = blocks.reshape(blocks.shape[0], count, size)
            first += count * size
        return found

    def with_features(self, features: int) -> BlockCounts | None:
        """The counts with as many mates as such an observation has; None if none has."""
        rest = features - self._replace(mates=0).features
        mates, remainder = divmod(rest, BLOCK_SIZES["mates"])
        return None if rest < 0 or remainder else self._replace(mates=mates)


def columns_of(kind: str, allots: bool = False) -> int:
    """How many numbers the layer of a kind takes for each block."""
    directions = 2 if kind in COUNTERPARTS else 1
    more = ALLOTTED if allots and kind == "opponents" else 0
    return EXTENDED_OWN_SIZE + BLOCK_SIZES[kind] + directions * DIRECTION_SIZE + more


def with_position(xp: Any, own: Any) -> Any:
    """Own features, (N, own features), and my position in my own frame: forward and left."""
    x, y = own[:, POSITION], own[:, POSITION + 1]
    ahead_x, ahead_y = own[:, HEADING], own[:, HEADING + 1]
    position = xp.stack([x * ahead_x + y * ahead_y, y * ahead_x - x * ahead_y], axis=1)
    return xp.concatenate([own, position], axis=1)


def extended_blocks(
    xp: Any, kind: str, all_blocks: Mapping[str, Any], allots: bool = False
) -> Any:
    """A kind's blocks, (N, blocks, features), the directions to each and on from it, and more.

    The first is the direction from me to the block; the second, for opponents and mates, from
    there to the nearest present block of the other of the two, by the difference of their
    offsets from me. With `allots`, opponents have their allotment at the end.
    """
    blocks = all_blocks[kind]
    places = blocks[..., OFFSET : OFFSET + 2]
    distance = xp.sqrt((places * places).sum(axis=-1, keepdims=True))
    parts = [blocks, *_direction_to(places, distance)]
    if kind in COUNTERPARTS:
        parts += _direction_to(*_to_nearest(xp, places, all_blocks, COUNTERPARTS[kind]))
    if allots and kind == "opponents":
        mates = all_blocks["mates"][..., OFFSET : OFFSET + 2]
        are_there = (_is_present(all_blocks, one) for one in ("mates", "opponents"))
        found = allotted(xp, mates, places, *are_there)
        parts.append(xp.asarray(found, dtype=blocks.dtype))
    return xp.concatenate(parts, axis=-1)


def _is_present(all_blocks: Mapping[str, Any], kind: str) -> Any:
    return all_blocks[kind][..., PRESENCE[kind]] > 0.5


def _direction_to(offset: Any, distance: Any) -> list[Any]:
    """The unit vector of offsets, (..., 2), and their nearnesses, (..., 1) each.

    The vector is divided by its length and 1e-6 more, so that it is 0 where there is nothing.
    """
    near = [distance / (distance + near) for near in NEAR]
    return [offset / (distance + TINY), *near]


def _to_nearest(
    xp: Any, places: Any, all_blocks: Mapping[str, Any], kind: str
) -> tuple[Any, Any]:
    """The offset, (N, places, 2), from each place to the nearest of a kind, and its length.

    They are 0 and `FAR` where no other is present.
    """
    others = all_blocks[kind][..., OFFSET : OFFSET + 2]
    is_present = _is_present(all_blocks, kind)[:, None]
    difference = others[:, None] - places[:, :, None]
    squared = xp.where(is_present, (difference * difference).sum(axis=-1), FAR**2)
    # One more, far away, is appended: it is the nearest where no other is present.
    squared = xp.concatenate([squared, xp.full_like(places[..., :1], FAR**2)], axis=-1)
    offset = xp.concatenate([difference, xp.zeros_like(places)[:, :, None]], axis=2)
    numbers = xp.arange(squared.shape[-1])
    is_nearest = numbers == squared.argmin(axis=-1)[..., None]
    is_nearest = is_nearest & (squared < FAR**2)
    least = xp.sqrt(xp.amin(squared, axis=-1, keepdims=True))
    return (offset * is_nearest[..., None]).sum(axis=2), least
