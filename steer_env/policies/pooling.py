"""Encodes an observation block by block, and pools what is alike, such as all teammates.

The result does not depend on the order of the blocks in a kind, nor on how many there are of
it (deep sets: Zaheer et al. 2017, "Deep Sets"). So one network plays in teams of any size.
`steer_env.policies.blocks` tells what is added to the blocks before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steer_env.errors import InvalidValue, check_integer
from steer_env.game.features import OWN_SIZE
from steer_env.policies.archive import finite_array
from steer_env.policies.blocks import (
    EXTENDED_OWN_SIZE,
    KINDS,
    PRESENCE,
    BlockCounts,
    columns_of,
    extended_blocks,
    with_position,
)
from steer_env.policies.layers import Dense

MOST_BLOCKS = 4096
MOST_PAIRS = 2**20
"""Observations are encoded in parts of so many pairs of players, so that memory suffices."""

POOLED = 2
"""How often each encoder's outputs are pooled: their mean and their maximum."""


class BlockEncoder:
    """One layer for each kind of blocks, whose outputs are pooled.

    A block x of a kind becomes relu(W [own, x] + b), with what `with_position` and
    `with_directions` add to the two; the mean and the maximum of that over the blocks that are
    present are the inputs of the network's layers, after the own features. Where none is
    present they are 0.

    Args:
        counts: the blocks of the observations that the network was trained with.
        weights: of each kind that these have, (width, columns), where the columns are
            `EXTENDED_OWN_SIZE` and the size of an extended block; see `columns_of`.
        biases: of each such kind, (width,).

    Attributes:
        counts: as given.
        allots: whether the blocks of opponents are extended by their allotment; its weights
            have columns for it then.
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
        self.allots = False
        for kind in self.kinds:
            what = f"the arrays of {kind}"
            matrix, vector = (finite_array(what, given[kind]) for given in (weights, biases))
            columns = columns_of(kind)
            if kind == "opponents" and matrix.shape[1:] == (columns_of(kind, allots=True),):
                self.allots, columns = True, matrix.shape[1]
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
        self._layers = {
            kind: (
                Dense(matrix[:, :EXTENDED_OWN_SIZE], self.biases[kind]),
                Dense(matrix[:, EXTENDED_OWN_SIZE:], np.zeros_like(self.biases[kind])),
            )
            for kind, matrix in self.weights.items()
        }
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
        rows = max(MOST_PAIRS // ((counts.mates + 1) * (counts.opponents + 1)), 1)
        parts = [
            self._encode(counts, observation[first : first + rows])
            for first in range(0, max(len(observation), 1), rows)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _encode(
        self, counts: BlockCounts, observation: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        own, blocks = with_position(np, observation[:, :OWN_SIZE]), counts.split(observation)
        pooled = [own]
        for kind in self.kinds:
            pooled += self._pool(kind, own, blocks)
        return np.concatenate(pooled, axis=1)

    def _pool(
        self, kind: str, own: NDArray[np.float32], all_blocks: Mapping[str, NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        width = len(self.biases[kind])
        blocks = all_blocks[kind]
        games, count, _ = blocks.shape
        if count == 0:
            return [np.zeros((games, width), np.float32)] * POOLED
        of_own, of_block = self._layers[kind]
        extended = extended_blocks(np, kind, all_blocks, self.allots)
        extended = extended.reshape(games * count, extended.shape[-1])
        encoded = of_block(extended).reshape(games, count, width) + of_own(own)[:, None]
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
