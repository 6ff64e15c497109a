"""A card over the last picture of several runs: the time of each capture, best first."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.drawing import Theme
from steer_env.interface.overlay import draw_box
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.ghosts import Standing
from steer_env.rendering.texts import fitted
from steer_env.sides import EVADER, Side

_LINE = 1.6  # height of a line, in sizes of the font


def best_first(standings: Sequence[Standing], side: Side) -> list[Standing]:
    """Returns the runs in the order of their captures; for evaders, the longest-lived first.

    Runs with evaders that are free are in the order of their number.
    """

    def order(standing: Standing) -> tuple[int, float]:
        return standing.free, 0.0 if standing.free else standing.seconds

    return sorted(standings, key=order, reverse=side is EVADER)


def draw_end_card(
    canvas: Canvas, theme: Theme, standings: Sequence[Standing], side: Side, size: float
) -> None:
    """Draws a card in the middle of a canvas: each run's label and time to capture.

    Args:
        canvas: to draw on.
        theme: colors.
        standings: how the runs stand or ended.
        side: the side that is compared.
        size: of the font, in pixels; smaller if the canvas is small.
    """
    rows = [
        (run, f"{run.seconds:.1f} s" if run.is_captured else run.outcome)
        for run in best_first(standings, side)
    ]
    title = "Time to capture"
    labels = max(canvas.text_width(found.label, size) for found, _ in rows)
    results = max(canvas.text_width(result, size) for _, result in rows)
    wide = max(labels + 1.5 * size + results, canvas.text_width(title, size)) + 2 * size
    size *= min(1.0, 0.96 * canvas.width / wide)
    half = complex(min(wide, 0.96 * canvas.width), (len(rows) + 1.6) * _LINE * size) / 2
    middle = complex(canvas.width, canvas.height) / 2
    canvas.rectangle(theme.background, 0j, 2 * middle, 0.6)
    draw_box(canvas, theme, middle - half, middle + half, 0.97)
    left = middle - half + complex(size, 0.8 * _LINE * size)
    right = left + 2 * half.real - 2 * size
    canvas.text(title, theme.faint, left, size)
    for number, (found, result) in enumerate(rows):
        down = (number + 1.1) * _LINE * size * 1j
        room = right.real - left.real - canvas.text_width(result, size) - size
        canvas.text(fitted(canvas, found.label, size, room), found.color, left + down, size)
        canvas.text(result, theme.ink, right + down, size, 1.0)
