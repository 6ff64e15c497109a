"""The model and the games of a training: their beginning, their saving, their divergence."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import Progress as ProgressBar
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.vec_env import VecEnv
from torch.nn.utils import parameters_to_vector

from steer_env.baselines import NetworkPolicy
from steer_env.baselines.measures import payoff_of
from steer_env.envs.sb3 import make_vec_env
from steer_env.envs.vector import NativeVectorEnv
from steer_env.errors import InvalidValue
from steer_env.files import write_bytes
from steer_env.game.config.keywords import plain
from steer_env.players.resolver import resolve, resolve_pair
from steer_env.scenarios.registry import ENVIRONMENTS

from ..export.actor import actor_of
from .block_features import BlockFeatures, block_counts
from .hyperparameters import algorithm_class, parse_overrides
from .imitation import ScriptTeacher, Teacher, course_of, imitate, script_to_imitate
from .search_teacher import SearchTeacher, best_together, check_opponents
from .training import VALIDATION_SEED, Training
from .validation import validate

LARGEST_WEIGHT = 1e4  # weights of networks that learn are far smaller


class Diverged(InvalidValue):
    """A training has diverged, and the message says how to go on."""


class LearningModel:
    """A model of stable-baselines3 and the games that it learns from.

    The methods but `learn` are called between two rollouts, where its state is complete. None
    of them draws a random number, so measuring and saving do not change a run.
    """

    def __init__(self, training: Training) -> None:
        self._training = training
        self._venv = make_training_env(training)
        self.model: BaseAlgorithm  # once `begin` or `restore` has made it
        torch.set_num_threads(training.threads)

    @property
    def steps(self) -> int:
        """The steps of training so far, all games together."""
        return self.model.num_timesteps

    def begin(self, console: Console, lessons: Path) -> float:
        """Makes a new model, and teaches it a script or a search if the preset says so.

        It goes on from the lessons in a file. Returns the seconds that count as training.
        """
        training, preset = self._training, self._training.read_preset()
        self._set_model(new_model(training, self._venv))
        if training.start_from is not None or not (preset.imitate or preset.search):
            return 0.0
        assert isinstance(self.model, OnPolicyAlgorithm)
        keywords = {**training.game_keywords, **preset.env_kwargs}
        keywords.pop("credit", None)  # rewards teach nothing here
        with ProgressBar(console=console, transient=True) as bar:
            task = bar.add_task("learning", total=1.0)
            seconds = imitate(
                *(self.model, training.study.environment, keywords, self._teacher),
                *(course_of(preset), training.seed, console.print),
                lambda share: bar.update(task, completed=share),
                self._measured if preset.search else None,
                lessons,
            )
        self._venv.seed(training.seed * preset.num_envs)
        return seconds

    def _measured(self, actor: NetworkPolicy) -> str:
        training = self._training
        found = validate(actor, training.study, training.validation_episodes)
        payoff = payoff_of(training.study.config.payoff)
        return f"{payoff.words} {found.payoff:.2f} {payoff.unit}"

    def _teacher(self, games: NativeVectorEnv) -> Teacher:
        side, preset = self._training.side, self._training.read_preset()
        if not preset.search:
            return ScriptTeacher(games, preset.imitate)
        opponents = [resolve(one, side.other) for one in self._training.study.opponents]
        if preset.imitate:
            return SearchTeacher(games, opponents, [script_to_imitate(preset.imitate, side)])
        return SearchTeacher(games, opponents, best_together(games.config, side, opponents))

    def snapshot(self) -> dict[str, Any]:
        """The state of the model."""
        saved = io.BytesIO()
        self.model.save(saved)
        buffer = getattr(self.model, "replay_buffer", None)
        return {"model": saved.getvalue(), "replay_buffer": buffer}

    def restore(self, snapshot: dict[str, Any], **changes: Any) -> None:
        """Restores a `snapshot`, with changed hyperparameters."""
        training, saved = self._training, io.BytesIO(snapshot["model"])
        load = algorithm_class(training.algo).load
        model: Any = load(saved, env=self._venv, device="cpu", **changes)
        if snapshot["replay_buffer"] is not None:
            model.replay_buffer = snapshot["replay_buffer"]
        self._set_model(model)
        count = training.read_preset().num_envs
        first = (training.seed * count + self.steps) % (VALIDATION_SEED - count)
        self.model.set_random_seed(first)  # the model has begun as it did at first
        self._venv.seed(first)

    def _set_model(self, model: BaseAlgorithm) -> None:
        if hasattr(model, "replay_buffer_class"):
            # For n-step returns stable-baselines3 has set it itself, but would warn of a
            # user-defined class whenever the saved model is loaded.
            model.replay_buffer_class = None
        observation = self._venv.get_attr("config")[0].observation
        # That of its game comes with the game, all else is saved with the model.
        if observation != self._training.study.config.observation:
            vars(model)["observation_config"] = plain(observation)
        self.model = model

    def learn(self, steps: int, between: Callable[[], None], logger: Logger) -> None:
        """Trains for this many steps or a few more, and calls `between` before rollouts."""
        self.model.set_logger(logger)
        callback, is_new = TrainingCallback(between), self.steps == 0
        self.model.learn(steps, callback, log_interval=10, reset_num_timesteps=is_new)

    def actor(self) -> NetworkPolicy:
        """Returns a copy of the network that acts."""
        about = {"environment": self._training.study.environment, "steps": self.steps}
        return actor_of(self.model, {**about, "algorithm": type(self.model).__name__})

    def write(self, path: Path) -> None:
        """Writes the model in the format of stable-baselines3."""
        write_bytes(path, self.snapshot()["model"])

    def weigh_opponents(self, weights: Sequence[float]) -> None:
        """Changes the chances of the opponents, in episodes that begin from now on."""
        self._venv.set_attr("opponent_weights", tuple(weights))

    def close(self) -> None:
        """Ends the games."""
        self._venv.close()


class TrainingCallback(BaseCallback):
    """Calls a function before each rollout."""

    def __init__(self, between: Callable[[], None]) -> None:
        super().__init__()
        self._on_rollout_start = between  # type: ignore[method-assign]

    def _on_step(self) -> bool:
        return True


def make_training_env(training: Training) -> VecEnv:
    """The games in which a run trains, from starts that are not reserved for measuring."""
    preset = training.read_preset()
    if (training.seed + 1) * preset.num_envs > VALIDATION_SEED:
        raise InvalidValue(
            f"seed {training.seed} with {preset.num_envs} games would train with the starts "
            f"that are reserved for measuring; the largest possible seed is "
            f"{VALIDATION_SEED // preset.num_envs - 1}"
        )
    is_team = training.study.config.count(training.side.name) > 1
    keywords = {**training.game_keywords, **preset.env_kwargs}
    return make_vec_env(training.study.environment, preset.num_envs, shared=is_team, **keywords)


def new_model(training: Training, venv: VecEnv) -> BaseAlgorithm:
    """Returns a model with new networks, or with those of `start_from`."""
    algorithm, preset = algorithm_class(training.algo), training.read_preset()
    arguments = dict(preset.arguments)
    if preset.block_width:
        counts = block_counts(training.study.config, training.side)
        if counts.features != venv.observation_space.shape[0]:
            raise InvalidValue(
                f"block_width is for the standard observation, {counts.features} numbers here; "
                "with other features, or of the nearest, set it to 0"
            )
        own = {"width": preset.block_width, "allots": preset.allotment}
        arguments["policy_kwargs"] = {
            **(arguments.get("policy_kwargs") or {}),
            "features_extractor_class": BlockFeatures,
            "features_extractor_kwargs": {"counts": tuple(counts), **own},
        }
    try:
        model = algorithm(preset.policy, venv, device="cpu", seed=training.seed, **arguments)
    except Exception as error:  # torch and stable-baselines3 refuse some in many ways
        reason = " ".join(str(error).split())
        raise InvalidValue(f"{training.algo} cannot begin: {reason}") from error
    if training.start_from is not None:
        try:
            model.set_parameters(str(training.start_from), device="cpu")
        except Exception as error:  # other files make it fail in many ways, too
            raise InvalidValue(
                f"{training.start_from} is not a model of {training.algo} with these networks "
                f"({type(error).__name__})"
            ) from error
    # The model has seeded the games with its own seed, so neighbors would share their starts.
    venv.seed(training.seed * preset.num_envs)
    return model


def check_start(training: Training) -> None:
    """Raises an error if a training cannot begin, before anything is written."""
    study, preset, start = training.study, training.read_preset(), training.start_from
    for opponent in study.opponents:
        # Games accept a script of either side, but measuring would refuse it in the end.
        resolve_pair(*training.side.ordered(study.references[0], opponent))
    if start is not None:
        if parse_overrides(training.params).get("imitate") or preset.search:
            raise InvalidValue(
                "a model to start from imitates neither a script nor a search: leave imitate "
                "and search out"
            )
        if not start.is_file():
            raise FileNotFoundError(f"there is no model to start from at {start}")
    elif preset.imitate or preset.search:
        if ENVIRONMENTS[study.environment].action_type != "continuous":
            what = "search" if preset.search else f"imitate={preset.imitate}"
            raise InvalidValue(f"{what} needs continuous actions: leave it out")
        if preset.imitate:
            script_to_imitate(preset.imitate, training.side)
        if preset.search:
            check_opponents([resolve(x, training.side.other) for x in study.opponents])
    with closing(make_training_env(training)) as venv:
        actor_of(new_model(training, venv))


def find_divergence(model: BaseAlgorithm, *, thorough: bool = True) -> str | None:
    """Returns the sign that a model has diverged, or None if it is sound.

    The thorough search takes some milliseconds: it looks at everything that is saved, not at
    the networks and losses alone.
    """
    networks = [*model.policy.parameters()]
    if (entropy := getattr(model, "log_ent_coef", None)) is not None:  # of SAC
        networks.append(entropy)
    if not (parameters_to_vector(networks).abs() < LARGEST_WEIGHT).all():
        return f"its weights are not finite, or above {LARGEST_WEIGHT:,.0f}"
    for name, value in model.logger.name_to_value.items():
        if name.endswith("loss") and not math.isfinite(value):
            return f"{name} is {value}"
    if not thorough:
        return None
    for name, state in model.get_parameters().items():
        if not all(torch.isfinite(tensor).all() for tensor in _tensors(state)):
            return f"{name} is not finite"
    return None


def _tensors(state: Any) -> Iterator[torch.Tensor]:
    if isinstance(state, torch.Tensor):
        yield state
    elif isinstance(state, Iterable) and not isinstance(state, str):
        for one in state.values() if isinstance(state, dict) else state:
            yield from _tensors(one)
