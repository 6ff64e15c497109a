"""The window in which a person plays: time, keys, the mouse, and what is drawn."""

import cmath
import math
import os
import subprocess
import sys
from pathlib import Path

import pygame
import pytest
import steer_by_hand
from recorded import same
from steer_by_hand import DIRECTIONS, STILL_SECONDS, Controls, play
from windows import Program, make_session

from steer_env.drawing import THEMES
from steer_env.episodes.round_file import read_round
from steer_env.errors import UsageError
from steer_env.game.engine import LARGEST_SEED
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.window import NoDisplayError
from steer_env.sides import EVADER, PURSUER

ROOT = Path(__file__).parents[2]


@pytest.fixture
def make(monkeypatch, tmp_path):
    """Makes programs, each on a window that nobody sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.chdir(tmp_path)
    made = []

    def make_program(**options):
        made.append(Program(**options))
        return made[-1]

    yield make_program
    for program in made:
        program.close()


# ---- Time ----------------------------------------------------------------------------------


def let_play(session, seconds, frames=60, start=0.0):
    """Lets a session go on, and returns the times at which a next round was due."""
    times = [start + frame / frames for frame in range(round(seconds * frames) + 1)]
    return [now for now in times if session.update(now)]


@pytest.mark.parametrize("frames", [7, 60])
def test_as_many_steps_are_played_as_time_passes(frames):
    session = make_session("idle", keeps_going=True)
    assert let_play(session, 1.0, frames, start=5.0) == []
    assert session.game.last == pytest.approx(30, abs=1)
    assert session.seconds == session.game.last / 30


def test_long_breaks_and_pauses_are_not_caught_up():
    session = make_session("idle", keeps_going=True, dt=0.1)
    for now, last in ((0.0, 0), (60.0, 2), (59.0, 2), (59.06, 3)):  # also back
        session.update(now)
        assert session.game.last == last
    session.pause()
    session.update(59.2)
    assert session.game.last == 3
    session.pause()
    session.update(59.31)
    assert session.game.last == 4


def test_a_restart_plays_the_same_and_rounds_go_on_by_a_seed():
    session = make_session("random", keeps_going=True, seed=5)
    let_play(session, 1.0)
    before, last = session.game.record.copy(), session.game.last
    session.restart()
    assert (session.game.last, session.seed, session.round) == (0, 5, 1)
    let_play(session, 1.0)
    assert session.game.last == last
    assert same(session.game.record, before)
    session.next_round()
    assert (session.seed, session.round) == (6, 2)
    let_play(session, 1.0)
    assert not same(session.game.record, before)
    last = make_session(seed=LARGEST_SEED)
    last.next_round()
    assert (last.seed, last.round) == (LARGEST_SEED, 1)


def test_a_round_waits_or_goes_on_and_its_result_is_told_once():
    session = make_session("idle", seed=2, horizon=15)
    assert session.is_waiting
    assert let_play(session, 5.0) == []
    assert session.is_waiting
    session.pause()
    assert let_play(session, 5.0) == []  # the next one waits for a key
    line = "seed 2: idle got away from you (0.5 s)"
    assert (session.is_over, session.take_result(), session.take_result()) == (True, line, None)
    session.restart()
    assert session.is_waiting
    session.keeps_going = True
    session.restart()
    assert session.take_result() is None
    first, *_ = let_play(session, 5.0)
    assert first == pytest.approx(0.5 + STILL_SECONDS, abs=0.1)
    assert session.take_result() == line


# ---- Keys ----------------------------------------------------------------------------------


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


@pytest.mark.parametrize("before", [(), ("space",), ("up",), ("n",)])
@pytest.mark.parametrize("rounds", [None, 3])
def test_q_quits_at_once_whatever_is_shown(rounds, before, make):
    program = make(rounds=rounds)
    for each in before:
        program.press(each)
    assert program.window.is_open
    program.press("q")
    assert not program.window.is_open


@pytest.mark.parametrize(
    ("event", "is_meant"),
    [
        ({"key": pygame.K_q, "unicode": "q"}, True),
        ({"key": pygame.K_q, "unicode": "Q", "mod": pygame.KMOD_CAPS}, True),
        ({"key": pygame.K_q, "unicode": "Q", "mod": pygame.KMOD_LSHIFT}, True),
        ({"key": pygame.K_ESCAPE}, True),
        ({"key": pygame.K_x, "unicode": "x"}, False),
        ({"key": pygame.K_q, "unicode": "\x11", "mod": pygame.KMOD_LCTRL}, False),
    ],
)
def test_a_key_is_meant_with_shift_and_not_with_control(event, is_meant, make):
    program = make()
    program.post(pygame.KEYDOWN, **{"unicode": "", "mod": 0, **event})
    assert program.window.is_open != is_meant
    assert not {*program.app.actions} & {*DIRECTIONS}


# ---- The picture ---------------------------------------------------------------------------


@pytest.fixture
def written(monkeypatch):
    """The texts that are drawn, and the sizes of their fonts."""
    texts = []
    text = RasterCanvas.text

    def spy(self, string, color, place, size, *arguments, **keywords):
        texts.append((string, size))
        text(self, string, color, place, size, *arguments, **keywords)

    monkeypatch.setattr(RasterCanvas, "text", spy)
    return texts


def test_a_person_reads_on_the_board_how_to_start_and_who_it_is(make, written):
    program = make(size=(960, 720), seed=1, annotations=("score",))
    sizes = dict(written)
    assert sizes["Steer to start: arrow keys or W A S D"] > 1.2 * sizes["seed 1"]
    assert {"ready", "still free", "you vs evade", "0.0 s"} <= sizes.keys()
    assert any(text.startswith("space: pause, r: same") for text in sizes)
    assert [text for text, _ in written].count("you") == 2  # beside it and in the legend
    written.clear()
    program.press("up")
    program.frame(0.2)
    texts = {text for text, _ in written}
    assert "you" in texts
    assert not any(text.startswith("Steer to start") for text in texts)
    written.clear()
    program.press("space")
    assert "paused" in {text for text, _ in written}


def test_the_end_is_shown_and_then_the_next_seed_begins(make, written):
    program = make(opponent="idle", horizon=15, seed=8, rounds=2)
    assert pygame.display.get_caption()[0] == "you vs idle - seed 8 - steer_env"
    program.frames(10, 0.1)
    assert program.session.is_over
    assert program.lines == ["seed 8: idle got away from you (0.5 s)"]
    assert (program.pixels == THEMES["light"].evader).all(axis=2).sum() > 100  # the result
    assert "next follows" in {text for text, _ in written}
    program.frames(17, 0.1)
    assert program.session.seed == 9
    program.frames(40, 0.1)
    assert len(program.lines) == 2
    assert not program.window.is_open


def test_a_resized_window_is_filled_again_and_nothing_is_drawn_twice(make, monkeypatch):
    program = make(seed=3)
    program.pixels = None
    program.frame(0.5)
    assert program.pixels is None
    program.post(pygame.WINDOWEXPOSED)
    assert program.pixels.shape == (500, 600, 3)
    for size in ((350, 800), (200, 200), (1200, 333)):
        monkeypatch.setattr(type(program.window), "size", size)
        program.frame()
        assert program.pixels.shape == (size[1], size[0], 3)
    program.post(pygame.QUIT)
    assert not program.window.is_open


# ---- The program ---------------------------------------------------------------------------


@pytest.fixture
def unseen(monkeypatch):
    """Windows that nobody sees, and that do not show an end for long."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(steer_by_hand, "STILL_SECONDS", 0.05)


