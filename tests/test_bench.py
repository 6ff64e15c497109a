"""`python -m steer_env bench`: what it measures, and its report."""

from __future__ import annotations

from itertools import pairwise

import pytest

from steer_env.__main__ import main
from steer_env.bench import (
    alternate,
    measure_drawings,
    measure_starts,
    measure_steps,
    table,
)


def test_calls_take_turns():
    calls = []
    seconds = alternate([lambda: calls.append(1), lambda: calls.append(2)], 3)
    assert len(seconds) == 2
    assert all(0.0 < found < 1.0 for found in seconds)
    changes = sum(one != other for one, other in pairwise(calls))
    assert changes >= 6


@pytest.mark.parametrize("games", ["0", "-1"])
def test_wrong_numbers_of_games_are_refused_before_anything_is_measured(
    games, monkeypatch, capsys
):
    def refuse(*_, **__):
        raise AssertionError("an environment is made here")

    monkeypatch.setattr("gymnasium.make", refuse)
    with pytest.raises(SystemExit, match="2"):
        main(["bench", "--games", "64", games])
    assert f"games must be at least 1, got {games}" in capsys.readouterr().err


def test_steps_are_measured_beside_cartpole():
    rows = measure_steps([8], repeats=1)
    assert [(row.environment, row.games) for row in rows] == [
        ("Pursuit-v0", 1),
        ("CartPole-v1", 1),
        ("Pursuit-v0", 8),
        ("CartPole-v1", 8),
    ]
    for ours, theirs in (rows[:2], rows[2:]):
        assert theirs.ratio == 1.0
        assert ours.ratio == pytest.approx(theirs.microseconds / ours.microseconds)
        assert ours.million_steps == pytest.approx(ours.games / ours.microseconds)


def test_pictures_are_measured_beside_cartpoles():
    pygame = pytest.importorskip("pygame")
    pygame.display.quit()
    rows = measure_drawings(repeats=1)
    assert not pygame.display.get_init()  # without a display, opening one prints an error
    assert [row.environment for row in rows] == [
        "Pursuit-v0, default annotations",
        "Pursuit-v0, all annotations",
        "CartPole-v1",
    ]
    assert rows[-1].ratio == 1.0
    for row in rows:
        assert row.frames == pytest.approx(1e6 / row.microseconds)
        assert row.ratio == pytest.approx(row.frames / rows[-1].frames)


def test_the_report_as_a_table():
    row = {
        "environment": "Pursuit-v0",
        "games": 64,
        "threads": 1,
        "microseconds": 9.0,
        "million_steps": 7.11,
        "ratio": 4.6,
    }
    report = {
        "machine": {"processor": "a processor", "cores": 2},
        "steps": [row],
        "drawings": [
            {"environment": "a chase", "microseconds": 400.0, "frames": 2500.0, "ratio": 2.34}
        ],
        "seconds": {"first step in a new process": 0.8},
    }
    printed = table(report)
    assert "| a chase | 400 | 2500 | 2.34 |" in printed
    assert "| Pursuit-v0 | 64 | 1 | 9.0 | 7.11 | 4.60 |" in printed
    assert "first step in a new process: 0.800 s" in printed


def test_starting_is_measured():
    seconds = measure_starts(repeats=1)
    assert seconds["first step in a new process"] > 0.0
