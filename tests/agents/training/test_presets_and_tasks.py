"""Presets, which are checked and never run, and tasks: also in games that users wrote."""

import json
import pickle
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from short_trainings import short_training
from torch import nn
from weekly import weekly_but

from steer_env import Scenario, register
from steer_env.agents.training.hyperparameters import (
    LinearSchedule,
    parse_overrides,
    read_preset,
)
from steer_env.agents.training.model import make_training_env, new_model
from steer_env.agents.training.presets import PRESETS
from steer_env.agents.training.run import Training, TrainingRun
from steer_env.baselines import NetworkPolicy
from steer_env.baselines.tasks import ALL_TASKS
from steer_env.cli import main
from steer_env.game.config import make_game
from steer_env.options import scenario_of
from steer_env.scenarios.registry import GAMES

WRITTEN = [(name, environment) for name, found in PRESETS.items() for environment in found]
QUICK = {("ppo", "Pursuit-v0"), ("ppo", "PackObstaclesPursuit-v0"), ("sac", "Evade-v0")}


@pytest.mark.filterwarnings("ignore:You have specified a mini-batch size")  # of Herd-v0
@pytest.mark.parametrize(("algorithm", "environment"), weekly_but(QUICK, WRITTEN))
def test_every_preset_makes_a_model(algorithm, environment):
    params = ("buffer_size=100",) if algorithm in ("sac", "td3", "dqn") else ()
    kind = {"method": "search"} if algorithm == "search" else {"algo": algorithm}
    training = Training(task=environment, params=params, **kind)
    preset = training.read_preset()
    assert preset.n_timesteps >= 65_536
    venv = make_training_env(training)
    model = new_model(training, venv)
    for name in ("batch_size", "gamma", "n_epochs", "train_freq", "n_steps"):
        if name in preset.arguments and name in vars(model):
            value = getattr(model, name)
            assert getattr(value, "frequency", value) == preset.arguments[name]
    venv.close()


@pytest.mark.parametrize(("algorithm", "environment"), WRITTEN)
def test_every_preset_is_kept_whole_with_a_run(algorithm, environment):
    preset = read_preset(algorithm, environment)
    assert pickle.loads(pickle.dumps(preset)).written == preset.written
    assert json.loads(json.dumps(preset.written)) == preset.written
    assert preset.arguments.get("buffer_size", 0) <= 300_000  # it is saved with a run


def preset_of(algorithm="ppo", **values):
    return read_preset(algorithm, "Evade-v0", values)


def test_a_preset_is_ready_for_the_constructor():
    network = {"net_arch": {"pi": [64], "vf": [32, 32]}, "activation_fn": "ReLU"}
    preset = preset_of(n_envs=8, n_timesteps=1e6, clip_range=0.1, policy_kwargs=network)
    assert (preset.n_envs, preset.n_timesteps, preset.policy) == (8, 1_000_000, "MlpPolicy")
    assert type(preset.n_timesteps) is int
    assert preset.arguments == {
        "n_steps": 64,
        "batch_size": 4096,
        "n_epochs": 2,
        "gamma": 0.997,
        "learning_rate": LinearSchedule(1e-3),
        "clip_range": 0.1,
        "policy_kwargs": {**network, "activation_fn": nn.ReLU},
    }
    assert preset.written["learning_rate"] == "lin_1e-3"
    assert PRESETS["ppo"]["Evade-v0"]["n_envs"] == 256  # the table stays as it was


def test_overrides_are_texts_or_values():
    texts = ["learning_rate=lin_3e-4", "batch_size=1024", "n_envs = 2", "gamma=.5"]
    texts += ["policy_kwargs={'net_arch': [8]}", "n_timesteps=2e3"]
    preset = preset_of(**parse_overrides(texts))
    expected = {"learning_rate": LinearSchedule(3e-4), "batch_size": 1024, "gamma": 0.5}
    expected["policy_kwargs"] = {"net_arch": [8]}
    assert preset.arguments == {"n_steps": 64, "n_epochs": 2, **expected}
    assert (preset.n_envs, preset.n_timesteps) == (2, 2000)
    assert preset.written["batch_size"] == "1024"
    schedule = pickle.loads(pickle.dumps(preset.arguments["learning_rate"]))
    assert [schedule(left) for left in (1.0, 0.25, 0.0, -0.01)] == [3e-4, 7.5e-5, 0.0, 0.0]
    given = {"train_freq": [1, "episode"], "ent_coef": "auto_0.1", "target_entropy": -2}
    given |= {"buffer_size": 1e4, "gradient_steps": -1, "replay_buffer_kwargs": None}
    found = preset_of("sac", **given).arguments
    assert {name: found[name] for name in given} == {**given, "train_freq": (1, "episode")}
    assert type(found["buffer_size"]) is int
    noise = read_preset("td3", "Evade-v0").arguments["action_noise"]
    assert np.std([noise() for _ in range(500)], axis=0) == pytest.approx([0.2, 0.2], rel=0.15)


