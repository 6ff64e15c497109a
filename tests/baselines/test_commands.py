"""Every command does what its help says."""

from __future__ import annotations

import json
import re
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest
from disks import files_of_at_most
from options import check_explained

from baselines import SCENARIOS, Evaluation, compare, evaluate
from baselines.__main__ import main
from baselines.commands import COMMANDS
from baselines.report import END, PURSUERS, START
from steer_env.policies import pretrained
from steer_env.scripts.roster import ROSTER

ROOT = Path(__file__).parents[2]
PICTURES = ("png", "svg", "pdf")
HEAD = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".npz": b"PK"}


@pytest.fixture
def write(capsys, tmp_path):
    """Runs a command that writes files of some endings and pictures; returns JSON and paths."""

    def run(line, *endings):
        paths = [tmp_path / f"found.{ending}" for ending in (*endings, *PICTURES)]
        main([*line.split(), "--json", "--out", *map(str, paths)])
        printed, told = capsys.readouterr()
        assert told == f"wrote {', '.join(map(str, paths))}\n"
        for path in paths:
            assert path.read_bytes().startswith(HEAD.get(path.suffix, b"")), path
            assert path.stat().st_size > 100
        return printed, paths

    return run


def check_aligned(printed):
    """Every table of the text has columns that end below each other and fit in 80."""
    lines = printed.splitlines()
    rules = [place for place, line in enumerate(lines) if re.fullmatch("-+", line)]
    assert rules
    assert max(map(len, lines)) <= 80
    for rule in rules:
        rows = [lines[rule - 1], *takewhile(bool, lines[rule + 1 :])]
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
    assert listed["scenarios"]["evader/walls"]["train"] == [
        *SCENARIOS["evader/walls"].opponents
    ]


def test_list_shows_pretrained_policies(say, pretrained_folder):
    listed = json.loads(say("list --json"))["policies"]
    assert listed["pretrained/evade/selfplay"] == {
        "side": "evader",
        "description": "a trained network: selfplay, first run",
    }
    assert listed["pretrained/pursuit/ppo/10"]["description"].endswith(": ppo, seed 10")
    line = "^  pretrained/pursuit/ppo +pursuer  a trained net"
    assert re.search(line, say("list"), re.MULTILINE)


# evaluate


def test_evaluate_knows_pretrained_names_and_their_side(say, fail, pretrained_folder):
    pursuer, evader = "pretrained/pursuit/ppo", "pretrained/evade/selfplay"
    few = " --episodes 8"
    assert say(f"evaluate --pursuer {pursuer}" + few).startswith(f"{pursuer} v evade, 8 ep")
    assert say(f"evaluate --evader {evader}" + few).startswith(f"pursuit v {evader}, 8 ep")
    both = f"evaluate --pursuer {pursuer} --evader random"
    assert say(both + few).startswith(f"{pursuer} v random")
    assert "made for the pursuer" in fail(f"evaluate --evader {pursuer}" + few)
    assert "mean 'pretrained/pursuit/ppo'" in fail("evaluate --pursuer pretrained/pursuit/pp")


def test_evaluate_prints_what_evaluate_returns(say):
    printed = say("evaluate --episodes 20 --seed 4")
    assert printed == f"{evaluate('pursuit', 'evade', episodes=20, seed=4)}\n"
    check_aligned(printed)


def test_a_side_that_is_not_named_has_its_textbook_behavior(say):
    assert say("evaluate --evader flee --episodes 8").startswith("pursuit v flee, 8 episodes")
    assert say("evaluate --pursuer seek --evader flee --episodes 8").startswith("seek v flee,")
    assert say("evaluate --evader random --episodes 8").startswith("pursuit v random,")
    assert say("evaluate --pursuer random --episodes 8").startswith("random v evade,")


@pytest.mark.parametrize(
    ("line", "players"),
    [
        ("--pursuers 3 --evaders 2", (3, 2)),
        ("--game herd", (3, 8)),
        ("--env TeamPursuitDiscrete-v0", (3, 2)),
        ("--env steer_env:Tag-v0 --game tag --evaders 2", (3, 2)),
    ],
)
def test_teams_are_measured_by_their_numbers_or_the_game(say, line, players):
    found = json.loads(say(f"evaluate --episodes 8 --horizon 60 --json {line}"))
    assert (found["config"]["pursuers"], found["config"]["evaders"]) == players


def test_evaluate_as_json_in_another_arena(say):
    found = json.loads(
        say("evaluate --pursuer seek --episodes 8 --arena torus --obstacles 2 --json")
    )
    assert found["config"]["arena"]["kind"] == "torus"
    assert found["config"]["arena"]["obstacles"] == 2
    assert found["episodes"] == 8


@pytest.mark.parametrize("side", ["pursuer", "evader"])
def test_evaluate_plays_a_file(say, network, side):
    path = network("mine")
    found = json.loads(say(f"evaluate --episodes 8 --json --{side}", path))
    assert found[side] == str(path)


