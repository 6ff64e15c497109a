"""One table of bindings acts on keys and makes the help."""

from __future__ import annotations

import pytest

from steer_env.interface.bindings import Binding, Bindings, key_name, shown

pygame = pytest.importorskip("pygame")


def recorder(*keys, **fields):
    done = []
    return Bindings([Binding(keys, "does it", lambda: done.append(1), **fields)]), done


def key(code, **fields):
    return pygame.event.Event(pygame.KEYDOWN, key=code, **fields)


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("space", {"key": pygame.K_SPACE, "unicode": " "}),
        ("right", {"key": pygame.K_RIGHT}),
        ("f1", {"key": pygame.K_F1}),
        ("r", {"key": pygame.K_r, "unicode": "r"}),
        ("r", {"key": pygame.K_r, "unicode": "R", "mod": pygame.KMOD_CAPS}),
        ("shift+r", {"key": pygame.K_r, "unicode": "R", "mod": pygame.KMOD_LSHIFT}),
        ("return", {"key": pygame.K_KP_ENTER}),
        ("+", {"key": pygame.K_EQUALS, "unicode": "+", "mod": pygame.KMOD_LSHIFT}),
        ("+", {"key": pygame.K_KP_PLUS, "unicode": "+"}),
        ("+", {"key": pygame.K_PLUS, "unicode": "+"}),
        ("?", {"key": pygame.K_MINUS, "unicode": "?", "mod": pygame.KMOD_RSHIFT}),
        ("1", {"key": pygame.K_AMPERSAND, "unicode": "1", "mod": pygame.KMOD_LSHIFT}),
        ("@", {"key": pygame.K_q, "unicode": "@", "mod": pygame.KMOD_LCTRL | pygame.KMOD_RALT}),
        ("r", {"key": 0x43A, "unicode": "\u043a", "scancode": pygame.KSCAN_R}),  # Cyrillic
    ],
)
def test_a_key_is_known_by_its_name_and_by_what_it_types(name, event):
    bindings, done = recorder(name)
    assert bindings.press(pygame.event.Event(pygame.KEYDOWN, **event))
    assert done == [1]


@pytest.mark.parametrize(
    "event",
    [
        key(pygame.K_q, unicode="q"),
        key(pygame.K_r, unicode="R", mod=pygame.KMOD_LSHIFT),
        key(pygame.K_r, unicode="\x12", mod=pygame.KMOD_LCTRL),
        key(pygame.K_r, unicode="r", mod=pygame.KMOD_LALT),
        pygame.event.Event(pygame.KEYUP, key=pygame.K_r),
        pygame.event.Event(pygame.QUIT),
    ],
)
def test_other_events_do_nothing(event):
    bindings, done = recorder("r")
    assert not bindings.press(event)
    assert done == []


def test_a_key_has_one_name_whatever_the_keyboard_and_the_modifiers():
    assert key_name(key(pygame.K_r, unicode="R", mod=pygame.KMOD_LSHIFT)) == "r"
    assert key_name(key(pygame.K_KP_ENTER)) == "return"
    for typed in ("\u043a", "\u03c1"):  # Cyrillic and Greek letters
        assert key_name(key(ord(typed), unicode=typed, scancode=pygame.KSCAN_R)) == "r"


def test_an_action_can_be_triggered_without_its_key():
    bindings, done = recorder("space")
    assert bindings.do("space")
    assert not bindings.do("x")
    assert done == [1]


def test_no_key_has_two_bindings():
    one, other = Binding(("r", "x"), "one", int), Binding(("x",), "other", int)
    with pytest.raises(ValueError, match="'x' has two bindings: one; other"):
        Bindings([one, other])


@pytest.mark.parametrize(
    ("name", "nearest"), [("spac", "space"), ("shift+F1", "f1"), ("", "Some of")]
)
def test_a_key_that_there_is_not_is_refused(name, nearest):
    with pytest.raises(ValueError, match=f"unknown key '.*{nearest}"):
        recorder(name)


def test_the_help_has_a_row_for_each_binding():
    bindings = Bindings([Binding(("h", "f1"), "help", int), Binding(("shift+n",), "back", int)])
    assert bindings.rows == [("h, F1", "help"), ("Shift+N", "back")]
    assert [shown(k) for k in ("escape", "page up", "+")] == ["Esc", "Page Up", "+"]


def test_a_held_key_repeats_if_its_binding_does(monkeypatch):
    held = {pygame.K_RIGHT: True, pygame.K_SPACE: True}
    monkeypatch.setattr(pygame.key, "get_pressed", lambda: held)
    bindings, done = recorder("right", repeats=True)
    bindings.press(key(pygame.K_RIGHT))
    for now in (0.0, 0.1, 0.3):
        bindings.repeat(now)
    assert len(done) == 1
    for now in (0.36, 0.37, 0.42):
        bindings.repeat(now)
    assert len(done) == 3
    held[pygame.K_RIGHT] = False
    bindings.repeat(9.0)
    held[pygame.K_RIGHT] = True
    bindings.repeat(10.0)
    assert len(done) == 3

    once, done = recorder("space")
    once.press(key(pygame.K_SPACE))
    for now in (0.0, 1.0, 2.0):
        once.repeat(now)
    assert len(done) == 1
