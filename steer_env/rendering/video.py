"""Frames as a video that everything plays."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from typing import IO

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import check_number
from steer_env.rendering.backend import import_imageio_ffmpeg

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
        fps: frames a second, above 0 and at most 1000.

    Raises:
        TypeError: if fps is no number.
        ValueError: without frames, if they differ in shape, or if fps is out of range.
        OSError: if the file cannot be written.
        gymnasium.error.DependencyNotInstalled: without imageio-ffmpeg.
    """
    fps = check_number("fps", fps, 0.0, _MOST_FPS, above=True)
    program = import_imageio_ffmpeg().get_ffmpeg_exe()
    remaining = iter(frames)
    first = next(remaining, None)
    if first is None:
        raise ValueError("a video needs at least one frame")
    shape = np.shape(first)
    _even(first, shape)
    with open(path, "wb"):  # what forbids it is told by Python, and clearly
        pass
    with tempfile.TemporaryFile() as complaints:
        command = _command(program, path, shape, fps)
        # In a group of its own: Ctrl-C is for us, who then end the program.
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stderr=complaints, start_new_session=True
        )
        assert process.stdin is not None
        try:
            process.stdin.write(_even(first, shape))
            for frame in remaining:
                process.stdin.write(_even(frame, shape))
            process.stdin.close()
            failed = process.wait() != 0
        except BrokenPipeError:  # it has given up; why is in its complaints
            failed = True
        finally:
            process.kill()
            process.wait()
            with suppress(BrokenPipeError):  # what it has not read any more is lost
                process.stdin.close()
        if failed:
            raise OSError(f"the video {os.fspath(path)} was not written: {_text(complaints)}")


def _command(
    program: str, path: str | os.PathLike[str], shape: tuple[int, ...], fps: float
) -> list[str]:
    height, width = (side + side % 2 for side in shape[:2])
    # Said outright which colors are meant: players differ in what they take for granted.
    colors = "setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv"
    return [
        *(program, "-loglevel", "error", "-nostdin", "-y"),
        *("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:g}"),
        *("-i", "pipe:0", "-c:v", "libx264", "-crf", _QUALITY, "-pix_fmt", "yuv420p"),
        *("-vf", f"scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,{colors}"),
        # The same frames make the same file; and it can be played while it is loaded.
        *("-fflags", "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart"),
        *("-f", "mp4", f"file:{os.fspath(path)}"),
    ]


def _even(frame: NDArray[np.uint8], shape: tuple[int, ...]) -> bytes:
    """A frame's bytes, row by row, with an even number of rows and columns."""
    if np.shape(frame) != shape or len(shape) != 3 or shape[2] != 3 or frame.dtype != np.uint8:
        raise ValueError(
            "frames must be arrays (height, width, 3) of uint8 and one size, got "
            f"{np.shape(frame)} of {frame.dtype} after {shape}"
        )
    height, width = shape[:2]
    if height % 2 or width % 2:
        frame = np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), "edge")
    return frame.tobytes()


def _text(complaints: IO[bytes]) -> str:
    """What the program complained of first."""
    complaints.seek(0)
    lines = complaints.read().decode(errors="replace").strip().splitlines()
    return lines[0] if lines else "ffmpeg ended without a word"
