"""Evaluations survive the disk, have the right metrics, and hostile files do nothing."""

from __future__ import annotations

import csv
import json
import tracemalloc

import numpy as np
import pytest

from steer_env.baselines import (
    Episodes,
    crossplay,
    evaluate,
    gap,
    mean_with_interval,
    statistics as measures,
)
from steer_env.baselines.measures import FORMAT, METRICS, ROW, fields_of_game
from steer_env.game.config import make_game

DISCS = ((1.0, 2.0, 0.75), (-4.0, 0.5, 1.25))
RANGES = {"evader": {"max_speed": (3.0, 4.0), "radius": (0.1, 0.4)}}
OF_TIMES = tuple(name for name in METRICS if name != "mean_distance")


@pytest.fixture(scope="module")
def found():
    return evaluate("pursuit", "evade", episodes=60, seed=11)


def about(**changes):
    described = {
        "format": FORMAT,
        "version": "0",
        "pursuers": ["pursuit"],
        "evaders": ["evade"],
        "regions": [],
        "config": fields_of_game(make_game()),
    }
    return np.array(json.dumps({**described, **changes}))


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"obstacles": DISCS, "randomize": RANGES, "solid": "teammates"},
        {"obstacles": 3, "pursuers": 2, "evaders": 2, "arena": "torus", "dt": 1 / 20},
        {"evader": {"model": "car"}, "reward": {"closing": 0.0}, "horizon": 90},
    ],
)
def test_a_saved_evaluation_comes_back_whole(keywords, tmp_path):
    config = make_game(**keywords)
    found = evaluate("seek", "flee", config, episodes=8, seed=2**40)
    found.save(tmp_path / "found.npz")
    loaded = Episodes.load(str(tmp_path / "found.npz"))
    assert (loaded.pursuer, loaded.evader, loaded.config) == ("seek", "flee", config)
    assert loaded.episodes.tobytes() == found.episodes.tobytes()
    assert loaded.metrics() == found.metrics()
    assert loaded.to_dict() == found.to_dict()


