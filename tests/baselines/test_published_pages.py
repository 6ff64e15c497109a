"""The published pages have the published numbers, which come out again, and can be made."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import algorithms_page
import headroom_page
import numpy as np
import published_table as report
import pytest
from page_parts import both_themes
from scipy import stats

from steer_env.baselines import benchmark, evaluate
from steer_env.baselines.statistics import Interval
from steer_env.baselines.tables import build_page
from steer_env.baselines.tasks import EPISODES, HELD_OUT_SEED, RUNS, TASKS
from steer_env.files import read_json
from steer_env.sides import EVADER

RESULTS = Path(report.__file__).parents[1] / "baselines" / "results"
NUMBERS = read_json(RESULTS / "crossplay.json")
HEADROOM, ALGORITHMS = (read_json(RESULTS / f"{x}.json") for x in ("headroom", "algorithms"))
PAGE = f"before\n{report.START}\nold\n{report.END}\nafter\n"


# Every pursuer vs every evader.


def test_only_the_table_is_replaced(tmp_path):
    page = report.replace_table(PAGE, "| a |\n")
    assert page == f"before\n{report.START}\n\n| a |\n\n{report.END}\nafter\n"
    assert report.replace_table(page, "| a |\n") == page
    path = tmp_path / "opponents.md"
    for error in (FileNotFoundError, ValueError):  # before anything is played
        with pytest.raises(error, match=r"no .*opponents|once each"):
            report.report(tmp_path / "results", path, episodes=10**9)
        path.write_text("nothing here", encoding="utf-8")
    assert not (tmp_path / "results").exists()


def test_the_published_files_have_the_published_numbers():
    page = (RESULTS.parents[1] / "docs/opponents.md").read_text(encoding="utf-8")
    assert report.replace_table(page, report.page_table(NUMBERS)) == page
    page = (RESULTS / "crossplay.md").read_text(encoding="utf-8")
    assert page == report.crossplay_page(NUMBERS)
    first, last = NUMBERS["made_by"]["seeds"]
    assert (first, last - first + 1) == (NUMBERS["first_seed"], NUMBERS["episodes"])
    with open(RESULTS / "crossplay.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    pairs = [(p, e) for p in report.PURSUERS for e in report.EVADERS]
    assert [(row["pursuer"], row["evader"]) for row in rows] == pairs
    for row in rows:
        assert int(row["episodes"]) == NUMBERS["episodes"]
        for column, metric in (
            ("capture_rate", "capture_rate"),
            ("capture_time", "mean_capture_time"),
        ):
            expected = NUMBERS[metric][row["pursuer"]][row["evader"]]
            ends = {"": "estimate", "_low": "low", "_high": "high"}
            for end, key in ends.items():
                assert float(row[column + end]) == expected[key]
    for name in ("crossplay", "survival", "trajectories"):
        for path in both_themes(RESULTS / f"{name}.svg"):
            assert 10_000 < path.stat().st_size < 300_000


@pytest.mark.compiled
@pytest.mark.parametrize("evader", ["flee", "evade"])
@pytest.mark.parametrize("pursuer", ["seek", "pursuit", "pursuit/full_force"])
def test_a_corner_of_the_published_table_can_be_reproduced(pursuer, evader):
    """The same seeds give the same episodes; another processor rounds some differently."""
    found = evaluate(pursuer, evader, None, NUMBERS["episodes"], NUMBERS["first_seed"])
    for metric in ("capture_rate", "mean_capture_time"):
        published = Interval(**NUMBERS[metric][pursuer][evader])
        share = 0.05 * (published.high - published.low) + 1e-9
        assert getattr(found, metric).estimate == pytest.approx(published.estimate, abs=share)


@pytest.mark.compiled
def test_a_report_is_made_by_one_call(tmp_path, monkeypatch):
    """With fewer policies, so that it takes seconds."""
    pursuers = ("seek", "pursuit", "pursuit/intercept", "navigation", "pursuit/full_force")
    monkeypatch.setattr(report, "PURSUERS", pursuers)
    monkeypatch.setattr(report, "EVADERS", ("wander", "evade"))
    monkeypatch.setattr(report, "PAGE_PURSUERS", ("pursuit",))
    monkeypatch.setattr(report, "PAGE_EVADERS", ("evade",))
    page, calls = tmp_path / "opponents.md", []
    page.write_text(PAGE, encoding="utf-8")
    out = tmp_path / "new" / "results"
    written = report.report(out, page, 12, 3, lambda *count: calls.append(count))
    assert calls[-1] == (10, 10)
    drawn = [both_themes(f"{name}.svg") for name in ("crossplay", "survival", "trajectories")]
    assert [path.name for path in written] == [
        *(f"crossplay.{ending}" for ending in ("json", "csv", "md")),
        *(path.name for pair in drawn for path in pair),
        "opponents.md",
    ]
    assert all(path.stat().st_size > 0 for path in written)
    numbers = json.loads(written[0].read_text(encoding="utf-8"))
    assert written[2].read_text(encoding="utf-8") == report.crossplay_page(numbers)
    assert numbers["made_by"]["command"] == f"{report.COMMAND} --episodes 12 --seed 3"
    assert numbers["made_by"]["seeds"] == [3, 14]
    table = report.page_table(numbers)
    assert page.read_text(encoding="utf-8") == report.replace_table(PAGE, table)
    assert str(tmp_path) not in written[0].read_text(encoding="utf-8")


# What is left to learn, and algorithms compared.


@pytest.mark.parametrize("name", ["headroom", "algorithms"])
def test_the_page_has_the_numbers_beside_it(name):
    numbers, made = read_json(RESULTS / f"{name}.json"), {"headroom": headroom_page}
    page = (RESULTS / f"{name}.md").read_text()
    table = made.get(name, algorithms_page).table(numbers["found"])
    assert str(build_page("", table)).strip() in page
    assert numbers["made_by"]["command"] in page


def test_a_measured_time_comes_out_again():
    shown = {title.split("`")[1] for title in HEADROOM["found"]}
    assert shown == set(headroom_page.GAMES_SHOWN)
    found = HEADROOM["found"]["`tag`, pursuer, `tuned/agile_torus/evader`"]
    pair = found["names"]["script"], found["opponent"]
    played = evaluate(*pair, "tag", EPISODES, HELD_OUT_SEED).payoffs.mean()
    assert played == pytest.approx(found["times"]["script"]["estimate"], abs=1e-9)


def test_what_the_tuned_scripts_leave_in_the_default_game_is_robust():
    for side, other, seconds in (("pursuer", "evader", 0.5), ("evader", "pursuer", 1.0)):
        found = HEADROOM["found"][f"`walls`, {side}, `tuned/walls/{other}`"]
        gains = [found["differences"][kind] for kind in headroom_page._GAINS]
        assert gains[0]["estimate"] == pytest.approx(seconds, abs=0.05)
        assert all(gain["low"] > 0.5 * seconds for gain in gains)
        assert all(gain["estimate"] > 0.85 * seconds for gain in gains)


@pytest.mark.weekly
def test_a_short_measurement_fills_the_page():
    found = headroom_page.measure("tag", EVADER, "pursuit/full_force", 4, 128)
    assert list(found["differences"]) == list(headroom_page._GAINS)
    assert found["differences"]["search"]["estimate"] >= 0.0
    assert "network" not in found["names"]
    (cells,) = headroom_page.table({"tag": found}).rows
    assert cells[:2] == ("tag", "")  # no script is tuned for this game
    assert found["names"]["script"] in cells[2]
    assert cells[3] == cells[4] == ""


def test_algorithms_are_compared_in_the_protocols_tasks():
    found = ALGORITHMS["found"]
    assert list(found) == [
        f"`{task}`, {algorithm.upper()}"
        for task, algorithms in algorithms_page._ALGORITHMS.items()
        for algorithm in algorithms
    ]
    alone = [name for name in TASKS if name.endswith("/walls")]
    opponents = sum(len(TASKS[name].opponents + TASKS[name].held_out) for name in alone)
    for scores in algorithms_page.scores_of_all(found).values():
        assert scores.shape == (RUNS, opponents)


def test_a_score_is_0_for_the_textbook_and_1_for_the_tuned_script():
    task = TASKS["pursuer/walls"]
    textbook, *_, tuned = task.references
    scores = algorithms_page.scores_of(benchmark([textbook, tuned], task, 20))
    opponents = len(task.opponents) + len(task.held_out)
    np.testing.assert_allclose(scores, [[0.0] * opponents, [1.0] * opponents], atol=1e-12)


def test_whole_runs_are_drawn_again():
    """All opponents of a run come together: runs that differ much widen the interval."""
    alike = np.tile([0.8, 0.9, 1.0, 1.1], (5, 1))
    mean = algorithms_page.interquartile_mean(alike)
    assert mean.low == mean.estimate == mean.high == pytest.approx(0.95)
    apart = alike + np.array([[-0.4], [-0.2], [0.0], [0.2], [0.4]])
    assert algorithms_page.resampled(apart, 10).shape == (10, 20)
    wide = algorithms_page.interquartile_mean(apart)
    assert wide.estimate == pytest.approx(stats.trim_mean(apart.ravel(), 0.25))
    assert wide.high - wide.low > 0.3
    axes = algorithms_page.scores_figure({"ppo": apart, "dqn": alike}).axes
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == ["PPO", "DQN"]


@pytest.mark.parametrize("algorithm", algorithms_page._STEPS)
def test_what_is_drawn_is_a_valid_preset(algorithm):
    random = np.random.default_rng(0)
    compared = algorithms_page._ALGORITHMS
    for task in (name for name in compared if algorithm in compared[name]):
        params = algorithms_page._draw(algorithm, random)
        training = algorithms_page._training(task, algorithm, params, 0, 1000)
        assert training.read_preset().n_timesteps == 1000
