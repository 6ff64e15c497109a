"""The real program on a virtual screen, with real keys and clicks."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.weekly,
    pytest.mark.skipif(
        not (shutil.which("Xvfb") and shutil.which("xdotool")),
        reason="needs the programs Xvfb and xdotool",
    ),
]

ROOT = Path(__file__).parents[2]
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


class Desk:
    """A program in a window, which has the keys, and hands at them."""

    def __init__(self, display, folder, arguments):
        self.environment = {**os.environ, "DISPLAY": display, "PYTHONPATH": str(ROOT)}
        for name in ("SDL_VIDEODRIVER", "WAYLAND_DISPLAY"):
            self.environment.pop(name, None)
        self._output = folder / "output.txt"
        with self._output.open("w") as output:
            self.program = subprocess.Popen(
                [sys.executable, "-u", "-m", "steer_env", *arguments],
                cwd=folder,
                env=self.environment,
                stdout=output,
            )
        self.window = ""

    @property
    def output(self):
        """The output of the program."""
        return self._output.read_text()

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

    def has_focus(self):
        """Gives the keys to the program's window, if there is one already."""
        self.window = self.do("search", "--pid", str(self.program.pid), may_fail=True)
        if not self.window:
            return False
        self.do("windowfocus", self.window, may_fail=True)
        return self.do("getwindowfocus", may_fail=True) == self.window


@contextmanager
def opened(folder, *arguments):
    """Starts a program on a screen that nobody sees; it must end by itself."""
    with new_display() as display:
        desk = Desk(display, folder, arguments)
        try:
            wait_until(lambda: desk.has_focus() or desk.program.poll() is not None, "a window")
            yield desk
            assert desk.program.wait(timeout=PATIENCE) == 0
        finally:
            desk.program.kill()
            desk.program.wait()


def test_a_person_can_look_and_leave(tmp_path):
    with opened(tmp_path, "watch", "--seed", "5", "--horizon", "3000") as desk:
        desk.do("mousemove", "--window", desk.window, "300", "300", "click", "1")
        desk.do("key", "h", "key", "h", "key", "End")
        wait_until(lambda: "seed 5: pursuit caught evade " in desk.output, "the game's end")
        desk.do("key", "q")


def test_a_person_can_steer(tmp_path):
    players = ("--steer", "pursuer", "--evader", "idle", "--horizon", "90")
    with opened(tmp_path, "watch", *players) as desk:
        desk.do("keydown", "Right")
        wait_until(lambda: "seed 0: " in desk.output, "the round's end")
        desk.do("keyup", "Right", "key", "n", "key", "space")
        wait_until(lambda: "seed 1: " in desk.output, "the end of the next one")
        desk.do("key", "q")
