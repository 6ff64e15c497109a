"""Input devices: key bindings, and the keyboard and mouse that steer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from steer_env.rendering.backend import import_pygame

DIRECTIONS: Mapping[str, complex] = {  # y points up
    **{"up": 1j, "left": -1, "down": -1j, "right": 1},
    **{"w": 1j, "a": -1, "s": -1j, "d": 1},
}

STEERING_HELP = (
    ("Arrows or W A S D", "accelerate that way"),
    ("Mouse, held", "accelerate toward it, more from afar"),
)

MOUSE_REACH = 0.22  # scene sides: a pointer this far from the vehicle steers with full force
_SHIFT = "shift+"


@dataclass(frozen=True)
class Binding:
    """An action, and the keys that trigger it.

    Keys are names in pygame ("space", "shift+r") or characters ("?"). An action that repeats
    is done again while its key is held.
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
        self._held: int | None = None  # the key that was pressed last, until it is released

    def press(self, event: Any) -> None:
        """Acts on a KEYDOWN event of pygame, one of several while a key is held."""
        binding = next(filter(None, map(self._by_key.get, _names(event))), None)
        if binding is not None and (binding.repeats or event.key != self._held):
            binding.act()
        self._held = event.key

    def release(self) -> None:
        """Handles a KEYUP event."""
        self._held = None

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The help: the keys of each binding, and what they do."""
        return [(", ".join(map(_shown, binding.keys)), binding.help) for binding in self]


def _shown(key: str) -> str:
    """A key's name as people write it."""
    if key.startswith(_SHIFT):
        return f"Shift+{key.removeprefix(_SHIFT).upper()}"
    return {"escape": "Esc"}.get(key, key if len(key) == 1 else key.title())


def _names(event: Any) -> list[str]:
    """The names that a binding can use for the event's key, the most specific first."""
    pygame = import_pygame()
    if event.mod & (pygame.KMOD_CTRL | pygame.KMOD_LALT | pygame.KMOD_META):
        return []
    shift = _SHIFT if event.mod & pygame.KMOD_SHIFT else ""
    return [event.unicode, shift + pygame.key.name(event.key)]


class Controls:
    """The keys and the mouse that steer. The one that was used last does.

    `push` takes the place of the person's vehicle in the window and the side of the scene, in
    pixels, and returns the acceleration in the arena, of a length of at most 1.
    """

    def __init__(self) -> None:
        self._pointer = 0j
        self.push = self._push_by_keys
        self.release()

    def release(self) -> None:
        """Releases everything, as when the window loses the focus."""
        self._held: dict[int, complex] = {}  # directions of keys
        self._is_pressed = False  # the left mouse button

    def take(self, event: Any) -> bool:
        """Handles an event of pygame and returns whether it steers."""
        pygame, kind, push = import_pygame(), event.type, None
        if kind == pygame.KEYUP:
            self._held.pop(event.key, None)
        elif kind == pygame.KEYDOWN:
            direction = DIRECTIONS.get(pygame.key.name(event.key))
            if direction is not None:
                self._held[event.key] = direction
                push = self._push_by_keys
        elif kind == pygame.MOUSEBUTTONUP and event.button == 1:
            self._is_pressed = False
        elif kind == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._is_pressed, self._pointer = True, complex(*event.pos)
            push = self._push_by_mouse
        elif kind == pygame.MOUSEMOTION:
            self._pointer = complex(*event.pos)
            push = self._push_by_mouse if self._is_pressed else None
        if push is not None:
            self.push = push
        return push is not None

    def _push_by_keys(self, vehicle: complex, side: float) -> complex:
        wanted = complex(sum(set(self._held.values())))
        return wanted / abs(wanted) if wanted else 0j

    def _push_by_mouse(self, vehicle: complex, side: float) -> complex:
        offset = (self._pointer - vehicle).conjugate()
        if not self._is_pressed or abs(offset) < 0.02 * side:
            return 0j
        return offset / max(abs(offset), MOUSE_REACH * side)
