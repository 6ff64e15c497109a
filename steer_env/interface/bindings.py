"""Which key does what: one table, which acts on events and from which the help is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from steer_env.errors import InvalidValue, unknown
from steer_env.rendering.backend import import_pygame

_DELAY, _INTERVAL = 0.35, 0.05  # seconds until a held key repeats, and between repeats
_SHIFT = "shift+"
_FIRST_SCANCODE = 4  # of the key that is A on the keyboard of the United States


@dataclass(frozen=True)
class Binding:
    """What some keys do.

    Attributes:
        keys: pygame's names of keys, such as "space", "right", "f1", "r" and "shift+r", and
            characters such as "+" and "?", wherever a keyboard has them.
        help: what they do, in a few words.
        act: does it.
        repeats: whether it is done again and again while a key is held.
    """

    keys: tuple[str, ...]
    help: str
    act: Callable[[], None]
    repeats: bool = False


class Bindings(list[Binding]):
    """All that keys do.

    Args:
        bindings: in the order of the help.

    Raises:
        ValueError: for a key that has two bindings, or that there is not.
        gymnasium.error.DependencyNotInstalled: without pygame.
    """

    def __init__(self, bindings: Iterable[Binding]) -> None:
        super().__init__(bindings)
        self._by_key: dict[str, Binding] = {}
        self._held: tuple[int, Binding, float | None] | None = None  # key, and when to repeat
        for binding in self:
            for key in binding.keys:
                name = _checked(key)
                if name in self._by_key:
                    other = self._by_key[name].help
                    raise InvalidValue(
                        f"the key {key!r} has two bindings: {other}; {binding.help}"
                    )
                self._by_key[name] = binding

    def press(self, event: Any) -> bool:
        """Does what the key of an event does.

        Args:
            event: of pygame; all but KEYDOWN are left alone.

        Returns:
            Whether there was a binding.
        """
        pygame = import_pygame()
        if event.type != pygame.KEYDOWN:
            return False
        for name in _names(event):
            binding = self._by_key.get(name)
            if binding is not None:
                self._held = (event.key, binding, None) if binding.repeats else None
                binding.act()
                return True
        return False

    def do(self, key: str) -> bool:
        """Does what a key does, without the key.

        Args:
            key: its name.

        Returns:
            Whether there was a binding.
        """
        binding = self._by_key.get(key)
        if binding is not None:
            binding.act()
        return binding is not None

    def repeat(self, now: float) -> bool:
        """Does again what a held key does; to be called for every frame.

        Args:
            now: seconds of any steady clock.

        Returns:
            Whether it was done.
        """
        if self._held is None:
            return False
        key, binding, due = self._held
        if not import_pygame().key.get_pressed()[key]:
            self._held = None
        elif due is None:
            self._held = key, binding, now + _DELAY
        elif now >= due:
            self._held = key, binding, now + _INTERVAL
            binding.act()
            return True
        return False

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The help: the keys of each binding, and what they do."""
        return [(", ".join(map(shown, binding.keys)), binding.help) for binding in self]


def shown(key: str) -> str:
    """A key's name as people write it."""
    if key.startswith(_SHIFT) and key != _SHIFT:
        name = shown(key.removeprefix(_SHIFT))
        return f"Shift+{name.upper() if len(name) == 1 else name}"
    written = {"escape": "Esc", "return": "Enter"}
    return written.get(key, key if len(key) == 1 else key.title())


def key_name(event: Any) -> str:
    """The name of an event's key, whatever the keyboard and the modifiers.

    Args:
        event: of pygame, KEYDOWN or KEYUP.

    Returns:
        pygame's name. Where a key types Greek, Cyrillic or other such letters, the letter that
        is at its place on the keyboard of the United States.
    """
    key: str = import_pygame().key.name(event.key)
    typed = getattr(event, "unicode", "")
    scancode = getattr(event, "scancode", 0) - _FIRST_SCANCODE
    if typed.isalpha() and not typed.isascii() and 0 <= scancode < 26:
        return chr(ord("a") + scancode)
    return {"enter": "return", "[enter]": "return"}.get(key, key)


def _names(event: Any) -> list[str]:
    """What the key of an event may be called, the most special name first."""
    pygame = import_pygame()
    modifiers = getattr(event, "mod", 0)
    # The right Alt is AltGr, which types characters; Windows reports Ctrl beside it.
    types_characters = modifiers & (pygame.KMOD_RALT | pygame.KMOD_MODE)
    others = pygame.KMOD_CTRL | pygame.KMOD_LALT | pygame.KMOD_META
    if modifiers & others and not types_characters:
        return []
    typed, key = getattr(event, "unicode", ""), key_name(event)
    shifted = bool(modifiers & pygame.KMOD_SHIFT)
    if typed.isprintable() and typed and not typed.isalpha() and typed != " ":
        return [typed, _SHIFT + key] if shifted else [typed, key]
    return [_SHIFT + key] if shifted else [key]


def _checked(key: str) -> str:
    """A key's name.

    Raises:
        ValueError: if there is none of that name.
    """
    name = key.removeprefix(_SHIFT) if key != _SHIFT else key
    if len(name) != 1 and name not in _valid_names():
        raise InvalidValue(unknown("key", key, _valid_names()))
    return key


@lru_cache(maxsize=1)
def _valid_names() -> frozenset[str]:
    pygame = import_pygame()
    keys = [getattr(pygame, name) for name in dir(pygame) if name.startswith("K_")]
    return frozenset(name for key in keys if (name := pygame.key.name(key)))
