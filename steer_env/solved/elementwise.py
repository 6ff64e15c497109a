"""Arguments of functions that work on arrays element by element."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue, check_array

Numbers = NDArray[np.float64]


def broadcast(**given: Any) -> list[Numbers]:
    """Arrays of real numbers, of one shape.

    Args:
        given: numbers or arrays by name; read only.

    Raises:
        InvalidType: if one is not made of real numbers.
        InvalidValue: if one has a nan, or their shapes do not fit together.
    """
    arrays = [check_array(name, value) for name, value in given.items()]
    for name, array in zip(given, arrays):
        if np.isnan(array).any():
            raise InvalidValue(f"{name} must not be nan")
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(given, arrays))
        raise InvalidValue(f"the shapes must broadcast together, got {shapes}") from None


def check_range(
    name: str, values: Numbers, low: float, high: float = np.inf, above: bool = False
) -> None:
    """Raises an InvalidValue for numbers that are not from low to high (or above low)."""
    wrong = ~((values > low if above else values >= low) & (values <= high))
    if wrong.any():
        bound = f"above {low:g}" if above else f"at least {low:g}"
        bound += "" if high == np.inf else f" and at most {high:g}"
        raise InvalidValue(f"{name} must be {bound}, got {float(values[wrong].flat[0]):g}")


def flat(arrays: list[Numbers]) -> Numbers:
    """The arrays as the rows of a matrix, which compiled code reads."""
    return np.array([np.ravel(array) for array in arrays], np.float64)


def as_given(values: Numbers, like: Numbers) -> Any:
    """Values in the shape of an argument: an array, or a float for no axes at all."""
    shaped = values.reshape(like.shape)
    return shaped if like.ndim else shaped.item()
