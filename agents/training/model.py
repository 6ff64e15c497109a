"""The models of trainings: how they begin, are saved and validated, and how they diverge."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Any, TypeAlias

import numpy as np
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv
from torch.nn.utils import parameters_to_vector

from steer_env.baselines.measures import CAPTURE_TIME, payoff_of
from steer_env.baselines.tasks import Task
from steer_env.envs.sb3 import make_vec_env
from steer_env.errors import InvalidValue
from steer_env.game.config.keywords import plain
from steer_env.players.blocks import BlockCounts
from steer_env.players.player import AnyPlayer
from steer_env.players.resolver import resolve, resolve_pair
from steer_env.scenarios.registry import ENVIRONMENTS

from ..export.actor import actor_of
from ..export.torch_network import BlockFeatures
from .hyperparameters import algorithm_class, parse_overrides
from .run import VALIDATION_SEED, Training
from .teachers import check_opponents, script_to_imitate

LARGEST_WEIGHT = 1e4  # weights of networks that learn are far smaller


Validation: TypeAlias = dict[str, Any]
"""The performance of a policy at one moment of its training, as results.json has it.

It holds the `steps` and `seconds` of training, without the time for measuring, and means over
the opponents for training, with the weights that the training fixes, if any: the share
`captured`, the `capture_time` in seconds, time-outs at the limit, and the `capture_times` by
opponent; in a game about a distance the `distances` by opponent and their mean, the `distance`,
in meters.
"""


def make_training_env(training: Training) -> VecEnv:
    """The games in which a run trains, from starts that are not reserved for measuring."""
    preset = training.read_preset()
    if (training.seed + 1) * preset.n_envs > VALIDATION_SEED:
        raise InvalidValue(
            f"seed {training.seed} with {preset.n_envs} games would train with the starts "
            f"that are reserved for measuring; the largest possible seed is "
            f"{VALIDATION_SEED // preset.n_envs - 1}"
        )
    is_team = training.study.config.count(training.side.name) > 1
    given = training.study.environment, preset.n_envs
    return make_vec_env(*given, shared=is_team, **training.game_keywords)


def new_model(training: Training, venv: VecEnv) -> BaseAlgorithm:
    """Returns a model with new networks, or with those of `start_from`."""
    algorithm, preset = algorithm_class(training.algo), training.read_preset()
    arguments = dict(preset.arguments)
    if preset.block_width:
        config, side = training.study.config, training.side
        others, mates = config.count(side.other.name), config.count(side.name) - 1
        counts = BlockCounts(others, mates, config.num_obstacles)
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
    venv.seed(training.seed * preset.n_envs)
    return _ready(model, training)


def restored_model(training: Training, venv: VecEnv, saved: dict[str, Any]) -> BaseAlgorithm:
    """Returns the model of a `snapshot`, with other starts."""
    load, count = algorithm_class(training.algo).load, training.read_preset().n_envs
    model: Any = load(io.BytesIO(saved["model"]), env=venv, device="cpu")
    if saved["replay_buffer"] is not None:
        model.replay_buffer = saved["replay_buffer"]
    first = (training.seed * count + model.num_timesteps) % (VALIDATION_SEED - count)
    model.set_random_seed(first)  # of the games, too: they have begun as they did at first
    return _ready(model, training)


def _ready(model: BaseAlgorithm, training: Training) -> BaseAlgorithm:
    if hasattr(model, "replay_buffer_class"):
        # For n-step returns stable-baselines3 has set it itself, but would warn of a
        # user-defined class whenever the saved model is loaded.
        model.replay_buffer_class = None
    assert model.env is not None
    observation = model.env.get_attr("config")[0].observation
    # That of its game comes with the game, all else is saved with the model.
    if observation != training.study.config.observation:
        vars(model)["observation_config"] = plain(observation)
    return model


def snapshot(model: BaseAlgorithm) -> dict[str, Any]:
    """The state of a model between two rollouts: its file's content, and its replay buffer."""
    saved = io.BytesIO()
    model.save(saved)
    buffer = getattr(model, "replay_buffer", None)
    return {"model": saved.getvalue(), "replay_buffer": buffer, "steps": model.num_timesteps}


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


def find_divergence(model: BaseAlgorithm) -> str | None:
    """Returns the sign in its networks or losses that a model has diverged, or None."""
    networks = [*model.policy.parameters()]
    if (entropy := getattr(model, "log_ent_coef", None)) is not None:  # of SAC
        networks.append(entropy)
    if not (parameters_to_vector(networks).abs() < LARGEST_WEIGHT).all():
        return f"its weights are not finite, or above {LARGEST_WEIGHT:,.0f}"
    for name, value in model.logger.name_to_value.items():
        if name.endswith("loss") and not math.isfinite(value):
            return f"{name} is {value}"
    return None


def validate(
    policy: AnyPlayer,
    study: Task,
    episodes: int,
    steps: int = 0,
    seconds: float = 0.0,
    weights: Sequence[float] = (),
) -> Validation:
    """Plays a policy against each opponent. By default the weights in the means are equal."""
    played = {
        opponent: study.evaluate(policy, opponent, episodes, VALIDATION_SEED)
        for opponent in study.opponents
    }

    def mean(values: Iterable[float]) -> float:
        return float(np.average([*values], weights=weights or None))

    payoffs = {opponent: float(one.payoffs.mean()) for opponent, one in played.items()}
    found: Validation = {"steps": steps, "seconds": seconds}
    if payoff_of(study.config.payoff) is not CAPTURE_TIME:
        return found | {"distances": payoffs, "distance": mean(payoffs.values())}
    found["captured"] = mean(float(one["captured"].mean()) for one in played.values())
    return found | {"capture_time": mean(payoffs.values()), "capture_times": payoffs}


def validate_references(
    study: Task, episodes: int, weights: Sequence[float] = ()
) -> dict[str, Validation]:
    """Plays the hand-written policies of a study as `validate` plays the one that trains."""
    return {one: validate(one, study, episodes, weights=weights) for one in study.references}


def payoff_in_words(found: Validation, study: Task) -> str:
    """The mean payoff and its unit, such as "capture time 4.20 s"."""
    payoff = payoff_of(study.config.payoff)
    return f"{payoff.words} {found[payoff.name]:.2f} {payoff.unit}"
