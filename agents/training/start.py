"""The games and the model with which a training begins."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from agents.export.actor import actor_of
from agents.training.block_features import BlockFeatures, block_counts
from agents.training.hyperparameters import algorithm_class, parse_overrides
from agents.training.imitation import imitate, script_to_imitate
from agents.training.training import VALIDATION_SEED, Training
from steer_env.envs.sb3 import make_vec_env
from steer_env.errors import InvalidValue
from steer_env.players import controllers_of
from steer_env.suite import ENVIRONMENTS


def make_training_env(training: Training) -> VecEnv:
    """The games in which a run trains.

    Raises:
        ValueError: if they would begin with starts that are reserved for measuring.
    """
    preset = training.read_preset()
    if (training.seed + 1) * preset.num_envs > VALIDATION_SEED:
        raise InvalidValue(
            f"seed {training.seed} with {preset.num_envs} games would train with the starts "
            f"that are reserved for measuring; the largest possible seed is "
            f"{VALIDATION_SEED // preset.num_envs - 1}"
        )
    is_team = training.study.config.count(training.side.name) > 1
    keywords = {**game_keywords(training), **preset.env_kwargs}
    venv = make_vec_env(training.environment, preset.num_envs, shared=is_team, **keywords)
    return VecNormalize(venv, **preset.normalize) if preset.normalize else venv


def game_keywords(training: Training) -> dict[str, Any]:
    """The keywords of `gym.make`, besides the environment's id."""
    weights = training.opponent_weights or None
    return {**training.study.make_keywords, "opponent_weights": weights}


def check_start(training: Training) -> None:
    """Checks that a training can begin, before anything is written.

    Raises:
        FileNotFoundError: if one of its files does not exist.
        TypeError, ValueError: if its opponents, their weights, its seed or its hyperparameters
            are not valid.
    """
    study = training.study
    for opponent in study.opponents:
        # Games accept a script of either side, but measuring would refuse it in the end.
        controllers_of(*training.side.ordered(study.references[0], opponent))
    if training.start_from is not None and training.read_preset().normalize:
        raise InvalidValue(
            "a model to start from brings no normalization: give start_from or normalize"
        )
    _check_imitation(training)
    if training.start_from is not None and not training.start_from.is_file():
        raise FileNotFoundError(f"there is no model to start from at {training.start_from}")
    venv = make_training_env(training)
    try:
        actor_of(new_model(training, venv))
    finally:
        venv.close()


def _check_imitation(training: Training) -> None:
    """Checks that the preset's script can be imitated.

    Raises:
        ValueError: if there is no such script, the actions are discrete, or the training
            starts from a model and is given a script all the same.
    """
    if training.start_from is not None:
        if parse_overrides(training.params).get("imitate"):
            raise InvalidValue("a model to start from imitates nobody: leave imitate out")
        return
    script = training.read_preset().imitate
    if not script:
        return
    if ENVIRONMENTS[training.environment].action_type != "continuous":
        raise InvalidValue(f"imitate={script} needs continuous actions: leave it out")
    script_to_imitate(script, training.side)


def learned_from_script(training: Training, model: BaseAlgorithm, console: Console) -> float:
    """Lets a new model imitate the preset's script, if it names one; returns the seconds."""
    preset, venv = training.read_preset(), model.env
    if not preset.imitate or training.start_from is not None:
        return 0.0
    assert isinstance(model, OnPolicyAlgorithm)
    assert venv is not None
    keywords = {**game_keywords(training), **preset.env_kwargs}
    keywords.pop("credit", None)  # rewards teach nothing here
    environment, seed = training.environment, training.seed
    seconds = imitate(model, environment, keywords, preset.imitate, seed, console.print)
    venv.seed(training.seed * preset.num_envs)
    return seconds


def new_model(training: Training, venv: VecEnv) -> BaseAlgorithm:
    """Returns a model with new networks, or with those of `start_from`.

    Raises:
        ValueError: if stable-baselines3 refuses the hyperparameters, or `start_from` is not
            such a model.
    """
    algorithm, preset = algorithm_class(training.algo), training.read_preset()
    arguments = dict(preset.arguments)
    if preset.block_width:
        counts = block_counts(training.study.config, training.side)
        if counts.features != venv.observation_space.shape[0]:
            raise InvalidValue(
                f"block_width is for the standard observation, {counts.features} numbers here; "
                "with other features, or observe_nearest, set it to 0"
            )
        arguments["policy_kwargs"] = {
            **(arguments.get("policy_kwargs") or {}),
            "features_extractor_class": BlockFeatures,
            "features_extractor_kwargs": {
                "counts": tuple(counts),
                "width": preset.block_width,
                "allots": preset.allotment,
            },
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
