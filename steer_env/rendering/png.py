"""Pixels as a PNG."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from steer_env.rendering.backend import import_pygame


def as_png(pixels: NDArray[np.uint8]) -> bytes:
    """The content of a PNG file.

    Args:
        pixels: (height, width, 3) of uint8.

    Raises:
        gymnasium.error.DependencyNotInstalled: without pygame.
    """
    pygame = import_pygame()
    height, width, _ = pixels.shape
    content = io.BytesIO()
    picture = pygame.image.frombuffer(np.ascontiguousarray(pixels), (width, height), "RGB")
    pygame.image.save(picture, content, "picture.png")
    return content.getvalue()
