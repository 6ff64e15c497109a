"""``python -m steer_env play`` runs, ends, and refuses what cannot be."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing

import pytest

from steer_env.__main__ import main
from steer_env.play import visit
from steer_env.play.best_times import DATA_VARIABLE, FILE_NAME
from steer_env.play.levels import LEVEL_NAMES

pytest.importorskip("pygame")


@pytest.fixture
def unseen(monkeypatch):
    """Windows that nobody sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("side", [["--as", "evader"], ["--env", "EvadeDiscrete-v0"]])
def test_rounds_begin_and_end_by_themselves(side, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(visit, "COUNT_SECONDS", 0.05)
    monkeypatch.setattr(visit, "END_SECONDS", 0.1)
    main(["play", *side, "--rounds", "2", "--horizon", "10", "--seed", "8"])
    told = capsys.readouterr()
    for number, line in enumerate(told.out.splitlines(), 8):
        assert line.startswith(f"seed {number}: seek v you: Free for 0.3 s: evade gets away, ")
    assert number == 9
    assert told.err == ""
    with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as database:
        assert database.execute("SELECT count(*) FROM starts").fetchall() == [(2,)]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_without_a_display_there_is_one_clear_line(monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit) as stop:
        main(["play"])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert "there is no display" in error
    assert len(error.splitlines()) == 1


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
        ("--env Tag-v0 --game team", "--env Tag-v0 is an environment of tag"),
        ("--env Evad-v0", "Did you mean 'Evade-v0'"),
        ("--env Tag-v0", "--pursuers must be 1"),
        ("--rounds 0", "rounds must be at least 1"),
        ("--seed -4", "seed must be from 0"),
    ],
)
@pytest.mark.usefixtures("unseen")
def test_impossible_options_are_rejected_in_one_line(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["play", *arguments.split()])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


@pytest.mark.usefixtures("unseen")
def test_files_that_can_run_code_need_trust(tmp_path, capsys):
    path = tmp_path / "model.zip"
    path.write_bytes(b"")
    with pytest.raises(SystemExit):
        main(["play", "--opponent", str(path)])
    assert "--trust" in capsys.readouterr().err


def test_the_help_names_the_levels_and_where_best_times_are(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["play", "--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert all(name in text for name in (*LEVEL_NAMES, DATA_VARIABLE))
