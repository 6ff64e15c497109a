"""Every key does what the help says."""

from __future__ import annotations

import numpy as np
import pytest

pygame = pytest.importorskip("pygame")

from steer_env.drawing import (  # noqa: E402
    ANNOTATION_KEYS,
    ANNOTATIONS,
    DEFAULT_ANNOTATIONS,
    THEMES,
)
from steer_env.watch.bindings import Binding, Bindings  # noqa: E402
from steer_env.watch.picture import Target  # noqa: E402

from .windows import after  # noqa: E402


def check_pause(program, key):
    program.press(key)
    program.frame(0.2)
    assert program.screening.moment == 0
    program.press(key)
    program.frame(0.2)
    assert program.screening.moment == 6


def check_forward(program, key):
    program.press(key)
    program.press(key)
    assert program.screening.moment == 2


def check_back(program, key):
    after(program, 5).press(key)
    assert program.screening.moment == 4


def check_start(program, key):
    after(program, 5).press(key)
    assert program.screening.moment == 0


def check_end(program, key):
    program.press(key)
    assert program.screening.is_over
    assert len(program.lines) == 2


def check_faster(program, key):
    program.press(key)
    assert program.screening.clock.speed == 2.0


def check_slower(program, key):
    program.press(key)
    assert program.screening.clock.speed == 0.5


def check_restart(program, key):
    after(program, 5).press(key)
    assert (program.screening.last_moment, program.screening.seed) == (0, 3)


def check_next(program, key):
    after(program, 5).press(key)
    assert (program.screening.moment, program.screening.seed) == (0, 4)


def check_previous(program, key):
    after(program, 5).press(key)
    assert (program.screening.moment, program.screening.seed) == (0, 2)


def check_keeps_going(program, key):
    program.press(key)
    assert not program.screening.keeps_going
    assert program.app.display.message
    program.press(key)
    assert program.screening.keeps_going
    program.frame(0.1)
    program.frame(5.0)
    assert program.app.display.message == ""


def check_scroll_down(program, key):
    program.app.display.inspected = Target(0, 0)
    program.press(key)
    program.press(key)
    assert 0 < program.app.display.inspector.scroll <= program.app.display.inspector.hidden


def check_scroll_up(program, key):
    check_scroll_down(program, "page down")
    for _ in range(3):
        program.press(key)
    assert program.app.display.inspector.scroll == 0


def check_theme(program, key):
    program.press(key)
    assert program.app.display.drawing.theme == "dark"
    assert tuple(program.pixels[-8, 300]) == THEMES["dark"].background
    program.press(key)
    assert tuple(program.pixels[-8, 300]) == THEMES["light"].background


def check_help(program, key):
    before = program.pixels
    program.press(key)
    assert program.app.display.has_help
    assert (program.pixels != before).any(axis=2).mean() > 0.3
    program.frame(0.5)
    assert program.screening.moment == 0  # the game waits while the help is read
    program.press(key)
    assert np.array_equal(program.pixels, before)


def check_escape(program, key):
    display = program.app.display
    display.inspected = Target(0, 0)
    program.press("h")
    for closed in ("has_help", "inspected"):
        assert getattr(display, closed)
        program.press(key)
        assert not getattr(display, closed)
        assert program.window.is_open
    program.press(key)
    assert not program.window.is_open


def check_quit(program, key):
    program.app.display.has_help = True
    program.press(key)
    assert not program.window.is_open


def check_all(program, key):
    for names in (DEFAULT_ANNOTATIONS, tuple(ANNOTATIONS), (), DEFAULT_ANNOTATIONS):
        program.press(key)
        assert program.app.display.drawing.annotations == names


