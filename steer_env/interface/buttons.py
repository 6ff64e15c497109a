"""Buttons in a picture, and the pointer that chooses them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from steer_env.drawing import Theme
from steer_env.interface.grid import Rectangle
from steer_env.interface.overlay import draw_frame
from steer_env.rendering.backend import import_pygame
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.texts import fitted

PADDING = 0.7
"""Space on the left and right of a button's label, in font sizes."""

HEIGHT = 1.7
"""Height of a button, in font sizes."""

_KEY_GAP = 0.45  # between the label and the key, in font sizes
_KEY_SIZE = 0.9  # of the key, in sizes of the label


@dataclass(frozen=True)
class Button:
    """A button that is drawn as text in a box.

    Attributes:
        label: what it does, in a word or two.
        act: called when it is chosen.
        theme: colors.
        key: the key that does the same, written beside the label; "" for none.
        is_filled: whether it stands out: the choice that is made, or the most likely action.
    """

    label: str
    act: Callable[[], object]
    theme: Theme
    key: str = ""
    is_filled: bool = False

    def width(self, canvas: Canvas, size: float) -> float:
        """Returns its width at a font size, in pixels."""
        across = canvas.text_width(self.label, size) + 2 * PADDING * size
        if self.key:
            across += canvas.text_width(self.key, _KEY_SIZE * size) + _KEY_GAP * size
        return across

    def draw(self, canvas: Canvas, area: Rectangle, size: float, is_hovered: bool) -> None:
        """Draws it in an area, with letters of a font size."""
        theme = self.theme
        ink, faint, ground = theme.ink, theme.faint, theme.ground
        if self.is_filled:
            ink, faint, ground = theme.ground, theme.grid, theme.ink
        canvas.rectangle(ground, area.corner, area.opposite)
        frame = theme.force if is_hovered else theme.ink if self.is_filled else theme.faint
        draw_frame(canvas, frame, area.corner, area.opposite, 3.0 if is_hovered else 1.0)
        place = complex(area.left + PADDING * size, (area.top + area.bottom) / 2)
        label = fitted(canvas, self.label, size, area.width - PADDING * size)
        canvas.text(label, ink, place, size)
        left = area.right - place.real - canvas.text_width(label, size) - _KEY_GAP * size
        if self.key and left > canvas.text_width(self.key, _KEY_SIZE * size):
            place = complex(area.right - PADDING * size, place.imag)
            canvas.text(self.key, faint, place, _KEY_SIZE * size, 1.0)


class Pointer:
    """The mouse pointer or a finger, and the buttons of the last picture.

    While a picture is drawn, `clear` and then `add` say where its buttons are.
    """

    def __init__(self) -> None:
        self._place: complex | None = None  # outside of the window, or never seen
        self._buttons: list[tuple[Rectangle, Callable[[], object]]] = []

    def clear(self) -> None:
        """Forgets all buttons."""
        self._buttons.clear()

    def add(self, area: Rectangle, act: Callable[[], object]) -> bool:
        """Adds a button; returns whether the pointer is on it."""
        self._buttons.append((area, act))
        return self._place is not None and area.contains(self._place)

    @property
    def hovered(self) -> Rectangle | None:
        """Area of the button that the pointer is on."""
        place = self._place
        areas = [
            area for area, _ in self._buttons if place is not None and area.contains(place)
        ]
        return areas[-1] if areas else None

    def take(self, event: Any) -> bool:
        """Handles an event of pygame; returns whether it chose a button."""
        pygame = import_pygame()
        if event.type == pygame.WINDOWLEAVE:
            self._place = None
        elif event.type in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN):
            self._place = complex(*event.pos)
        if event.type != pygame.MOUSEBUTTONDOWN or event.button != 1:
            return False
        chosen = [act for area, act in self._buttons if area == self.hovered]
        if chosen:
            self.clear()  # those of the next picture may be others
            chosen[-1]()
        return bool(chosen)
