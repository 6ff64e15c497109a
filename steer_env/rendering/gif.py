"""Frames as an animated GIF."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import check_number
from steer_env.rendering.ffmpeg import LEAST_FPS, write_frames

_SAMPLES = 8  # frames that the palette is taken from
_COLORS = 128  # drawings have few, and shades of them at their edges
_MOST_FPS = 50.0  # browsers slow down whatever is faster


def save_gif(
    path: str | os.PathLike[str], frames: Sequence[NDArray[np.uint8]], fps: float
) -> None:
    """Writes frames as a GIF that repeats for ever.

    All frames share one palette, without dithering: what stands still is then the same in all
    of them and takes no space.

    Args:
        path: of the file, which is replaced if it exists.
        frames: arrays (height, width, 3) of uint8 and one size, at least one. A few are looked
            at for the palette; then each is taken once, in order, and none is kept.
        fps: frames a second, from 0.1 to 50. A GIF knows only whole hundredths of a
            second: frames last a little longer or shorter, so that the whole takes the right
            time.

    Raises:
        TypeError: if fps is no number.
        ValueError: without frames, if they differ in shape, or if fps is out of range.
        OSError: if the file cannot be written.
        gymnasium.error.DependencyNotInstalled: without imageio-ffmpeg, or its program.
    """
    fps = check_number("fps", fps, LEAST_FPS, _MOST_FPS)
    samples = [
        frames[index] for index in range(0, len(frames), -(-len(frames) // _SAMPLES) or 1)
    ]
    with tempfile.TemporaryDirectory() as folder:
        palette = Path(folder) / "palette.png"
        generate = f"palettegen=max_colors={_COLORS}:reserve_transparent=1"
        write_frames(palette, samples, 1.0, output=("-vf", generate, "-update", "1"))
        use = "[0:v][1:v]paletteuse=dither=none:diff_mode=rectangle"
        repeat = ("-loop", "0", "-f", "gif")
        options = ("-filter_complex", use, "-flags:v", "+bitexact", *repeat)
        write_frames(path, frames, fps, ("-i", str(palette)), options)
