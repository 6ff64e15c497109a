"""The blocks of an observation, and their encoding for networks that play in teams of any size.

Each kind of blocks, opponents, mates and obstacles, has a layer, whose outputs are pooled: the
result depends neither on their order nor on their number (Zaheer et al. 2017, "Deep Sets").
Before that, features are added that small networks hardly learn. Those of pairs come from the
observed offsets: they ignore the way around a torus, and are distorted in the open plane.

Functions with the argument `xp` take arrays of that library, numpy or torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steer_env.errors import InvalidValue, check_integer
from steer_env.game.config.features import OBSTACLE_SIZE, OTHER_SIZE, OWN_SIZE, place_of
from steer_env.players.archive import finite_array
from steer_env.players.layers import Dense

KINDS = ("opponents", "mates", "obstacles")  # of blocks, in the order of the observation
BLOCK_SIZES = dict(zip(KINDS, (OTHER_SIZE, OTHER_SIZE, OBSTACLE_SIZE)))

# The distances at which the two nearnesses d / (d + near) of a block are one half, in the scale
# of offsets: 2 m and 0.4 m in the default one.
NEAR = (0.1, 0.02)
COUNTERPARTS = {"opponents": "mates", "mates": "opponents"}  # whose nearest a block shows
FAR = 1e6  # the distance of a counterpart where there is none
PRESENCE = place_of("other", "presence")  # in a block of any kind
OFFSET = place_of("other", "offset_forward")  # the same; then comes the left part
DIRECTION_SIZE = 2 + len(NEAR)  # of the numbers that `_direction_to` makes of an offset
POSITION, HEADING = place_of("own", "position_x"), place_of("own", "heading_x")
EXTENDED_OWN_SIZE = OWN_SIZE + 2
ALLOTTED = 4  # numbers of each quarry: mine, a mate's, my place near it, and its place near me
_ROUNDS = 3  # in each, all pairs are made that are nearest to each other at the same time
_OUT_OF_REACH = 1e12  # the squared distance of a hunter and a quarry if one of them is absent

MOST_BLOCKS = 4096
MOST_PAIRS = 2**20  # of players, in a part of the observations that is encoded at once
POOLED = 2  # poolings of each encoder's outputs: their mean and their maximum

# The names of the arrays that a file may have of an encoder.
ARRAYS = ("blocks", *(f"{kind}_{what}" for kind in KINDS for what in ("weights", "biases")))


class BlockCounts(NamedTuple):
    """The numbers of blocks of each kind in an observation."""

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


def columns_of(kind: str, allots: bool = False) -> int:
    """The size of the input that the layer of a kind takes for each block."""
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
    """A kind's blocks, (N, blocks, features), with the direction to each.

    Opponents and mates also have that from them to the nearest present one of the other kind.
    With `allots`, opponents have their allotment at the end.
    """
    blocks = all_blocks[kind]
    places = blocks[..., OFFSET : OFFSET + 2]
    distance = xp.sqrt((places * places).sum(axis=-1, keepdims=True))
    parts = [blocks, *_direction_to(places, distance)]
    if kind in COUNTERPARTS:
        parts += _direction_to(*_to_nearest(xp, places, all_blocks, COUNTERPARTS[kind]))
    if allots and kind == "opponents":
        mates = all_blocks["mates"][..., OFFSET : OFFSET + 2]
        are_there = (are_present(all_blocks, one) for one in ("mates", "opponents"))
        found = allotted(xp, mates, places, *are_there)
        parts.append(xp.asarray(found, dtype=blocks.dtype))
    return xp.concatenate(parts, axis=-1)


def are_present(all_blocks: Mapping[str, Any], kind: str) -> Any:
    """Flags of the blocks of a kind, (N, blocks), that stand for something."""
    return all_blocks[kind][..., PRESENCE] > 0.5


def _direction_to(offset: Any, distance: Any) -> list[Any]:
    """Unit vectors of offsets, (..., 2), or 0 for none, and their nearnesses, (..., 1) each."""
    near = [distance / (distance + near) for near in NEAR]
    return [offset / (distance + 1e-6), *near]


def _to_nearest(
    xp: Any, places: Any, all_blocks: Mapping[str, Any], kind: str
) -> tuple[Any, Any]:
    """The offset, (N, places, 2), from each place to the nearest of a kind, and its length."""
    others = all_blocks[kind][..., OFFSET : OFFSET + 2]
    is_present = are_present(all_blocks, kind)[:, None]
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


def allotted(xp: Any, mates: Any, quarries: Any, are_mates: Any, are_quarries: Any) -> Any:
    """The allotment of each quarry to a hunter: to me, to a mate, or to none.

    Two hunters side by side see nearly the same, and a smooth function of that sends both to
    the same quarry. So the two that are nearest to each other are a pair; then, of those left,
    the next. A player and its mates are the hunters, their opponents the quarries.

    The mates (N, mates, 2) and one or more quarries (N, quarries, 2) are offsets from me. Flags
    say which are present. Returns (N, quarries, `ALLOTTED`): a flag for mine, one for
    a mate's, 1 / my place in the order of the hunters by their distance to it, and 1 / its
    place among the quarries by their distance to me. Equal distances share the better place.
    """
    me = xp.zeros_like(quarries[:, :1])
    hunters = xp.concatenate([me, mates], axis=1)
    are_hunters = xp.concatenate([xp.ones_like(are_quarries[:, :1]), are_mates], axis=1)
    difference = hunters[:, :, None] - quarries[:, None]
    is_pair = are_hunters[:, :, None] & are_quarries[:, None]
    squared = xp.where(is_pair, (difference * difference).sum(axis=-1), _OUT_OF_REACH)
    mine, of_mates = _pairs(xp, squared)
    own = squared[:, 0]
    nearer_hunters = (squared < own[:, None]).sum(axis=1)
    nearer_quarries = (own[:, None] < own[:, :, None]).sum(axis=-1)
    orders = [1.0 / (1.0 + count) for count in (nearer_hunters, nearer_quarries)]
    return xp.stack([mine * 1.0, of_mates * 1.0, *orders], axis=-1)


def _pairs(xp: Any, squared: Any) -> tuple[Any, Any]:
    """Flags of quarries, (N, quarries), in a pair with the first hunter, or with another."""
    pairs = squared < 0.0  # none yet
    for _ in range(_ROUNDS):
        nearest_quarry = xp.amin(squared, axis=2, keepdims=True)
        nearest_hunter = xp.amin(squared, axis=1, keepdims=True)
        is_new = (squared == nearest_quarry) & (squared == nearest_hunter)
        pairs = pairs | (is_new & (squared < _OUT_OF_REACH))
        is_taken = pairs.any(axis=2)[:, :, None] | pairs.any(axis=1)[:, None]
        squared = xp.where(is_taken, _OUT_OF_REACH, squared)
    return pairs[:, 0], pairs[:, 1:].any(axis=1)


class BlockEncoder:
    """One layer with pooled outputs for each kind of blocks.

    A block x of a kind becomes relu(W [own, x] + b), with what `with_position` and
    `extended_blocks` add to the two; the mean and the maximum of that over the blocks that are
    present (or 0) are the inputs of the network's layers, after the own features.

    Args:
        counts: the blocks of the observations that the network was trained with.
        weights: of each kind that these have, (width, `columns_of`); with columns for the
            allotment of opponents, the encoder `allots`.
        biases: of each such kind, (width,).
    """

    def __init__(
        self,
        counts: BlockCounts,
        weights: Mapping[str, ArrayLike],
        biases: Mapping[str, ArrayLike],
    ) -> None:
        for kind, count in zip(KINDS, counts, strict=True):
            check_integer(f"the number of {kind}", count, 0, MOST_BLOCKS)
        self.counts = BlockCounts(*counts)
        self.kinds = tuple(kind for kind in KINDS if getattr(self.counts, kind) > 0)
        if set(weights) != set(self.kinds) or set(biases) != set(self.kinds):
            raise InvalidValue(
                f"an encoder of {self.counts} has weights and biases for {list(self.kinds)}, "
                f"got {sorted(weights)} and {sorted(biases)}"
            )
        self.weights: dict[str, NDArray[np.float32]] = {}
        self.biases: dict[str, NDArray[np.float32]] = {}
        self._layers: dict[str, tuple[Dense, Dense]] = {}
        self.allots = False
        for kind in self.kinds:
            matrix = finite_array(f"the weights of {kind}", weights[kind])
            columns = columns_of(kind)
            if kind == "opponents" and matrix.shape[1:] == (columns_of(kind, allots=True),):
                self.allots, columns = True, matrix.shape[1]
            if matrix.ndim != 2 or matrix.shape[1] != columns or len(matrix) == 0:
                raise InvalidValue(
                    f"the weights of {kind} must have the shape (width, {columns}), "
                    f"got {matrix.shape}"
                )
            self.weights[kind] = matrix
            bias = finite_array(f"the biases of {kind}", biases[kind], matrix.shape[:1])
            self.biases[kind] = bias
            self._layers[kind] = (
                Dense(matrix[:, :EXTENDED_OWN_SIZE], bias),
                Dense(matrix[:, EXTENDED_OWN_SIZE:], np.zeros_like(bias)),
            )
        self.inputs = EXTENDED_OWN_SIZE + POOLED * sum(map(len, self.biases.values()))

    def fitting(self, features: int) -> BlockCounts | None:
        """The blocks of an observation of this size with any number of mates, or None."""
        rest = features - self.counts._replace(mates=0).features
        mates, remainder = divmod(rest, BLOCK_SIZES["mates"])
        has_seen = self.counts.mates > 0 or mates == 0
        fits = mates >= 0 and remainder == 0 and has_seen
        return self.counts._replace(mates=mates) if fits else None

    def encode(self, observation: NDArray[Any]) -> NDArray[Any]:
        """The inputs of the network's layers, (N, inputs), from observations (N, features)."""
        counts = self.fitting(observation.shape[1])
        assert counts is not None  # the caller has asked
        rows = max(MOST_PAIRS // ((counts.mates + 1) * (counts.opponents + 1)), 1)
        parts = []
        for first in range(0, max(len(observation), 1), rows):
            part = observation[first : first + rows]
            own, blocks = with_position(np, part[:, :OWN_SIZE]), counts.split(part)
            pooled = [one for kind in self.kinds for one in self._pool(kind, own, blocks)]
            parts.append(np.concatenate([own, *pooled], axis=1))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _pool(
        self, kind: str, own: NDArray[Any], all_blocks: Mapping[str, NDArray[Any]]
    ) -> list[NDArray[Any]]:
        width, (games, count, _) = len(self.biases[kind]), all_blocks[kind].shape
        if count == 0:
            return [np.zeros((games, width), np.float32)] * POOLED
        of_own, of_block = self._layers[kind]
        extended = extended_blocks(np, kind, all_blocks, self.allots)
        extended = extended.reshape(games * count, extended.shape[-1])
        encoded = of_block(extended).reshape(games, count, width) + of_own(own)[:, None]
        np.maximum(encoded, 0.0, out=encoded)
        present = are_present(all_blocks, kind)
        encoded *= present[..., None]
        number = np.maximum(present.sum(axis=1, dtype=np.float32), 1.0)
        return [encoded.sum(axis=1) / number[:, None], encoded.max(axis=1)]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that a network's file holds of it, by name."""
        found: dict[str, NDArray[Any]] = {"blocks": np.array(self.counts, np.float64)}
        for kind, bias in self.biases.items():
            found |= {f"{kind}_weights": self.weights[kind], f"{kind}_biases": bias}
        return found

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> BlockEncoder:
        """Rebuilds an encoder from the output of `arrays`."""
        counts = arrays["blocks"]
        is_right = counts.shape == (len(KINDS),) and counts.dtype.kind in "iuf"
        if not is_right or not all(float(count).is_integer() for count in counts):
            raise InvalidValue("blocks must be three integers: opponents, mates and obstacles")
        weights, biases = (
            {kind: arrays[f"{kind}_{what}"] for kind in KINDS if f"{kind}_{what}" in arrays}
            for what in ("weights", "biases")
        )
        return cls(BlockCounts(*map(int, counts)), weights, biases)
