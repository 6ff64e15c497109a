"""Every key does what the help says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pygame = pytest.importorskip("pygame")

from steer_env.drawing import (  # noqa: E402
    ANNOTATION_KEYS,
    ANNOTATIONS,
    DEFAULT_ANNOTATIONS,
    THEMES,
)
from steer_env.watch.picture import Target  # noqa: E402

from .screenings import same  # noqa: E402
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
    assert program.screening.clock.is_paused


def check_back(program, key):
    after(program, 5)
    state = program.screening.games[0].record(4).copy()
    program.press(key)
    assert same(program.screening.games[0].record(program.screening.moment), state)


def check_start(program, key):
    after(program, 5).press(key)
    assert program.screening.moment == 0


def check_end(program, key):
    program.go_to_end()
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
    assert (
        program.screening.moment,
        program.screening.last_moment,
        program.screening.seed,
    ) == (
        0,
        0,
        3,
    )


def check_next(program, key):
    after(program, 5).press(key)
    assert (program.screening.moment, program.screening.seed) == (0, 4)


def check_previous(program, key):
    after(program, 5).press(key)
    assert (program.screening.moment, program.screening.seed) == (0, 2)


def check_keeps_going(program, key):
    program.press(key)
    assert not program.screening.keeps_going
    assert "stays" in program.app.display.message
    program.press(key)
    assert program.screening.keeps_going


def check_select(program, key):
    program.press(key)
    assert program.app.display.current == 1
    program.press(key)
    assert program.app.display.current == 0


def check_alone(program, key):
    program.press("tab")
    program.press(key)
    assert program.app.picture.shown_games == [1]
    program.press(key)
    assert program.app.picture.shown_games == [0, 1]


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


def check_screenshot(program, key):
    program.press(key)
    path = next(iter(program_files()))
    assert path.name in program.app.display.message
    picture = pygame.surfarray.array3d(pygame.image.load(path)).swapaxes(0, 1)
    assert picture.shape == program.pixels.shape
    program.press(key)
    assert len(program_files()) == 2


def program_files():
    return sorted(Path.cwd().glob("*.png"))


def check_help(program, key):
    before = program.pixels
    program.press(key)
    assert program.app.display.has_help
    assert (program.pixels != before).any(axis=2).mean() > 0.3
    program.press(key)
    assert np.array_equal(program.pixels, before)


def check_escape(program, key):
    display = program.app.display
    program.press("return")
    display.inspected = Target(0, 0)
    program.press("h")
    for closed in ("has_help", "inspected", "is_alone"):
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
    "space": check_pause,
    "right": check_forward,
    "left": check_back,
    "home": check_start,
    "end": check_end,
    "up": check_faster,
    "+": check_faster,
    "down": check_slower,
    "-": check_slower,
    "r": check_restart,
    "n": check_next,
    "p": check_previous,
    "shift+n": check_previous,
    "g": check_keeps_going,
    "tab": check_select,
    "return": check_alone,
    "page down": check_scroll_down,
    "page up": check_scroll_up,
    "t": check_theme,
    "s": check_screenshot,
    "h": check_help,
    "f1": check_help,
    "?": check_help,
    "escape": check_escape,
    "q": check_quit,
    "a": check_all,
}


@pytest.mark.parametrize("key", CHECKS)
def test_a_key_does_what_the_help_says(key, make):
    CHECKS[key](make(chasers=("pursuit", "seek"), seed=3), key)


@pytest.mark.parametrize(("annotation", "key"), ANNOTATION_KEYS.items())
def test_a_letter_shows_an_annotation_and_hides_it(annotation, key, make):
    config = {"pursuers": 2, "evaders": 2, "obstacles": 2}
    program = after(
        make(chasers=("pursuit/pack",), runners=("evade/among_obstacles",), **config), 20
    )
    before = program.pixels[:400]
    program.press(key)
    assert program.app.display.drawing.annotations == (annotation,)
    changed = (program.pixels[:400] != before).any(axis=2).sum()
    assert changed > 20
    program.press(key)
    assert program.app.display.drawing.annotations == ()
    assert np.array_equal(program.pixels[:400], before)


def test_the_checks_are_about_all_the_keys(make):
    bound = {key for binding in make().app.bindings for key in binding.keys}
    assert bound == {*CHECKS, *ANNOTATION_KEYS.values()}
    assert ANNOTATION_KEYS.keys() == ANNOTATIONS.keys()