@pytest.mark.parametrize("ending", ["npz", "csv", "json", "md", *PICTURES])
def test_a_full_disk_leaves_the_old_file(ending, tmp_path, capsys):
    path = tmp_path / f"found.{ending}"
    path.write_text("old")
    with files_of_at_most(300), pytest.raises(SystemExit, match="2"):
        main(["evaluate", "--episodes", "20", "--out", str(path)])
    error = capsys.readouterr().err.strip()
    assert error.endswith(f"'{path}'")
    assert "\n" not in error
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_files_are_checked_before_anything_is_played(tmp_path, capsys, monkeypatch):
    def refuse(*_):
        raise AssertionError("played")

    monkeypatch.setattr("baselines.commands.play_pair", refuse)
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "link.csv").symlink_to("/dev/null")
    for path in ("folder.csv", "link.csv", "nowhere/found.csv"):
        with pytest.raises(SystemExit, match="2"):
            main(["evaluate", "--out", str(tmp_path / path)])
        assert path in capsys.readouterr().err


def test_evaluate_writes_files_of_every_kind(write):
    printed, paths = write("evaluate --episodes 20", "npz", "csv", "json", "md")
    expected = evaluate("pursuit", "evade", episodes=20)
    loaded = Evaluation.load(paths[0])
    assert loaded.to_dict() == expected.to_dict()
    np.testing.assert_array_equal(loaded.episodes, expected.episodes)
    assert paths[1].read_text().count("\n") == 21
    assert paths[2].read_text() == printed
    page = paths[3].read_text()
    assert page.startswith("## pursuit v evade, 20 episodes")
    assert f"| capture rate | {100 * expected.capture_rate.estimate:.1f}% [" in page


# compare


def test_compare_prints_both_and_their_difference(say):
    printed = say("compare --pursuer pursuit seek --episodes 40")
    found = [evaluate(name, "evade", episodes=40) for name in ("pursuit", "seek")]
    assert printed == f"{found[0]}\n\n{found[1]}\n\n{compare(*found)}\n"
    check_aligned(printed)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--evader flee evade --pursuer seek", ("flee", "evader", "seek", 20)),
        ("--pursuer seek random", ("seek", "pursuer", "evade", 20)),
        ("--evader mine.npz flee", ("mine.npz", "evader", "pursuit", 20)),
        ("--game team --pursuer voronoi encircle", ("voronoi", "pursuer", "evade", 20)),
    ],
)
def test_compare_as_json(line, expected, say, network, monkeypatch):
    monkeypatch.chdir(network("mine").parent)
    found = json.loads(say(f"compare {line} --episodes 20 --json"))
    assert tuple(found[key] for key in ("ours", "side", "opponent", "count")) == expected


def test_compare_writes_files_of_every_kind(write):
    printed, paths = write("compare --pursuer pursuit seek --episodes 20", "json", "md")
    assert paths[0].read_text() == printed
    assert json.loads(printed)["verdict"] in paths[1].read_text()
    assert paths[1].read_text().count("| --- |") == 3


# crossplay


def test_crossplay_prints_tables(say):
    printed = say("crossplay --episodes 20 --pursuer seek pursuit --evader flee evade wander")
    check_aligned(printed)
    for name in ("seek", "pursuit", "flee", "evade", "wander"):
        assert len(re.findall(rf"\b{name}\b", printed)) >= 2
    assert "At equilibrium the mean capture time is" in printed


def test_crossplay_writes_files_of_every_kind(write, network):
    mine = network("mine")
    line = f"crossplay --episodes 8 --evader flee evade --pursuer seek {mine}"
    printed, paths = write(line, "json", "md", "csv")
    assert paths[0].read_text() == printed
    assert json.loads(printed)["pursuers"] == ["seek", str(mine)]
    assert paths[2].read_text().count("\n") == 5
    assert paths[1].read_text().count("| `seek` |") == 2


# benchmark


def test_benchmark_prints_a_table(say):
    printed = say("benchmark seek --scenario pursuer/walls --episodes 8")
    check_aligned(printed)
    assert printed.startswith("seek in pursuer/walls (v1), 8 episodes an opponent, one policy")
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
    page, published = tmp_path / "opponents.md", ROOT / "docs" / "opponents.md"
    page.write_text(published.read_text(encoding="utf-8"), encoding="utf-8")
    printed = say("report --episodes 4 --out", tmp_path / "results", "--page", page)
    told = [Path(name) for name in printed.strip().removeprefix("wrote ").split(", ")]
    assert {path.name for path in told} >= {"crossplay.json", "crossplay.md", "opponents.md"}
    assert all(path.stat().st_size > 0 for path in told)
    figures = json.loads((tmp_path / "results" / "crossplay.json").read_text())
    assert len(figures["capture_rate"]) == len(PURSUERS)
    changed, given = (
        re.sub(f"{START}.*{END}", "", p.read_text(encoding="utf-8"), flags=re.DOTALL)
        for p in (page, published)
    )
    assert changed == given


# Help.


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_every_option(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    check_explained(COMMANDS[command], capsys.readouterr().out)


@pytest.mark.parametrize(
    "line",
    [
        "evaluate --pursuer seek --evader evade --episodes 20",
        "crossplay --pursuer seek pursuit --evader evade flee --episodes 20",
    ],
)
def test_pictures_have_a_theme(line, tmp_path, capsys):
    pictures = []
    for theme in ("light", "dark"):
        path = tmp_path / f"{theme}.svg"
        main([*line.split(), "--theme", theme, "--out", str(path)])
        pictures.append(path.read_text(encoding="utf-8"))
    grounds = "#1a1d22", "rgb(26", "#1A1D22"
    assert not any(ground in pictures[0] for ground in grounds)
    assert any(ground in pictures[1] for ground in grounds)
