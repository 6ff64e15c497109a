"""Every command does what its help says, and rejects what it cannot do in one line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest

from steer_env.baselines import Episodes, compare, evaluate, table_of
from steer_env.baselines.tables import latex
from steer_env.cli import main
from steer_env.scripts.roster import ROSTER
from steer_env.sides import Side

PICTURES = ("png", "svg", "pdf")
HEAD = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".npz": b"PK"}


@pytest.fixture
def write(capsys, tmp_path):
    """Runs a command that writes files of some endings and pictures; returns JSON and paths."""

    def run(line, *endings):
        paths = [tmp_path / f"found.{ending}" for ending in (*endings, *PICTURES)]
        main([*line.split(), "--json", "--out", *map(str, paths)])
        printed, told = capsys.readouterr()
        # Only a slow machine says that it compiles.
        told = told.replace("steer_env: compiling a function of yours\n", "")
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


@pytest.fixture
def few_known(monkeypatch):
    """Searches compare with few scripts, since to play all of them takes long."""
    few = {side: {name: ROSTER[name]} for side, name in zip(Side, ("pursuit", "flee"))}
    place = "steer_env.baselines.best_responses.players_of_game"
    monkeypatch.setattr(place, lambda side, config: few[side])


@pytest.mark.parametrize(
    ("line", "players"),
    [
        ("--pursuers 3 --evaders 2", (3, 2)),
        ("--game steer_env:Tag-v0 --evaders 2", (3, 2)),
    ],
)
def test_teams_are_measured_by_their_numbers_or_the_game(say, line, players):
    found = json.loads(say(f"evaluate --episodes 8 --horizon 60 --json {line}"))
    assert (found["config"]["pursuers"], found["config"]["evaders"]) == players


SHORT_SWIM = """
import steer_env


class ShortSwim(steer_env.Scenario):
    name = "short_swim"
    keywords = {"horizon": 60}

    def drag(self, me):
        return 4.0 if abs(me.position.imag) < 2.0 else 0.0
