"""Keys steer a vehicle, whatever its heading; other keys do what the help says."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

pygame = pytest.importorskip("pygame")

from steer_env.drawing import ANNOTATION_KEYS  # noqa: E402
from steer_env.sides import EVADER, PURSUER  # noqa: E402
from steer_env.watch.app import DIRECTIONS, Binding, Bindings, Controls  # noqa: E402
from steer_env.watch.screening import STILL_SECONDS  # noqa: E402

from .windows import after, make_screening  # noqa: E402

STEP = 1 / 30


@pytest.fixture
def controls():
    return Controls()


def push_of(controls, *events):
    for kind, fields in events:
        controls.take(pygame.event.Event(getattr(pygame, kind), **fields))
    return controls.push()


def key(kind, name, **fields):
    code = getattr(pygame, f"K_{name if len(name) == 1 else name.upper()}")
    return f"KEY{kind}", {"key": code, "mod": 0, "unicode": "", "scancode": 0, **fields}


def test_keys_push_their_way_and_several_in_between_with_no_more_force(controls):
    for name, direction in DIRECTIONS.items():
        assert push_of(controls, key("DOWN", name)) == direction
        assert push_of(controls, key("UP", name)) == 0
    diagonal = pytest.approx(cmath.rect(1, math.pi / 4))
    assert push_of(controls, key("DOWN", "up"), key("DOWN", "d")) == diagonal
    assert push_of(controls, key("DOWN", "right")) == diagonal  # the same direction once
    assert push_of(controls, key("DOWN", "left"), key("UP", "up")) == 0
    assert push_of(controls, key("DOWN", "q"), key("UP", "left")) == 1
    controls.release()
    assert controls.push() == 0


@pytest.mark.parametrize("side", [PURSUER, EVADER])
def test_the_vehicle_is_pushed_where_the_screen_says_whatever_its_heading(side):
    players = side.ordered("you", ("idle",))
    screening = make_screening(*players, seed=1)
    for number, push in enumerate((1, 1j, -1, -1j, cmath.rect(1, 0.7), 0.4j)):
        screening.push = lambda push=push: push
        screening.move(1)
        force = screening.games[0].recording().forces[1 + number, int(side)]
        assert force == pytest.approx(12.0 * push, abs=1e-5)


def test_a_round_begins_with_the_first_push_and_stays_at_its_end(make):
    program = make(runners="you", horizon=30, seed=2)
    screening = program.screening
    program.frame(1.0)
    assert (screening.moment, screening.is_waiting) == (0, True)
    start = complex(screening.games[0].record_at(0)["players"]["body"]["position"][1])
    program.press("up")
    for _ in range(10):
        program.frame(STEP)
    moved = complex(screening.games[0].record_at(10)["players"]["body"]["position"][1]) - start
    assert moved.imag > 0.9 * abs(moved) > 0.1
    program.press("end")  # what comes is not known yet
    assert screening.moment == 10
    program.post(pygame.WINDOWFOCUSLOST)
    program.frame(1.0)
    assert (screening.moment, screening.clock.is_paused) == (10, True)
    program.press("space")
    for _ in range(10):
        program.frame(STEP)
    assert abs(screening.games[0].recording().forces[12:20, 1]).max() == 0  # all is released
    for _ in range(100):
        program.frame(STEP)
    assert program.lines == ["seed 2: you got away from pursuit (1 s)"]
    program.frame(STILL_SECONDS + 1.0)
    assert (screening.seed, screening.is_over) == (2, True)
    program.press("r")
    assert (screening.seed, screening.is_waiting) == (2, True)
    program.press("n")
    assert (screening.seed, screening.is_waiting) == (3, True)


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
    assert program.app.screen.has_help
    assert (program.pixels != before).any(axis=2).mean() > 0.3
    program.frame(0.5)
    assert program.screening.moment == 0
    program.press(key)
    assert np.array_equal(program.pixels, before)
    program.press(key)
    program.press("escape")
    assert not program.app.screen.has_help
    assert program.window.is_open
    program.press("escape")
    assert not program.window.is_open


@pytest.mark.parametrize("before", [(), ("space",), ("h",), ("end",), ("home", "h"), ("n",)])
@pytest.mark.parametrize("chasers", [("pursuit",), "you"])
def test_q_quits_at_once_whatever_is_shown(chasers, before, make):
    program = make(chasers=chasers, rounds=3)
    for each in before:
        program.press(each)
    assert program.window.is_open
    program.press("q")
    assert not program.window.is_open


def test_letters_show_annotations_and_hide_them(make):
    config = {"pursuers": 2, "evaders": 2, "obstacles": 2}
    players = {"chasers": ("pursuit/pack",), "runners": ("evade/among_obstacles",)}
    program = after(make(**players, **config), 20)
    before = program.pixels[:400]
    for annotation, key in ANNOTATION_KEYS.items():
        program.press(key)
        assert program.app.screen.drawing.annotations == (annotation,)
        assert (program.pixels[:400] != before).any(axis=2).sum() > 20
        program.press(key)
        assert program.app.screen.drawing.annotations == ()
        assert np.array_equal(program.pixels[:400], before)


def test_the_tests_are_about_all_the_keys_and_none_has_two_bindings(make):
    keys = [key for binding in make().app.bindings for key in binding.keys]
    others = ["h", "f1", "?", "escape", "q", *ANNOTATION_KEYS.values()]
    assert sorted(keys) == sorted([*AFTER_FIVE_STEPS, *others])
    steering = [k for one in make(chasers="you").app.bindings for k in one.keys]
    assert set(steering) == set(keys) - {"up", "down", "left", "right", "w", "a", "s", "d"}


@pytest.mark.parametrize(
    ("name", "event", "is_meant"),
    [
        ("f1", {"key": pygame.K_F1}, True),
        ("r", {"key": pygame.K_r, "unicode": "R", "mod": pygame.KMOD_CAPS}, True),
        ("r", {"key": pygame.K_r, "unicode": "R", "mod": pygame.KMOD_LSHIFT}, True),
        ("+", {"key": pygame.K_EQUALS, "unicode": "+", "mod": pygame.KMOD_LSHIFT}, True),
        ("r", {"key": pygame.K_q, "unicode": "q"}, False),
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