@pytest.mark.parametrize(
    ("algorithm", "overrides", "message"),
    [
        ("ppo", "learning_rat=1", "Did you mean 'learning_rate'"),
        ("ppo", "device=cuda", "unknown argument of ppo 'device'"),
        ("ppo", "noise_std=1.0", "unknown argument of ppo"),
        ("ppo", "batch_size=many", "batch_size must be int"),
        ("ppo", "batch_size=2.5", "batch_size"),
        ("ppo", "n_epochs=None", "n_epochs"),
        ("ppo", "gamma=fast", "gamma must be float"),
        ("ppo", "use_sde=1", "use_sde must be bool"),
        ("ppo", "n_envs=0", "n_envs"),
        ("ppo", f"n_envs=0x{'f' * 5000}", "n_envs must be from 1 to 10000000"),
        ("ppo", f"n_timesteps=0x{'f' * 5000}", "n_timesteps must be from 1"),
        ("ppo", f"learning_rate=lin_0x{'f' * 5000}", "the start of learning_rate"),
        ("ppo", "learning_rate=lin_1e999", "the start of learning_rate must be finite"),
        ("ppo", "policy=MlpPolice", "Did you mean 'MlpPolicy'"),
        ("ppo", "policy_kwargs=[1]", "policy_kwargs must be a mapping"),
        ("ppo", "policy_kwargs={'net_arc':[1]}", "Did you mean 'net_arch'"),
        ("ppo", "policy_kwargs={'activation_fn':'Relu'}", "Did you mean 'ReLU'"),
        ("ppo", "allotment=True", "block_width"),
        ("ppo", "gamma=0.9 gamma=1", "given twice"),
        ("ppo", "batch_size", "name=value"),
        ("sac", "noise_std=-1", "noise_std must be"),
        ("sac", "noise_std=loud", "noise_std must be float"),
        ("sac", "imitate=pursuit", "for ppo"),
        ("ppoo", "gamma=1", "Did you mean 'ppo'"),
    ],
)
def test_mistakes_are_refused_by_name(algorithm, overrides, message):
    with pytest.raises((TypeError, ValueError), match=message):
        preset_of(algorithm, **parse_overrides(overrides.split(" ")))
    with pytest.raises(ValueError, match=r"of dqn 'Pursuit-v0'. Did you mean"):
        read_preset("dqn", "Pursuit-v0")


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
    folder = TrainingRun(Path("run"))
    (line,) = re.findall("See it play: .*", capsys.readouterr().out)
    assert line.endswith(f"--game {tmp_path / 'river.py'}:slow")
    training = folder.settings
    assert training.study.environment == "RiverEvade-v0"
    assert training.folder == Path("runs/RiverEvade-v0/ppo/seed_0")
    assert training.study.config == make_game(game=scenario_of("river.py:slow"))
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
    assert study.config == make_game(game="pond")
    usual = ALL_TASKS[f"pursuer/{similar}"]
    general = [name for name in usual.references if not name.startswith("tuned/")]
    assert study.references == tuple(dict.fromkeys((*general, "pursuit")))
    assert {*study.held_out} <= {*usual.opponents, *usual.held_out}


def test_a_guard_is_measured_beside_the_script_of_guards():
    assert Training(task="Guard-v0").study.references[-1] == "block/full_force"
    assert Training(task="GuardEvade-v0").study.references[-1] == "reach/full_force"


def test_a_scenario_named_as_a_game_replaces_none(forgotten, tmp_path, monkeypatch):
    file = tmp_path / "team.py"
    file.write_text(RIVER.replace("River", "Team").replace("slow = ", "other = "))
    before = GAMES["team"]
    found = scenario_of(f"{file}:Team")
    assert found.name == "team"
    assert GAMES["team"] is before
    monkeypatch.chdir(tmp_path)  # a file is run once however it is spelled
    assert scenario_of("team.py:Team") is found
