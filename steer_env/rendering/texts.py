"""Shortens texts so that they fit, and writes them over lines."""

from __future__ import annotations

from bisect import bisect

from steer_env.drawing import Color
from steer_env.rendering.canvas import Canvas

LEAST_FONT = 16.0
"""The smallest font that can be read in a picture, in pixels; 11 pixels in CSS."""

_ELLIPSIS = "…"
_FEWEST = 2  # letters of a shortened text: fewer are not useful


def fitted(
    canvas: Canvas, text: str, size: float, width: float, in_middle: bool = False
) -> str:
    """Returns as much of a text as fits, with an ellipsis if it is shortened.

    Args:
        canvas: to write on.
        text: one line.
        size: of the font, in pixels.
        width: of the room, in pixels.
        in_middle: whether to keep both ends of the text instead of its beginning only, since
            names differ in either, as "seek/full_force" and "pretrained/pursuit/ppo" do.

    Returns:
        The text, or a part of it; "" if not even a few letters fit.
    """

    def cut(letters: int) -> str:
        behind = letters // 2 if in_middle else 0
        return (
            text[: letters - behind].rstrip() + _ELLIPSIS + text[len(text) - behind :].lstrip()
        )

    if canvas.text_width(text, size) <= width:
        return text
    lengths = range(1, len(text) + 1)
    most = bisect(lengths, width, key=lambda letters: canvas.text_width(cut(letters), size))
    return cut(most) if most >= _FEWEST else ""


def fitted_names(
    canvas: Canvas, names: tuple[str, str], size: float, width: float
) -> tuple[str, str]:
    """Returns two names that fit into one line; each has half of it, or what the other leaves.

    Args:
        canvas: to write on.
        names: of the pursuers and of the evaders.
        size: of the font, in pixels.
        width: of the room for both, in pixels.
    """
    first, second = names
    room = max(width / 2, width - canvas.text_width(second, size))
    first = fitted(canvas, first, size, room, in_middle=True)
    room = width - canvas.text_width(first, size)
    return first, fitted(canvas, second, size, room, in_middle=True)


def write_with_rim(
    canvas: Canvas,
    text: str,
    color: Color,
    ground: Color,
    place: complex,
    size: float,
    along: float = 0.5,
) -> None:
    """Writes a text, by default with its middle at a place, and a rim: legible over lines.

    Args:
        canvas: to write on.
        text: one line.
        color: of the letters.
        ground: of the rim: the color behind most of the text.
        place: in pixels.
        size: of the font, in pixels.
        along: the share of the text that is to the left of the place.
    """
    for shift in (1, 1j, -1, -1j):
        canvas.text(text, ground, place + 1.3 * shift, size, along)
    canvas.text(text, color, place, size, along)
