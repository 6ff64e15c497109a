"""Ctrl-C ends our programs in silence at any moment, and other programs as it always does."""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from steer_env import interrupts

ROOT = Path(__file__).parents[1]

COMMAND = {"steer_env": "info", "baselines": "list", "agents": "export"}

INTERRUPTED = """
import os, signal, time
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)
except KeyboardInterrupt as error:
    if {replaces}:
        raise ImportError("initialization failed") from error  # as numpy's modules of C do
    raise
"""


@pytest.fixture(autouse=True)
def _python_gets_interrupts():
    # A shell has its background jobs, and what they start, ignore Ctrl-C: so would these tests.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(tmp_path, module, words, replaces=True):
    """Runs Python, which gets a SIGINT when it imports a module."""
    (tmp_path / f"{module}.py").write_text(INTERRUPTED.format(replaces=replaces))
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=100,
    )


@pytest.mark.parametrize(
    ("program", "module"),
    [
        ("steer_env", "gymnasium"),
        ("agents", "threadpoolctl"),
    ],
)
def test_ctrl_c_while_modules_load_prints_nothing(program, module, tmp_path):
    process = interrupted(tmp_path, module, ["-m", program, COMMAND[program], "--help"])
    assert (process.returncode, process.stdout, process.stderr) == (130, "", "")


def test_programs_of_users_keep_their_traceback(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text("import steer_env")
    words = ["-m", "mine", "steer_env"]
    process = interrupted(tmp_path, "gymnasium", words, replaces=False)
    assert process.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in process.stderr


@pytest.fixture
def in_a_program(monkeypatch):
    """Handles interrupts as in a command of ours."""
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(interrupts, "running_program", lambda: "steer_env")
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    interrupts.raise_interrupts()
    yield
    signal.signal(signal.SIGINT, before)


def send_interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.001)


def test_an_import_is_completed_before_a_command_is_interrupted(
    tmp_path, monkeypatch, in_a_program
):
    monkeypatch.syspath_prepend(tmp_path)
    source = INTERRUPTED.format(replaces=True) + "complete = True\n"
    (tmp_path / "slow_to_load.py").write_text(source)

    def command():
        importlib.import_module("slow_to_load")
        time.sleep(10)

    with pytest.raises(KeyboardInterrupt):
        command()
    assert sys.modules.pop("slow_to_load").complete


def test_an_interrupt_that_a_callback_of_c_would_lose_is_raised(in_a_program, capfd):
    callback = ctypes.CFUNCTYPE(None)(send_interrupt)

    def command():
        callback()
        time.sleep(10)

    with pytest.raises(KeyboardInterrupt):
        command()
    assert capfd.readouterr().err == ""


def test_a_command_that_is_not_importing_is_interrupted_at_once(in_a_program):
    with pytest.raises(KeyboardInterrupt):
        send_interrupt()
