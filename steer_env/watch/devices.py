"""Input devices: key bindings, and the keyboard, mouse and gamepad that steer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from steer_env.rendering.backend import import_pygame

DIRECTIONS: Mapping[str, complex] = {
    **{"up": 1j, "left": -1, "down": -1j, "right": 1},
    **{"w": 1j, "a": -1, "s": -1j, "d": 1},
}
"""Directions in which keys push, with y pointing up on the screen as in the arena."""

STEERING_HELP = (
    ("Arrows or W A S D", "accelerate that way"),
    ("Mouse, held", "accelerate toward it, more from afar"),
    ("Gamepad", "a stick steers; A Space, B Esc, X n, Y r"),
)
"""The devices that steer, for the help."""

PAD_KEYS = ("space", "escape", "n", "r")  # of the buttons A, B, X and Y of a gamepad
MOUSE_REACH = 0.22  # scene sides: a pointer this far from the vehicle pushes with full force
DEAD_ZONE = 0.2  # tilt below which a stick is at rest
_MOUSE_REST = 0.02  # scene sides: a pointer this near to the vehicle does not push
_DELAY, _INTERVAL = 0.35, 0.05  # seconds until a held key repeats, and between repeats
_SHIFT = "shift+"
_FIRST_SCANCODE = 4  # of the key that is A on a US keyboard


@dataclass(frozen=True)
class Binding:
    """An action, and the keys that trigger it.

    Keys are names in pygame, such as "space", "right", "f1", "r" and "shift+r", or characters
    such as "+" and "?", wherever they are on the keyboard. The help says in a few words what
    the action does. An action that repeats is done again while its key is held.
    """

    keys: tuple[str, ...]
    help: str
    act: Callable[[], object]
    repeats: bool = False


class Bindings(list[Binding]):
    """All bindings of a program, in the order of its help."""

    def __init__(self, bindings: Iterable[Binding]) -> None:
        super().__init__(bindings)
        self._by_key = {key: binding for binding in self for key in binding.keys}
        self._held: tuple[int, Binding, float | None] | None = None  # key, and when to repeat

    def press(self, event: Any) -> None:
        """Acts on a KEYDOWN event of pygame whose key has a binding."""
        binding = next(filter(None, map(self.do, _names(event))), None)
        if binding is not None:
            self._held = (event.key, binding, None) if binding.repeats else None

    def do(self, key: str) -> Binding | None:
        """Acts as if a key was pressed, and returns its binding."""
        binding = self._by_key.get(key)
        if binding is not None:
            binding.act()
        return binding

    def repeat(self, now: float) -> None:
        """Repeats the action of a held key when it is due, as called in every frame."""
        if self._held is None:
            return
        key, binding, due = self._held
        if not import_pygame().key.get_pressed()[key]:
            self._held = None
        elif due is None:
            self._held = key, binding, now + _DELAY
        elif now >= due:
            self._held = key, binding, now + _INTERVAL
            binding.act()

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The help: the keys of each binding, and what they do."""
        return [(", ".join(map(_shown, binding.keys)), binding.help) for binding in self]


def _shown(key: str) -> str:
    """A key's name as people write it."""
    if key.startswith(_SHIFT):
        return f"Shift+{key.removeprefix(_SHIFT).upper()}"
    return {"escape": "Esc"}.get(key, key if len(key) == 1 else key.title())


def _key_name(event: Any) -> str:
    """The key's name in pygame, of a Greek or Cyrillic letter that on a US keyboard."""
    typed = getattr(event, "unicode", "")
    scancode = getattr(event, "scancode", 0) - _FIRST_SCANCODE
    if typed.isalpha() and not typed.isascii() and 0 <= scancode < 26:
        return chr(ord("a") + scancode)
    return import_pygame().key.name(event.key)


def _names(event: Any) -> list[str]:
    """The names that a binding can use for the event's key, the most specific first."""
    pygame = import_pygame()
    modifiers = getattr(event, "mod", 0)
    # The right Alt is AltGr, which types characters; Windows reports Ctrl beside it.
    types_characters = modifiers & (pygame.KMOD_RALT | pygame.KMOD_MODE)
    others = pygame.KMOD_CTRL | pygame.KMOD_LALT | pygame.KMOD_META
    if modifiers & others and not types_characters:
        return []
    typed, key = getattr(event, "unicode", ""), _key_name(event)
    if modifiers & pygame.KMOD_SHIFT:
        key = _SHIFT + key
    is_sign = typed.isprintable() and typed and not typed.isalpha() and typed != " "
    return [typed, key] if is_sign else [key]


class Controls:
    """The devices that steer: keys, mouse and gamepads. The one that was used last does.

    `push` takes the place of the person's vehicle in the window and the side of the scene, in
    pixels, and returns the push in the arena, of a length of at most 1.
    """

    def __init__(self) -> None:
        self._pads: dict[int, Any] = {}  # kept open: closed pads send no events
        self._pointer = 0j
        self.push = self._push_by_keys
        self.release()

    def release(self) -> None:
        """Releases everything, as when the window loses the focus."""
        self._held: dict[int, complex] = {}  # directions of keys
        self._is_pressed = False  # the left mouse button
        self._tilt = [0.0, 0.0]  # of the stick, right and down

    def take(self, event: Any) -> bool:
        """Handles an event of pygame and returns whether it steers."""
        pygame, kind, push = import_pygame(), event.type, None
        if kind == pygame.KEYUP:
            self._held.pop(event.key, None)
        elif kind == pygame.KEYDOWN and _key_name(event) in DIRECTIONS:
            self._held[event.key] = DIRECTIONS[_key_name(event)]
            push = self._push_by_keys
        elif kind == pygame.MOUSEBUTTONUP and event.button == 1:
            self._is_pressed = False
        elif kind == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._is_pressed, self._pointer = True, complex(*event.pos)
            push = self._push_by_mouse
        elif kind == pygame.MOUSEMOTION:
            self._pointer = complex(*event.pos)
            push = self._push_by_mouse if self._is_pressed else None
        elif kind == pygame.JOYDEVICEADDED:
            pad = pygame.joystick.Joystick(event.device_index)
            self._pads[pad.get_instance_id()] = pad
        elif kind == pygame.JOYDEVICEREMOVED:
            self._pads.pop(event.instance_id, None)
            self._tilt = [0.0, 0.0]
        elif kind == pygame.JOYAXISMOTION and event.axis in (0, 1):
            self._tilt[event.axis] = event.value
            push = self._push_by_stick if abs(complex(*self._tilt)) > DEAD_ZONE else None
        if push is not None:
            self.push = push
        return push is not None

    def _push_by_keys(self, vehicle: complex, side: float) -> complex:
        wanted = complex(sum(set(self._held.values())))
        return wanted / abs(wanted) if wanted else 0j

    def _push_by_mouse(self, vehicle: complex, side: float) -> complex:
        offset = (self._pointer - vehicle).conjugate()
        if not self._is_pressed or abs(offset) < _MOUSE_REST * side:
            return 0j
        return offset / max(abs(offset), MOUSE_REACH * side)

    def _push_by_stick(self, vehicle: complex, side: float) -> complex:
        stick = complex(*self._tilt).conjugate()
        tilt = abs(stick)
        if tilt <= DEAD_ZONE:
            return 0j
        return stick / tilt * min((tilt - DEAD_ZONE) / (1.0 - DEAD_ZONE), 1.0)