@pytest.mark.usefixtures("unseen")
def test_a_person_keeps_the_rounds(tmp_path):
    played = []
    options = {"game": {"horizon": 5}, "seed": 4, "save": tmp_path / "rounds"}
    for rounds in (2, 1):
        play("evader", "random", rounds=rounds, **options, report=played.append)
    paths = [tmp_path / "rounds" / f"round-{name}.json" for name in ("4", "5", "4-2")]
    assert [line.split("; ")[1] for line in played] == [f"wrote {path}" for path in paths]
    assert read_round(paths[0]).names == ("random", "you")


OWN = """
from steer_env import Scenario

def straight(me, other):
    offset = other.position - me.position
    return me.max_force * offset / abs(offset)

class Short(Scenario):
    keywords = {"horizon": 5}
"""


def test_opponents_and_games_are_in_a_python_file(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    given = [
        "evader",
        "--opponent",
        "own.py:straight",
        "--game",
        "own.py:Short",
        "--rounds",
        "1",
        "--save",
        "x",
    ]
    run = subprocess.run(  # apart, since it registers the game
        [sys.executable, steer_by_hand.__file__, *given, "--rounds", "1", "--save", "x"],
        cwd=tmp_path,
        env={**os.environ, "SDL_VIDEODRIVER": "dummy", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    saved = "; it could not be saved:"
    assert run.stdout.startswith(f"seed 0: you got away from own.straight (0.2 s){saved}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponent": "pursit"}, "'pursuit'"),
        ({"side": "pursuers"}, "'pursuer'"),
        ({"side": "pursuer"}, "made for the pursuer"),
        ({"game": {"evaders": 2}}, "steer the pursuer"),
        ({"rounds": 0}, "rounds"),
        ({"seed": -1}, "seed"),
    ],
)
def test_invalid_arguments_are_rejected(options, message):
    with pytest.raises(UsageError, match=message):
        play(**{"side": "evader", "opponent": "pursuit", **options})


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_without_a_display_it_says_so(monkeypatch):
    for variable in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(NoDisplayError):
        play("evader", "pursuit")
