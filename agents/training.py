"""What a training run is, and how it is trained, from its beginning or from a checkpoint."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import VecEnv, VecNormalize
from threadpoolctl import threadpool_limits

from agents.durable import newest_checkpoint
from agents.hyperparameters import (
    ALGORITHMS,
    Preset,
    algorithm_class,
    parse_overrides,
    read_preset,
)
from agents.progress import Progress, TrainingCallback
from agents.run_folder import RunFolder
from agents.snapshot import restore_snapshot
from agents.validation import VALIDATION_SEED
from baselines.protocol import HELD_OUT_SEED, SCENARIOS, Scenario
from steer_env.envs.sb3 import make_vec_env
from steer_env.errors import check_choice, check_integer, check_number

SIDES = {
    "Pursuit-v0": "pursuer",
    "Evade-v0": "evader",
    "PursuitDiscrete-v0": "pursuer",
    "EvadeDiscrete-v0": "evader",
}
"""The environments that can be trained in, and whom one trains there."""

DEFAULT_OPPONENTS = {"pursuer": "evade", "evader": "pursuit"}


@dataclass(frozen=True, kw_only=True)
class Training:
    """What to train, with what, for how long.

    Attributes:
        env: the environment's id: "Pursuit-v0", "Evade-v0", or their discrete twins.
        algo: "ppo", "sac", "td3" or "dqn".
        steps: game steps of training, all games together; unless given, the preset's.
        seed: of the games, the network and the exploration.
        opponent: names or files of policies, one of which every episode draws; unless given,
            the environment's own, or the scenario's.
        opponent_weights: how often each is drawn, relative to the others; unless given, all
            alike.
        hardness: draw opponents the more often, the worse the policy did against them when it
            was last validated: 0 for no such curriculum, 2 for a marked one.
        scenario: of the benchmark protocol, such as "pursuer/randomized": its game and its
            opponents, instead of env and opponent.
        num_envs: games played at once; unless given, the preset's.
        params: what replaces the preset's hyperparameters, as batch_size=1024.
        preset: a file of presets; unless given, our own.
        start_from: a model.zip to begin with, rather than with a new network.
        validations: how often the policy is measured while it trains, evenly spread.
        validation_episodes: against each opponent, each time.
        checkpoint_seconds: between two checkpoints; a crash loses no more than that.
        threads: of torch. One is fastest for networks this small, and repeatable.
    """

    env: str = "Pursuit-v0"
    algo: str = "ppo"
    steps: int | None = None
    seed: int = 0
    opponent: tuple[str, ...] = ()
    opponent_weights: tuple[float, ...] = ()
    hardness: float = 0.0
    scenario: str | None = None
    num_envs: int | None = None
    params: tuple[str, ...] = ()
    preset: Path | None = None
    start_from: Path | None = None
    validations: int = 20
    validation_episodes: int = 200
    checkpoint_seconds: float = 30.0
    threads: int = 1

    def __post_init__(self) -> None:
        check_choice("env", self.env, SIDES)
        check_choice("algo", self.algo, ALGORITHMS)
        if self.scenario is not None:
            check_choice("scenario", self.scenario, SCENARIOS)
            if self.opponent or self.opponent_weights:
                raise ValueError("a scenario has opponents of its own: give it or them")
            if self.env not in (Training.env, self.environment):
                raise ValueError(
                    f"{self.scenario} is played in {self.environment}, not in {self.env}: give "
                    "a scenario or an env"
                )
        if len(set(self.opponent)) < len(self.opponent):
            raise ValueError(f"an opponent is given twice: {', '.join(self.opponent)}")
        for name in ("steps", "num_envs"):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), 1)
        check_integer("seed", self.seed, 0, VALIDATION_SEED - 1)
        check_integer("validations", self.validations, 1)
        check_integer(
            "validation_episodes", self.validation_episodes, 2, HELD_OUT_SEED - VALIDATION_SEED
        )
        check_number("checkpoint_seconds", self.checkpoint_seconds, 0.0)
        check_number("hardness", self.hardness, 0.0)
        if self.hardness and (self.opponent_weights or len(self.study.opponents) < 2):
            raise ValueError(
                "hardness changes how often each of several opponents is met: give several, "
                "and no opponent_weights"
            )
        check_integer("threads", self.threads, 1)

    @property
    def environment(self) -> str:
        """The environment's id, the scenario's if there is one."""
        return self.env if self.scenario is None else SCENARIOS[self.scenario].environment

    @property
    def study(self) -> Scenario:
        """The game, who is trained against, who is held out, and who is compared with."""
        if self.scenario is not None:
            return SCENARIOS[self.scenario]
        side = SIDES[self.env]
        opponents = self.opponent or (DEFAULT_OPPONENTS[side],)
        walls = SCENARIOS[f"{side}/walls"]
        others = (*walls.opponents, *walls.held_out)
        return Scenario(
            name=f"{self.env} against {', '.join(opponents)}",
            environment=self.env,
            side=side,
            opponents=opponents,
            held_out=tuple(name for name in others if name not in opponents),
            references=walls.references,
        )

    def read_preset(self) -> Preset:
        """The hyperparameters, with what replaces them.

        Raises:
            FileNotFoundError, TypeError, ValueError: if they are not there, or not valid.
        """
        overrides: dict[str, Any] = dict(parse_overrides(self.params))
        for name, value in (("n_envs", self.num_envs), ("n_timesteps", self.steps)):
            if value is not None:
                overrides[name] = value
        return read_preset(self.algo, self.environment, self.preset, overrides)

    @property
    def command(self) -> str:
        """The command line that trains this, without the folder."""
        parts = ["python", "-m", "agents", "train"]
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                values = value if isinstance(value, tuple) else (value,)
                parts += [f"--{field.name.replace('_', '-')}", *map(str, values)]
        return shlex.join(parts)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            name: str(value) if isinstance(value, Path) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Training:
        """What `to_dict` described.

        Raises:
            TypeError, ValueError: if it does not describe a training.
        """
        known = dict(given)
        for name in ("opponent", "opponent_weights", "params"):
            known[name] = tuple(known.get(name, ()))
        for name in ("preset", "start_from"):
            known[name] = None if known.get(name) is None else Path(known[name])
        return cls(**known)


def make_training_env(training: Training, preset: Preset) -> VecEnv:
    """The games that a run trains in.

    Raises:
        ValueError: if they would begin with starts that are kept for measuring.
    """
    if (training.seed + 1) * preset.num_envs > VALIDATION_SEED:
        raise ValueError(
            f"seed {training.seed} with {preset.num_envs} games would train with the starts "
            f"that are kept for measuring; up to {VALIDATION_SEED // preset.num_envs - 1} is "
            "possible"
        )
    keywords: dict[str, Any] = training.study.make_keywords
    if training.opponent_weights:
        keywords["opponent_weights"] = training.opponent_weights
    venv = make_vec_env(training.environment, preset.num_envs, **keywords)
    return VecNormalize(venv, **preset.normalize) if preset.normalize else venv


def check_start(training: Training, preset: Preset) -> None:
    """Tries whether a training can begin, so that nothing is left behind by one that cannot.

    Raises:
        FileNotFoundError: if a file that it names is not there.
        TypeError, ValueError: if its opponents, their weights or its seed are not possible, or
            if it would be that of a team.
    """
    venv = make_training_env(training, preset)
    venv.close()
    if len(venv.observation_space.shape or ()) != 1:
        raise ValueError(
            f"{training.study.name} has a team to train, whose actor is no network for one "
            "player; train with stable-baselines3 itself"
        )
    if training.start_from is not None and preset.normalize:
        raise ValueError("a model to start from brings no normalization: give start_from or it")
    if training.start_from is not None and not training.start_from.is_file():
        raise FileNotFoundError(f"there is no model to start from at {training.start_from}")


def train(training: Training, folder: RunFolder, console: Console) -> Progress:
    """Trains a policy, from the newest checkpoint in the folder if there is one.

    The folder gets the checkpoints, TensorBoard's logs, the best model and the last one.

    Args:
        training: what to train.
        folder: of the run.
        console: where the progress bar goes.

    Returns:
        How the training went.

    Raises:
        agents.durable.DamagedCheckpointError: if every checkpoint is damaged.
    """
    torch.set_num_threads(training.threads)
    with threadpool_limits(training.threads):  # numpy's too, which opponents compute with
        return _train(training, folder, console)


def _train(training: Training, folder: RunFolder, console: Console) -> Progress:
    preset = training.read_preset()
    venv = make_training_env(training, preset)
    saved = newest_checkpoint(folder.checkpoints)
    if saved is None:
        model, progress = _new_model(training, preset, venv), Progress()
    else:
        model, progress = restore_snapshot(saved, algorithm_class(training.algo), venv)
    if hasattr(model, "replay_buffer_class"):
        # Set up, it is that of n-step returns, and as if the user had chosen it, of which
        # stable-baselines3 would warn whenever the saved model is loaded.
        model.replay_buffer_class = None
    remaining = max(0, preset.steps - model.num_timesteps)
    if saved is not None and remaining:  # else the run is only measured again
        progress.resumed_at.append(model.num_timesteps)
    model.set_logger(configure(str(folder.tensorboard), ["tensorboard"]))
    callback = TrainingCallback(
        training.study,
        preset.steps,
        folder,
        progress,
        validations=training.validations,
        validation_episodes=training.validation_episodes,
        checkpoint_seconds=training.checkpoint_seconds,
        hardness=training.hardness,
        console=console,
    )
    with callback.bar:
        model.learn(remaining, callback, log_interval=10, reset_num_timesteps=saved is None)
        callback.finish()
    venv.close()
    return progress


def _new_model(training: Training, preset: Preset, venv: VecEnv) -> BaseAlgorithm:
    algorithm = algorithm_class(training.algo)
    model = algorithm(preset.policy, venv, device="cpu", seed=training.seed, **preset.arguments)
    if training.start_from is not None:
        model.set_parameters(str(training.start_from), device="cpu")
    # The model has seeded the games with its own seed, so neighbors would share their starts.
    venv.seed(training.seed * venv.num_envs)
    return model
