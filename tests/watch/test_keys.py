"""Every key does what the help says."""

from __future__ import annotations

import numpy as np
import pytest

pygame = pytest.importorskip("pygame")

from steer_env.drawing import ANNOTATION_KEYS  # noqa: E402
from steer_env.watch.devices import Binding, Bindings  # noqa: E402

from .windows import after  # noqa: E402

AFTER_FIVE_STEPS = {
    "right": (6, 3, 1.0, True),
    "left": (4, 3, 1.0, True),
    "home": (0, 3, 1.0, True),
    "end": (60, 3, 1.0, True),
    "space": (5, 3, 1.0, False),
    **dict.fromkeys(("up", "+"), (5, 3, 2.0, True)),
    **dict.fromkeys(("down", "-"), (5, 3, 0.5, True)),
    "r": (0, 3, 1.0, True),
    "n": (0, 4, 1.0, True),
}
"""The moment, the seed, the speed, and whether the game is paused, by the key that follows."""


@pytest.mark.parametrize(("key", "expected"), AFTER_FIVE_STEPS.items())
def test_a_key_moves_time_as_the_help_says(key, expected, make):
    program = after(make(chasers=("pursuit", "seek"), seed=3), 5)
    program.press(key)
    screening, clock = program.screening, program.screening.clock
    assert (screening.moment, screening.seed, clock.speed, clock.is_paused) == expected
    assert len(program.lines) == 2 * (key == "end")
    program.frame(0.2)
    assert screening.moment == expected[0] + 6 * (not clock.is_paused)


@pytest.mark.parametrize("key", ["h", "f1", "?"])
def test_the_help_is_shown_and_hidden_and_the_game_waits(key, make):
    program = make(chasers=("pursuit", "seek"), seed=3)
    before = program.pixels
    program.press(key)
    assert program.app.picture.has_help
    assert (program.pixels != before).any(axis=2).mean() > 0.3
    program.frame(0.5)
    assert program.screening.moment == 0
    program.press(key)
    assert np.array_equal(program.pixels, before)
    program.press(key)
    program.press("escape")
    assert not program.app.picture.has_help
    assert program.window.is_open
    program.press("escape")
    assert not program.window.is_open


@pytest.mark.parametrize("before", [(), ("space",), ("h",), ("end",), ("home", "h"), ("n",)])
@pytest.mark.parametrize(("chasers", "key"), [(("pursuit",), "q"), ("you", "shift+q")])
def test_q_quits_at_once_whatever_is_shown(chasers, key, before, make):
    program = make(chasers=chasers, rounds=3)
    for each in before:
        program.press(each)
    assert program.window.is_open
    program.press(key)
    assert not program.window.is_open


def test_letters_show_annotations_and_hide_them(make):
    config = {"pursuers": 2, "evaders": 2, "obstacles": 2}
    players = {"chasers": ("pursuit/pack",), "runners": ("evade/among_obstacles",)}
    program = after(make(**players, **config), 20)
    before = program.pixels[:400]
    for annotation, key in ANNOTATION_KEYS.items():
        program.press(key)
        assert program.app.picture.drawing.annotations == (annotation,)
        assert (program.pixels[:400] != before).any(axis=2).sum() > 20
        program.press(key)
        assert program.app.picture.drawing.annotations == ()
        assert np.array_equal(program.pixels[:400], before)


def test_the_tests_are_about_all_the_keys_and_none_has_two_bindings(make):
    keys = [key for binding in make().app.bindings for key in binding.keys]
    others = ["h", "f1", "?", "escape", "q", "shift+q", *ANNOTATION_KEYS.values()]
    assert sorted(keys) == sorted([*AFTER_FIVE_STEPS, *others])
    steering = [k for one in make(chasers="you").app.bindings for k in one.keys]
    assert set(steering) == set(keys) - {"up", "down", "left", "right", "w", "a", "s", "d"}


@pytest.mark.parametrize(
    ("name", "event", "is_meant"),
    [
        ("f1", {"key": pygame.K_F1}, True),
        ("r", {"key": pygame.K_r, "unicode": "R", "mod": pygame.KMOD_CAPS}, True),
        ("shift+r", {"key": pygame.K_r, "unicode": "R", "mod": pygame.KMOD_LSHIFT}, True),
        ("+", {"key": pygame.K_EQUALS, "unicode": "+", "mod": pygame.KMOD_LSHIFT}, True),
        ("r", {"key": pygame.K_q, "unicode": "q"}, False),
        ("r", {"key": pygame.K_r, "unicode": "R", "mod": pygame.KMOD_LSHIFT}, False),
        ("r", {"key": pygame.K_r, "unicode": "\x12", "mod": pygame.KMOD_LCTRL}, False),
    ],
)
def test_a_key_is_known_by_its_name_and_by_what_it_types(name, event, is_meant):
    done = []
    bindings = Bindings([Binding((name,), "", lambda: done.append(1))])
    event = {"unicode": "", "mod": 0, **event}
    bindings.press(pygame.event.Event(pygame.KEYDOWN, event))
    assert done == [1] * is_meant


@pytest.mark.parametrize(("repeats", "times"), [(True, 3), (False, 1)])
def test_a_held_key_repeats_if_its_binding_does(repeats, times):
    done = []
    bindings = Bindings([Binding(("right",), "", lambda: done.append(1), repeats)])
    event = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_RIGHT, unicode="", mod=0)
    for _ in range(3):
        bindings.press(event)
    assert len(done) == times
    bindings.release()
    bindings.press(event)
    assert len(done) == times + 1
