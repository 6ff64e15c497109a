"""The page of all players against perfect play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from measured_players import gaps_of_runs, players_table, score_of
from optimality_pages import main as make_page

from steer_env.baselines import Episodes, by_region, gap, gap_metrics
from steer_env.baselines.optimality import excess_of, mean_value
from steer_env.baselines.statistics import mean_with_interval
from steer_env.files import read_json
from steer_env.scenarios.registry import SOLVED
from steer_env.sides import PURSUER

pytestmark = pytest.mark.compiled

PAGE = Path(__file__).parents[2] / "baselines/results/optimality/README.md"


@pytest.fixture(scope="module")
def measured():
    found = gap(["seek", "arrive"], "simple_plane", starts=6)
    assert [*found.to_dict()] == ["seek", "arrive"]
    assert [table.title.split()[0] for table in found.tables()] == ["seek", "arrive"]
    return [*found.by("pursuer").values()]


def test_runs_are_averaged_over_runs_and_starts(measured):
    alone = gap("arrive", "simple_plane", starts=6)
    assert [one.pursuer for one in measured] == ["seek", "arrive"]
    assert alone.episodes.tobytes() == measured[1].episodes.tobytes()
    expected = mean_with_interval([excess_of(run) for run in measured]).estimate
    both = Episodes.joined(measured, range(2))
    shares = gap_metrics(by_region(both)["all"])
    assert shares["share"].estimate == pytest.approx(expected / mean_value(alone))
    assert gaps_of_runs(both) == [gap_metrics(run)["gap"].estimate for run in measured]
    caught = [run["captured"].mean() for run in measured]
    assert shares["never_caught"].estimate == pytest.approx(1.0 - np.mean(caught))


def test_a_row_for_each_player(measured):
    players = [*measured, Episodes.joined(measured, range(2)).renamed(pursuer="both")]
    table = players_table(SOLVED["simple_plane"], PURSUER, players)
    assert [row[0] for row in table.rows] == ["`seek`", "`arrive`", "`both` (2 runs)"]
    assert table.header == ("player", "score", "plane: gap / V", "plane: never caught")
    assert "35" not in table.caption
    assert score_of(players[2]) == pytest.approx(np.mean([*map(score_of, measured)]))


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
    found = gap(player, game, side)
    games = read_json(PAGE.with_name("optimality.json"))["games"]
    assert set(games) == set(SOLVED)
    (regions,) = (one["regions"] for one in games[game][side] if one["name"] == player)
    measured = {name: gap_metrics(one) for name, one in by_region(found).items()}
    for region, one in measured.items():
        assert regions[region]["gaps"] == [pytest.approx(one["gap"].estimate, abs=1e-9)]
    shown, lines = f"{measured['all']['share']:.1%}", PAGE.read_text().splitlines()
    assert any(f"`{player}`" in line and shown in line for line in lines)
