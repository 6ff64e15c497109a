"""Recorded episodes as the frames of a film, drawn on demand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import LEAST_TEXT_SIDE, DrawingConfig
from steer_env.episodes.recording import Recording
from steer_env.rendering.ghosts import Ghosts
from steer_env.rendering.mosaic import tile
from steer_env.rendering.overlay import draw_result
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.replay import Replay

HOLD_SECONDS = 1.0
"""How long the end of an episode is shown."""

Board: TypeAlias = Replay | Ghosts


class Film(Sequence[NDArray[np.uint8]]):
    """The frames of groups, in real time, group after group.

    A group shows several episodes side by side, or on one board. Panels show the end of their
    episode until the group ends; then its last frame is held.

    Args:
        groups: the recordings of each group; all groups have the same number.
        drawing: of each panel.
        fps: frames per second.
        columns: of panels.
        seconds: the longest part of an episode to show; None for all.
        on_frame: called with the number of frames drawn so far, after each.
        ghosts: whether the episodes of a group share one board.
        labels: of the runs on one board; see `Ghosts`.
    """

    def __init__(
        self,
        groups: Sequence[Sequence[Recording]],
        drawing: DrawingConfig,
        fps: float,
        columns: int,
        seconds: float | None = None,
        on_frame: Callable[[int], object] | None = None,
        ghosts: bool = False,
        labels: Sequence[str] | None = None,
    ) -> None:
        self._boards = [boards_of(group, drawing, ghosts, labels) for group in groups]
        self._drawing, self._columns, self._on_frame = drawing, columns, on_frame
        self._frames: list[tuple[int, float]] = []  # the group and time of each
        for number, group in enumerate(groups):
            end = max(found.status.seconds for found in group)
            end = end if seconds is None else min(end, seconds)
            count = math.floor(end * fps * (1 + 1e-9)) + 1
            self._frames += [(number, frame / fps) for frame in range(count)]
            self._frames += [(number, end)] * max(round(HOLD_SECONDS * fps), 1)
        self._last_key: tuple[int, list[int]] | None = None
        self._last_frame = np.zeros((0, 0, 3), np.uint8)

    def __len__(self) -> int:
        return len(self._frames)

    @overload
    def __getitem__(self, index: int) -> NDArray[np.uint8]: ...
    @overload
    def __getitem__(self, index: slice) -> list[NDArray[np.uint8]]: ...
    def __getitem__(self, index: int | slice) -> NDArray[np.uint8] | list[NDArray[np.uint8]]:
        """Returns a frame, or a list of the frames of a slice."""
        if isinstance(index, slice):
            return [self._frame(*found) for found in self._frames[index]]
        return self._frame(*self._frames[index])

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        for number, found in enumerate(self._frames):
            frame = self._frame(*found)
            if self._on_frame is not None:
                self._on_frame(number + 1)
            yield frame

    def _frame(self, group: int, time: float) -> NDArray[np.uint8]:
        boards = self._boards[group]
        moments = [board.moment_at(time) for board in boards]
        key = (group, moments)
        if key != self._last_key:  # a held frame is drawn only once
            panels = [
                board.frame(moment) if isinstance(board, Ghosts) else _panel(board, moment)
                for board, moment in zip(boards, moments)
            ]
            background = self._drawing.colors.background
            self._last_frame = tile(panels, self._columns, background)
            self._last_key = key
        return self._last_frame


def boards_of(
    group: Sequence[Recording],
    drawing: DrawingConfig,
    ghosts: bool = False,
    labels: Sequence[str] | None = None,
) -> Sequence[Board]:
    """A board for each episode, or one for all; see `Film`."""
    if ghosts:
        return [Ghosts(group, drawing, labels)]
    return [Replay(recording, drawing) for recording in group]


def _panel(replay: Replay, moment: int) -> NDArray[np.uint8]:
    """Draws a moment; the last one with the result on it, if it is large enough."""
    pixels, recording = replay.frame(moment), replay.recording
    is_last = moment == len(recording.states) - 1
    if is_last and min(replay.drawing.size) >= LEAST_TEXT_SIDE:
        canvas, view = RasterCanvas(pixels), replay.view_at(moment)
        draw_result(canvas, replay.drawing.colors, view, recording.status)
    return pixels
