"""The commands about the games of the suite do what their help says."""

from __future__ import annotations

import json

import pytest

from baselines import SCENARIOS, evaluate
from baselines.__main__ import main
from baselines.scenarios import HELD_OUT_SEED
from steer_env.scripts.script import Script
from steer_env.suite import SUITE

SHORT = "tune --trials 20 --generations 1 --children 8 --choice-episodes 100 --episodes 30"


# tune


@pytest.mark.compiled
def test_tune_measures_what_it_found_beside_the_best_known_script(say):
    printed = say(f"{SHORT} --opponents evade --known pursuit/full_force")
    source, table = printed.split("\n\n", 1)
    script = eval(source, {"Script": Script})  # what a user would paste
    assert script.chases
    assert "found in pursuer/walls (v1), 30 episodes" in table
    assert "other opponents, references" in " ".join(table.split())
    assert "minus tuned/walls/pursuer's" in " ".join(table.split())
    found = evaluate(script, "evade", None, 30, HELD_OUT_SEED)
    assert f" {found['time'].mean():.2f} " in table


@pytest.mark.compiled
def test_tune_as_json_plays_the_game_that_is_asked_for(say):
    printed = json.loads(say(f"{SHORT} --side evader --game agile_torus --json"))
    assert printed["scenario"] == "evader/agile_torus"
    scenario = SCENARIOS["evader/agile_torus"]
    assert list(printed["opponents"]) == [*scenario.opponents, *scenario.held_out]
    assert not eval(printed["script"], {"Script": Script}).chases


def test_tune_refuses_unknown_names(fail):
    assert "Did you mean 'agile_torus'" in fail("tune --game agile_tours")
    assert "unknown script 'pursiut'. Did you mean 'pursuit'" in fail("tune --known pursiut")
    assert "'evade' is given twice" in fail("tune --opponents evade evade")
    assert "made for the evader" in fail("tune --known evade")


# suite


def test_suite_prints_a_table(say, small_protocol, pretrained_folder):
    printed = say("suite --games walls --episodes 4")
    assert printed.startswith("Leading players in each game of the suite\n")
    assert sum(line.startswith("walls ") for line in printed.splitlines()) >= 1
    assert "exempt" in printed
    assert "`" not in printed


def test_suite_prints_and_writes_the_same(
    say, small_protocol, pretrained_folder, tmp_path, monkeypatch, capsys
):
    for module in ("game_commands", "standing_pages"):
        monkeypatch.setattr(f"baselines.{module}.SUITE", {"walls": SUITE["walls"]})
    out = tmp_path / "new" / "folder"
    main(
        [
            *["suite", "--games", "walls", "--episodes", "4", "--seed", "9", "--json", "--out"],
            str(out),
        ]
    )
    printed = capsys.readouterr()
    assert printed.err.startswith(f"wrote {out / 'walls.md'}, ")
    numbers = json.loads(printed.out)
    kept = json.loads((out / "suite.json").read_text(encoding="utf-8"))
    assert kept == numbers
    assert list(kept["games"]) == ["walls"]
    assert kept["games"]["walls"]["fits_rule"] == "exempt"
    assert kept["games"]["walls"]["evader"]["learned"] == 1
    assert kept["made_by"]["seeds"] == [9, 12]
    assert {path.name for path in out.iterdir()} == {"README.md", "walls.md", "suite.json"}
    printed = say("suite --games walls --episodes 4 --out", out)
    assert f"wrote {out / 'walls.md'}, {out / 'README.md'}, {out / 'suite.json'}" in printed


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("suite --games wals --out new", "unknown game 'wals'. Did you mean 'walls'?"),
        ("suite --games walls walls", "'walls' is given twice"),
        ("suite --games", "--games: give at least one"),
        ("suite --episodes 3", "--episodes must be at least 4, got 3"),
        ("suite --games walls --out file/folder", "Not a directory: 'file/folder'"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(fail, line, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert told in fail(line)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
