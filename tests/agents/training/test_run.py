"""Training runs: that they learn, that they repeat, and the settings that they refuse."""

import math

import pytest
from short_trainings import (
    PARAMS,
    QUIET,
    assert_identical,
    brief_imitation,
    parameters,
    short_training,
    trained,
)

from steer_env.agents.export.actor import actor_of
from steer_env.agents.training.model import make_training_env, new_model
from steer_env.agents.training.run import VALIDATION_SEED, Training
from steer_env.agents.training.run_report import best_of
from steer_env.agents.training.train import begin_run, train
from steer_env.baselines import NetworkPolicy
from steer_env.baselines.tasks import HELD_OUT_SEED, TASKS, Task
from steer_env.cli import main
from steer_env.envs.sb3 import StableBaselinesVecEnv
from steer_env.game.config import make_game
from steer_env.game.rules import observed_features
from steer_env.scenarios.registry import SUITE
from steer_env.sides import PURSUER


@pytest.mark.weekly
@pytest.mark.parametrize(("env", "steps"), [("Pursuit-v0", 130_000), ("Evade-v0", 60_000)])
def test_ppo_learns_to_beat_the_analytic_behavior(env, steps, tmp_path):
    training = Training(
        task=env,
        steps=steps,
        num_envs=32,
        params=("n_steps=64", "batch_size=512", "n_epochs=4", "learning_rate=lin_3e-3"),
        validations=1,
    )
    study, progress = training.study, train(begin_run(training, tmp_path / "run"), QUIET)
    learned = best_of(progress.validations, study)["capture_time"]
    analytic = study.evaluate(study.references[0], study.opponents[0], 200, VALIDATION_SEED)
    time = analytic["time"].mean()
    assert learned < 0.85 * time if training.side is PURSUER else learned > 1.25 * time


@pytest.mark.parametrize(
    ("changes", "is_same"),
    [
        ({"checkpoint_seconds": 1e6}, True),
        ({"opponent": ("evade", "flee"), "opponent_weights": (1.0, 0.0)}, True),
        ({"opponent": ("evade", "flee"), "opponent_weights": (0.0, 1.0)}, False),
        ({"seed": 1}, False),
    ],
)
def test_a_seed_makes_the_model(changes, is_same, finished_run, tmp_path):
    other = trained(short_training(**changes), tmp_path)
    one, other = (NetworkPolicy.load(run.last_policy) for run in (finished_run, other))
    assert one.is_equal(other) == is_same


