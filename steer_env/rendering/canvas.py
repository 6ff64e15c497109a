"""The surface to draw on: pixels (`raster.RasterCanvas`) or a vector graphic (`SvgCanvas`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from steer_env.rendering.raster import RasterCanvas
    from steer_env.rendering.svg import SvgCanvas

Pixels: TypeAlias = NDArray[np.uint8]  # a picture, (height, width, 3): red, green and blue
Points: TypeAlias = NDArray[np.complexfloating[Any, Any]]  # in pixels, or in meters
Numbers: TypeAlias = NDArray[np.float64]

Canvas: TypeAlias = "RasterCanvas | SvgCanvas"
"""A surface to draw on, in pixels.

A place is a complex number, column + row * 1j, from the top left corner; the middle of the
first pixel is 0.5 + 0.5j. An opacity is from 0 to 1. Lines have round ends. `RasterCanvas`
explains the methods of both.
"""