"""


@pytest.mark.compiled
def test_the_game_of_a_file_is_measured_and_kept_by_its_name(forgotten, say, write, tmp_path):
    file = tmp_path / "swim.py"
    file.write_text(SHORT_SWIM)
    slowed, paths = write(f"evaluate --episodes 8 --game {file}:ShortSwim", "npz")
    assert Episodes.load(paths[0]).config.scenario.name == "short_swim"
    alike = json.loads(say("evaluate --episodes 8 --horizon 60 --json"))
    assert json.loads(slowed)["mean_pursuer_path"] != alike["mean_pursuer_path"]


def test_files_are_checked_before_anything_is_played(tmp_path, fail, monkeypatch):
    monkeypatch.setattr("steer_env.baselines.rollouts.evaluate", None)
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "link.csv").symlink_to("/dev/null")
    for path in ("folder.csv", "link.csv", "nowhere/found.csv"):
        assert path in fail("evaluate --out", tmp_path / path)


def test_evaluate_prints_and_writes_files_of_every_kind(say, write):
    expected = evaluate("pursuit", "evade", episodes=20, seed=4)
    printed = say("evaluate --episodes 20 --seed 4")
    assert printed == f"{expected}\n"
    check_aligned(printed)
    printed, paths = write("evaluate --episodes 20 --seed 4", "npz", "csv", "json", "md", "tex")
    loaded = Episodes.load(paths[0])
    assert loaded.to_dict() == expected.to_dict()
    assert loaded.episodes.tobytes() == expected.episodes.tobytes()
    assert paths[1].read_text().count("\n") == 21
    assert paths[2].read_text() == printed
    page = paths[3].read_text()
    assert page.startswith("## pursuit vs evade, 20 episodes")
    assert f"| capture rate | {100 * expected.capture_rate.estimate:.1f}% [" in page
    assert paths[4].read_text() == latex(expected.table())


def test_compare_prints_both_and_their_difference(say):
    printed = say("compare --pursuer pursuit seek --episodes 40")
    found = [evaluate(name, "evade", episodes=40) for name in ("pursuit", "seek")]
    assert printed == f"{compare(*found)}\n\n\n{found[0]}\n\n\n{found[1]}\n"
    check_aligned(printed)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--evader flee evade --pursuer seek", ("flee", "evader", "seek", 20)),
        ("--evader mine.npz flee", ("mine", "evader", "pursuit", 20)),
        (
            "--game team --pursuer voronoi encircle",
            ("voronoi", "pursuer", "escape/full_force", 20),
        ),
    ],
)
def test_compare_as_json(line, expected, say, network, monkeypatch):
    monkeypatch.chdir(network("mine").parent)
    found = json.loads(say(f"compare {line} --episodes 20 --json"))
    assert tuple(found[key] for key in ("ours", "side", "opponent", "count")) == expected


def test_crossplay_writes_files_of_every_kind(write, network):
    mine = network("mine")
    line = f"crossplay --episodes 8 --evader flee evade --pursuer seek {mine}"
    printed, paths = write(line, "json", "md", "csv", "tex")
    assert paths[0].read_text() == printed
    assert json.loads(printed)["pursuers"] == ["seek", f"{mine.parent.name}/mine"]
    assert paths[2].read_text().count("\n") == 5
    assert paths[1].read_text().count("| `seek` |") == 2


def test_table_has_a_row_for_each_method(capsys, tmp_path):
    players = {"pursuit": "PPO", "seek": "PPO", "pursuit/full_force": "scripted"}
    found = [
        evaluate(player, "evade", episodes=8, names=(name, "evade"))
        for player, name in players.items()
    ]
    paths = [str(tmp_path / f"{number}.npz") for number in range(3)]
    for one, path in zip(found, paths):
        one.save(path)
    out = [tmp_path / f"table.{ending}" for ending in ("tex", "md", "json")]
    main(["table", *paths, "--out", *map(str, out)])
    table = table_of([found[:2], found[2]])
    assert capsys.readouterr().out == f"{table}\nwrote {', '.join(map(str, out))}\n"
    assert out[0].read_text() == latex(table)
    assert out[1].read_text().count("| evade |") == 2
    written = json.loads(out[2].read_text())["evaluations"]
    assert written == [json.loads(json.dumps(one.to_dict())) for one in found]


@pytest.mark.parametrize(
    "line",
    [
        "benchmark pursuit --episodes 8",
        "compare --pursuer pursuit seek --episodes 8",
        "gap --pursuer pursuit --game simple_plane --starts 2",
        "gap --evader optimal/drag --game drag --starts 2",
        "exploit --evader flee --game simple_plane --starts 2 --budget 128",
        "exploit --pursuer seek --game simple_plane --starts 2 --exact",
    ],
)
def test_commands_with_tables_write_them_for_papers(line, few_known, tmp_path, capsys):
    paths = [tmp_path / f"found.{ending}" for ending in ("tex", "md", "json")]
    main([*line.split(), "--out", *map(str, paths)])
    tables = paths[0].read_text().count("\\toprule")
    assert tables == paths[1].read_text().count("| --- |") > 0
    assert json.loads(paths[2].read_text())


def test_benchmark_takes_the_files_of_several_runs(say, network):
    paths = [network(f"run{n}", (1.0, 0.1 * n)) for n in range(3)]
    found = json.loads(say("benchmark --episodes 4 --task evader/walls --json", *paths))
    assert (found["runs"], found["policies"]) == (3, [str(path) for path in paths])
    assert found["policy"] == f"{paths[0]} and 2 more"


def test_pictures_have_a_theme(tmp_path, capsys):
    line, pictures = "crossplay --pursuer seek pursuit --evader evade flee --episodes 20", []
    for theme in ("light", "dark"):
        path = tmp_path / f"{theme}.svg"
        main([*line.split(), "--theme", theme, "--out", str(path)])
        pictures.append(path.read_text(encoding="utf-8").lower())
    assert "#1a1d22" not in pictures[0]
    assert "#1a1d22" in pictures[1]


ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("evalute", "'evaluate'"),
        ("evaluate --pursuer pursut", "'pursuit'"),
        ("evaluate --evader pursuit", "made for the pursuer"),
        ("evaluate --pursuer seek pursuit", "got pursuers: 2, evaders: 1"),
        ("compare", "got pursuers: 1, evaders: 1"),
        ("compare --pursuer seek pursuit --evader evade flee", "evaders: 2"),
        ("compare --pursuer seek seek", "twice"),
        ("crossplay --evader", "at least one"),
        ("evaluate --pursuer", "pursuers must be at least one"),
        ("evaluate --game Pursut-v0", "'Pursuit-v0'"),
        ("evaluate --game obstacle", "'obstacles'"),
        ("gap", "--pursuer or --evader"),
        ("gap --pursuer seek --evader flee", "not both"),
        ("exploit", "--pursuer or --evader"),
        ("exploit --pursuer seek --evader flee", "not both"),
        ("exploit --pursuer seek --starts 1", "starts must be"),
        ("exploit --pursuer random", "random numbers"),
        ("exploit --pursuer seek --exact", "this game is not solved"),
        ("exploit --pursuer seek --out found.png", "'.png'"),
        ("gap --pursuer seek --game Pursuit-v0", "this game is not solved"),
        ("gap --pursuer seek --game DragEvade-v0", "name the evader"),
        ("benchmark seek --task pursuer/wals", "'pursuer/walls'"),
        ("benchmark", "nothing to measure"),
        ("benchmark seek random", "'seek'"),
        ("evaluate --out found.txt", "'.txt'"),
        ("compare --pursuer seek pursuit --out found.csv", "'.csv'"),
        ("crossplay --out found.npz", "'.npz'"),
        ("evaluate --out nowhere/found.csv", "nowhere"),
        ("evaluate --pursuer PPO:policy.zip", "runs code"),
        ("benchmark PPO:policy.zip", "--trust"),
        ("evaluate --pursuer PPO:policy.zip --trust", "policy.zip"),
        ("evaluate --pursuer policy.zip --trust", "PPO:policy.zip"),
        ("evaluate --episodes 3", "at least 4, got 3"),
        ("crossplay --episodes 3", "at least 4, got 3"),
        ("evaluate --seed -1", "seed"),
    ],
)
def test_errors_are_one_line_before_anything_is_written(
    fail, line, told, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert told in fail(line)
    assert not list(tmp_path.iterdir())


@pytest.mark.compiled
def test_a_reader_that_leaves_early_is_not_an_error():
    """As in ``steer-env info | head -n 0``."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "steer_env", "info", "opponents"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=120) == 1
