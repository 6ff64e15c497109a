"""The published tables have the published numbers, which can be reproduced."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import published_table as report
import pytest

from steer_env.baselines import evaluate
from steer_env.baselines.figure_style import both_themes
from steer_env.baselines.statistics import Interval
from steer_env.baselines.tables import Table, markdown, plain_text

ROOT = Path(report.__file__).parents[1]
RESULTS = ROOT / "baselines" / "results"
PAGE = f"before\n{report.START}\nold\n{report.END}\nafter\n"


@pytest.fixture(scope="module")
def numbers():
    return json.loads((RESULTS / "crossplay.json").read_text(encoding="utf-8"))


# The table on a page.


def test_only_the_table_is_replaced():
    page = report.replace_table(PAGE, "| a |\n")
    assert page == f"before\n{report.START}\n\n| a |\n\n{report.END}\nafter\n"
    assert report.replace_table(page, "| a |\n") == page
    assert report.replace_table(page, "") == report.replace_table(PAGE, "")


def test_a_page_without_its_place_stops_the_report_before_it_starts(tmp_path):
    page = tmp_path / "opponents.md"
    page.write_text("nothing here", encoding="utf-8")
    with pytest.raises(ValueError, match="once each"):
        report.report(tmp_path / "results", page, episodes=10**9)
    assert not (tmp_path / "results").exists()
    with pytest.raises(FileNotFoundError):
        report.report(tmp_path / "results", tmp_path / "nowhere.md", episodes=10**9)


# What is published.


def test_the_page_about_opponents_has_the_published_numbers(numbers):
    page = (ROOT / "docs" / "opponents.md").read_text(encoding="utf-8")
    assert report.replace_table(page, report.page_table(numbers)) == page


def test_the_published_page_has_the_published_numbers(numbers):
    page = (RESULTS / "crossplay.md").read_text(encoding="utf-8")
    assert page == report.crossplay_page(numbers)
    made = numbers["made_by"]
    assert made["command"] in page
    for name in ("python", "steer_env", "numpy", "numba"):
        assert f"{name} {made[name]}" in page
    assert made["seeds"] == [
        numbers["first_seed"],
        numbers["first_seed"] + numbers["episodes"] - 1,
    ]


def test_the_published_csv_has_the_published_numbers(numbers):
    with open(RESULTS / "crossplay.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    pairs = [(p, e) for p in report.PURSUERS for e in report.EVADERS]
    assert [(row["pursuer"], row["evader"]) for row in rows] == pairs
    for row in rows:
        assert int(row["episodes"]) == numbers["episodes"]
        for column, metric in (
            ("capture_rate", "capture_rate"),
            ("capture_time", "mean_capture_time"),
        ):
            expected = numbers[metric][row["pursuer"]][row["evader"]]
            ends = {"": "estimate", "_low": "low", "_high": "high"}
            for end, key in ends.items():
                assert float(row[column + end]) == expected[key]


def test_the_published_pictures_are_there():
    for name in ("crossplay", "survival", "trajectories"):
        for path in both_themes(RESULTS / f"{name}.svg"):
            assert b"<svg" in path.read_bytes()[:1000]
            assert 10_000 < path.stat().st_size < 300_000


@pytest.mark.compiled
@pytest.mark.parametrize("evader", ["flee", "evade"])
@pytest.mark.parametrize("pursuer", ["seek", "pursuit", "pursuit/full_force"])
def test_a_corner_of_the_published_table_can_be_reproduced(numbers, pursuer, evader):
    """The same seeds give the same episodes; another processor rounds some differently."""
    found = evaluate(pursuer, evader, None, numbers["episodes"], numbers["first_seed"])
    for metric in ("capture_rate", "mean_capture_time"):
        published = Interval(**numbers[metric][pursuer][evader])
        mine = getattr(found, metric)
        assert published.low <= mine.estimate <= published.high
        share = 0.05 * (published.high - published.low) + 1e-9
        assert mine.estimate == pytest.approx(published.estimate, abs=share)


@pytest.mark.compiled
def test_a_report_is_made_by_one_call(tmp_path, monkeypatch):
    """With fewer policies, so that it takes seconds."""
    pursuers = ("seek", "pursuit", "pursuit/intercept", "navigation", "pursuit/full_force")
    monkeypatch.setattr(report, "PURSUERS", pursuers)
    monkeypatch.setattr(report, "EVADERS", ("wander", "evade"))
    monkeypatch.setattr(report, "PAGE_PURSUERS", ("pursuit",))
    monkeypatch.setattr(report, "PAGE_EVADERS", ("evade",))
    page = tmp_path / "opponents.md"
    page.write_text(PAGE, encoding="utf-8")
    calls = []
    written = report.report(
        tmp_path / "new" / "results", page, 12, 3, lambda *count: calls.append(count)
    )
    assert calls[-1] == (10, 10)
    assert [path.name for path in written] == [
        "crossplay.json",
        "crossplay.csv",
        "crossplay.md",
        *("crossplay.svg", "crossplay-dark.svg", "survival.svg", "survival-dark.svg"),
        *("trajectories.svg", "trajectories-dark.svg"),
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


TABLE = Table("Title", ("name", "a", "long b"), [("`x`", "1", "2"), ("`yy`", "10", "")], "End.")


def test_a_table_is_aligned():
    assert plain_text(TABLE, width=80).splitlines() == [
        "Title",
        "",
        "name    a   long b",
        "------------------",
        "x       1        2",
        "yy     10",
        "",
        "End.",
    ]


def test_a_wide_table_continues_below():
    assert plain_text(TABLE, width=14).splitlines()[2:-2] == [
        "name    a",
        "---------",
        "x       1",
        "yy     10",
        "",
        "name   long b",
        "-------------",
        "x           2",
        "yy",
    ]


@pytest.mark.parametrize("width", [1, 10, 40, 200])
@pytest.mark.parametrize("name", ["[bold]", ":snake:", "a" * 30])
def test_names_are_printed_as_they_are_at_any_width(name, width):
    table = Table(name, ("who", "a", "b"), [(name, "1", "2")] * 2, name)
    assert plain_text(table, width=width).count(name) >= 4


def test_markdown_keeps_its_columns():
    table = Table("", ("a|b", "c"), [("x|y", "1")])
    assert markdown(table) == "| a\\|b | c |\n| --- | ---: |\n| x\\|y | 1 |\n"


def test_a_column_can_be_left_out():
    table = Table("title", ("a", "b", "c"), [("1", "2", "3"), ("4", "5", "6")], "caption")
    without = Table("title", ("a", "c"), [("1", "3"), ("4", "6")], "caption")
    assert table.without("b") == without
