"""Keyboard, mouse and gamepad: the direction in which a person pushes on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steer_env.rendering.backend import import_pygame
from steer_env.watch.bindings import key_name

DIRECTIONS: Mapping[str, complex] = {
    **{"up": 1j, "left": -1, "down": -1j, "right": 1},
    **{"w": 1j, "a": -1, "s": -1j, "d": 1},
}
"""Directions in which keys push; y points up, on the screen as in the arena."""

STEERING_HELP = (
    ("Arrows or W A S D", "push in that direction"),
    ("Mouse, held", "push toward the pointer, harder from afar"),
    ("Gamepad", "push with a stick; A Space, B Esc, X n, Y r"),
)
"""The devices that steer, for the help."""

PAD_KEYS = ("space", "escape", "n", "r")
"""The keys that the buttons A, B, X and Y of a gamepad stand for."""

MOUSE_REACH = 0.22
"""Distance from the vehicle at which the pointer pushes with full force, in scene sides."""

DEAD_ZONE = 0.2
"""Tilt below which a stick is at rest."""

_MOUSE_REST = 0.02  # scene sides: a pointer this near to the vehicle does not push


class Keyboard:
    """The keys that are held."""

    def __init__(self) -> None:
        self._held: dict[int, complex] = {}

    def take(self, event: Any) -> bool:
        """Handles an event of pygame; returns whether it steers."""
        pygame = import_pygame()
        if event.type == pygame.KEYUP:
            self._held.pop(event.key, None)
        elif event.type == pygame.KEYDOWN and key_name(event) in DIRECTIONS:
            self._held[event.key] = DIRECTIONS[key_name(event)]
            return True
        return False

    def release(self) -> None:
        """Releases all keys."""
        self._held.clear()

    def push(self, vehicle: complex, side: float) -> complex:
        """Returns a push of length 1 in one of eight directions, or 0."""
        wanted = complex(sum(set(self._held.values())))
        return wanted / abs(wanted) if wanted else 0j


class Mouse:
    """The left mouse button, and the place of the pointer."""

    def __init__(self) -> None:
        self._is_held = False
        self._place = 0j

    def take(self, event: Any) -> bool:
        """Handles an event of pygame; returns whether it steers."""
        pygame = import_pygame()
        if event.type == pygame.MOUSEBUTTONUP and event.button == 1:
            self._is_held = False
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._is_held, self._place = True, complex(*event.pos)
            return True
        elif event.type == pygame.MOUSEMOTION:
            self._place = complex(*event.pos)
            return self._is_held
        return False

    def release(self) -> None:
        """Releases the button."""
        self._is_held = False

    def push(self, vehicle: complex, side: float) -> complex:
        """Returns a push toward the pointer; see `Controls.push`."""
        offset = (self._place - vehicle).conjugate()
        distance = abs(offset)
        if not self._is_held or distance < _MOUSE_REST * side:
            return 0j
        return offset / max(distance, MOUSE_REACH * side)


class Gamepad:
    """The left stick of a gamepad, or of any of several."""

    def __init__(self) -> None:
        self._pads: dict[int, Any] = {}  # kept open: closed pads send no events
        self._tilt = [0.0, 0.0]  # right and down

    def take(self, event: Any) -> bool:
        """Handles an event of pygame; returns whether it steers."""
        pygame = import_pygame()
        if event.type == pygame.JOYDEVICEADDED:
            pad = pygame.joystick.Joystick(event.device_index)
            self._pads[pad.get_instance_id()] = pad
        elif event.type == pygame.JOYDEVICEREMOVED:
            self._pads.pop(event.instance_id, None)
            self.release()
        elif event.type == pygame.JOYAXISMOTION and event.axis in (0, 1):
            self._tilt[event.axis] = event.value
            return abs(complex(*self._tilt)) > DEAD_ZONE
        return False

    def release(self) -> None:
        """Releases the stick."""
        self._tilt = [0.0, 0.0]

    def push(self, vehicle: complex, side: float) -> complex:
        """Returns the tilt of the stick beyond the dead zone, at most 1."""
        stick = complex(*self._tilt).conjugate()
        tilt = abs(stick)
        if tilt <= DEAD_ZONE:
            return 0j
        return stick / tilt * min((tilt - DEAD_ZONE) / (1.0 - DEAD_ZONE), 1.0)


class Controls:
    """All devices; the last one that was used steers."""

    def __init__(self) -> None:
        self._devices = (Keyboard(), Mouse(), Gamepad())
        self._steers: Keyboard | Mouse | Gamepad = self._devices[0]

    def take(self, event: Any) -> bool:
        """Handles an event of pygame; returns whether it steers."""
        taken = [device for device in self._devices if device.take(event)]
        if taken:
            self._steers = taken[-1]
        return bool(taken)

    def release(self) -> None:
        """Releases everything, as when the window loses the focus."""
        for device in self._devices:
            device.release()

    def push(self, vehicle: complex, side: float) -> complex:
        """Returns the push in the arena, of a length of at most 1.

        Args:
            vehicle: place of the person's vehicle in the window, in pixels, row downward.
            side: side of the scene in the window, in pixels.
        """
        return self._steers.push(vehicle, side)
