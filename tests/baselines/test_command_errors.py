"""Commands reject what they cannot do in one line, without a traceback."""

from __future__ import annotations

import os
import re
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
        ("nonsense", "unknown command 'nonsense'."),
        ("evalute", "unknown command 'evalute'. Did you mean 'evaluate'"),
        ("evaluate --pursuer pursut", "unknown policy 'pursut'. Did you mean 'pursuit'"),
        ("evaluate --evader evad", "unknown policy 'evad'. Did you mean 'evade'"),
        ("evaluate --evader pursuit", "made for the pursuer"),
        (
            "evaluate --pursuer seek pursuit",
            "one name on each side, got 2 after --pursuer and 1",
        ),
        ("compare --pursuer pursuit seeek", "unknown policy 'seeek'. Did you mean 'seek'"),
        ("compare", "give two names on one side and one on the other, got 1 after --pursuer"),
        ("compare --pursuer seek pursuit --evader evade flee", "and 2 after --evader; such as"),
        ("compare --evader flee evade wander", "got 1 after --pursuer and 3 after --evader"),
        ("compare --pursuer seek seek", "'seek' is given twice"),
        (
            "trajectories --pursuer seek pursuit --evader evade flee",
            "on one side at most, got 2",
        ),
        ("starts --game pack", "a start map is for one against one"),
        ("crossplay --pursuer seek pursuti", "Did you mean 'pursuit'"),
        ("crossplay --evader flee flee", "'flee' is given twice"),
        ("crossplay --evader", "evaders must be at least one"),
        ("evaluate --env Pursut-v0", "unknown env 'Pursut-v0'. Did you mean 'Pursuit-v0'"),
        ("evaluate --game obstacles --env Tag-v0", "environment of tag, and --game says obst"),
        ("gap", "name it with --pursuer or --evader"),
        ("gap --pursuer seek --evader flee", "the other side plays perfectly"),
        ("gap --pursuer seek --env Pursuit-v0", "unknown solved game 'walls'. Valid: 'drag'"),
        ("gap --pursuer seek --env DragEvade-v0", "--env DragEvade-v0 is the evader's: name"),
        ("solution --evader flee --show gap --env Drag-v0", "policy with --pursuer, or give"),
        ("tune --side pursuers", "unknown side 'pursuers'. Did you mean 'pursuer'"),
        ("tune --env Tag-v0 --game walls", "--env Tag-v0 is an environment of tag"),
        ("benchmark seek --scenario pursuer/wals", "Did you mean 'pursuer/walls'"),
        ("benchmark sek", "Did you mean 'seek'"),
        ("benchmark", "nothing to measure"),
        ("benchmark seek random", "measure 'seek' by itself"),
        ("evaluate --out found.txt", "found.txt: unknown ending '.txt'. Valid: '.csv'"),
        ("evaluate --out found", "found: unknown ending ''"),
        ("compare --pursuer seek pursuit --out found.csv", "unknown ending '.csv'"),
        ("crossplay --out found.npz", "unknown ending '.npz'"),
        ("evaluate --out nowhere/found.csv", "no folder 'nowhere' to write found.csv"),
        (
            "evaluate --pursuer policy.zip",
            "policy.zip is a file of stable-baselines3, which runs code when it is loaded",
        ),
        ("benchmark policy.zip", "pass --trust"),
        ("evaluate --pursuer policy.zip --trust", "No such file or directory: 'policy.zip'"),
        ("evaluate --pursuer policy.npz", "No such file or directory: 'policy.npz'"),
        ("evaluate --episodes 0", "--episodes must be at least 4, got 0"),
        (
            "compare --pursuer pursuit seek --episodes -5",
            "--episodes must be at least 4, got -5",
        ),
        ("crossplay --episodes 1", "--episodes must be at least 4, got 1"),
        ("benchmark seek --episodes 3", "--episodes must be at least 4, got 3"),
        ("report --episodes 0", "--episodes must be at least 4, got 0"),
        ("evaluate --seed -1", "seed must be from 0 to"),
        ("evaluate --obstacles 65", "obstacles must be from 0 to 64, got 65"),
        (
            "report --page nowhere.md",
            "there is no nowhere.md: this makes the",
        ),
    ],
)
def test_errors_are_one_line(fail, line, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert told in fail(line)
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_is_one_line(fail, tmp_path):
    path = tmp_path / "policy.npz"
    path.write_bytes(b"no policy")
    assert str(path) in fail("evaluate --pursuer", path)


@pytest.mark.parametrize(
    "line",
    ["evaluate --pursuit", "evaluate seek", "evaluate --episodes many", "crossplay --out --x"],
)
def test_options_that_cannot_be_parsed_end_with_status_2(line, capsys):
    with pytest.raises(SystemExit) as stop:
        main(line.split())
    assert stop.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "python -m baselines" in printed.err
    assert "Traceback" not in printed.err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("crossplay --pursuers seek", "'seek' is not an integer: --pursuers and --evaders are"),
        ("evaluate --evaders flee", "the players' names follow --pursuer and --evader"),
        ("solution --nu half", "--nu: 'half' is not a number"),
    ],
)
def test_words_for_numbers_are_refused_in_words(line, words, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(line.split())
    told = re.sub(r"[│╭╮╰╯─\s]+", " ", capsys.readouterr().err)
    assert words in told
    assert "{None}" not in told
    assert "NoneType" not in told


@pytest.mark.parametrize("command", ["gap", "solution"])
def test_the_help_names_the_policy_before_how_it_is_loaded(command, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    printed = capsys.readouterr().out
    options = re.findall(r"^\W*(--pursuer|--evader|--trust)\b", printed, re.MULTILINE)
    assert options == ["--pursuer", "--evader", "--trust"]


@pytest.mark.compiled
@pytest.mark.parametrize("line", ["list", "evaluate --episodes 8"])
def test_a_reader_that_leaves_early_is_not_an_error(line):
    """As in ``python -m baselines list | head -n 0``."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "baselines", *line.split()],
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
