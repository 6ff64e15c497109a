"""Networks that pool blocks: their formula, their file, and what they do not depend on."""

from __future__ import annotations

import numpy as np
import pytest

from policies.test_blocks import pooled_network
from steer_env.errors import InvalidValue
from steer_env.policies.network import NetworkPolicy

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"blocks": np.array([2.0, 3.0])}, "blocks"),
        ({"blocks": np.array([2.0, 3.5, 2.0])}, "integers"),
        ({"blocks": np.array([2.0, -1.0, 2.0])}, "mates"),
        ({"blocks": np.array([2.0, 0.0, 2.0])}, "mates"),
        ({"blocks": np.array([2.0, np.inf, 2.0])}, "integers"),
        ({"mates_weights": np.zeros((6, 20))}, "mates"),
        ({"mates_biases": np.zeros(5)}, "mates"),
        ({"mates_biases": np.full(6, np.nan)}, "finite"),
        ({"weights_0": np.zeros((8, 21))}, "first layer"),
        ({"observation_mean": np.zeros(73)}, "normalization"),
        ({"blocks": None}, "lacks"),
        ({"opponents_weights": None}, "opponents"),
    ],
)
def test_damaged_files_are_refused(change, message):
    arrays = {**pooled_network().arrays(), **change}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    with pytest.raises(InvalidValue, match=message):
        NetworkPolicy.from_arrays(arrays)
