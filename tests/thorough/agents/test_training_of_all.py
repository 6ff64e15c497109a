"""Games, starts and settings of trainings, one by one."""

from __future__ import annotations

from contextlib import suppress

import gymnasium as gym
import pytest
from short_trainings import (
    short_training,
)

from agents.training.start import make_training_env
from agents.training.training import Training
from baselines.scenarios import ALL_SCENARIOS
from steer_env.errors import UsageError


@pytest.mark.parametrize("name", ALL_SCENARIOS)
def test_every_scenario_has_its_own_game(name):
    training, scenario = short_training(scenario=name, num_envs=2), ALL_SCENARIOS[name]
    venv = make_training_env(training)
    game = gym.make(scenario.environment, **scenario.make_keywords)
    space, players = game.observation_space, scenario.config.count(scenario.side)
    if players > 1:  # they share one network: a row is a player
        space = gym.spaces.Box(space.low[0], space.high[0])
    assert venv.num_envs == 2 * players
    assert venv.observation_space == space
    assert training.environment == scenario.environment
    assert training.study is scenario
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
