"""Frames as a video that everything plays."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import check_number
from steer_env.rendering.ffmpeg import LEAST_FPS, write_frames

_QUALITY = "18"  # of H.264, from 0 (lossless) to 51: at 18, drawings look as they are
_MOST_FPS = 1000.0


def save_mp4(
    path: str | os.PathLike[str], frames: Iterable[NDArray[np.uint8]], fps: float
) -> None:
    """Writes frames as an MP4 video (H.264).

    Args:
        path: of the file, which is replaced if it exists.
        frames: arrays (height, width, 3) of uint8 and one size, at least one. They are taken
            one after the other, so that a generator may draw them: none is kept. Since the
            format knows only even sizes, the last row or column is doubled where they are odd.
        fps: frames a second, from 0.1 to 1000.

    Raises:
        TypeError: if fps is no number.
        ValueError: without frames, if they differ in shape, or if fps is out of range.
        OSError: if the file cannot be written.
        gymnasium.error.DependencyNotInstalled: without imageio-ffmpeg, or its program.
    """
    fps = check_number("fps", fps, LEAST_FPS, _MOST_FPS)
    # Said outright which colors are meant: players differ in what they take for granted.
    colors = "setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv"
    scale = "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"
    write_frames(
        path,
        (_even(frame) for frame in frames),
        fps,
        output=(
            *("-c:v", "libx264", "-crf", _QUALITY, "-pix_fmt", "yuv420p"),
            *("-vf", f"{scale},{colors}", "-flags:v", "+bitexact"),
            *("-movflags", "+faststart", "-f", "mp4"),  # it plays while it is loaded
        ),
    )


def _even(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A frame with an even number of rows and columns."""
    if np.ndim(frame) != 3 or not (frame.shape[0] % 2 or frame.shape[1] % 2):
        return frame
    return np.pad(frame, ((0, frame.shape[0] % 2), (0, frame.shape[1] % 2), (0, 0)), "edge")
