"""Every command does what its help says, and rejects what it cannot do in one line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from options import check_explained

from baselines import SCENARIOS, Evaluation, NetworkPolicy, compare, evaluate
from baselines.__main__ import main
from baselines.commands import COMMANDS
from baselines.report import END, START
from steer_env.errors import FaultyBehavior
from steer_env.policies import pretrained
from steer_env.scripts.roster import ROSTER

ROOT = Path(__file__).parents[2]
PICTURES = ("png", "svg", "pdf")
HEAD = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".npz": b"PK"}


@pytest.fixture(autouse=True)
def _terminal(monkeypatch):
    """A terminal of the default width."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def say(capsys):
    """Runs a command and returns what it printed."""

    def run(line, *more):
        main([*line.split(), *map(str, more)])
        printed = capsys.readouterr()
        assert printed.err == ""
        return printed.out

    return run


@pytest.fixture
def fail(capsys):
    """Runs a command that must fail, and returns its one line."""

    def run(line, *more):
        with pytest.raises(SystemExit) as stop:
            main([*line.split(), *map(str, more)])
        printed = capsys.readouterr()
        assert stop.value.code == 2
        assert printed.out == ""
        (told,) = printed.err.splitlines()
        assert told.startswith("python -m baselines: ")
        return told.removeprefix("python -m baselines: ")

    return run


@pytest.fixture
def network(tmp_path):
    """Saves a policy that always pushes one way, and returns its path."""

    def save(name, push=(1.0, 0.0)):
        path = tmp_path / f"{name}.npz"
        weights = [np.zeros((2, *gym.make("Pursuit-v0").observation_space.shape))]
        NetworkPolicy(weights, [push], activation="tanh", head="box").save(path)
        return path

    return save


def check_aligned(printed):
    """Every table of the text has columns that end below each other and fit in 80."""
    lines = printed.splitlines()
    rules = [place for place, line in enumerate(lines) if re.fullmatch("-+", line)]
    assert rules
    assert max(map(len, lines)) <= 80
    for rule in rules:
        rows = [lines[rule - 1]]
        for line in lines[rule + 1 :]:
            if not line:
                break
            rows.append(line)
        assert len(rows) >= 2
        assert max(map(len, rows)) == len(lines[rule])


# list


def test_list_names_every_policy_and_scenario(say):
    printed = say("list")
    for name in ("random", *ROSTER, *SCENARIOS):
        assert re.search(rf"^  {re.escape(name)} ", printed, re.MULTILINE), name
    assert all(script.description in printed for script in ROSTER.values())


def test_list_as_json(say):
    listed = json.loads(say("list --json"))
    assert list(listed["policies"]) == ["random", *ROSTER, *pretrained.names()]
    assert listed["policies"]["flee"]["side"] == "evader"
    assert list(listed["scenarios"]) == list(SCENARIOS)
    assert listed["scenarios"]["evader/walls"]["train"] == ["seek", "pursuit"]


def test_list_shows_pretrained_policies(say, pretrained_folder):
    listed = json.loads(say("list --json"))["policies"]
    assert listed["pretrained/evade/selfplay"] == {
        "side": "evader",
        "description": "a trained network: selfplay, first run",
    }
    assert listed["pretrained/pursuit/ppo/10"]["description"].endswith(": ppo, run 10")
    line = "^  pretrained/pursuit/ppo +pursuer  a trained net"
    assert re.search(line, say("list"), re.MULTILINE)


# evaluate


def test_evaluate_knows_pretrained_names_and_their_side(say, fail, pretrained_folder):
    pursuer, evader = "pretrained/pursuit/ppo", "pretrained/evade/selfplay"
    few = " --episodes 8"
    assert say(f"evaluate {pursuer}" + few).startswith(f"{pursuer} v evade, 8 episodes")
    assert say(f"evaluate {evader}" + few).startswith(f"pursuit v {evader}, 8 episodes")
    assert say(f"evaluate random --opponent {pursuer}" + few).startswith(f"{pursuer} v random")
    assert say(f"evaluate {pursuer} --side evader" + few).startswith(f"pursuit v {pursuer},")
    assert "made for the pursuer" in fail(f"evaluate {pursuer} --opponent {pursuer}" + few)
    assert "different sides" in fail(f"compare {pursuer} {evader}" + few)
    assert "mean 'pretrained/pursuit/ppo'" in fail("evaluate pretrained/pursuit/pp" + few)


