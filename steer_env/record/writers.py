"""Writes recorded episodes as a file of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from steer_env.drawing import DrawingConfig
from steer_env.episodes.recording import Recording
from steer_env.record.film import Film
from steer_env.rendering.backend import import_imageio_ffmpeg, import_pygame
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.html import save_html
from steer_env.rendering.inset import Inset
from steer_env.rendering.plate import draw_plate, plate_size
from steer_env.rendering.png import as_png
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.replay import Replay
from steer_env.rendering.svg import SvgCanvas
from steer_env.rendering.video import save_gif, save_mp4

LARGEST_SIDE = 16384
"""Of a picture, in pixels: videos can be no larger."""

_GIF_FPS, _MOST_GIF_FPS, _VIDEO_FPS = 15.0, 50.0, 30.0

Scenes = Sequence[Sequence[Recording]]
"""Of each seed, the episodes of all pairs of players."""


class Look(NamedTuple):
    """How episodes are shown.

    Attributes:
        drawing: of each panel.
        columns: in which a scene's panels stand.
        fps: frames a second; None for what suits the kind of file.
        seconds: the most of an episode that moving pictures show; None for all.
        moment: what still pictures show, in seconds; None for whole episodes.
        page_theme: of a page: "light", "dark" or "auto".
    """

    drawing: DrawingConfig
    columns: int
    fps: float | None
    seconds: float | None
    moment: float | None
    page_theme: str


def check_needs(kinds: Iterable[str]) -> None:
    """Makes sure that what writes files of these kinds is there.

    Raises:
        gymnasium.error.DependencyNotInstalled: if not; it says what to install.
    """
    if {"gif", "mp4"} & {*kinds}:
        import_imageio_ffmpeg()
    if {"gif", "mp4", "png"} & {*kinds}:
        import_pygame()  # for texts


def write(
    kind: str, path: Path, scenes: Scenes, look: Look, hint: Callable[[str], object]
) -> None:
    """Writes a file.

    Args:
        kind: gif, mp4, png, svg or html.
        path: of the file; its ending does not matter.
        scenes: what to show.
        look: how to show it.
        hint: is told how far the work has come.
    """
    if kind in ("gif", "mp4"):
        _write_film(kind, path, scenes, look, hint)
    elif kind == "html":
        hint("html: packing")
        recordings = [recording for scene in scenes for recording in scene]
        save_html(path, recordings, look.page_theme, look.drawing.annotations)
    else:
        hint(f"{kind}: drawing")
        width, height = _picture_size(scenes, look)
        if kind == "svg":
            vector = SvgCanvas(width, height, _title(scenes))
            _draw_picture(vector, scenes, look)
            vector.save(path)
        else:
            pixels = np.empty((height, width, 3), np.uint8)
            _draw_picture(RasterCanvas(pixels), scenes, look)
            path.write_bytes(as_png(pixels))


def _write_film(
    kind: str, path: Path, scenes: Scenes, look: Look, hint: Callable[[str], object]
) -> None:
    fps = look.fps or (_GIF_FPS if kind == "gif" else _VIDEO_FPS)
    if kind == "gif":
        fps = min(fps, _MOST_GIF_FPS)
    film = Film(
        scenes,
        look.drawing,
        fps,
        look.columns,
        look.seconds,
        lambda frame: hint(f"{kind}: frame {frame} of {len(film)}"),
    )
    if kind == "gif":
        save_gif(path, film, fps)
    else:
        save_mp4(path, film, fps)


def _panels(scenes: Scenes, look: Look) -> tuple[list[Recording], int]:
    """The panels of a still picture, and how many stand side by side: a row for each seed."""
    panels = [recording for scene in scenes for recording in scene]
    return panels, look.columns if len(scenes) == 1 else len(scenes[0])


def _picture_size(scenes: Scenes, look: Look) -> tuple[int, int]:
    panels, columns = _panels(scenes, look)
    width, height = look.drawing.size
    if look.moment is None:
        return plate_size(panels, columns, min(width, height))
    return columns * width, -(-len(panels) // columns) * height


def _draw_picture(canvas: Canvas, scenes: Scenes, look: Look) -> None:
    """Whole episodes, or a moment of each."""
    panels, columns = _panels(scenes, look)
    if look.moment is None:
        draw_plate(canvas, panels, columns, look.drawing.theme)
        return
    width, height = look.drawing.size
    canvas.fill(look.drawing.colors.background)
    for number, recording in enumerate(panels):
        row, column = divmod(number, columns)
        inset = Inset(canvas, complex(column * width, row * height), width, height)
        replay = Replay(recording, look.drawing)
        replay.draw(inset, replay.moment_at(look.moment))
        inset.close()


def _title(scenes: Scenes) -> str:
    """What a picture shows, in words."""
    return "; ".join(
        f"{' v '.join(found.names)}, seed {found.seed}: {found.result}"
        for scene in scenes
        for found in scene
    )
