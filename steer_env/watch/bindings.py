"""Key bindings: one table that handles events and makes the help."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from steer_env.rendering.backend import import_pygame

_DELAY, _INTERVAL = 0.35, 0.05  # seconds until a held key repeats, and between repeats
_SHIFT = "shift+"
_FIRST_SCANCODE = 4  # of the key that is A on a US keyboard


@dataclass(frozen=True)
class Binding:
    """An action, and the keys that trigger it.

    Attributes:
        keys: names of keys in pygame, such as "space", "right", "f1", "r" and "shift+r", and
            characters such as "+" and "?", wherever they are on the keyboard.
        help: what the action does, in a few words.
        act: the action.
        repeats: whether the action repeats while a key is held.
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
        """Acts on a KEYDOWN event of pygame, if its key has a binding."""
        for name in _names(event):
            if self.do(name):
                binding = self._by_key[name]
                self._held = (event.key, binding, None) if binding.repeats else None
                return

    def do(self, key: str) -> bool:
        """Acts as if a key was pressed; returns whether it has a binding."""
        binding = self._by_key.get(key)
        if binding is not None:
            binding.act()
        return binding is not None

    def repeat(self, now: float) -> None:
        """Repeats the action of a held key, if it is time to; to be called in every frame."""
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
        return [(", ".join(map(shown, binding.keys)), binding.help) for binding in self]


def shown(key: str) -> str:
    """Returns a key's name as people write it."""
    if key.startswith(_SHIFT) and key != _SHIFT:
        return f"Shift+{key.removeprefix(_SHIFT).upper()}"
    return {"escape": "Esc"}.get(key, key if len(key) == 1 else key.title())


def key_name(event: Any) -> str:
    """Returns the name of the key of a KEYDOWN or KEYUP event.

    It is pygame's name, whatever the modifiers; on a keyboard for Greek, Cyrillic or other
    such letters, it is the letter at the same place of a US keyboard.
    """
    key: str = import_pygame().key.name(event.key)
    typed = getattr(event, "unicode", "")
    scancode = getattr(event, "scancode", 0) - _FIRST_SCANCODE
    if typed.isalpha() and not typed.isascii() and 0 <= scancode < 26:
        return chr(ord("a") + scancode)
    return key


def _names(event: Any) -> list[str]:
    """Returns the names that a binding can use for the event's key, the most specific first."""
    pygame = import_pygame()
    modifiers = getattr(event, "mod", 0)
    # The right Alt is AltGr, which types characters; Windows reports Ctrl beside it.
    types_characters = modifiers & (pygame.KMOD_RALT | pygame.KMOD_MODE)
    others = pygame.KMOD_CTRL | pygame.KMOD_LALT | pygame.KMOD_META
    if modifiers & others and not types_characters:
        return []
    typed, key = getattr(event, "unicode", ""), key_name(event)
    if modifiers & pygame.KMOD_SHIFT:
        key = _SHIFT + key
    is_sign = typed.isprintable() and typed and not typed.isalpha() and typed != " "
    return [typed, key] if is_sign else [key]
