"""Encodes an observation block by block, and pools what is alike, such as all teammates.

The result does not depend on the order of the blocks in a kind, nor on how many there are of
it (deep sets: Zaheer et al. 2017, "Deep Sets"). So one network plays in teams of any size.

Before that, numbers are added which small networks hardly learn to compute themselves: where
something is as a direction and a nearness, where the middle of the arena is, and for each
opponent where its nearest mate of mine is (for each mate, its nearest opponent), so that the
network can see which quarry is already a teammate's. The latter is worked out from the observed
offsets: it is exact between walls, but on a torus it ignores the way around, and in the open
plane it is distorted as far offsets are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steer_env.errors import InvalidType, InvalidValue, check_array, check_integer
from steer_env.game.features import OBSTACLE_SIZE, OTHER_SIZE, OWN_SIZE, place_of

KINDS = ("opponents", "mates", "obstacles")
"""The kinds of blocks after the own features, in the order of the observation."""

BLOCK_SIZES = {"opponents": OTHER_SIZE, "mates": OTHER_SIZE, "obstacles": OBSTACLE_SIZE}
PRESENCE = {
    "opponents": place_of("other", "presence"),
    "mates": place_of("other", "presence"),
    "obstacles": place_of("obstacle", "presence"),
}
MOST_BLOCKS = 4096
NEAR = (0.1, 0.02)
"""In the scale of offsets, so 2 m and 0.4 m in the default one: the distances d at which the
two nearnesses d / (d + near) of a block are one half."""

OFFSET = place_of("other", "offset_forward")
"""Where the offset stands in a block of any kind; its part to the left comes next."""

assert place_of("obstacle", "offset_forward") == OFFSET
DIRECTION_SIZE = 2 + len(NEAR)
"""The numbers that `direction_to` makes of an offset."""

COUNTERPARTS = {"opponents": "mates", "mates": "opponents"}
"""Kinds whose blocks show what is nearest to them, and of which other kind that is."""

FAR = 1e6
"""The distance of a counterpart where there is none: its nearnesses are 1, but for rounding."""

POSITION, HEADING = place_of("own", "position_x"), place_of("own", "heading_x")
"""Where these begin in the own features."""

TINY = 1e-6
EXTENDED_OWN_SIZE = OWN_SIZE + 2
POOLED = 2
"""How often each encoder's outputs are pooled: their mean and their maximum."""


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

    def split(self, observation: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
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


class BlockEncoder:
    """One layer for each kind of blocks, whose outputs are pooled.

    A block x of a kind becomes relu(W [own, x] + b), with what `with_position` and
    `with_directions` add to the two; the mean and the maximum of that over the blocks that are
    present are the inputs of the network's layers, after the own features. Where none is
    present they are 0.

    Args:
        counts: the blocks of the observations that the network was trained with.
        weights: of each kind that these have, (width, columns), where the columns are
            `EXTENDED_OWN_SIZE` and the size of an extended block.
        biases: of each such kind, (width,).

    Attributes:
        counts: as given.
        inputs: how many numbers `encode` returns for an observation.

    Raises:
        TypeError: if an array does not hold real numbers.
        ValueError: if shapes do not match, or a number is not finite.
    """

    def __init__(
        self,
        counts: BlockCounts,
        weights: Mapping[str, ArrayLike],
        biases: Mapping[str, ArrayLike],
    ) -> None:
        for kind, count in zip(KINDS, counts, strict=True):
            check_integer(f"the number of {kind}", count, 0, MOST_BLOCKS)
        self.counts = BlockCounts(*map(int, counts))
        self.kinds = tuple(kind for kind in KINDS if getattr(self.counts, kind) > 0)
        if set(weights) != set(self.kinds) or set(biases) != set(self.kinds):
            raise InvalidValue(
                f"an encoder of {self.counts} has weights and biases for {list(self.kinds)}, "
                f"got {sorted(weights)} and {sorted(biases)}"
            )
        self.weights: dict[str, NDArray[np.float32]] = {}
        self.biases: dict[str, NDArray[np.float32]] = {}
        for kind in self.kinds:
            matrix, vector = (_finite(kind, given[kind]) for given in (weights, biases))
            columns = columns_of(kind)
            if matrix.ndim != 2 or matrix.shape[1] != columns or len(matrix) == 0:
                raise InvalidValue(
                    f"the weights of {kind} must have the shape (width, {columns}), "
                    f"got {matrix.shape}"
                )
            if vector.shape != matrix.shape[:1]:
                raise InvalidValue(
                    f"the biases of {kind} must have the shape {matrix.shape[:1]}, "
                    f"got {vector.shape}"
                )
            self.weights[kind], self.biases[kind] = matrix, vector
        self.inputs = EXTENDED_OWN_SIZE + POOLED * sum(map(len, self.biases.values()))

    def fitting(self, features: int) -> BlockCounts | None:
        """The blocks of an observation of so many numbers; None if there is no such team.

        Opponents and obstacles are as many as in the training; the mates are the rest.
        """
        if not self.counts.mates and features != self.counts.features:
            return None  # it has never seen a mate
        return self.counts.with_features(features)

    def encode(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        """The inputs of the network's layers, (N, inputs), from observations (N, features)."""
        counts = self.fitting(observation.shape[1])
        assert counts is not None  # the caller has asked
        own, blocks = with_position(observation[:, :OWN_SIZE]), counts.split(observation)
        pooled = [own]
        for kind in self.kinds:
            pooled += self._pool(kind, own, blocks)
        return np.concatenate(pooled, axis=1)

    def _pool(
        self, kind: str, own: NDArray[np.float32], all_blocks: Mapping[str, NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        weights, width = self.weights[kind], len(self.biases[kind])
        blocks = all_blocks[kind]
        games, count, _ = blocks.shape
        if count == 0:
            return [np.zeros((games, width), np.float32)] * POOLED
        base = own @ weights[:, :EXTENDED_OWN_SIZE].T + self.biases[kind]
        extended = with_directions(kind, all_blocks).reshape(games * count, -1)
        encoded = extended @ weights[:, EXTENDED_OWN_SIZE:].T
        encoded = encoded.reshape(games, count, width) + base[:, None]
        np.maximum(encoded, 0.0, out=encoded)
        present = blocks[:, :, PRESENCE[kind]] > 0.5
        encoded *= present[..., None]
        number = np.maximum(present.sum(axis=1, dtype=np.float32), 1.0)
        return [encoded.sum(axis=1) / number[:, None], encoded.max(axis=1)]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that a network's file holds of it, by name."""
        found: dict[str, NDArray[Any]] = {"blocks": np.array(self.counts, np.float64)}
        for kind in self.kinds:
            found[f"{kind}_weights"] = self.weights[kind]
            found[f"{kind}_biases"] = self.biases[kind]
        return found

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> BlockEncoder:
        """The encoder of which `arrays` returned everything.

        Raises:
            TypeError, ValueError: if they are not those of an encoder; the message says why.
        """
        counts = arrays["blocks"]
        if counts.shape != (len(KINDS),) or counts.dtype.kind not in "iuf":
            raise InvalidValue("blocks must be the numbers of opponents, mates and obstacles")
        whole = [float(count) for count in counts]
        if any(not count.is_integer() for count in whole):
            raise InvalidValue("blocks must be integers")
        found = {
            what: {
                kind: arrays[f"{kind}_{what}"] for kind in KINDS if f"{kind}_{what}" in arrays
            }
            for what in ("weights", "biases")
        }
        return cls(BlockCounts(*map(int, whole)), found["weights"], found["biases"])


ARRAYS = ("blocks", *(f"{kind}_{what}" for kind in KINDS for what in ("weights", "biases")))
"""The names of the arrays that a file may have of an encoder."""


def columns_of(kind: str) -> int:
    """How many numbers the layer of a kind takes for each block."""
    directions = 2 if kind in COUNTERPARTS else 1
    return EXTENDED_OWN_SIZE + BLOCK_SIZES[kind] + directions * DIRECTION_SIZE


def with_position(own: NDArray[np.float32]) -> NDArray[np.float32]:
    """Own features, (N, own features), and my position in my own frame: forward and left."""
    (x, y), (ahead_x, ahead_y) = (own[:, at : at + 2].T for at in (POSITION, HEADING))
    position = np.stack([x * ahead_x + y * ahead_y, y * ahead_x - x * ahead_y], axis=1)
    return np.concatenate([own, position], axis=1)


def with_directions(
    kind: str, all_blocks: Mapping[str, NDArray[np.float32]]
) -> NDArray[np.float32]:
    """A kind's blocks, (N, blocks, features), and the directions to each and on from it.

    The first is the direction from me to the block; the second, for opponents and mates, from
    there to the nearest present block of the other of the two, by the difference of their
    offsets from me.
    """
    blocks = all_blocks[kind]
    places = blocks[..., OFFSET : OFFSET + 2]
    parts = [blocks, *direction_to(places)]
    if kind in COUNTERPARTS:
        other = COUNTERPARTS[kind]
        parts += direction_to(*_to_nearest(places, other, all_blocks[other]))
    return np.concatenate(parts, axis=-1)


def direction_to(
    offset: NDArray[np.float32], distance: NDArray[np.float32] | None = None
) -> list[NDArray[np.float32]]:
    """The unit vector of offsets, (..., 2), and their nearnesses, (..., 1) each.

    The vector is divided by its length and 1e-6 more, so that it is 0 where there is nothing.
    """
    if distance is None:
        distance = np.sqrt((offset * offset).sum(axis=-1, keepdims=True))
    near = [distance / (distance + np.float32(near)) for near in NEAR]
    return [offset / (distance + np.float32(TINY)), *near]


def _to_nearest(
    places: NDArray[np.float32], kind: str, others: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The offset, (N, places, 2), from each place to the nearest of a kind, and its length.

    They are 0 and `FAR` where no other is present.
    """
    offset = np.zeros_like(places)
    least = np.full((*places.shape[:-1], 1), FAR**2, np.float32)
    for number in range(others.shape[1]):  # one by one: all pairs at once could fill memory
        other = others[:, number, None]
        difference = other[..., OFFSET : OFFSET + 2] - places
        squared = (difference * difference).sum(axis=-1, keepdims=True)
        is_present = other[..., PRESENCE[kind], None] > 0.5
        is_nearer = is_present & (squared < least)
        offset = np.where(is_nearer, difference, offset)
        least = np.where(is_nearer, squared, least)
    return offset, np.sqrt(least)


def _finite(what: str, given: ArrayLike) -> NDArray[np.float32]:
    array = check_array(f"the arrays of {what}", given, None)
    if array.dtype.kind not in "fiu":
        raise InvalidType(f"the arrays of {what} must be real numbers, got {array.dtype}")
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
        array = np.array(array, np.float32, order="C")
    if not np.isfinite(array).all():
        raise InvalidValue(f"the arrays of {what} must be finite in float32")
    array.flags.writeable = False
    return array
