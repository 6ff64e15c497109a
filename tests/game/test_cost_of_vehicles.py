"""A short form of `tools/cost_of_vehicles.py`."""

from __future__ import annotations

import cost_of_vehicles
import pytest

from steer_env.baselines import figure_style
from steer_env.game.run import phases
from steer_env.scripts.roster import ROSTER

pytestmark = [pytest.mark.weekly, pytest.mark.compiled]


def test_it_measures_games_with_grids_and_without(tmp_path, capsys, monkeypatch):
    command = ["cost_of_vehicles.py", "--vehicles", "2", "100", "--games", "1", "3"]
    monkeypatch.setattr("sys.argv", [*command, "--repeats", "1", "--out", str(tmp_path)])
    cost_of_vehicles.main()
    lines = capsys.readouterr().out.splitlines()
    rows = [[float(cell) for cell in line.split("|")[1:-1]] for line in lines[2:]]
    assert [row[:2] for row in rows] == [[1, 2], [1, 100], [3, 2], [3, 100]]
    assert all(time > 0.0 for row in rows for time in row[2:])
    assert (tmp_path / "cost_of_vehicles-dark.svg").stat().st_size > 10_000


def test_other_pursuers_are_measured_but_not_drawn(tmp_path, capsys, monkeypatch):
    command = ["cost_of_vehicles.py", "--vehicles", "4", "--games", "1", "--repeats", "1"]
    command += ["--pursuer", "pursuit/pack"]
    built = []
    step_of_games = cost_of_vehicles.step_of_games
    monkeypatch.setattr(
        cost_of_vehicles,
        "step_of_games",
        lambda *given: built.append(given[-1]) or step_of_games(*given),
    )
    monkeypatch.setattr("sys.argv", command)
    cost_of_vehicles.main()
    assert built == [ROSTER["pursuit/pack"]] * 2
    assert "| 1 | 4 |" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", [*command, "--out", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        cost_of_vehicles.main()
    assert not [*tmp_path.iterdir()]


def test_one_of_the_two_has_grids_and_both_play_the_same():
    engines = [
        cost_of_vehicles.step_of_games(300, 2, has_grids).func.__self__
        for has_grids in (True, False)
    ]
    assert [engine._runner.memory["has_grid"].all() for engine in engines] == [True, False]
    assert (engines[0].get_state() == engines[1].get_state()).all()
    assert max(phases.FEWEST, phases.FEWEST_TO_SEARCH) < 300  # as before


def test_the_figure_has_a_line_for_each_number_of_games():
    costs = [
        cost_of_vehicles.Cost(games, vehicles, 2.0 * vehicles, vehicles**2.0)
        for games in (1, 16)
        for vehicles in (8, 64)
    ]
    axes = figure_style.styled(cost_of_vehicles.costs_figure)(costs).axes[0]
    assert [line.get_label() for line in axes.lines] == [
        "one game, all compared",
        "one game, with grids",
        "16 games at once, all compared",
        "16 games at once, with grids",
        "linear",
    ]
    assert axes.lines[3].get_ydata().tolist() == [16.0, 128.0]
