"""``python -m steer_env play`` runs, ends, and refuses what cannot be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from steer_env.__main__ import main
from steer_env.play.levels import LEVEL_NAMES

pytest.importorskip("pygame")

ROOT = Path(__file__).parents[2]


def play(*arguments, **environment):
    """Runs the program until it ends."""
    return subprocess.run(
        [sys.executable, "-m", "steer_env", "play", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_rounds_begin_and_end_by_themselves(tmp_path):
    run = play(
        *("--as", "evader", "--rounds", "1", "--horizon", "20", "--seed", "8"),
        SDL_VIDEODRIVER="dummy",
        XDG_DATA_HOME=str(tmp_path),
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("seed 8: navigation v you: ")
    assert "; evade: " in run.stdout
    if sys.platform == "linux":
        kept = json.loads((tmp_path / "steer-env" / "best_times.json").read_text())
        assert len(kept) == 1
    assert "Traceback" not in run.stderr


def test_without_a_display_there_is_one_clear_line(tmp_path):
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    }
    if sys.platform != "linux":
        pytest.skip("there is always a display")
    run = subprocess.run(
        [sys.executable, "-m", "steer_env", "play"],
        cwd=ROOT,
        env={**environment, "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 2
    assert "there is no display" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--as pursuit", "Did you mean 'pursuer'"),
        ("--level expret", "Did you mean 'expert'"),
        ("--opponent evad", "Did you mean 'evade'"),
        ("--as evader --opponent flee", "made for the evader"),
        ("--opponent nothing.npz", "nothing.npz"),
        ("--opponent pretrained/evade/pp", "Did you mean 'pretrained/evade/ppo'"),
        ("--opponent pretrained/evade/ppo --obstacles 2", "was made for observations"),
        ("--arena wall", "Did you mean 'walls'"),
        ("--theme drak", "Did you mean 'dark'"),
        ("--pursuers 2", "--pursuers must be 1"),
        ("--as evader --evaders 2", "--evaders must be 1"),
        ("--rounds 0", "rounds must be at least 1"),
        ("--seed -4", "seed must be from 0"),
    ],
)
def test_what_cannot_be_is_refused(arguments, message, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(SystemExit) as stop:
        main(["play", *arguments.split()])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


def test_files_that_can_run_code_need_trust(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    path = tmp_path / "model.zip"
    path.write_bytes(b"")
    with pytest.raises(SystemExit):
        main(["play", "--opponent", str(path)])
    assert "--trust" in capsys.readouterr().err


def test_the_help_names_the_levels(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["play", "--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert all(name in text for name in LEVEL_NAMES)
