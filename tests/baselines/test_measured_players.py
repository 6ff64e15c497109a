"""The page of all players against perfect play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from measured_players import MeasuredPlayer, gaps_of_runs, players_table, pooled
from optimality_pages import main as make_page

from steer_env.baselines import gap, gaps
from steer_env.baselines.training_runs import mean_of_runs
from steer_env.files import read_json
from steer_env.scenarios.registry import SOLVED
from steer_env.sides import PURSUER

pytestmark = pytest.mark.compiled

PAGE = Path(__file__).parents[2] / "baselines/results/optimality/README.md"


@pytest.fixture(scope="module")
def measured():
    names = {"seek": "seek", "arrive": "arrive"}
    return list(gaps(names, "simple_plane", starts=6))


def test_runs_are_averaged_over_runs_and_starts(measured):
    alone = gap("arrive", "simple_plane", starts=6)
    assert [one.policy for one in measured] == ["seek", "arrive"]
    np.testing.assert_array_equal(alone.starts, measured[1].starts)
    runs = [one.overall for one in measured]
    expected = mean_of_runs([run.excess for run in runs]).estimate / runs[0].mean_value
    both = pooled(runs)
    assert both.share.estimate == pytest.approx(expected)
    assert pooled(runs[:1]).share == runs[0].share
    assert gaps_of_runs(both) == [run.gap.estimate for run in runs]
    caught = [run.starts["captured"].mean() for run in runs]
    assert both.never_caught.estimate == pytest.approx(1.0 - np.mean(caught))


def test_a_row_for_each_player(measured):
    players = [MeasuredPlayer(one.policy, [one]) for one in measured]
    players.append(MeasuredPlayer("both", measured))
    table = players_table(SOLVED["simple_plane"], PURSUER, players)
    assert [row[0] for row in table.rows] == ["`seek`", "`arrive`", "`both` (2 runs)"]
    assert table.header == ("player", "score", "plane: gap / V", "plane: never caught")
    assert "35" not in table.caption
    assert players[2].score == pytest.approx(np.mean([one.score for one in players[:2]]))


def test_the_page_has_all_players(tmp_path):
    make_page(("drag",), 4, out=tmp_path)
    page = (tmp_path / "README.md").read_text()
    games = read_json(tmp_path / "optimality.json")["games"]
    for side in ("pursuer", "evader"):
        players = games["drag"][side]
        names = [one["name"] for one in players]
        assert "optimal/drag" in names
        assert len(set(names)) == len(names) > 15
        assert all(f"`{name}`" in page for name in names)
        best = next(one for one in players if one["name"] == "optimal/drag")
        assert abs(best["regions"]["all"]["gaps"][0]) < 0.05
    command = "python tools/optimality_pages.py --games drag --starts 4"
    assert f"{command} --seed 1000000" in page
    assert "never caught" not in page


@pytest.mark.parametrize(
    ("player", "game", "side"),
    [
        ("seek", "simple_plane", "pursuer"),
        ("seek", "drag", "pursuer"),
        pytest.param("flee", "two_cars", "evader", marks=pytest.mark.weekly),
        pytest.param("flee", "homicidal_chauffeur", "evader", marks=pytest.mark.weekly),
    ],
)
def test_the_published_numbers_come_out_again(player, game, side):
    found, games = (
        gap(player, game, side),
        read_json(PAGE.with_name("optimality.json"))["games"],
    )
    assert set(games) == set(SOLVED)
    (regions,) = (one["regions"] for one in games[game][side] if one["name"] == player)
    for region, one in {**found.regions, "all": found.overall}.items():
        assert regions[region]["gaps"] == [pytest.approx(one.gap.estimate, abs=1e-9)]
    shown, lines = f"{found.overall.share:.1%}", PAGE.read_text().splitlines()
    assert any(f"`{player}`" in line and shown in line for line in lines)
