"""Runs commands and reads what they print."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from steer_env.baselines import NetworkPolicy
from steer_env.baselines.tasks import Task
from steer_env.cli import main
from steer_env.sides import EVADER, PURSUER


@pytest.fixture(autouse=True)
def _terminal(monkeypatch):
    """A terminal of the default width."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def say(capsys):
    """Runs a command and returns what it printed."""

    def run(line, *more):
        main([*line.split(), *map(str, more)])
        printed = capsys.readouterr()
        assert printed.err == ""
        return printed.out

    return run


@pytest.fixture
def fail(capsys):
    """Runs a command that must fail, and returns its one line."""

    def run(line, *more):
        with pytest.raises(SystemExit) as stop:
            main([*line.split(), *map(str, more)])
        printed = capsys.readouterr()
        assert stop.value.code == 2
        assert printed.out == ""
        (message,) = printed.err.splitlines()
        assert message.startswith("steer-env: ")
        return message.removeprefix("steer-env: ")

    return run


@pytest.fixture
def network(tmp_path):
    """Saves a policy that always pushes one way, and returns its path."""

    def save(name, push=(1.0, 0.0)):
        path = tmp_path / f"{name}.npz"
        weights = [np.zeros((2, *gym.make("Pursuit-v0").observation_space.shape))]
        NetworkPolicy(weights, [push], activation="tanh", head="box").save(path)
        return path

    return save


@pytest.fixture
def small_protocol(monkeypatch):
    """Tasks of walls with few opponents, some of them with two names."""
    pursuer = Task(
        name="pursuer/walls",
        environment="Pursuit-v0",
        side="pursuer",
        opponents=("evade", "pretrained/evade/selfplay"),
        held_out=("evade/closing", "flee"),
        references=("pursuit",),
    )
    evader = Task(
        name="evader/walls",
        environment="Evade-v0",
        side="evader",
        opponents=("seek", "pretrained/pursuit/ppo"),
        held_out=("pursuit",),
        references=("evade",),
    )
    tasks = {found.name: found for found in (pursuer, evader)}
    monkeypatch.setattr("standings.TASKS", tasks)
    forceful = {PURSUER: ("arrive/full_force",), EVADER: ()}
    monkeypatch.setattr("standings.FORCEFUL", forceful)
