"""The program in a real window, played with real key presses."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("pygame")
pytestmark = pytest.mark.skipif(
    not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="needs Xvfb and xdotool"
)

ROOT = Path(__file__).parents[2]
SEED = 18  # of a start in which the evader is to the right of the pursuer


@pytest.fixture
def display():
    """A screen that nobody sees."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1000x900x24"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as numbers:
        number = numbers.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait(timeout=20)


class Desk:
    """The program on a display, and hands at its keys and mouse."""

    def __init__(self, display, data, *arguments):
        names = ("SDL_VIDEODRIVER", "WAYLAND_DISPLAY")
        self.environment = {k: v for k, v in os.environ.items() if k not in names}
        self.environment |= {"DISPLAY": display, "XDG_DATA_HOME": str(data)}
        self.program = subprocess.Popen(
            [sys.executable, "-u", "-m", "steer_env", "play", *arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.window = ""
        while self.program.poll() is None and not self.has_focus():
            time.sleep(0.2)
        time.sleep(0.3)

    def has_focus(self):
        """Gives the keys to the program's window, if there is one already."""
        self.window = self.do("search", "--pid", str(self.program.pid), may_fail=True)
        if not self.window:
            return False
        self.do("windowfocus", self.window, may_fail=True)
        return self.do("getwindowfocus", may_fail=True) == self.window

    def do(self, *words, may_fail=False):
        """Runs xdotool; what it printed."""
        run = subprocess.run(
            ["xdotool", *words],
            env=self.environment,
            check=not may_fail,
            timeout=60,
            stdout=subprocess.PIPE,
            text=True,
        )
        return run.stdout.strip()

    def end(self):
        """Waits until the program ends: its exit code, and what it printed."""
        try:
            out, error = self.program.communicate(timeout=30)
        finally:
            self.program.kill()
        return self.program.returncode, out, error


@pytest.fixture
def sit_down(display, tmp_path):
    """Starts the program."""
    desks = []

    def start(*arguments):
        desks.append(Desk(display, tmp_path, *arguments))
        return desks[-1]

    yield start
    for desk in desks:
        desk.program.kill()
        desk.program.communicate()


GAME = ("--opponent", "rest", "--capture-radius", "2", "--horizon", "150", "--seed", str(SEED))


def test_a_round_is_won_with_a_key(sit_down):
    desk = sit_down(*GAME)
    desk.do("key", "Return")
    time.sleep(0.3)
    desk.do("keydown", "Right")
    line = desk.program.stdout.readline()
    desk.do("keyup", "Right")
    assert line.startswith(f"seed {SEED}: you v rest: caught after"), line
    time.sleep(0.3)
    desk.do("key", "Escape")
    time.sleep(0.3)
    desk.do("key", "Escape")
    assert desk.end() == (0, "", "")


def test_a_round_is_won_with_the_mouse(sit_down):
    desk = sit_down(*GAME, "--rounds", "1", "--size", "700x600")
    time.sleep(0.3)
    desk.do("mousemove", "--window", desk.window, "690", "300")  # the far right
    desk.do("mousedown", "1")
    line = desk.program.stdout.readline()
    desk.do("mouseup", "1")
    assert "caught after" in line, line
    assert desk.end()[0] == 0


def test_hands_off_is_no_win(sit_down):
    desk = sit_down(*GAME[:-4], "--horizon", "30", "--rounds", "1")
    code, out, _ = desk.end()
    assert code == 0
    assert "you v rest: got away for 1.0 s" in out


def test_ctrl_c_ends_it(sit_down):
    desk = sit_down()
    desk.program.send_signal(2)
    code, _, error = desk.end()
    assert code == 130
    assert "Traceback" not in error
