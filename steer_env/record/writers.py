"""Writes recorded episodes as files of all kinds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from steer_env.drawing import DrawingConfig
from steer_env.episodes.recording import Recording
from steer_env.errors import InvalidValue, unknown
from steer_env.files import check_target, write_bytes
from steer_env.record.film import Board, Film, boards_of
from steer_env.rendering.backend import import_imageio_ffmpeg, import_pygame
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.html import save_html
from steer_env.rendering.plate import Plate
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.svg import SvgCanvas
from steer_env.rendering.video import MOST_FPS, MOST_GIF_FPS, save_gif, save_mp4

ENDINGS: Mapping[str, tuple[str, ...]] = {
    "gif": (".gif",),
    "mp4": (".mp4",),
    "png": (".png",),
    "svg": (".svg",),
    "html": (".html", ".htm"),
}
"""The valid endings of file names, by kind of file."""

LARGEST_SIDE = 16384
"""The largest side of a picture, in pixels: the limit of H.264 videos."""

FPS = {"gif": 15.0, "mp4": 30.0}
"""The default frames per second."""

FASTEST = {"gif": MOST_GIF_FPS, "mp4": MOST_FPS}
"""The most frames per second."""

Groups = Sequence[Sequence[Recording]]
"""For each seed, the episodes of all pairs of players."""


class Presentation(NamedTuple):
    """How files show the episodes.

    Attributes:
        drawing: of each panel.
        columns: of panels in a group.
        fps: frames per second; None for the default of the kind of file.
        seconds: the longest part of an episode in a GIF or a video; None for all.
        moment: the time that still pictures show, in seconds; None for whole episodes.
        page_theme: of a page: "light", "dark" or "auto".
        ghosts: whether the episodes of a seed share one board.
        labels: of the runs on one board; None for the players' names.
    """

    drawing: DrawingConfig
    columns: int
    fps: float | None
    seconds: float | None
    moment: float | None
    page_theme: str
    ghosts: bool = False
    labels: Sequence[str] | None = None


def check_files(files: Mapping[str, Path]) -> None:
    """Makes sure that all files can be written, as far as this can be known in advance.

    Args:
        files: paths by kind; the kinds are the keys of `ENDINGS`.

    Raises:
        ValueError: without a file, for a wrong ending, if a folder does not exist, or if a path
            is not that of a file.
        PermissionError: if a folder is not writable.
        gymnasium.error.DependencyNotInstalled: if a kind of file needs a missing package.
    """
    if not files:
        raise InvalidValue(f"name at least one file to write: {', '.join(ENDINGS)}")
    for kind, path in files.items():
        if path.suffix.lower() not in ENDINGS[kind]:
            problem = unknown(f"ending of the {kind} file", path.suffix, ENDINGS[kind])
            raise InvalidValue(f"{path}: {problem}")
        check_target(path)
    if files.keys() & {"gif", "mp4"}:
        import_imageio_ffmpeg()
    if files.keys() & {"gif", "mp4", "png"}:
        import_pygame()  # for texts


def write(
    kind: str,
    path: Path,
    groups: Groups,
    presentation: Presentation,
    progress: Callable[[str], object],
) -> None:
    """Writes a file; see `replacing`.

    Args:
        kind: gif, mp4, png, svg or html.
        path: of the file; its ending does not matter.
        groups: the episodes.
        presentation: how to show them.
        progress: called with a description of the current step.
    """
    panels = [recording for group in groups for recording in group]
    drawing, columns, fps, seconds, moment, page_theme, ghosts, labels = presentation
    if kind in ("gif", "mp4"):
        save = save_gif if kind == "gif" else save_mp4
        fps = FPS[kind] if fps is None else fps

        def report(frame: int) -> None:
            progress(f"{kind}: frame {frame} of {len(film)}")

        film = Film(groups, drawing, fps, columns, seconds, report, ghosts, labels)
        save(path, film, fps)
    elif kind == "html":
        progress("html: packing")
        save_html(path, panels, page_theme, drawing.annotations)
    else:
        progress(f"{kind}: drawing")
        if len(groups) > 1 and not ghosts:
            columns = len(groups[0])
        title = "; ".join(
            f"{' v '.join(found.names)}, seed {found.seed}: {found.status.result}"
            for found in panels
        )
        if moment is None and not ghosts:
            plate = Plate(panels, columns, min(drawing.size), drawing.theme)
            save_picture(kind, path, plate, title)
        else:
            boards = [
                board for group in groups for board in boards_of(group, drawing, ghosts, labels)
            ]
            end = math.inf if moment is None else moment
            save_picture(kind, path, _Moments(boards, columns, drawing, end), title)


def save_picture(kind: str, path: Path, picture: Plate | _Moments, title: str) -> None:
    """Draws a picture and writes it to a file; see `replacing`.

    Args:
        kind: png or svg.
        path: of the file; its ending does not matter.
        picture: what to draw.
        title: of an SVG, for screen readers.
    """
    if kind == "svg":
        vector = SvgCanvas(picture.width, picture.height, title)
        picture.draw(vector)
        vector.save(path)
    else:
        raster = RasterCanvas(np.empty((picture.height, picture.width, 3), np.uint8))
        picture.draw(raster)
        write_bytes(path, raster.png())


class _Moments:
    """A picture of one moment of each board; its attributes are those of a `Plate`."""

    def __init__(
        self, boards: Sequence[Board], columns: int, drawing: DrawingConfig, seconds: float
    ) -> None:
        self._boards = boards
        self._columns, self._drawing, self._seconds = columns, drawing, seconds
        self.width = columns * drawing.size[0]
        self.height = -(-len(boards) // columns) * drawing.size[1]

    def draw(self, canvas: Canvas) -> None:
        """Draws the moments on a canvas of that size."""
        width, height = self._drawing.size
        canvas.fill(self._drawing.colors.background)
        for number, board in enumerate(self._boards):
            row, column = divmod(number, self._columns)
            with canvas.part(complex(column * width, row * height), width, height) as part:
                board.draw(part, board.moment_at(self._seconds))