def test_pairs_runs_and_regions_come_back_too(tmp_path):
    played = crossplay(["seek", "pursuit"], ["flee", "evade"], episodes=4)
    parts = [evaluate(name, "evade", episodes=4) for name in ("seek", "pursuit")]
    runs = Episodes.joined(parts, (3, 5))
    for found in (played, runs, gap("seek", "drag", starts=4)):
        found.save(tmp_path / "found.npz")
        loaded = Episodes.load(tmp_path / "found.npz")
        assert loaded.episodes.tobytes() == found.episodes.tobytes()
        assert (loaded.pursuers, loaded.evaders) == (found.pursuers, found.evaders)
        assert (loaded.regions, loaded.config) == (found.regions, found.config)
        assert str(loaded) == str(found)
    played.save(tmp_path / "found.csv")
    with open(tmp_path / "found.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    pairs = [(row["pursuer"], row["evader"]) for row in rows[::4]]
    assert pairs == [*played.by("pursuer", "evader")]
    rows = played.episodes.copy()
    rows["evader"][0] = 2
    described = about(pursuers=["a", "b"], evaders=["c", "d"])
    np.savez(tmp_path / "other.npz", episodes=rows, about=described)
    refused(tmp_path / "other.npz", "an unknown evader")


def test_estimates_of_pairs_and_runs_are_over_their_means():
    played = crossplay(["seek", "pursuit"], ["flee", "evade"], episodes=30)
    times = played.array("time", "pursuer", "evader")
    one = played.where(pursuer="pursuit")
    mean = measures.mean_with_interval(times[1].mean(axis=0), limit=20.0)
    assert one.mean_capture_time == mean
    runs = Episodes.joined([played.where(pursuer=name) for name in played.pursuers], range(2))
    assert (runs.runs, len(runs.seeds)) == (2, 30)
    assert runs.mean_capture_time == mean_with_interval(times.mean(axis=1)).clipped(0.0, 20.0)
    assert "median_capture_time" not in runs.metrics()
    with pytest.raises(ValueError, match="over several runs or pairs 'median_capture_time'"):
        runs.metric("median_capture_time")
    parts = [evaluate("seek", "flee", episodes=4, seed=seed) for seed in (0, 9)]
    apart = Episodes.joined(parts, range(2))
    with pytest.raises(ValueError, match="not from the same starts"):
        apart.metrics()
    table = played.table("evader", "mean_capture_time")
    assert [row[:3] for row in table.rows] == [
        ("2 pursuers", x, "30") for x in ("flee", "evade")
    ]


def test_a_table_has_a_row_for_each_group():
    found = gap("seek", starts=4)
    table = found.table(("region", "pursuer"), ["capture_rate", "mean_pursuer_path"])
    assert table.header[:4] == ("pursuer", "evader", "region", "episodes")
    assert [row[:4] for row in table.rows] == [
        ("seek", "perfect play", region, "4") for region in found.regions
    ]
    (row,) = found.table(metrics="mean_evader_path").rows
    assert row[2:] == ("16", f"{found.metric('mean_evader_path'):.2f}")


def test_a_csv_has_one_line_an_episode(found, tmp_path):
    found.save(tmp_path / "found.csv")
    with open(tmp_path / "found.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [*rows[0]] == [x for x in ROW.names if x not in ("value", "floor", "region")]
    assert {(row["pursuer"], row["evader"]) for row in rows} == {("pursuit", "evade")}
    assert {row["outcome"] for row in rows} == {"captured", "time up"}
    assert [int(row["seed"]) for row in rows] == list(range(11, 71))
    assert [row["captured"] == "True" for row in rows] == found["captured"].tolist()
    for name in ("time", "closest", "evader_effort"):
        assert [float(row[name]) for row in rows] == found[name].tolist()


def refused(path, match=""):
    with pytest.raises(
        ValueError, match=r"is not a file of episodes that Episodes\.save wrote"
    ) as caught:
        Episodes.load(path)
    assert str(path) in str(caught.value)
    assert match in str(caught.value)


@pytest.mark.parametrize(
    ("episodes", "described"),
    [
        (np.zeros(5), about()),
        (np.zeros(5, ROW.newbyteorder(">")), about()),
        (np.zeros((5, 2), ROW), about()),
        (np.zeros(0, ROW), about()),
        (np.zeros(5, [("time", "<f8")]), about()),
        (np.zeros(5, ROW), about(format="steer_env episodes 3")),
        (np.zeros(5, ROW), about(config={"pursuers": 0})),
        (np.zeros(5, ROW), about(config={"unheard_of": 1})),
        (np.zeros(5, ROW), np.array("[]")),
        (np.zeros(5, ROW), np.array("no json")),
        (np.zeros(5, ROW), np.array("[" * 100_000)),
        (np.zeros(5, ROW), np.array(3.0)),
    ],
)
def test_other_arrays_and_descriptions_are_refused(episodes, described, tmp_path):
    np.savez(tmp_path / "other.npz", episodes=episodes, about=described)
    refused(tmp_path / "other.npz")


def test_nan_and_missing_parts_are_refused(tmp_path):
    episodes, path = np.zeros(5, ROW), tmp_path / "other.npz"
    episodes["closest"][3] = np.nan
    for parts, words in (({"episodes": episodes}, "nan or infinite"), ({}, "episodes")):
        np.savez(path, about=about(), **parts)
        refused(path, words)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.npz"):
        Episodes.load(tmp_path / "nowhere.npz")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    """An archive of a few kB that claims a million episodes."""
    path, zeros = tmp_path / "bomb.npz", np.zeros(10**6, ROW)
    np.savez_compressed(path, episodes=zeros, about=about())
    del zeros
    tracemalloc.start()
    try:
        refused(path, "claims a size that it cannot have")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * path.stat().st_size + 2**20
    still = evaluate("idle", "idle", episodes=2000)  # what compresses best
    still.save(path)
    assert Episodes.load(path).episodes.tobytes() == still.episodes.tobytes()


def test_metrics_are_those_of_the_statistics(found):
    mean = measures.mean_with_interval
    assert found.metrics() == {
        "capture_rate": measures.rate_with_interval(found["captured"]),
        "mean_capture_time": mean(found["time"], limit=found.time_limit),
        "median_capture_time": measures.median_with_interval(found["time"]),
        "mean_closest_distance": mean(found["closest"]),
        **{
            f"mean_{name}": mean(found[name])
            for name in ("pursuer_path", "evader_path", "pursuer_effort", "evader_effort")
        },
    }
    expected = measures.survival_curve(found["time"], found["captured"])
    np.testing.assert_array_equal(found.survival, expected)
    assert found.time_limit == pytest.approx(20.0)
    assert len(found) == 60
    with pytest.raises(ValueError, match="Did you mean 'pursuer_path'"):
        found["pursuer_pat"]


def test_its_json_and_its_table_hold_every_metric(found):
    figures = json.loads(json.dumps(found.to_dict()))
    for name in OF_TIMES:
        assert tuple(figures[name].values()) == found.metric(name)
    assert (figures["pursuer"], figures["evader"]) == ("pursuit", "evade")
    assert (figures["episodes"], figures["first_seed"]) == (60, 11)
    assert make_game(**figures["config"]) == found.config
    lines = str(found).splitlines()
    assert lines[0] == "pursuit vs evade, 60 episodes (seeds 11 to 70)"
    rows = [line for line in lines if "]" in line][1:]
    for name, row in zip(OF_TIMES, rows, strict=True):
        assert row.startswith(name.replace("_", " "))
    assert len({len(row) for row in rows}) == 1
    assert f"{100 * found.capture_rate.estimate:.1f}%" in rows[0]
    assert f"{found.mean_capture_time:.2f} s" in rows[1]
    assert repr(found) == "Episodes(pursuit vs evade, 60 episodes)"


@pytest.mark.parametrize("episodes", [1, 3])
def test_few_episodes_have_no_metrics(episodes):
    found = evaluate("pursuit", "evade", episodes=episodes)
    assert len(found["time"]) == episodes
    for ask in (found.metrics, found.to_dict, lambda: str(found)):
        with pytest.raises(ValueError, match=f"at least 4 episodes, got {episodes}"):
            ask()
