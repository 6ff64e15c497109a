"""Commands reject what they cannot do in one line, without a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from baselines.__main__ import main
from baselines.commands import COMMANDS
from steer_env.errors import FaultyBehavior

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("evalute", "'evaluate'"),
        ("evaluate --pursuer pursut", "'pursuit'"),
        ("evaluate --evader pursuit", "made for the pursuer"),
        ("evaluate --pursuer seek pursuit", "got 2 after --pursuer and 1"),
        ("compare", "got 1 after --pursuer"),
        ("compare --pursuer seek pursuit --evader evade flee", "and 2 after --evader"),
        ("compare --pursuer seek seek", "twice"),
        ("crossplay --evader", "at least one"),
        ("evaluate --env Pursut-v0", "'Pursuit-v0'"),
        ("evaluate --game obstacles --env Tag-v0", "tag"),
        ("gap", "--pursuer or --evader"),
        ("gap --pursuer seek --evader flee", "not both"),
        ("gap --pursuer seek --env Pursuit-v0", "'walls'"),
        ("gap --pursuer seek --env DragEvade-v0", "--evader"),
        ("optimality --games two_car", "'two_cars'"),
        ("tune --side pursuers", "'pursuer'"),
        ("tune --env Tag-v0 --game walls", "tag"),
        ("tune --known pursiut", "'pursuit'"),
        ("tune --opponents evade evade", "twice"),
        ("suite --games wals --out new", "'walls'"),
        ("suite --games walls walls", "twice"),
        ("suite --games", "at least one"),
        ("benchmark seek --scenario pursuer/wals", "'pursuer/walls'"),
        ("benchmark", "nothing to measure"),
        ("benchmark seek random", "'seek'"),
        ("collect --out nowhere/data.npz", "nowhere"),
        ("evaluate --out found.txt", "'.txt'"),
        ("compare --pursuer seek pursuit --out found.csv", "'.csv'"),
        ("crossplay --out found.npz", "'.npz'"),
        ("evaluate --out nowhere/found.csv", "nowhere"),
        ("evaluate --pursuer policy.zip", "runs code"),
        ("benchmark policy.zip", "--trust"),
        ("evaluate --pursuer policy.zip --trust", "policy.zip"),
        *(
            (f"{command} --episodes 3", "at least 4, got 3")
            for command in ("evaluate", "crossplay", "suite", "report", "tune")
        ),
        ("evaluate --seed -1", "seed"),
        ("report --page nowhere.md", "nowhere.md"),
    ],
)
def test_errors_are_one_line_before_anything_is_written(
    fail, line, told, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert told in fail(line)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("evaluate --pursuit", "--pursuit"),
        ("evaluate --episodes many", "'many' is not an integer"),
        ("evaluate --evaders flee", "--evader"),
        ("solution --nu half", "'half' is not a number"),
    ],
)
def test_options_that_cannot_be_parsed_end_with_status_2(line, words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(line.split())
    assert stop.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert words in printed.err
    assert "Traceback" not in printed.err


@pytest.mark.compiled
def test_a_reader_that_leaves_early_is_not_an_error():
    """As in ``python -m baselines list | head -n 0``."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "baselines", "list"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=120) == 1


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (FaultyBehavior("action 0 is nan"), 2, "python -m baselines: action 0 is nan\n"),
        (KeyboardInterrupt, 130, ""),
    ],
)
def test_errors_and_interrupts_have_no_traceback(error, status, line, monkeypatch, capsys):
    def stopped(json=False):
        raise error

    monkeypatch.setitem(COMMANDS, "list", stopped)
    with pytest.raises(SystemExit) as stop:
        main(["list"])
    assert stop.value.code == status
    assert capsys.readouterr().err == line
