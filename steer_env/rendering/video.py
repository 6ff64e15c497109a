"""Writes frames as a GIF or an MP4, with imageio-ffmpeg."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path

import numpy as np

from steer_env.drawing import Pixels
from steer_env.files import replacing
from steer_env.rendering.backend import import_imageio_ffmpeg

LEAST_FPS = 0.1  # frames per second: the delay between two frames of a GIF is limited
MOST_FPS = 1000.0  # frames per second of a video
MOST_GIF_FPS = 50.0  # frames per second of a GIF: browsers slow down faster ones


def save_gif(path: str | os.PathLike[str], frames: Sequence[Pixels], fps: float) -> None:
    """Writes frames of one size as a GIF that repeats forever.

    They share one palette, without dithering, so that parts that do not move take no space. A
    few samples are taken for it; then each frame once. There are 0.1 to 50 frames a second.

    Raises:
        OSError: if the file cannot be written.
        gymnasium.error.DependencyNotInstalled: without imageio-ffmpeg, or its program.
    """
    every = -(-len(frames) // 8) or 1
    samples = [frames[number] for number in range(0, len(frames), every)]
    count = len(samples)
    # ffmpeg gets the samples first, then all frames.
    filters = (
        "[0:v]split[first][rest];"
        f"[first]trim=end_frame={count},palettegen=max_colors=128[palette];"
        f"[rest]trim=start_frame={count},setpts=PTS-STARTPTS[film];"
        "[film][palette]paletteuse=dither=none:diff_mode=rectangle"
    )
    options = "-filter_complex", filters, "-loop", "0", "-f", "gif"
    _write(path, chain(samples, frames), fps, "gif", "pal8", options, skipped=count)


def save_mp4(path: str | os.PathLike[str], frames: Iterable[Pixels], fps: float) -> None:
    """Writes frames, also of a generator, as an MP4 video (H.264) of 0.1 to 1000 a second.

    Errors as in `save_gif`. The last row or column is doubled if the size is odd.
    """
    # Players differ in the colors that they assume, so the file names them.
    scale = "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"
    colors = "setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv"
    # From 0 (lossless) to 51: at 18, no loss is visible in drawings.
    look = "-crf", "18", "-vf", f"{scale},{colors}"
    container = "-movflags", "+faststart", "-f", "mp4"  # it plays while it is loading
    even = (
        np.pad(one, [*((0, n % 2) for n in one.shape[:2]), (0, 0)], "edge") for one in frames
    )
    _write(path, even, fps, "libx264", "yuv420p", (*look, *container))


def _write(
    path: str | os.PathLike[str],
    frames: Iterable[Pixels],
    fps: float,
    codec: str,
    pixels: str,
    options: Sequence[str],
    skipped: int = 0,
) -> None:
    """Writes a file of all frames but the first `skipped` ones."""
    imageio_ffmpeg = import_imageio_ffmpeg()
    frames = iter(frames)
    first = next(frames)
    written = -skipped
    with replacing(Path(path)) as beside:
        writer = imageio_ffmpeg.write_frames(
            beside,
            first.shape[1::-1],
            fps=fps,
            codec=codec,
            pix_fmt_out=pixels,
            quality=None,
            macro_block_size=1,
            ffmpeg_log_level="quiet",  # an error is one line, ours
            output_params=["-fflags", "+bitexact", "-flags:v", "+bitexact", *options],
        )
        with closing(writer):
            writer.send(None)  # starts ffmpeg
            for frame in chain([first], frames):
                written += 1
                try:
                    writer.send(np.ascontiguousarray(frame))
                except OSError:  # ffmpeg has ended early
                    break
        # imageio-ffmpeg ignores ffmpeg's exit status, so count the frames in the file.
        try:
            found, _ = imageio_ffmpeg.count_frames_and_secs(beside)
        except RuntimeError:
            found = 0
        if found != written:
            raise OSError(
                errno.EIO, "not written: ffmpeg failed, or the disk is full", str(beside)
            )
