"""Writes recorded episodes as files of all kinds."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steer_env.drawing import LEAST_TEXT_SIDE, MOST_RUNS, DrawingConfig, Pixels, drawing_config
from steer_env.errors import InvalidValue, check_number, check_path, check_texts, shown
from steer_env.files import check_endings, replacing, write_bytes, write_text
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

DEFAULT_SIDE = 480  # width and height of a panel, in pixels
LARGEST_SIDE = 16384  # of a picture, in pixels: the limit of H.264 videos
FPS = {".gif": 15.0, ".mp4": 30.0}  # frames per second, by default
# The slowest has the longest delay of a GIF; browsers slow down faster GIFs.
SPEEDS = {".gif": (0.1, 50.0), ".mp4": (0.1, 1000.0)}  # frames per second
STILL = (".png", ".svg")
ENDINGS = (*FPS, *STILL, ".html")
HOLD_SECONDS = 1.0  # for which a film shows the end of an episode
Groups = Sequence[Sequence[Recording]]  # for each seed, the episodes of all pairs of players


class Presentation(NamedTuple):
    """The files to write, and the choices of what they show of episodes."""

    paths: Sequence[Path]
    drawing: DrawingConfig  # of each panel
    columns: int = 1  # of panels in a group
    page_theme: str = "auto"  # of a page: "light", "dark" or "auto"
    fps: Mapping[str, float] = FPS  # frames per second of films
    seconds: float = math.inf  # the longest part of an episode in a film
    moment: float | None = None  # of still pictures, in seconds; None for whole episodes
    ghosts: bool = False  # whether the episodes of a seed share one board
    labels: Sequence[str] | None = None  # of the runs on it; None for the players' names

    @property
    def endings(self) -> set[str]:
        """The endings of the files, such as ".gif"."""
        return {path.suffix for path in self.paths}

    def check(self, pairs: int, episodes: int) -> None:
        """Raises an InvalidValue for what the files, or one board for all, cannot show."""
        if self.ghosts:
            if self.endings == {".html"}:
                raise InvalidValue("ghosts needs a .gif, .mp4, .png or .svg file")
            if pairs > MOST_RUNS:
                raise InvalidValue(
                    f"{pairs} pairs of players are too many for one board, which has colors "
                    f"for {MOST_RUNS}; choose fewer players"
                )
        if self.labels is not None:
            if not self.ghosts:
                raise InvalidValue("labels name the runs on one board: give ghosts, too")
            if len(check_texts("labels", self.labels)) != pairs:
                raise InvalidValue(
                    f"labels must name each of the {pairs} pairs of pursuers and evaders, "
                    f"got {shown(self.labels)}"
                )
        columns, pairs = self.columns, 1 if self.ghosts else pairs
        rows = -(-pairs // columns)
        if episodes > 1 and (self.ghosts or self.endings & {*STILL}):
            columns, rows = pairs, max(episodes, rows)  # of still pictures
        wide, high = self.drawing.size
        is_large = max(columns * wide, rows * high) > LARGEST_SIDE
        if is_large and self.endings != {".html"}:
            raise InvalidValue(
                f"{columns} x {rows} panels of {wide} x {high} pixels make a picture of "
                f"{columns * wide} x {rows * high}, but the limit is {LARGEST_SIDE} per side; "
                "choose a smaller size, or fewer players or episodes"
            )

    def boards(self, group: Sequence[Recording]) -> Sequence[Replay | Ghosts]:
        """A board for each episode, or one for all."""
        if self.ghosts:
            return [Ghosts(group, self.drawing, self.labels, self.seconds)]
        return [Replay(recording, self.drawing) for recording in group]

    def still(self, groups: Groups) -> Picture:
        """Draws whole episodes, or one moment of each, side by side."""
        columns = self.columns if len(groups) == 1 or self.ghosts else len(groups[0])
        if self.moment is None and not self.ghosts:
            panels, side = [*chain(*groups)], min(self.drawing.size)
            return plate_of(panels, columns, side, self.drawing.theme)
        boards = [board for group in groups for board in self.boards(group)]
        seconds = math.inf if self.moment is None else self.moment
        return side_by_side([one.picture(one.moment_at(seconds)) for one in boards], columns)

    def write(
        self, groups: Groups, report: Callable[[str], object], progress: Callable[[str], object]
    ) -> None:
        """Writes the files, and reports each, and the progress in words."""
        panels = [*chain(*groups)]
        for path in self.paths:
            ending = path.suffix
            progress(f"{ending[1:]}: drawing")
            if ending in FPS:
                film = Film(groups, self, ending, progress)
                save_film(path, film, self.fps[ending])
            elif ending == ".html":
                save_html(path, panels, self.page_theme, self.drawing.annotations)
            elif ending == ".svg":
                told = [f"{one.title}, seed {one.seed}: {one.status.result}" for one in panels]
                write_text(path, self.still(groups).svg("; ".join(told)))
            else:
                write_bytes(path, png_of(self.still(groups).pixels()))
            report(f"wrote {path}")


def presentation_of(
    out: str | Path | Sequence[str | Path],
    drawing: DrawingConfig | Mapping[str, Any] | None,
    fps: float | None,
    seconds: float | None,
    moment: float | None,
) -> Presentation:
    """The presentation that the arguments of `record` describe, in one column.

    It has been checked as far as this is possible before anything is played.
    """
    paths = [
        check_path("out", path) for path in (out if isinstance(out, list | tuple) else [out])
    ]
    if not paths:
        raise InvalidValue(f"out must name at least one file to write: {', '.join(ENDINGS)}")
    check_endings(paths, ENDINGS)
    endings = {path.suffix for path in paths}
    if endings & FPS.keys():
        import_imageio_ffmpeg()
    if endings & {*FPS, ".png"}:
        import_pygame()  # for texts
    needed = ("moment", moment, STILL), ("seconds", seconds, FPS), ("fps", fps, FPS)
    for name, value, kinds in needed:
        if value is not None and not endings & {*kinds}:
            raise InvalidValue(f"{name} needs a {' or '.join(kinds)} file, and none is named")
    settings = drawing_config(drawing, (DEFAULT_SIDE, DEFAULT_SIDE))
    has_theme = isinstance(drawing, DrawingConfig) or "theme" in (drawing or {})
    speeds = {
        kind: FPS[kind] if fps is None else check_number(f"fps of a {kind}", fps, *bounds)
        for kind, bounds in SPEEDS.items()
        if kind in endings
    }
    if seconds is not None:
        seconds = check_number("seconds", seconds, 0.0, above=True)
    if moment is not None:
        moment = check_number("moment", moment, 0.0)
    theme, longest = settings.theme if has_theme else "auto", seconds or math.inf
    return Presentation(paths, settings, 1, theme, speeds, longest, moment)


class Film(Sequence[Pixels]):
    """The frames of groups, in real time, group after group, drawn on demand.

    The last frame of a group is held. ``progress`` is called with each frame in words.
    """

    def __init__(
        self,
        groups: Groups,
        presentation: Presentation,
        ending: str,
        progress: Callable[[str], object],
    ) -> None:
        self._boards = [presentation.boards(group) for group in groups]
        self._presentation, self._kind, self._progress = presentation, ending[1:], progress
        self._frames: list[tuple[int, float]] = []  # the group and time of each
        fps = presentation.fps[ending]
        for number, group in enumerate(groups):
            end = min(max(one.status.seconds for one in group), presentation.seconds)
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


def save_film(path: str | os.PathLike[str], frames: Sequence[Pixels], fps: float) -> None:
    """Writes frames of one size as a .gif that repeats forever, or an .mp4 video (H.264).

    Those of a GIF share one palette, without dithering, so that parts that do not move take no
    space. A few samples are taken for it; then each frame once. In a video the last row or
    column is doubled if the size is odd. The rates are those of `SPEEDS`.

    Raises:
        OSError: if the file cannot be written.
        gymnasium.error.DependencyNotInstalled: without imageio-ffmpeg, or its program.
    """
    imageio_ffmpeg = import_imageio_ffmpeg()
    given: Iterator[Pixels]
    written = 0
    if Path(path).suffix == ".gif":
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
        codec, pixels, written = "gif", "pal8", -count
        options = ["-filter_complex", filters, "-loop", "0", "-f", "gif"]
        given = chain(samples, frames)
    else:
        # Players differ in the colors that they assume, so the file names them.
        scale = "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"
        colors = "setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv"
        codec, pixels = "libx264", "yuv420p"
        # From 0 (lossless) to 51: at 18, no loss is visible in drawings.
        options = ["-crf", "18", "-vf", f"{scale},{colors}"]
        options += ["-movflags", "+faststart", "-f", "mp4"]  # it plays while it is loading
        given = (
            np.pad(x, [*((0, n % 2) for n in x.shape[:2]), (0, 0)], "edge") for x in frames
        )
    first = next(given)
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
            for frame in chain([first], given):
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
