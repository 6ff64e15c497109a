"""Games, starts and settings of trainings, one by one."""

from __future__ import annotations

from contextlib import suppress

import gymnasium as gym
import numpy as np
import pytest
from short_trainings import PARAMS, QUIET, short_training
from stable_baselines3.common.noise import NormalActionNoise, VectorizedActionNoise
from stable_baselines3.common.utils import set_random_seed

from steer_env.agents.export.actor import actor_of
from steer_env.agents.training.learning_model import make_training_env, new_model
from steer_env.agents.training.run_report import save_episode_gif
from steer_env.agents.training.train import begin_run, train
from steer_env.agents.training.training import Training
from steer_env.baselines import NetworkPolicy, load
from steer_env.baselines.tasks import ALL_TASKS
from steer_env.errors import UsageError

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize("name", ALL_TASKS)
def test_every_scenario_has_its_own_game(name):
    training, task = short_training(task=name, num_envs=2), ALL_TASKS[name]
    venv = make_training_env(training)
    game = gym.make(task.environment, **task.make_keywords)
    space, players = game.observation_space, task.config.count(task.side)
    if players > 1:  # they share one network: a row is a player
        space = gym.spaces.Box(space.low[0], space.high[0])
    assert venv.num_envs == 2 * players
    assert venv.observation_space == space
    assert training.environment == task.environment
    assert training.study is task
    venv.close()
    game.close()


@pytest.mark.parametrize("name", [*Training().to_dict(), None])
def test_settings_of_other_types_are_refused_by_name(name):
    """As in a config.json that somebody has edited; some of the values are valid settings."""
    for value in (5, 1.5, True, "x", {"a": 1}, [None], [[1]]):
        settings = value if name is None else {**Training().to_dict(), name: value}
        message = name or "setting"
        try:
            with suppress(FileNotFoundError):  # of the preset
                Training.from_dict(settings).read_preset()
        except UsageError as error:
            message = str(error)
        assert (name or "setting") in message


@pytest.mark.parametrize(("task", "rows"), [("pursuer/walls", 3), ("pursuer/pack", 9)])
def test_every_player_has_noise_of_its_own(task, rows):
    params = (*PARAMS["td3"], "noise_type=normal", "noise_std=0.1")
    training = short_training("td3", task=task, num_envs=3, params=params)
    assert isinstance(training.read_preset().arguments["action_noise"], NormalActionNoise)
    venv = make_training_env(training)
    model = new_model(training, venv)
    model.learn(8)
    noise = model.action_noise
    venv.close()
    assert isinstance(noise, VectorizedActionNoise)
    set_random_seed(0)
    drawn = np.stack([noise() for _ in range(500)])
    assert drawn.shape == (500, rows, 2)
    assert 0.09 < drawn.std() < 0.11
    assert abs(np.corrcoef(drawn[:, 0, 0], drawn[:, 1, 0])[0, 1]) < 0.2


def test_an_episode_is_a_gif(tmp_path):
    save_episode_gif(tmp_path / "episode.gif", Training().study, load("pursuit/full_force"))
    assert (tmp_path / "episode.gif").read_bytes()[:3] == b"GIF"


def test_paths_are_relative_to_where_a_run_began(tmp_path, monkeypatch):
    network = actor_of(new_model(short_training(), make_training_env(short_training())))
    network.save(tmp_path / "mine.npz")
    monkeypatch.chdir(tmp_path)
    training = short_training(opponent=("mine.npz", "evade"), steps=256)
    folder = begin_run(training, tmp_path / "run", episodes=20)
    monkeypatch.chdir("/")
    assert folder.settings.opponent == (str(tmp_path / "mine.npz"), "evade")
    train(folder, QUIET)
    NetworkPolicy.load(folder.policy).save(tmp_path / "mine.npz")
    with pytest.raises(ValueError, match=r"begun with other files \(.*mine\.npz"):
        train(folder, QUIET)
