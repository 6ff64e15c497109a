"""Makes scenes as large as they can be: cuts off most of the margin, where no text stands."""

from __future__ import annotations

from typing import NamedTuple

from steer_env.rendering.camera import MARGIN

_KEPT = 0.025  # margin around the arena, as a share of the shorter side of what is seen


class Framing(NamedTuple):
    """How a scene is cut out of a larger picture.

    Attributes:
        size: width and height of the larger picture, in pixels.
        cut: that is cut off at each edge, in pixels.
    """

    size: tuple[int, int]
    cut: int


def framing_of(size: tuple[int, int]) -> Framing:
    """The picture out of which a scene of some size is cut.

    Args:
        size: width and height of what will be seen, in pixels.
    """
    # A side s + 2 cut has the margin MARGIN * (s + 2 cut), of which _KEPT * s is to be left.
    cut = round(min(size) * (MARGIN - _KEPT) / (1 - 2 * MARGIN))
    width, height = size
    return Framing((width + 2 * cut, height + 2 * cut), cut)