def test_training_and_validation_begin_from_starts_of_their_own(tmp_path, monkeypatch):
    seeds = {"training": [], "measuring": []}
    reset, evaluate = StableBaselinesVecEnv.reset, Task.evaluate

    def noted_reset(venv):
        seeds["training"] += [seed for seed in venv._seeds if seed is not None]
        return reset(venv)

    def noted_evaluate(*given):
        found = evaluate(*given)
        seeds["measuring"] += list(found["seed"])
        return found

    monkeypatch.setattr(StableBaselinesVecEnv, "reset", noted_reset)
    monkeypatch.setattr(Task, "evaluate", noted_evaluate)
    for seed in (0, 1, VALIDATION_SEED // 8 - 1):
        trained(short_training(seed=seed, steps=256, validations=1), tmp_path / str(seed))
    assert len(set(seeds["training"])) == 3 * 8  # runs of neighboring seeds share none
    assert max(seeds["training"]) < min(seeds["measuring"]) == VALIDATION_SEED
    assert max(seeds["measuring"]) < HELD_OUT_SEED


@pytest.mark.parametrize(
    ("name", "width", "allots"),
    [
        ("pursuer/pack_obstacles", 8, True),
        pytest.param("evader/herd", 0, False, marks=pytest.mark.weekly),
        pytest.param("evader/pack", 8, False, marks=pytest.mark.weekly),
    ],
)
def test_a_team_trains(name, width, allots, tmp_path):
    params = (*PARAMS["ppo"], f"block_width={width}", f"allotment={allots}")
    training = short_training(task=name, steps=256, validations=1, params=params)
    with brief_imitation():
        network = NetworkPolicy.load(trained(training, tmp_path).policy)
    config = training.study.config
    assert network.metadata["environment"] == training.study.environment
    assert (network.encoder is not None) == (width > 0)
    assert network.takes(len(observed_features(config)))
    if width:
        others, players = (config.count(x.name) for x in (training.side.other, training.side))
        assert network.encoder.counts == (others, players - 1, config.num_obstacles)
        assert network.encoder.allots == allots


def test_a_training_is_measured_in_its_own_game():
    training = Training(task="AgileTorusEvadeDiscrete-v0", opponent=("seek",))
    assert training.study.config == make_game(game="agile_torus")
    assert training.study.opponents == ("seek",)
    assert "pretrained/agile_torus/pursuit/frozen" in training.study.held_out
    assert training.study.references == TASKS["evader/agile_torus"].references
    usual = Training(task="ObstaclesPursuit-v0").study
    assert usual.opponents == (SUITE["obstacles"].opponents[PURSUER],)


def test_training_starts_from_a_model(finished_run, tmp_path):
    before = finished_run.last_model
    still = (*PARAMS["ppo"], "learning_rate=1e-60")
    training = short_training(steps=256, seed=1, params=still, start_from=before)
    after = trained(training, tmp_path / "after").last_model
    assert_identical(*(parameters(one, "ppo")["policy"] for one in (before, after)))
    with pytest.raises(ValueError, match="is not a model of td3"):
        begin_run(short_training("td3", start_from=before), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"task": "Persuit-v0"}, "Did you mean 'Pursuit-v0'"),
        ({"algo": "pppo"}, "Did you mean 'ppo'"),
        ({"task": "pursuer/wals"}, "Did you mean 'pursuer/walls'"),
        ({"task": "pursuer/walls", "opponent": ("flee",)}, "opponents"),
        ({"task": "pursuer/walls", "opponent_weights": (1.0, 2.0)}, "opponents"),
        ({"task": "river.py:slow"}, "evader/river.py:slow"),
        ({"opponent": ("flee", "flee")}, "twice"),
        ({"steps": 0}, "steps"),
        ({"seed": -1}, "seed"),
        ({"validation_episodes": 100_001}, "validation_episodes"),
        ({"checkpoint_seconds": math.nan}, "checkpoint_seconds"),
        ({"hardness": 1.0}, "hardness"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Training(**settings)


SEARCH = {"method": "search"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seed": VALIDATION_SEED // 8}, "largest possible seed is 112499"),
        ({"opponent": ("evad",)}, "Did you mean 'evade'"),
        ({"opponent": ("missing.npz",)}, "missing.npz"),
        ({"opponent": ("pursuit",)}, "pursuer"),
        ({"opponent_weights": (1.0, 2.0)}, "weights"),
        ({"params": ("batch_sise=3",)}, "Did you mean 'batch_size'"),
        ({"algo": "dqn", "task": "Pursuit-v0"}, "PursuitDiscrete-v0"),
        ({"start_from": "missing.zip"}, "missing.zip"),
        ({"params": ("batch_size=0", "n_steps=32")}, "ppo cannot begin"),
        ({"params": ("policy_kwargs={'net_arch': [-3]}",)}, "ppo cannot begin"),
        ({"algo": "sac", "params": ("buffer_size=1e15",)}, "sac cannot begin"),
        ({"algo": "sac", "params": ("use_sde=True",)}, "gSDE"),
        (
            {"params": ("policy_kwargs={'activation_fn': 'ELU'}", "batch_size=64")},
            "Tanh or ReLU",
        ),
        ({"params": ("imitate=pursit",)}, "Did you mean 'pursuit'"),
        ({"params": ("imitate=evade",)}, "unknown script of a pursuer"),
        ({"params": ("imitate=None",)}, "imitate= stands for none"),
        ({"params": ("imitate=pursuit/searching",)}, "remembers"),
        ({"params": ("imitate=pursuit",), "task": "PursuitDiscrete-v0"}, "continuous"),
        ({"params": ("imitate=pursuit",), "start_from": "model.zip"}, "leave imitate"),
        (
            {
                "params": ("env_kwargs={'observation': {'nearest': 1}}",),
                "task": "PackPursuit-v0",
            },
            "standard observation",
        ),
        ({**SEARCH, "task": "PursuitDiscrete-v0"}, "a preset of search"),
        ({**SEARCH, "algo": "sac"}, "goes on with ppo"),
        ({**SEARCH, "opponent": ("evade", "pretrained/evade/ppo")}, "one network"),
        ({**SEARCH, "params": ("search=-1",)}, "search"),
    ],
)
def test_a_run_that_cannot_begin_leaves_no_folder(settings, message, tmp_path):
    with pytest.raises((ValueError, OSError), match=message):
        begin_run(short_training(**settings), tmp_path / "run")
    with pytest.raises(ValueError, match="episodes"):
        begin_run(short_training(), tmp_path / "run", episodes=3)
    assert not (tmp_path / "run").exists()


def test_a_folder_holds_one_run(finished_run, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["train", "--steps", "5", "--out", str(finished_run.path)])
    assert "already holds a training run" in capsys.readouterr().err


@pytest.mark.weekly
def test_paths_are_relative_to_where_a_run_began(tmp_path, monkeypatch):
    network = actor_of(new_model(short_training(), make_training_env(short_training())))
    network.save(tmp_path / "mine.npz")
    monkeypatch.chdir(tmp_path)
    training = short_training(opponent=("mine.npz", "evade"), steps=256)
    folder = begin_run(training, tmp_path / "run", episodes=20)
    monkeypatch.chdir("/")
    assert folder.settings.opponent == (str(tmp_path / "mine.npz"), "evade")
    train(folder, QUIET)
