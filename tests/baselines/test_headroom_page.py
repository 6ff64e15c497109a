"""The page of what is left to learn says what its numbers say, and they come out again."""

from __future__ import annotations

from pathlib import Path

import headroom_page
import pytest

from steer_env.baselines import evaluate
from steer_env.baselines.tables import build_page
from steer_env.baselines.tasks import EPISODES, HELD_OUT_SEED
from steer_env.files import read_json

PAGE = Path(__file__).parents[2] / "baselines/results/headroom.md"
NUMBERS = read_json(PAGE.with_suffix(".json"))


def test_the_page_has_the_numbers_beside_it():
    table = headroom_page.table(NUMBERS["found"])
    assert str(build_page("", table)).strip() in PAGE.read_text()
    assert NUMBERS["made_by"]["command"] in PAGE.read_text()
    seconds = [one["seconds"] for one in NUMBERS["found"].values()]
    assert NUMBERS["made_by"]["seconds"] == pytest.approx(sum(seconds), abs=0.1)
    assert {title.split("`")[1] for title in NUMBERS["found"]} == set(headroom_page.GAMES_SHOWN)


def test_a_measured_time_comes_out_again():
    found = NUMBERS["found"]["`tag`, pursuer, `tuned/agile_torus/evader`"]
    played = evaluate(
        found["names"]["script"], found["opponent"], "tag", EPISODES, HELD_OUT_SEED
    )
    assert played.payoffs.mean() == pytest.approx(
        found["times"]["script"]["estimate"], abs=1e-9
    )


def test_a_short_measurement_fills_the_page(tmp_path):
    row = headroom_page.Row("tag", headroom_page.EVADER, "pursuit/full_force")
    found = headroom_page.measure(row, starts=4, budget=128)
    assert found["differences"]["search"]["estimate"] >= 0.0
    assert "network" not in found["names"]
    (cells,) = headroom_page.table({"tag": found}).rows
    assert cells[0] == "tag"
    assert cells[1] == ""  # no script is tuned for this game
    assert found["names"]["script"] in cells[2]
    assert cells[3] == cells[4] == ""