def test_evaluate_prints_what_evaluate_returns(say):
    printed = say("evaluate pursuit --episodes 20 --seed 4")
    assert printed == f"{evaluate('pursuit', 'evade', episodes=20, seed=4)}\n"
    check_aligned(printed)


def test_evaluate_knows_the_side_of_a_name(say):
    assert say("evaluate flee --episodes 8").startswith("pursuit v flee, 8 episodes")
    assert say("evaluate flee --opponent seek --episodes 8").startswith("seek v flee,")
    assert say("evaluate evade/closing --episodes 8").startswith("pursuit v evade/closing,")
    assert say("evaluate random --side evader --episodes 8").startswith("pursuit v random,")
    assert say("evaluate random --episodes 8").startswith("random v evade,")


def test_evaluate_as_json_in_another_arena(say):
    found = json.loads(say("evaluate seek --episodes 8 --arena torus --obstacles 2 --json"))
    assert found["config"]["arena"]["kind"] == "torus"
    assert found["config"]["arena"]["obstacles"] == 2
    assert found["episodes"] == 8


@pytest.mark.parametrize("side", ["pursuer", "evader"])
def test_evaluate_plays_a_file(say, network, side):
    path = network("mine")
    found = json.loads(say("evaluate --episodes 8 --json --side", side, path))
    assert found[side] == str(path)


def test_evaluate_writes_files_of_every_kind(say, tmp_path):
    endings = ("npz", "csv", "json", "md", *PICTURES)
    paths = [tmp_path / f"found.{ending}" for ending in endings]
    printed = say("evaluate pursuit --episodes 20 --json --out", *paths)
    for path in paths:
        assert path.read_bytes().startswith(HEAD.get(path.suffix, b"")), path
        assert path.stat().st_size > 100
    expected = evaluate("pursuit", "evade", episodes=20)
    loaded = Evaluation.load(paths[0])
    assert loaded.to_dict() == expected.to_dict()
    np.testing.assert_array_equal(loaded.episodes, expected.episodes)
    assert paths[1].read_text().count("\n") == 21
    assert paths[2].read_text() == printed
    page = paths[3].read_text()
    assert page.startswith("**pursuit v evade, 20 episodes")
    assert f"| capture rate | {100 * expected.capture_rate.estimate:.1f}% [" in page


# compare


def test_compare_prints_both_and_their_difference(say):
    printed = say("compare pursuit seek --episodes 40")
    found = [evaluate(name, "evade", episodes=40) for name in ("pursuit", "seek")]
    assert printed == f"{found[0]}\n\n{found[1]}\n\n{compare(*found)}\n"
    check_aligned(printed)


def test_compare_evaders_as_json(say):
    found = json.loads(say("compare flee evade --opponent seek --episodes 20 --json"))
    assert (found["side"], found["opponent"], found["count"]) == ("evader", "seek", 20)
    found = json.loads(say("compare flee pursuit --side pursuer --episodes 20 --json"))
    assert (found["side"], found["opponent"]) == ("pursuer", "evade")


def test_compare_takes_the_side_that_one_of_the_names_has(say, network):
    found = json.loads(say("compare --episodes 8 --json", network("mine"), "flee"))
    assert (found["side"], found["opponent"]) == ("evader", "pursuit")
    assert found["ours"].endswith("mine.npz")


def test_compare_writes_files_of_every_kind(say, tmp_path):
    paths = [tmp_path / f"found.{ending}" for ending in ("json", "md", *PICTURES)]
    printed = say("compare pursuit seek --episodes 20 --json --out", *paths)
    for path in paths:
        assert path.read_bytes().startswith(HEAD.get(path.suffix, b"")), path
        assert path.stat().st_size > 100
    assert paths[0].read_text() == printed
    assert json.loads(printed)["verdict"] in paths[1].read_text()
    assert paths[1].read_text().count("| --- |") == 3


# crossplay


