"""`steer-env bench`: what it measures, and its report."""

import pytest

from steer_env.__main__ import main
from steer_env.bench import (
    measure,
    measure_drawings,
    measure_maps,
    measure_starts,
    measure_steps,
    table,
)
from steer_env.information import processor
from steer_env.machine_code.library import in_use


@pytest.mark.parametrize("games", ["0", "-1"])
def test_wrong_numbers_of_games_are_refused_at_once(games, monkeypatch, capsys):
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
    names = [row.environment for row in rows]
    assert names == [
        "Pursuit-v0, rgb_array",
        "Pursuit-v0, all annotations",
        "CartPole-v1, rgb_array",
    ]
    assert rows[-1].ratio == 1.0
    for row in rows:
        assert row.ratio == pytest.approx(rows[-1].microseconds / row.microseconds)


def test_maps_are_measured_beside_the_default_game():
    rows = measure_maps(repeats=1, games=4)
    assert rows[0].environment == "Pursuit-v0"
    assert rows[-1] == ("CartPole-v1", 4, 1, *rows[-1][3:5], 1.0)
    assert [row.environment.split(", ")[1:] for row in rows[1:-1]] == [
        ["rooms"],
        ["rooms", "sight of 8 m"],
        ["rooms", "16 rays"],
        ["rooms", "pursuit/paths"],
    ]


@pytest.mark.weekly
def test_starting_is_measured():
    seconds = measure_starts(repeats=1)
    assert seconds["first step in a new process"] > 0.0


def test_the_report_says_on_what_it_was_measured(monkeypatch):
    for name in ("drawings", "maps"):
        monkeypatch.setattr(f"steer_env.bench.measure_{name}", lambda _: [])
    monkeypatch.setattr("steer_env.bench.measure_starts", lambda _: {})
    first, _, head, *_ = table(measure([8], repeats=1)).splitlines()
    assert first.startswith(f"{processor()}, ")
    assert first.endswith(f"machine code: {in_use()}")
    assert head.endswith("| CartPole = 1 |")