CHECKS = {
    **{"space": check_pause, "right": check_forward, "left": check_back},
    **{"home": check_start, "end": check_end, "up": check_faster, "+": check_faster},
    **{"down": check_slower, "-": check_slower, "r": check_restart, "n": check_next},
    **{"p": check_previous, "shift+n": check_previous, "g": check_keeps_going},
    **{"page down": check_scroll_down, "page up": check_scroll_up, "t": check_theme},
    **{"h": check_help, "f1": check_help, "?": check_help, "escape": check_escape},
    **{"q": check_quit, "a": check_all},
}


@pytest.mark.parametrize("key", CHECKS)
def test_a_key_does_what_the_help_says(key, make):
    CHECKS[key](make(chasers=("pursuit", "seek"), seed=3), key)


@pytest.mark.parametrize(("annotation", "key"), ANNOTATION_KEYS.items())
def test_a_letter_shows_an_annotation_and_hides_it(annotation, key, make):
    config = {"pursuers": 2, "evaders": 2, "obstacles": 2}
    players = {"chasers": ("pursuit/pack",), "runners": ("evade/among_obstacles",)}
    program = after(make(**players, **config), 20)
    before = program.pixels[:400]
    program.press(key)
    assert program.app.display.drawing.annotations == (annotation,)
    changed = (program.pixels[:400] != before).any(axis=2).sum()
    assert changed > 20
    program.press(key)
    assert program.app.display.drawing.annotations == ()
    assert np.array_equal(program.pixels[:400], before)


def test_the_checks_are_about_all_the_keys_and_none_has_two_bindings(make):
    keys = [key for binding in make().app.bindings for key in binding.keys]
    assert sorted(keys) == sorted([*CHECKS, *ANNOTATION_KEYS.values()])
    steering = [k for one in make(chasers="you").app.bindings for k in one.keys]
    assert set(steering) == set(keys) - {"up", "down", "left", "right", "w", "a", "s", "d"}


@pytest.mark.parametrize(
    ("name", "event", "is_meant"),
    [
        ("f1", {"key": pygame.K_F1}, True),
        ("r", {"key": pygame.K_r, "unicode": "R", "mod": pygame.KMOD_CAPS}, True),
        ("shift+r", {"key": pygame.K_r, "unicode": "R", "mod": pygame.KMOD_LSHIFT}, True),
        ("+", {"key": pygame.K_EQUALS, "unicode": "+", "mod": pygame.KMOD_LSHIFT}, True),
        ("@", {"key": pygame.K_q, "unicode": "@", "mod": pygame.KMOD_RALT}, True),
        ("r", {"key": 0x43A, "unicode": "\u043a", "scancode": pygame.KSCAN_R}, True),
        ("r", {"key": pygame.K_q, "unicode": "q"}, False),
        ("r", {"key": pygame.K_r, "unicode": "R", "mod": pygame.KMOD_LSHIFT}, False),
        ("r", {"key": pygame.K_r, "unicode": "\x12", "mod": pygame.KMOD_LCTRL}, False),
    ],
)
def test_a_key_is_known_by_its_name_and_by_what_it_types(name, event, is_meant):
    done = []
    bindings = Bindings([Binding((name,), "", lambda: done.append(1))])
    bindings.press(pygame.event.Event(pygame.KEYDOWN, **event))
    assert done == [1] * is_meant


def test_a_held_key_repeats_if_its_binding_does(monkeypatch):
    held = {pygame.K_RIGHT: True}
    monkeypatch.setattr(pygame.key, "get_pressed", lambda: held)
    for repeats, times in ((True, 3), (False, 1)):
        done = []
        act = lambda done=done: done.append(1)  # noqa: E731
        bindings = Bindings([Binding(("right",), "", act, repeats)])
        bindings.press(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_RIGHT))
        for now in (0.0, 0.1, 0.3, 0.36, 0.37, 0.42):
            bindings.repeat(now)
        assert len(done) == times
        held[pygame.K_RIGHT] = False
        bindings.repeat(9.0)
        held[pygame.K_RIGHT] = True
        bindings.repeat(10.0)
        assert len(done) == times
