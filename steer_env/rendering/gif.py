"""Frames as an animated GIF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from steer_env.rendering.backend import import_imageio


def save_gif(path: Path | str, frames: Sequence[NDArray[np.uint8]], fps: float) -> None:
    """Writes frames as a GIF that repeats for ever.

    Args:
        path: of the file.
        frames: arrays (height, width, 3), at least one.
        fps: frames a second; a GIF knows only whole hundredths of a second a frame.

    Raises:
        ValueError: without frames.
        gymnasium.error.DependencyNotInstalled: without imageio.
    """
    if not frames:
        raise ValueError("a GIF needs at least one frame")
    duration = max(20, 10 * round(100 / fps))  # browsers slow down anything below 20 ms
    import_imageio().imwrite(
        path, np.stack(frames), extension=".gif", duration=duration, loop=0
    )
