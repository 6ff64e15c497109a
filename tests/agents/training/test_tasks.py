"""Trainings in games that users wrote: in a Python file, or registered."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from short_trainings import short_training

from steer_env import Scenario, register
from steer_env.agents.training.training import RunFolder, Training
from steer_env.baselines import NetworkPolicy
from steer_env.baselines.tasks import ALL_TASKS
from steer_env.cli import main
from steer_env.game.config import game_config
from steer_env.options import scenario_of
from steer_env.scenarios.registry import GAMES

RIVER = """
from steer_env import Scenario, feature

class River(Scenario):
    share: float = 0.5

    def limits(self, me):
        return self.share * me.max_speed, me.max_force

    @feature(0.0, 1.0)
    def water(self, me):
        return 1.0

slow = River(share=0.25)
"""


def test_a_game_in_a_file_is_trained_in(forgotten, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    file = Path("river.py")
    file.write_text(RIVER)
    options = ["--task", "evader/river.py:slow", "--out", "run"]
    command = shlex.split(short_training(steps=256, validations=1).command)
    main([*command[1:], *options, "--episodes", "8"])
    folder = RunFolder(Path("run"))
    (line,) = re.findall("See it play: .*", capsys.readouterr().out)
    assert line.endswith(f"--game {tmp_path / 'river.py'}:slow")
    training = folder.settings
    assert training.environment == "RiverEvade-v0"
    assert training.folder == Path("runs/RiverEvade-v0/ppo/seed_0")
    assert training.study.config == game_config(game=scenario_of("river.py:slow"))
    assert training.study.config.scenario.share == 0.25
    assert not any("/evader" in name for name in training.study.references)  # tuned elsewhere
    assert NetworkPolicy.load(folder.policy).takes(22)
    assert folder.readme.read_text().startswith("# RiverEvade-v0 against pursuit: PPO")
    main(["train", "--resume", "run"])


@pytest.mark.parametrize(
    ("members", "similar"),
    [
        ({}, "walls"),
        ({"keywords": {"obstacles": 3}}, "obstacles"),
        ({"keywords": {"pursuers": 2}}, "pack_obstacles"),
        ({"keywords": {"evaders": 2}}, "team"),
    ],
)
def test_a_registered_game_has_the_scripts_of_a_similar_one(forgotten, members, similar):
    register(type("Pond", (Scenario,), members))
    study = Training(task="PondPursuit-v0").study
    assert study.config == game_config(game="pond")
    usual = ALL_TASKS[f"pursuer/{similar}"]
    general = [name for name in usual.references if not name.startswith("tuned/")]
    assert study.references == tuple(dict.fromkeys((*general, "pursuit")))
    assert {*study.held_out} <= {*usual.opponents, *usual.held_out}


def test_a_guard_is_measured_beside_the_script_of_guards():
    assert Training(task="Guard-v0").study.references[-1] == "block/full_force"
    assert Training(task="GuardEvade-v0").study.references[-1] == "reach/full_force"


def test_a_scenario_with_the_name_of_a_game_plays_and_replaces_none(
    forgotten, tmp_path, monkeypatch
):
    file = tmp_path / "team.py"
    file.write_text(RIVER.replace("River", "Team").replace("slow = ", "other = "))
    before = GAMES["team"]
    found = scenario_of(f"{file}:Team")
    assert found.name == "team"
    assert GAMES["team"] is before
    monkeypatch.chdir(tmp_path)  # a file is run once however it is spelled
    assert scenario_of("team.py:Team") is found
