"""Frames as an animated GIF."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from steer_env.rendering.backend import import_imageio

_COLORS = 64  # drawings have few
_SAMPLES = 8  # frames that the palette is taken from


def save_gif(
    path: str | os.PathLike[str], frames: Sequence[NDArray[np.uint8]], fps: float
) -> None:
    """Writes frames as a GIF that repeats for ever.

    All frames share one small palette, without dithering: what stands still is then the
    same in all of them and takes no space. Equal frames in a row are stored as one that
    is shown longer.

    Args:
        path: of the file, which is replaced if it exists.
        frames: arrays (height, width, 3), at least one.
        fps: frames a second, above 0. A GIF knows only whole hundredths of a second a
            frame, and browsers slow down anything above 50.

    Raises:
        ValueError: without frames, if they differ in shape, or if fps is not above 0.
        gymnasium.error.DependencyNotInstalled: without imageio.
    """
    if not len(frames):
        raise ValueError("a GIF needs at least one frame")
    shapes = {np.shape(frame) for frame in frames}
    if len(shapes) > 1 or len(shape := shapes.pop()) != 3 or shape[2] != 3:
        raise ValueError("frames must be arrays (height, width, 3) of one size")
    if not fps > 0.0:
        raise ValueError(f"fps must be above 0, got {fps!r}")
    # Pillow comes with imageio, whose own way to it computes a palette for every frame:
    # as small a file, but it takes some ten times as long.
    import_imageio()
    image = importlib.import_module("PIL.Image")
    samples = np.concatenate(frames[:: -(-len(frames) // _SAMPLES)])
    # Maximum coverage keeps the few pixels of the vehicles from losing their colors.
    palette = image.fromarray(samples).quantize(_COLORS, image.Quantize.MAXCOVERAGE)
    first, *others = (
        image.fromarray(frame).quantize(palette=palette, dither=image.Dither.NONE)
        for frame in frames
    )
    duration = max(20, 10 * round(100 / fps))
    first.save(path, "GIF", save_all=True, append_images=others, duration=duration, loop=0)
