"""Events as pygame makes them."""

from __future__ import annotations

import pytest

pygame = pytest.importorskip("pygame")


def event(kind, **fields):
    """An event of a kind such as "MOUSEMOTION"."""
    return pygame.event.Event(getattr(pygame, kind), **fields)


def code_of(name):
    """The code of a key, which pygame itself knows only while a window is open."""
    signs = {"+": "PLUS", "-": "MINUS"}
    return getattr(
        pygame, "K_" + (signs.get(name) or (name if len(name) == 1 else name.upper()))
    )


def key_down(name, mod=0):
    """The press of a key of that name."""
    typed = name if len(name) == 1 else {"space": " "}.get(name, "")
    return event("KEYDOWN", key=code_of(name), mod=mod, unicode=typed, scancode=0)


def key_up(name):
    """The release of a key of that name."""
    return event("KEYUP", key=code_of(name), mod=0, unicode="", scancode=0)


class Pad:
    """A gamepad, as far as it is asked."""

    def __init__(self, index):
        self.index = index

    def get_instance_id(self):
        return 70 + self.index
