"""The real program on a virtual screen, with real keys and clicks."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.weekly

ROOT = Path(__file__).parents[2]
HAS_SCREENS = bool(shutil.which("Xvfb") and shutil.which("xdotool"))
PATIENCE = 180.0  # seconds: a program may have to compile first


def wait_until(is_done, what):
    """Waits for something, but not for ever."""
    give_up = time.monotonic() + PATIENCE
    while not is_done():
        assert time.monotonic() < give_up, f"waited {PATIENCE:g} s in vain: {what}"
        time.sleep(0.05)


@contextmanager
def new_display():
    """Starts a virtual screen; yields the name of its display."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x1024x24"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as numbers:
            ready, _, _ = select.select([numbers], [], [], PATIENCE)
            assert ready, "Xvfb does not start"
            yield f":{numbers.readline().strip()}"
    finally:
        server.kill()
        server.communicate()


def _hear_interrupts():
    """A process that was started in the background is deaf to Ctrl-C, and so its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Desk:
    """A program in a window, which has the keys, and hands at them.

    Args:
        display: where it runs.
        folder: in which it runs, and in which its output is kept.
        arguments: after ``steer-env``.
    """

    def __init__(self, display, folder, *arguments):
        self.environment = {**os.environ, "DISPLAY": display, "PYTHONPATH": str(ROOT)}
        for name in ("SDL_VIDEODRIVER", "WAYLAND_DISPLAY"):
            self.environment.pop(name, None)
        self._output, self._error = folder / "output.txt", folder / "error.txt"
        with self._output.open("w") as output, self._error.open("w") as error:
            self.program = subprocess.Popen(
                [sys.executable, "-u", "-m", "steer_env", *arguments],
                cwd=folder,
                env=self.environment,
                stdout=output,
                stderr=error,
                preexec_fn=_hear_interrupts,
            )
        self.window = ""
        try:
            wait_until(lambda: self._has_focus() or self.program.poll() is not None, "a window")
        except BaseException:
            self.close()
            raise

    @property
    def output(self):
        """What the program has printed."""
        return self._output.read_text()

    @property
    def error(self):
        """What it has printed about errors."""
        return self._error.read_text()

    def do(self, *words, may_fail=False):
        """Runs xdotool; what it printed."""
        run = subprocess.run(
            ["xdotool", *words],
            env=self.environment,
            check=not may_fail,
            timeout=PATIENCE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if may_fail else None,
            text=True,
        )
        return run.stdout.strip()

    def end(self):
        """Waits until the program ends; its exit code."""
        return self.program.wait(timeout=PATIENCE)

    def close(self):
        """Ends the program, whatever it does."""
        self.program.kill()
        self.program.wait()

    def _has_focus(self):
        """Gives the keys to the program's window, if there is one already."""
        self.window = self.do("search", "--pid", str(self.program.pid), may_fail=True)
        if not self.window:
            return False
        self.do("windowfocus", self.window, may_fail=True)
        return self.do("getwindowfocus", may_fail=True) == self.window


@pytest.fixture
def sit_down(tmp_path):
    """Starts programs on a screen that nobody sees."""
    if not HAS_SCREENS:
        pytest.skip("needs the programs Xvfb and xdotool")
    desks = []
    with new_display() as display:

        def start(*arguments):
            desks.append(Desk(display, tmp_path, *arguments))
            return desks[-1]

        yield start
        for desk in desks:
            desk.close()


def test_a_person_can_look_and_leave(sit_down):
    desk = sit_down("watch", "--seed", "5", "--horizon", "3000")
    desk.do("mousemove", "--window", desk.window, "300", "300", "click", "1")
    desk.do("key", "h", "key", "h", "key", "End")
    wait_until(lambda: "seed 5: pursuit caught evade " in desk.output, "the end of the game")
    desk.do("key", "q")
    assert desk.end() == 0


def test_a_person_can_steer(sit_down):
    players = ("--steer", "pursuer", "--evader", "idle", "--horizon", "90")
    desk = sit_down("watch", *players)
    desk.do("keydown", "Right")
    wait_until(lambda: "seed 0: you v idle: " in desk.output, "the end of the round")
    desk.do("keyup", "Right", "key", "n", "key", "space")
    wait_until(lambda: "seed 1: you v idle: " in desk.output, "the end of the next one")
    desk.do("key", "q")
    assert desk.end() == 0
