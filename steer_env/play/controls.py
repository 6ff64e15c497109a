"""Keyboard, mouse and gamepad: the direction in which a person pushes on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steer_env.interface.bindings import key_name
from steer_env.rendering.backend import import_pygame

DIRECTIONS: Mapping[str, complex] = {
    **{"up": 1j, "left": -1, "down": -1j, "right": 1},
    **{"w": 1j, "a": -1, "s": -1j, "d": 1},
}
"""Directions in which keys push; y points up, on the screen as in the arena."""

STEERING_HELP = (
    ("Arrows or W A S D", "push in that direction on the screen"),
    ("Mouse, held", "push toward the pointer, harder if it is farther away"),
    ("Gamepad", "push with a stick; A is Space, B Esc, X Tab or v, Y r"),
)
"""The devices that steer, for the help."""

MOUSE_REACH = 0.22
"""Distance from the vehicle at which the pointer pushes with full force, in scene sides."""

DEAD_ZONE = 0.2
"""Tilt below which a stick is at rest."""

_MOUSE_REST = 0.02  # scene sides: a pointer this near to the vehicle does not push

_BUTTON_KEYS = (("space",), ("escape",), ("tab", "v"), ("r",))  # A, B, X, Y; all others: h
_FLICK, _FLICK_OVER = 0.6, 0.4  # tilt that chooses, and below which it can choose again


class Keyboard:
    """The keys that are held."""

    def __init__(self) -> None:
        self._held: dict[int, complex] = {}
        self._tapped: list[complex] = []  # since the last push, however short

    def take(self, event: Any) -> bool:
        """Handles an event of pygame; returns whether it steers."""
        pygame = import_pygame()
        if event.type == pygame.KEYUP:
            self._held.pop(event.key, None)
        elif event.type == pygame.KEYDOWN:
            direction = DIRECTIONS.get(key_name(event))
            if direction is not None:
                self._held[event.key] = direction
                self._tapped.append(direction)
                return True
        return False

    def release(self) -> None:
        """Releases all keys."""
        self._held.clear()
        self._tapped.clear()

    def forget_taps(self) -> None:
        """Forgets keys that were pressed and released while nothing was steered."""
        self._tapped.clear()

    def push(self, vehicle: complex, side: float) -> complex:
        """Returns a push of length 1 in one of eight directions, or 0."""
        taps = [tap for tap in self._tapped if tap not in self._held.values()]
        self._tapped.clear()
        wanted = complex(sum({*self._held.values(), *taps}))
        return wanted / abs(wanted) if wanted else 0j


class Mouse:
    """The mouse button, and the place of the pointer."""

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
    """The left sticks of all gamepads; the last one that was moved steers."""

    def __init__(self) -> None:
        self._pads: dict[int, Any] = {}  # kept open: closed pads send no events
        self._sticks: dict[int, list[float]] = {}
        self._last = -1

    def take(self, event: Any) -> bool:
        """Handles an event of pygame; returns whether it steers."""
        pygame = import_pygame()
        if event.type == pygame.JOYDEVICEADDED:
            pad = pygame.joystick.Joystick(event.device_index)
            self._pads[pad.get_instance_id()] = pad
        elif event.type == pygame.JOYDEVICEREMOVED:
            self._pads.pop(event.instance_id, None)
            self._sticks.pop(event.instance_id, None)
        elif event.type == pygame.JOYAXISMOTION and event.axis in (0, 1):
            stick = self._sticks.setdefault(event.instance_id, [0.0, 0.0])
            stick[event.axis] = event.value
            if abs(complex(*stick)) > DEAD_ZONE:
                self._last = event.instance_id
                return True
        return False

    def release(self) -> None:
        """Releases the sticks."""
        self._sticks.clear()

    def push(self, vehicle: complex, side: float) -> complex:
        """Returns the tilt of the stick beyond the dead zone, at most 1."""
        right, down = self._sticks.get(self._last, (0.0, 0.0))
        stick = complex(right, -down)
        tilt = abs(stick)
        if tilt <= DEAD_ZONE:
            return 0j
        return stick / tilt * min((tilt - DEAD_ZONE) / (1.0 - DEAD_ZONE), 1.0)


class PadKeys:
    """Turns buttons and sticks of gamepads into keys, for menus."""

    def __init__(self) -> None:
        self._tilted: set[tuple[int, int]] = set()  # gamepads and axes

    def keys_of(self, event: Any) -> tuple[str, ...]:
        """Returns the keys for an event of pygame; the first that has a binding counts.

        A tilted stick is an arrow key once, until it is back in the middle.
        """
        pygame = import_pygame()
        if event.type == pygame.JOYBUTTONDOWN:
            is_known = event.button < len(_BUTTON_KEYS)
            return _BUTTON_KEYS[event.button] if is_known else ("h",)
        if event.type == pygame.JOYHATMOTION:
            return _arrow_keys(event.value[0], -event.value[1])
        if event.type == pygame.JOYAXISMOTION and event.axis in (0, 1):
            axis = event.instance_id, event.axis
            if abs(event.value) < _FLICK_OVER:
                self._tilted.discard(axis)
            elif abs(event.value) > _FLICK and axis not in self._tilted:
                self._tilted.add(axis)
                values = (0.0, event.value) if event.axis else (event.value, 0.0)
                return _arrow_keys(*values)
        return ()


def _arrow_keys(right: float, down: float) -> tuple[str, ...]:
    if down:
        return ("down",) if down > 0 else ("up",)
    if right:
        return ("right",) if right > 0 else ("left",)
    return ()


class Controls:
    """All devices; the last one that was used steers."""

    def __init__(self) -> None:
        self.keyboard = Keyboard()
        self._devices = (self.keyboard, Mouse(), Gamepad())
        self._steers: Keyboard | Mouse | Gamepad = self.keyboard

    def take(self, event: Any) -> None:
        """Handles an event of pygame."""
        for device in self._devices:
            if device.take(event):
                self._steers = device

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
        if self._steers is not self.keyboard:
            self.keyboard.forget_taps()
        return self._steers.push(vehicle, side)
