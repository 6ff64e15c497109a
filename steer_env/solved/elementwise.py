"""Arguments of functions that work on arrays element by element."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, check_array, got

Numbers = NDArray[np.float64]
Places = NDArray[np.complex128]

LARGEST = 1e12
"""The largest argument, in meters: then nothing overflows."""


def broadcast(**given: tuple[Any, float, float]) -> list[Numbers]:
    """Read-only arrays of one shape, from numbers with their smallest and largest values."""
    arrays = {name: check_array(name, numbers) for name, (numbers, _, _) in given.items()}
    for name, array in arrays.items():
        if np.isnan(array).any():
            raise InvalidValue(f"{name} must not be nan")
    try:
        shaped = list(np.broadcast_arrays(*arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InvalidValue(f"the shapes must broadcast together, got {shapes}") from None
    for (name, (_, low, high)), array in zip(given.items(), shaped):
        wrong = array[(array < low) | (array > high)]
        if wrong.size:
            bound = "" if high == np.inf else f" and at most {high:g}"
            raise InvalidValue(f"{name} must be at least {low:g}{bound}, got {wrong[0]:g}")
    return shaped


def as_places(name: str, given: Any) -> Places:
    """Places x + iy as an array, or numbers that are x alone."""
    try:
        places = np.asarray(given)
        if places.dtype.kind in "fiubc":
            return places.astype(np.complex128)
    except Exception:  # whatever the objects in it raise
        pass
    raise InvalidType(f"{name} must be complex numbers x + iy, {got(given)}")


def parts_of(name: str, given: Any) -> dict[str, tuple[Numbers, float, float]]:
    """The real and the imaginary parts of places x + iy for `broadcast`."""
    places = as_places(name, given)
    parts = {f"{name}.real": places.real, f"{name}.imag": places.imag}
    return {part: (numbers, -LARGEST, LARGEST) for part, numbers in parts.items()}


def flat(arrays: list[Numbers]) -> Numbers:
    """The arrays as the rows of a matrix for compiled code."""
    return np.array([np.ravel(array) for array in arrays], np.float64)


def as_given(values: NDArray[Any]) -> Any:
    """An array, or the one value of an array without axes."""
    return values if values.ndim else values.item()
