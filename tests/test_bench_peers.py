"""`python -m steer_env bench --peers`, without any peer installed."""

from __future__ import annotations

import json
import sys
import time

import pytest

from steer_env import bench_peers
from steer_env.__main__ import main
from steer_env.bench_peers import measure, table
from steer_env.peers import PEERS, SETTINGS, Peer

PLAYERS = "5 v 5"


@pytest.fixture
def _no_peers(monkeypatch):
    for package in ("mpe2", "pettingzoo.sisl", "vmas", "jax", "jaxmarl", "gigastep"):
        monkeypatch.setitem(sys.modules, package, None)


@pytest.fixture
def _one_setting(monkeypatch):
    monkeypatch.setattr(bench_peers, "SETTINGS", {PLAYERS: SETTINGS[PLAYERS]})


def slow_peer(games):
    """A peer that takes 2 ms for each step of its two games."""

    def play():
        time.sleep(0.002)
        return 2

    return 2, play


FAKE = Peer("tortoise", PLAYERS, ("numpy", "no-such-package"), "pip", "two games", slow_peer)


@pytest.mark.usefixtures("_no_peers")
def test_peers_that_are_missing_are_named_and_ours_are_measured():
    report = measure([4], repeats=1)
    assert {row["environment"] for row in report["peers"]} == {"steer_env"}
    assert list(dict.fromkeys(row["players"] for row in report["peers"])) == list(SETTINGS)
    assert report["missing"] == {peer.name: peer.install for peer in PEERS}
    assert report["notes"] == {}
    printed = table(report).splitlines()
    assert "JaxMARL MPE_simple_tag_v3: not installed: pip install jaxmarl." in printed
    assert sum("not installed" in line for line in printed) == len(PEERS)


@pytest.mark.usefixtures("_one_setting")
@pytest.mark.parametrize("cores", [1, 2])
def test_a_peer_is_measured_beside_ours(cores, monkeypatch):
    monkeypatch.setattr(bench_peers.os, "cpu_count", lambda: cores)
    report = measure([256, 300], repeats=1, peers=[FAKE])
    ours_and_theirs = [("steer_env", threads) for threads in (1, 2)[:cores]]
    ours_and_theirs.append(("tortoise", None))
    rows = report["peers"]
    assert [(row["environment"], row["threads"]) for row in rows] == 2 * ours_and_theirs
    assert [row["games"] for row in rows] == [*[256] * cores, 2, *[300] * cores, 2]
    for group in (rows[: cores + 1], rows[cores + 1 :]):
        *ours, theirs = group
        assert 0.0 < theirs["game_steps"] <= 1000.0
        for key, mine in (("ours_on_one_thread", ours[0]), ("ours_on_all_threads", ours[-1])):
            for row in group:
                assert row[key] == pytest.approx(mine["game_steps"] / row["game_steps"])
        for row in group:
            ratio = ours[0]["game_steps_per_cpu_second"] / row["game_steps_per_cpu_second"]
            assert row["ours_per_cpu_second"] == pytest.approx(ratio)
    assert report["notes"] == {"tortoise": "two games"}
    assert report["missing"] == {}
    assert "numpy" in report["versions"]
    assert "no-such-package" not in report["versions"]


def test_the_report_as_a_table():
    row = {
        "players": PLAYERS,
        "environment": "tortoise",
        "games": 1024,
        "threads": None,
        "game_steps": 123456.0,
        "ours_on_one_thread": 12.34,
        "ours_on_all_threads": 2345.6,
        "game_steps_per_cpu_second": 98765.0,
        "ours_per_cpu_second": 7.89,
    }
    report = {
        "machine": {"processor": "a processor", "cores": 2},
        "versions": {"python": "3.11", "tortoise": "1.0"},
        "peers": [row, {**row, "environment": "steer_env", "threads": 2}],
        "notes": {"tortoise": "two games"},
        "missing": {"hare": "pip install hare"},
    }
    printed = table(report).splitlines()
    assert printed[:2] == ["a processor, 2 cores", "python 3.11, tortoise 1.0"]
    assert (
        "| 5 v 5 | tortoise | 1024 | its own | 123,000 | 12.3x | 2,350x | 98,800 | 7.9x |"
        in printed
    )
    assert (
        "| 5 v 5 | steer_env | 1024 | 2 | 123,000 | 12.3x | 2,350x | 98,800 | 7.9x |" in printed
    )
    columns = {line.count("|") for line in printed if line.startswith("|")}
    assert columns == {10}
    assert printed[-2:] == ["tortoise: two games.", "hare: not installed: pip install hare."]


@pytest.mark.usefixtures("_no_peers", "_one_setting")
def test_the_command_prints_a_table_or_json(capsys):
    arguments = ["bench", "--peers", "--quick", "--games", "4"]
    main(arguments)
    assert "| 5 v 5 | steer_env | 4 | 1 |" in capsys.readouterr().out
    main([*arguments, "--json"])
    report = json.loads(capsys.readouterr().out)
    assert list(report["missing"]) == ["gigastep identical_5_vs_5"]


@pytest.mark.parametrize("games", ["0", "-1"])
def test_wrong_numbers_of_games_are_refused_before_anything_is_measured(
    games, monkeypatch, capsys
):
    def refuse(*_, **__):
        raise AssertionError("games are made here")

    monkeypatch.setattr(bench_peers, "start_ours", refuse)
    with pytest.raises(SystemExit, match="2"):
        main(["bench", "--peers", "--games", "64", games])
    assert f"games must be at least 1, got {games}" in capsys.readouterr().err