def test_crossplay_prints_tables(say):
    printed = say("crossplay --episodes 20 --pursuers seek pursuit --evaders flee evade wander")
    check_aligned(printed)
    for name in ("seek", "pursuit", "flee", "evade", "wander"):
        assert len(re.findall(rf"\b{name}\b", printed)) >= 2
    assert "At equilibrium the mean capture time is" in printed


def test_crossplay_writes_files_of_every_kind(say, tmp_path, network):
    paths = [tmp_path / f"found.{ending}" for ending in ("json", "md", "csv", *PICTURES)]
    line = "crossplay --episodes 8 --evaders flee evade --json --out"
    printed = say(line, *paths, "--pursuers", "seek", network("mine"))
    for path in paths:
        assert path.read_bytes().startswith(HEAD.get(path.suffix, b"")), path
        assert path.stat().st_size > 100
    assert paths[0].read_text() == printed
    assert json.loads(printed)["pursuers"] == ["seek", str(tmp_path / "mine.npz")]
    assert paths[2].read_text().count("\n") == 5
    assert paths[1].read_text().count("| `seek` |") == 2


# benchmark


def test_benchmark_prints_a_table(say):
    printed = say("benchmark seek --scenario pursuer/walls --episodes 8")
    check_aligned(printed)
    assert printed.startswith("seek in pursuer/walls (v0), 8 episodes an opponent, one policy")
    for name in (*SCENARIOS["pursuer/walls"].opponents, *SCENARIOS["pursuer/walls"].held_out):
        assert re.search(rf"^{name} ", printed, re.MULTILINE)


def test_benchmark_takes_the_files_of_several_runs(say, network):
    paths = [network(f"run{n}", (1.0, 0.1 * n)) for n in range(3)]
    found = json.loads(say("benchmark --episodes 8 --scenario evader/walls --json", *paths))
    assert found["runs"] == 3
    assert found["policies"] == [str(path) for path in paths]
    assert found["policy"] == f"{paths[0]} and 2 more"
    assert "3 training runs" in say("benchmark --episodes 8", *paths)


# report


@pytest.mark.compiled
def test_report_writes_everything(say, tmp_path):
    page = tmp_path / "README.md"
    page.write_text((ROOT / "README.md").read_text(encoding="utf-8"), encoding="utf-8")
    printed = say("report --episodes 4 --out", tmp_path / "results", "--readme", page)
    told = [Path(name) for name in printed.strip().removeprefix("wrote ").split(", ")]
    assert {path.name for path in told} >= {"crossplay.json", "crossplay.md", "README.md"}
    assert all(path.stat().st_size > 0 for path in told)
    figures = json.loads((tmp_path / "results" / "crossplay.json").read_text())
    assert len(figures["capture_rate"]) == 16
    changed, given = (
        re.sub(f"{START}.*{END}", "", p.read_text(encoding="utf-8"), flags=re.DOTALL)
        for p in (page, ROOT / "README.md")
    )
    assert changed == given


