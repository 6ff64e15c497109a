"""Keys steer a vehicle, whatever its heading; other keys do what the help says."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

pygame = pytest.importorskip("pygame")

from steer_env.drawing import ANNOTATION_KEYS  # noqa: E402
from steer_env.sides import EVADER, PURSUER  # noqa: E402
from steer_env.watch.app import DIRECTIONS, Controls, names_of  # noqa: E402

from .windows import make_session  # noqa: E402


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
    session = make_session("idle", side, seed=1, keeps_going=True)
    session.update(0.0)
    for number, push in enumerate((1, 1j, -1, -1j, cmath.rect(1, 0.7), 0.4j)):
        session.push = lambda push=push: push
        session.update((1 + number) / 30)
        force = session.game.recording().forces[1 + number, int(side)]
        assert force == pytest.approx(12.0 * push, abs=1e-5)


def test_a_round_begins_with_the_first_push_and_stays_at_its_end(make):
    program = make(opponent="pursuit", side=EVADER, horizon=30, seed=2)
    session = program.session
    program.frame(1.0)
    assert (session.game.last, session.is_waiting) == (0, True)
    start = complex(session.game.record["players"]["body"]["position"][1])
    program.press("up")
    program.frames(10)
    moved = complex(session.game.record["players"]["body"]["position"][1]) - start
    assert moved.imag > 0.9 * abs(moved) > 0.1
    program.post(pygame.WINDOWFOCUSLOST)
    program.frame(1.0)
    assert (session.game.last, session.is_paused) == (10, True)
    program.press("space")
    program.frames(10)
    assert abs(session.game.recording().forces[12:20, 1]).max() == 0  # all is released
    program.frames(200)
    assert program.lines == ["seed 2: you got away from pursuit (1 s)"]
    assert (session.seed, session.is_over) == (2, True)
    program.press("r")
    assert (session.seed, session.is_waiting) == (2, True)
    program.press("n")
    assert (session.seed, session.is_waiting) == (3, True)


@pytest.mark.parametrize("key", ["h", "f1", "?"])
def test_the_help_is_shown_and_hidden_and_the_game_waits(key, make):
    program = make(seed=3, rounds=1)
    before = program.pixels
    program.press(key)
    assert program.app.screen.has_help
    assert (program.pixels != before).any(axis=2).mean() > 0.3
    program.frame(0.5)
    assert program.session.game.last == 0
    program.press(key)
    assert np.array_equal(program.pixels, before)
    program.press(key)
    program.post(pygame.MOUSEBUTTONDOWN, button=1, pos=(9, 9))
    assert not program.app.screen.has_help
    program.press(key)
    program.press("escape")
    assert not program.app.screen.has_help
    assert program.window.is_open
    program.press("escape")
    assert not program.window.is_open


@pytest.mark.parametrize("before", [(), ("space",), ("h",), ("up", "h"), ("n",)])
@pytest.mark.parametrize("rounds", [None, 3])
def test_q_quits_at_once_whatever_is_shown(rounds, before, make):
    program = make(rounds=rounds)
    for each in before:
        program.press(each)
    assert program.window.is_open
    program.press("q")
    assert not program.window.is_open


SHOWN = {name: key for name, key in ANNOTATION_KEYS.items() if key not in DIRECTIONS}


def test_letters_show_annotations_and_hide_them(make):
    opponents = (
        {"opponent": "evade/among_obstacles", "obstacles": 2},
        {"opponent": "pursuit/pack", "side": EVADER, "pursuers": 2},
        {"opponent": "pursuit", "side": EVADER},
    )
    seen = set()
    for opponent in opponents:
        program = make(**opponent, rounds=1)
        program.frames(20)
        program.press("space")
        before = program.pixels[:400]
        for annotation, key in SHOWN.items():
            program.press(key)
            assert program.app.screen.drawing.annotations == (annotation,)
            if (program.pixels[:400] != before).any(axis=2).sum() > 20:
                seen.add(annotation)
            program.press(key)
            assert program.app.screen.drawing.annotations == ()
            assert np.array_equal(program.pixels[:400], before)
    assert seen == {*SHOWN}


def test_no_key_has_two_bindings(make):
    keys = [key for binding in make().app.bindings for key in binding.keys]
    others = ["space", "r", "n", "h", "f1", "?", "escape", "q"]
    assert sorted(keys) == sorted([*others, *SHOWN.values()])
    assert not {*keys} & {*DIRECTIONS}


@pytest.mark.parametrize(
    ("name", "event", "is_meant"),
    [
        ("f1", {"key": pygame.K_F1}, True),
        ("r", {"key": pygame.K_r, "unicode": "R", "mod": pygame.KMOD_CAPS}, True),
        ("r", {"key": pygame.K_r, "unicode": "R", "mod": pygame.KMOD_LSHIFT}, True),
        ("?", {"key": pygame.K_MINUS, "unicode": "?", "mod": pygame.KMOD_LSHIFT}, True),
        ("r", {"key": pygame.K_q, "unicode": "q"}, False),
        ("r", {"key": pygame.K_r, "unicode": "\x12", "mod": pygame.KMOD_LCTRL}, False),
    ],
)
def test_a_key_is_known_by_its_name_and_by_what_it_types(name, event, is_meant):
    event = pygame.event.Event(pygame.KEYDOWN, {"unicode": "", "mod": 0, **event})
    assert (name in names_of(event)) == is_meant
