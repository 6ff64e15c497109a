"""The program in a real window, played with real key presses."""

from __future__ import annotations

import signal

import pytest
from screens import wait_until

pytest.importorskip("pygame")

SEED = 18  # of a start in which the evader is to the right of the pursuer
GAME = (
    *("--opponent", "rest", "--seed", str(SEED), "--horizon", "150"),
    *("--capture-radius", "1", "--arena-size", "8"),
)


def test_a_round_is_won_with_a_key(sit_down):
    desk = sit_down("play", *GAME, "--rounds", "1")
    desk.do("keydown", "Right")
    wait_until(lambda: "\n" in desk.output, "the end of the round")
    desk.do("keyup", "Right", "key", "Return")
    assert desk.end() == 0
    assert desk.output.startswith(f"seed {SEED}: you v rest: Caught in ")
    assert "Traceback" not in desk.error


def test_a_round_is_begun_with_the_mouse(sit_down, make):
    game = make(size=(900, 800), horizon=30)
    (begin,) = (area for area, label in game.buttons() if label == "Begin")
    game.window.close()
    desk = sit_down("play", "--opponent", "rest", "--seed", str(SEED), "--horizon", "30")
    title = "you v rest, your choice - Pursuit & Evasion"
    wait_until(lambda: desk.do("getwindowname", desk.window) == title, "its title")
    place = str(begin.left + begin.width // 2), str(begin.top + begin.height // 2)
    desk.do("mousemove", "--window", desk.window, *place, "sleep", "0.3", "click", "1")
    wait_until(lambda: "\n" in desk.output, "the end of the round")
    for _ in range(3):
        desk.do("key", "Escape", "sleep", "0.3", may_fail=True)
    assert desk.end() == 0
    assert "Traceback" not in desk.error


def test_ctrl_c_ends_it(sit_down):
    desk = sit_down("play", "--opponent", "rest", "--rounds", "2", "--horizon", "5")
    wait_until(lambda: "\n" in desk.output, "the end of the first round")
    desk.program.send_signal(signal.SIGINT)
    assert desk.end() == 130
    assert "Traceback" not in desk.error
