"""Writes recorded episodes as files of all kinds."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from steer_env.drawing import LEAST_TEXT_SIDE, DrawingConfig, Pixels
from steer_env.errors import InvalidValue, check_path, unknown
from steer_env.files import check_target, replacing, write_bytes, write_text
from steer_env.rendering.backend import import_imageio_ffmpeg, import_pygame
from steer_env.rendering.ghosts import Ghosts
from steer_env.rendering.html import save_html
from steer_env.rendering.mosaic import side_by_side
from steer_env.rendering.overlay import draw_result
from steer_env.rendering.picture import Picture
from steer_env.rendering.plate import plate_of
from steer_env.rendering.raster import png_of
from steer_env.rendering.recording import Recording
from steer_env.rendering.renderer import Replay

LARGEST_SIDE = 16384  # of a picture, in pixels: the limit of H.264 videos
FPS = {"gif": 15.0, "mp4": 30.0}  # frames per second, by default
FASTEST = {"gif": 50.0, "mp4": 1000.0}  # frames per second: browsers slow down faster GIFs
LEAST_FPS = 0.1  # frames per second: the delay between two frames of a GIF is limited
HOLD_SECONDS = 1.0  # for which a film shows the end of an episode
Groups = Sequence[Sequence[Recording]]  # for each seed, the episodes of all pairs of players


class Presentation(NamedTuple):
    """The files to write, by kind, and the choices of what they show of episodes."""

    paths: Mapping[str, Path]
    drawing: DrawingConfig  # of each panel
    columns: int  # of panels in a group
    page_theme: str = "auto"  # of a page: "light", "dark" or "auto"
    fps: float | None = None  # frames per second; None for the default of the kind of file
    seconds: float | None = None  # the longest part of an episode in a film; None for all
    moment: float | None = None  # of still pictures, in seconds; None for whole episodes
    ghosts: bool = False  # whether the episodes of a seed share one board
    labels: Sequence[str] | None = None  # of the runs on it; None for the players' names

    def boards(self, group: Sequence[Recording]) -> Sequence[Replay | Ghosts]:
        """A board for each episode, or one for all."""
        if self.ghosts:
            return [Ghosts(group, self.drawing, self.labels, self.seconds)]
        return [Replay(recording, self.drawing) for recording in group]


def checked_files(**files: str | Path | None) -> dict[str, Path]:
    """Returns the files to write, by kind, after all checks that are possible in advance."""
    paths = {kind: check_path(kind, path) for kind, path in files.items() if path is not None}
    if not paths:
        raise InvalidValue(f"name at least one file to write: {', '.join(files)}")
    for kind, path in paths.items():
        if path.suffix.lower() != f".{kind}":
            problem = unknown(f"ending of the {kind} file", path.suffix, [f".{kind}"])
            raise InvalidValue(f"{path}: {problem}")
        check_target(path)
    if paths.keys() & {"gif", "mp4"}:
        import_imageio_ffmpeg()
    if paths.keys() & {"gif", "mp4", "png"}:
        import_pygame()  # for texts
    return paths


def write(
    groups: Groups,
    presentation: Presentation,
    report: Callable[[str], object],
    progress: Callable[[str], object],
) -> None:
    """Writes files, and calls ``report`` with each, ``progress`` with each step in words."""
    panels = [recording for group in groups for recording in group]
    for kind, path in presentation.paths.items():
        if kind in FPS:
            fps = presentation.fps or FPS[kind]
            film = Film(groups, presentation, fps, kind, progress)
            (save_gif if kind == "gif" else save_mp4)(path, film, fps)
        elif kind == "html":
            progress("html: packing")
            annotations = presentation.drawing.annotations
            save_html(path, panels, presentation.page_theme, annotations)
        else:
            progress(f"{kind}: drawing")
            picture = _still(groups, panels, presentation)
            if kind == "svg":
                told = (f"{one.title}, seed {one.seed}: {one.status.result}" for one in panels)
                write_text(path, picture.svg("; ".join(told)))
            else:
                write_bytes(path, png_of(picture.pixels()))
        report(f"wrote {path}")


def _still(groups: Groups, panels: Sequence[Recording], presentation: Presentation) -> Picture:
    """Draws whole episodes, or one moment of each, side by side."""
    drawing, columns = presentation.drawing, presentation.columns
    if len(groups) > 1 and not presentation.ghosts:
        columns = len(groups[0])
    if presentation.moment is None and not presentation.ghosts:
        return plate_of(panels, columns, min(drawing.size), drawing.theme)
    boards = [board for group in groups for board in presentation.boards(group)]
    seconds = math.inf if presentation.moment is None else presentation.moment
    return side_by_side([one.picture(one.moment_at(seconds)) for one in boards], columns)


class Film(Sequence[Pixels]):
    """The frames of groups, in real time, group after group, drawn on demand.

    The last frame of a group is held. ``progress`` is called with each frame in words.
    """

    def __init__(
        self,
        groups: Groups,
        presentation: Presentation,
        fps: float,
        kind: str,
        progress: Callable[[str], object],
    ) -> None:
        self._boards = [presentation.boards(group) for group in groups]
        self._presentation, self._kind, self._progress = presentation, kind, progress
        self._frames: list[tuple[int, float]] = []  # the group and time of each
        for number, group in enumerate(groups):
            end = max(found.status.seconds for found in group)
            end = min(end, presentation.seconds or math.inf)
            count = math.floor(end * fps * (1 + 1e-9)) + 1
            self._frames += [(number, frame / fps) for frame in range(count)]
            self._frames += [(number, end)] * max(round(HOLD_SECONDS * fps), 1)
        self._drawn = lru_cache(maxsize=1)(self._draw)  # a held frame is drawn only once

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, index: int) -> Pixels:  # type: ignore[override]
        group, time = self._frames[index]
        self._progress(f"{self._kind}: frame {index + 1} of {len(self)}")
        return self._drawn(group, tuple(board.moment_at(time) for board in self._boards[group]))

    def _draw(self, group: int, moments: tuple[int, ...]) -> Pixels:
        """Draws panels, and on the last moment of an episode the result if there is room."""
        has_room = min(self._presentation.drawing.size) >= LEAST_TEXT_SIDE
        panels = []
        for board, moment in zip(self._boards[group], moments):
            picture = board.picture(moment)
            recording = board.recording if isinstance(board, Replay) and has_room else None
            if recording is not None and moment == len(recording.states) - 1:
                draw_result(picture, recording.status)
            panels.append(picture)
        return side_by_side(panels, self._presentation.columns).pixels()


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
    _write_film(path, chain(samples, frames), fps, "gif", "pal8", options, skipped=count)


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
    _write_film(path, even, fps, "libx264", "yuv420p", (*look, *container))


def _write_film(
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
