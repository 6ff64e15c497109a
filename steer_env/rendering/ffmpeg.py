"""Hands frames to the program ffmpeg, which imageio-ffmpeg brings along."""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import IO

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.rendering.backend import find_ffmpeg

LEAST_FPS = 0.1
"""Frames a second; no frame of a GIF can last for more than some minutes."""


def write_frames(
    path: str | os.PathLike[str],
    frames: Iterable[NDArray[np.uint8]],
    fps: float,
    inputs: Sequence[str] = (),
    output: Sequence[str] = (),
) -> None:
    """Has ffmpeg make a file of frames; the same frames make the same file.

    Args:
        path: of the file, which is replaced if it exists.
        frames: arrays (height, width, 3) of uint8 and one size, at least one. They are taken
            one after the other, so that a generator may draw them: none is kept.
        fps: frames a second.
        inputs: ffmpeg's options for further inputs.
        output: ffmpeg's options for the file.

    Raises:
        ValueError: without frames, or if they differ in shape.
        OSError: if the file cannot be written.
        gymnasium.error.DependencyNotInstalled: without imageio-ffmpeg, or its program.
    """
    program = find_ffmpeg()
    remaining = iter(frames)
    first = next(remaining, None)
    if first is None:
        raise InvalidValue("a film needs at least one frame")
    shape = np.shape(first)
    _check_frame(first, shape)
    with open(path, "wb"):  # what forbids it is told by Python, and clearly
        pass
    command = [
        *(program, "-loglevel", "error", "-nostdin", "-y"),
        *("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{shape[1]}x{shape[0]}"),
        *("-r", f"{fps:g}", "-i", "pipe:0", *inputs, "-fflags", "+bitexact", *output),
        f"file:{os.fspath(path)}",
    ]
    with tempfile.TemporaryFile() as complaints:
        # In a group of its own: Ctrl-C is for us, who then end the program.
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stderr=complaints, start_new_session=True
        )
        assert process.stdin is not None
        is_written = False
        try:
            for frame in chain([first], remaining):
                _check_frame(frame, shape)
                if not _hand_over(frame, process.stdin):
                    break  # it has given up; why is in its complaints
            else:
                is_written = _close(process.stdin) and process.wait() == 0
        finally:
            process.kill()
            process.wait()
            _close(process.stdin)
        if not is_written:
            complaint = _text(complaints).replace(f"file:{os.fspath(path)}", "the file")
            raise OSError(errno.EIO, f"not written: {complaint}", os.fspath(path))


def _hand_over(frame: NDArray[np.uint8], pipe: IO[bytes]) -> bool:
    """Writes a frame; returns False if nobody reads any more."""
    with _unless_unread():
        pipe.write(np.ascontiguousarray(frame).data)
        return True
    return False


def _close(pipe: IO[bytes]) -> bool:
    """Closes a pipe; returns False if what was left in it is lost."""
    with _unless_unread():
        pipe.close()
        return True
    return False


@contextmanager
def _unless_unread() -> Iterator[None]:
    """Ends what it encloses where a pipe is written to whose reader has ended."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EINVAL):  # the latter is what Windows says
            raise


def _check_frame(frame: NDArray[np.uint8], shape: tuple[int, ...]) -> None:
    is_picture = len(shape) == 3 and shape[2] == 3 and min(shape) > 0
    if np.shape(frame) != shape or not is_picture or frame.dtype != np.uint8:
        raise InvalidValue(
            "frames must be arrays (height, width, 3) of uint8 and one size, got "
            f"{np.shape(frame)} of {np.asarray(frame).dtype}; the first has {shape}"
        )


def _text(complaints: IO[bytes]) -> str:
    """What the program complained of first."""
    complaints.seek(0)
    lines = complaints.read().decode(errors="replace").strip().splitlines()
    return lines[0] if lines else "ffmpeg ended without a word"
