"""A network's normalization, for runtimes that compute in float32 only."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.policies.network import VARIANCE_FLOOR, NetworkPolicy


class Normalization(NamedTuple):
    """The observation becomes (observation - mean - mean_rest) / scale, clipped to +-clip.

    If the variance is tiny, the quotient magnifies the rounding of the mean to float32 by up
    to 10,000. So the mean has two parts. Subtracting the first one is exact near the mean.

    Attributes:
        mean: (features,), rounded to float32.
        mean_rest: (features,), the rounding error.
        scale: (features,), the standard deviation.
        clip: the bound on both sides.
    """

    mean: NDArray[np.float32]
    mean_rest: NDArray[np.float32]
    scale: NDArray[np.float32]
    clip: float

    @classmethod
    def of(cls, network: NetworkPolicy) -> Normalization | None:
        """The normalization of a network, or None if it does not normalize."""
        mean: Any = network.observation_mean
        variance: Any = network.observation_variance
        clip = network.observation_clip
        if mean is None or variance is None or clip is None:
            return None
        rounded = mean.astype(np.float32)
        rest = (mean - rounded).astype(np.float32)
        scale = np.sqrt(variance + VARIANCE_FLOOR).astype(np.float32)
        return cls(rounded, rest, scale, clip)
