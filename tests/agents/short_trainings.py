"""Trainings of a second, made to crash, and what they leave compared bit for bit."""

import io
from contextlib import contextmanager
from functools import partial

import gymnasium as gym
import pytest
import torch
from gymnasium.vector import AutoresetMode
from rich.console import Console

from steer_env.agents.selfplay.generations import SelfPlay
from steer_env.agents.training import imitation
from steer_env.agents.training.hyperparameters import algorithm_class
from steer_env.agents.training.run import Training, load_checkpoint
from steer_env.agents.training.train import TrainingMonitor, begin_run, train
from steer_env.baselines import gap
from steer_env.scenarios.registry import DEFAULT_GAME

QUIET = Console(quiet=True)
SHORT_STARTS = 5  # in each region, to measure the gap to perfect play
_OFF_POLICY = (
    *("learning_starts=200", "batch_size=32", "buffer_size=2000"),
    *("train_freq=16", "gradient_steps=4"),
)
PARAMS = {
    "ppo": ("n_steps=32", "batch_size=64"),
    "a2c": ("n_steps=32",),
    **dict.fromkeys(("sac", "td3"), _OFF_POLICY),
    "dqn": (*_OFF_POLICY, "exploration_fraction=0.5", "target_update_interval=100"),
}


class CrashError(Exception):
    """Stands for whatever ends a process."""


def short_training(algo="ppo", **changes):
    """A training of two rollouts of PPO in 8 games, with a checkpoint after each."""
    settings = {
        "algo": algo,
        "task": "PursuitDiscrete-v0" if algo == "dqn" else "Pursuit-v0",
        "steps": 512,
        "num_envs": 8,
        "params": PARAMS[algo],
        "validations": 2,
        "validation_episodes": 4,
        "checkpoint_seconds": 0.0,
    }
    return Training(**{**settings, **changes})


def begun_games(environment, count, **keywords):
    """Games as trainings play them, with the seeds 0, 1, ..."""
    keywords["autoreset_mode"] = AutoresetMode.SAME_STEP
    games = gym.make_vec(environment, count, **keywords).unwrapped
    games.reset(seed=range(count))
    return games


def trained(training, path):
    """The folder of a training that nothing disturbed."""
    folder = begin_run(training, path)
    train(folder, QUIET)
    return folder


def arguments_of(training, path):
    """Of the command that trains and measures it."""
    words = training.command.split()
    return [*words[1:], "--episodes", "5", "--out", str(path)]


@contextmanager
def brief_imitation(**changes):
    """Lets networks learn from scripts, or a search, for a moment."""
    brief = {"GAMES": 8, "ROUNDS": 2, "STEPS": 10, "CRITIC_ROLLOUTS": 1, "BATCHES": 5}
    brief |= {"SEARCHED_GAMES": 8, "SEARCHED_STEPS": 8}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**brief, "BATCH_SIZE": 64, **changes}.items():
            patch.setattr(imitation, name, value)
        yield


@contextmanager
def short_selfplay():
    """Makes the trainings of self-play short, and its measurements of few episodes."""
    training = SelfPlay.training

    def short(plan, side, opponents, **changes):
        quick = {"validations": 1, "validation_episodes": 4, "checkpoint_seconds": 0.0}
        quick["params"] = PARAMS["ppo"]
        return training(plan, side, opponents, **{**changes, **quick})

    with brief_imitation(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(SelfPlay, "training", short)
        patch.setattr("steer_env.agents.selfplay.selfplay._EPISODES", 4)
        few = partial(gap, starts=SHORT_STARTS)
        patch.setattr("steer_env.agents.selfplay.selfplay.gap", few)
        yield


def short_plan(game=DEFAULT_GAME, **changes):
    """Self-play of two short generations."""
    given = {"generations": 2, "steps": 256, "num_envs": 8}
    return SelfPlay(game=game, **{**given, **changes})


@contextmanager
def crash(at_step):
    """Training raises a CrashError in the rollout in which it reaches a step."""

    def on_step(callback):
        if callback.num_timesteps >= at_step:
            raise CrashError
        return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TrainingMonitor, "_on_step", on_step)
        with pytest.raises(CrashError):
            yield


def last_snapshot(folder):
    """The last checkpoint of a run."""
    return load_checkpoint(folder.checkpoint)


def parameters(model, algo):
    """Of a saved model (its bytes, or its path): networks and optimizers."""
    file = io.BytesIO(model) if isinstance(model, bytes) else model
    return algorithm_class(algo).load(file, device="cpu").get_parameters()


assert_identical = partial(torch.testing.assert_close, rtol=0.0, atol=0.0)
"""That two nested structures of tensors are the same, to the last bit."""
