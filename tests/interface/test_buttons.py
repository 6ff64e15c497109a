"""Buttons are drawn where they can be chosen."""

import numpy as np
import pytest

from steer_env.drawing import THEMES, contrast
from steer_env.interface.buttons import HEIGHT, Button, Pointer
from steer_env.interface.grid import Rectangle
from steer_env.rendering.raster import RasterCanvas

pygame = pytest.importorskip("pygame")

AREA = Rectangle(20, 10, 120, 30)


def event(kind, place=(0, 0), button=1):
    return pygame.event.Event(getattr(pygame, kind), pos=place, button=button)


def test_a_click_chooses_what_is_under_the_pointer():
    pointer, chosen = Pointer(), []
    pointer.add(AREA, lambda: chosen.append("first"))
    pointer.add(Rectangle(20, 50, 120, 30), lambda: chosen.append("second"))
    assert not pointer.take(event("MOUSEBUTTONDOWN", (19, 20)))
    assert not pointer.take(event("MOUSEBUTTONDOWN", (25, 20), button=3))
    assert not pointer.take(event("MOUSEMOTION", (25, 60)))
    assert chosen == []
    assert pointer.take(event("MOUSEBUTTONDOWN", (25, 60)))
    assert chosen == ["second"]


def test_a_second_click_needs_a_new_picture():
    pointer, chosen = Pointer(), []
    pointer.add(AREA, lambda: chosen.append(1))
    assert pointer.take(event("MOUSEBUTTONDOWN", (25, 20)))
    assert not pointer.take(event("MOUSEBUTTONDOWN", (25, 20)))
    pointer.add(AREA, lambda: chosen.append(2))
    assert pointer.take(event("MOUSEBUTTONDOWN", (25, 20)))
    assert chosen == [1, 2]


def test_the_button_under_the_pointer_is_known_until_it_leaves():
    pointer = Pointer()
    assert not pointer.add(AREA, int)
    assert pointer.hovered is None
    pointer.take(event("MOUSEMOTION", (139, 39)))
    assert pointer.hovered == AREA
    assert pointer.add(AREA, int)
    pointer.take(event("MOUSEMOTION", (140, 39)))
    assert pointer.hovered is None
    pointer.take(event("MOUSEMOTION", (139, 39)))
    pointer.take(pygame.event.Event(pygame.WINDOWLEAVE))
    assert pointer.hovered is None


def drawn(is_hovered=False, is_filled=False, theme="light", label="Begin"):
    pixels = np.zeros((60, 200, 3), np.uint8)
    canvas = RasterCanvas(pixels)
    button = Button(label, int, THEMES[theme], "Enter", is_filled)
    wide = round(button.width(canvas, 16))
    area = Rectangle(20, 10, min(wide, 170), round(HEIGHT * 16))
    button.draw(canvas, area, 16, is_hovered)
    return pixels, area


@pytest.mark.parametrize("theme", list(THEMES))
def test_states_of_a_button_look_different(theme):
    pictures = [
        drawn(is_hovered, is_filled, theme)[0]
        for is_hovered in (False, True)
        for is_filled in (False, True)
    ]
    for number, one in enumerate(pictures):
        for other in pictures[:number]:
            assert (one != other).any(axis=-1).sum() > 100
    colors = THEMES[theme]
    assert contrast(colors.ink, colors.ground) > 4.5
    assert contrast(colors.force, colors.background) > 2.5  # the frame under the pointer


@pytest.mark.parametrize("label", ["Begin", "a label that is much too long for it"])
def test_nothing_is_drawn_beside_a_button(label):
    pixels, area = drawn(True, True, label=label)
    inside = np.zeros(pixels.shape[:2], bool)
    inside[area.top : area.bottom, area.left : area.right] = True
    assert not pixels[~inside].any()
    assert pixels[inside].any(axis=-1).all()