# What cannot be done.


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("evaluate pursut", "unknown policy 'pursut'. Did you mean 'pursuit'?"),
        ("evaluate pursuit --opponent evad", "unknown policy 'evad'. Did you mean 'evade'?"),
        ("compare pursuit seeek", "unknown policy 'seeek'. Did you mean 'seek'?"),
        ("crossplay --pursuers seek pursuti", "Did you mean 'pursuit'?"),
        ("crossplay --evaders flee flee", "'flee' is given twice"),
        ("crossplay --evaders", "evaders must be at least one"),
        ("benchmark seek --scenario pursuer/wals", "Did you mean 'pursuer/walls'?"),
        ("benchmark sek", "Did you mean 'seek'?"),
        ("benchmark", "nothing to measure"),
        ("benchmark seek random", "measure 'seek' by itself"),
        ("compare flee pursuit", "choose one with --side"),
        ("evaluate pursuit --out found.txt", "found.txt: unknown ending '.txt'. Valid: '.csv'"),
        ("evaluate pursuit --out found", "found: unknown ending ''"),
        ("compare seek pursuit --out found.csv", "unknown ending '.csv'"),
        ("crossplay --out found.npz", "unknown ending '.npz'"),
        ("evaluate pursuit --out nowhere/found.csv", "no folder 'nowhere' to write found.csv"),
        (
            "evaluate policy.zip",
            "policy.zip is a file of stable-baselines3, which runs code when it is loaded",
        ),
        ("benchmark policy.zip", "pass --trust"),
        ("evaluate policy.zip --trust", "No such file or directory: 'policy.zip'"),
        ("evaluate policy.npz", "No such file or directory: 'policy.npz'"),
        ("evaluate pursuit --episodes 0", "--episodes must be at least 4, got 0"),
        ("compare pursuit seek --episodes -5", "--episodes must be at least 4, got -5"),
        ("crossplay --episodes 1", "--episodes must be at least 4, got 1"),
        ("benchmark seek --episodes 3", "--episodes must be at least 4, got 3"),
        ("report --episodes 0", "--episodes must be at least 4, got 0"),
        ("evaluate pursuit --seed -1", "seed must be from 0 to"),
        ("evaluate pursuit --obstacles 65", "obstacles must be from 0 to 64, got 65"),
        ("report --readme nowhere.md", "No such file or directory: 'nowhere.md'"),
    ],
)
def test_errors_are_one_line(fail, line, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert told in fail(line)
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_is_one_line(fail, tmp_path):
    path = tmp_path / "policy.npz"
    path.write_bytes(b"no policy")
    assert str(path) in fail("evaluate", path)


@pytest.mark.parametrize(
    "line",
    ["", "nonsense", "evaluate", "evaluate pursuit --episodes many", "evaluate a --arena moon"],
)
def test_options_that_cannot_be_parsed_end_with_status_2(line, capsys):
    with pytest.raises(SystemExit) as stop:
        main(line.split())
    assert stop.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "python -m baselines" in printed.err
    assert "Traceback" not in printed.err


@pytest.mark.compiled
@pytest.mark.parametrize("line", ["list", "evaluate pursuit --episodes 8"])
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


def test_a_policy_that_answers_no_number_is_one_line(fail, monkeypatch):
    def broken(json=False):
        raise FaultyBehavior("action 0 is nan")

    monkeypatch.setitem(COMMANDS, "list", broken)
    assert fail("list") == "action 0 is nan"


def test_an_interrupt_is_not_an_error(monkeypatch, capsys):
    def interrupted(json=False):
        raise KeyboardInterrupt

    monkeypatch.setitem(COMMANDS, "list", interrupted)
    with pytest.raises(SystemExit) as stop:
        main(["list"])
    assert stop.value.code == 130
    assert capsys.readouterr().err == ""


# Help.


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_every_option(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    check_explained(COMMANDS[command], capsys.readouterr().out)


def test_help_lists_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    printed = capsys.readouterr().out
    assert all(f"• {command} " in printed for command in COMMANDS)


@pytest.mark.parametrize("ending", PICTURES)
def test_pictures_of_starts(ending, say, tmp_path):
    out = tmp_path / f"picture.{ending}"
    assert say("starts seek --out", out) == f"wrote {out}\n"
    assert out.read_bytes().startswith(HEAD[f".{ending}"])


@pytest.mark.parametrize(("ending", "head"), [("png", HEAD[".png"]), ("svg", b"<svg")])
def test_pictures_of_episodes(ending, head, say, tmp_path):
    out = tmp_path / f"picture.{ending}"
    line = "trajectories seek evade/herd --side pursuer --out"
    assert say(line, out) == f"wrote {out}\n"
    assert out.read_bytes().startswith(head)


def test_pictures_name_the_files_of_policies(say, network, monkeypatch):
    monkeypatch.chdir(network("mine").parent)
    say("trajectories mine.npz pursuit --out tracks.svg")
    assert "mine.npz v evade" in Path("tracks.svg").read_text(encoding="utf-8")


def test_the_side_of_a_file_is_the_one_that_the_opponent_leaves(say, network, monkeypatch):
    monkeypatch.chdir(network("mine").parent)
    assert "pursuit v mine.npz" in say("evaluate mine.npz --opponent pursuit --episodes 5")
    assert "mine.npz v flee" in say("evaluate mine.npz --opponent flee --episodes 5")
