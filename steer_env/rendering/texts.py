"""Texts cut short, so that they fit."""

from __future__ import annotations

from steer_env.rendering.canvas import Canvas

_ELLIPSIS = "…"
_FEWEST = 2  # letters that are left of a text: fewer say nothing


def fitted(
    canvas: Canvas, text: str, size: float, width: float, from_front: bool = False
) -> str:
    """As much of a text as there is room for, with an ellipsis if that is not all.

    Args:
        canvas: on which it is to be written.
        text: one line.
        size: of the font, in pixels.
        width: of the room, in pixels.
        from_front: whether the end is kept, which tells most of a name such as
            "pretrained/pursuit/ppo", and not the beginning.

    Returns:
        The text, cut if need be; "" if there is room for next to nothing.
    """

    def cut(letters: int) -> str:
        if from_front:
            return _ELLIPSIS + text[len(text) - letters :].lstrip()
        return text[:letters].rstrip() + _ELLIPSIS

    if canvas.text_width(text, size) <= width:
        return text
    low, high = 0, len(text)  # the most letters that fit with the ellipsis
    while low < high:
        middle = (low + high + 1) // 2
        fits = canvas.text_width(cut(middle), size) <= width
        low, high = (middle, high) if fits else (low, middle - 1)
    return cut(low) if low >= _FEWEST else ""


def fitted_names(
    canvas: Canvas, names: tuple[str, str], size: float, width: float
) -> tuple[str, str]:
    """Two names that fit into a line together; each has half of it, or what the other leaves.

    Args:
        canvas: on which they are to be written.
        names: of the pursuers and of the evaders.
        size: of the font, in pixels.
        width: of the room for both, in pixels.
    """
    first, second = names
    room = max(width / 2, width - canvas.text_width(second, size))
    first = fitted(canvas, first, size, room, from_front=True)
    room = width - canvas.text_width(first, size)
    return first, fitted(canvas, second, size, room, from_front=True)
