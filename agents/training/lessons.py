"""All that a teacher has taught a network, by which it learns."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

_LEAST_DEVIATION = np.float32(0.01)  # by which inputs are scaled


class Lessons:
    """All that a network was taught so far, and how its inputs are scaled while it learns."""

    def __init__(self) -> None:
        self._parts: list[tuple[NDArray[np.float32], ...]] = []
        self._mean, self._deviation = np.float32(0.0), np.float32(1.0)

    def add(
        self, seen: NDArray[Any], answers: NDArray[np.float32], weights: NDArray[Any]
    ) -> None:
        """Adds the observations of players, (games, players, features), that are taught."""
        if (is_taught := weights > 0.0).any():
            self._parts.append((seen[is_taught], answers[is_taught], weights[is_taught]))

    def all(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """The observations (N, features), the answers (N, 2), and their weights (N,)."""
        rows, answers, weights = (np.concatenate(part) for part in zip(*self._parts))
        self._parts = [(rows, answers, weights)]
        return rows, answers, weights

    def scale(self) -> None:
        """Scales inputs by the observations so far: to mean 0 and deviation 1."""
        rows, _, _ = self.all()
        self._mean = rows.mean(axis=0)
        self._deviation = np.maximum(rows.std(axis=0), _LEAST_DEVIATION)

    def scaled(self, seen: NDArray[np.float32]) -> NDArray[np.float32]:
        """Observations as the network takes them while it learns."""
        return np.divide(seen - self._mean, self._deviation)

    def fold_into(self, policy: Any) -> None:
        """Changes the first layers of a policy so that they take unscaled observations."""
        if np.ndim(self._mean) == 0:
            return
        mean, deviation = torch.from_numpy(self._mean), torch.from_numpy(self._deviation)
        with torch.no_grad():
            for net in (policy.mlp_extractor.policy_net, policy.mlp_extractor.value_net):
                net[0].weight /= deviation
                net[0].bias -= net[0].weight @ mean
