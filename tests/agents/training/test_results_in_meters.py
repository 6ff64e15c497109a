"""Tables and curves of runs in games about a distance, and about capture times."""

from __future__ import annotations

import re

import numpy as np
import pytest
from test_training import EPISODES, distance_run, notes, read_validations, short_run  # noqa: F401

from steer_env.agents.training.run_report import (
    comparison_tables,
    learning_curve_figure,
    remeasure,
)
from steer_env.agents.training.validation import validate_references

pytestmark = pytest.mark.weekly


def test_the_tables_compare_distances_from_the_same_starts(distance_run):
    result = remeasure(distance_run, EPISODES)
    (opponent,) = result.task.opponents
    rows = dict(row for table in comparison_tables(result) for row in table.rows)
    ours, theirs = result.runs[opponent][0], result.references[opponent][0]
    assert rows["learned"].startswith(f"{ours['distance'].mean():.2f} [")
    difference = np.mean(ours["distance"] - theirs["distance"])
    theirs = "pursuit" if "pursuit" in rows else "evade"
    assert rows[f"learned minus {theirs}"].startswith(f"{difference:+.2f} [")


def test_the_progress_bar_shows_the_distance(distance_run, notes):
    validation = read_validations(distance_run)[-1]
    last = [note for note in notes if note.endswith(f" {validation.distance:.2f} m")]
    assert last
    assert all(re.fullmatch(r"[\d,]+ steps/s, distance [\d.]+ m", note) for note in last)


def test_a_run_about_capture_times_shows_them(tmp_path, notes):
    folder = short_run("SimplePlane-v0", tmp_path)
    page, validations = folder.readme.read_text(), read_validations(folder)
    assert "| policy | captured | capture time [s] |" in page
    assert (folder.path / "survival.png").stat().st_size > 0
    last = validations[-1]
    expected = f" steps/s, captured {last.captured:.1%}, capture time {last.capture_time:.2f} s"
    assert notes[-1].endswith(expected)
    study = folder.settings.study
    scripts = validate_references(study, EPISODES)
    times, captures = learning_curve_figure(study, {"learned": validations}, scripts).axes
    assert [axes.get_ylabel() for axes in (times, captures)] == [
        "mean capture time [s]",
        "captured [%]",
    ]
    for axes, values in (
        (times, [one.capture_time for one in validations]),
        (captures, [100.0 * one.captured for one in validations]),
    ):
        np.testing.assert_array_equal(axes.lines[0].get_ydata(), values)
