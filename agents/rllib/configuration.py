"""The configuration of RLlib that stands for a preset of stable-baselines3.

Presets keep the names and the meaning that they have in stable-baselines3. What RLlib does not
have is refused rather than left out, since it would be another training.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from agents.training.hyperparameters import Preset, argument_defaults
from agents.training.preset_values import LinearSchedule
from agents.training.start import first_seed, game_keywords
from agents.training.training import Training
from baselines.ray_cluster import import_ray
from steer_env.errors import InvalidValue, check_choice, shown
from steer_env.players import listed
from steer_env.policies.loading import is_loadable, load_network
from steer_env.suite import ENVIRONMENTS

ALGORITHMS = ("ppo", "sac")
"""The algorithms of RLlib that presets can configure."""

FIRST_SAMPLES = 600.0
"""Seconds to wait for samples: the first ones wait for the compiler."""

PAUSE = 1000
"""The least number of steps between two looks at a training, since each takes milliseconds."""

_ACTIVATIONS = {"ReLU": "relu", "Tanh": "tanh"}
_USUAL_NETWORKS = {"ppo": ([64, 64], "Tanh"), "sac": ([256, 256], "ReLU")}

_SAME = {
    "ppo": {
        "gamma": "gamma",
        "gae_lambda": "lambda_",
        "n_epochs": "num_epochs",
        "clip_range": "clip_param",
        "ent_coef": "entropy_coeff",
        "vf_coef": "vf_loss_coeff",
        "max_grad_norm": "grad_clip",
    },
    "sac": {
        "gamma": "gamma",
        "tau": "tau",
        "n_steps": "n_step",
        "learning_starts": "num_steps_sampled_before_learning_starts",
        "target_entropy": "target_entropy",
    },
}
"""Arguments that RLlib has by other names."""

_OTHERWISE = {
    "ppo": ("learning_rate", "n_steps", "batch_size", "policy_kwargs", "stats_window_size"),
    "sac": (
        *("learning_rate", "batch_size", "buffer_size", "train_freq", "gradient_steps"),
        *("ent_coef", "policy_kwargs", "stats_window_size"),
    ),
}
"""Arguments that RLlib has in another form, or that change nothing but what is printed."""

_OF_NETWORKS = {
    "ppo": ("net_arch", "activation_fn", "log_std_init", "ortho_init"),
    "sac": ("net_arch", "activation_fn"),
}


class Networks(NamedTuple):
    """The networks of actor and critic, which have the same hidden layers.

    Attributes:
        layers: the widths of the hidden layers.
        activation: "relu" or "tanh".
        log_std: the first logarithm of the standard deviations of PPO's actions.
        is_orthogonal: whether PPO's first weights are orthogonal matrices.
    """

    layers: list[int]
    activation: str
    log_std: float
    is_orthogonal: bool


def check_training(training: Training, address: str | None = None) -> None:
    """Checks that RLlib can train something, on the Ray cluster at an address.

    Raises:
        gymnasium.error.DependencyNotInstalled: without Ray.
        ValueError: if its game, seed, opponents or hyperparameters do not fit.
    """
    import_ray(address)
    if training.study.config.count(training.side.name) > 1:
        raise InvalidValue(
            f"RLlib trains one player, and the {training.side.name}s of {training.environment} "
            "are a team: train it with stable-baselines3"
        )
    if training.start_from is not None:
        raise InvalidValue("start_from is for stable-baselines3: leave it out with rllib")
    _check_buffer(training)
    configuration(training)


def _check_buffer(training: Training) -> None:
    """Checks that the replay buffer can hold the episodes that are played."""
    preset, config = training.read_preset(), training.study.config
    values = {**argument_defaults(training.algo), **preset.arguments}
    size = values.get("buffer_size")
    longest = preset.num_envs * preset.env_kwargs.get("horizon", config.horizon)
    if size is not None and size < longest:
        # RLlib drops whole episodes, and fails where it drops one that is still played.
        raise InvalidValue(
            f"RLlib's replay buffer holds whole episodes: set buffer_size to {longest} at "
            f"least, for the longest ones of {preset.num_envs} games"
        )


def _check_division(training: Training, preset: Preset) -> None:
    """Checks that the games and the batches can be divided among the processes."""
    runners, learners = max(training.env_runners, 1), max(training.learners, 1)
    if preset.num_envs % runners:
        low = preset.num_envs // runners * runners
        raise InvalidValue(
            f"{preset.num_envs} games cannot be divided among {runners} env runners: set "
            f"num_envs to {f'{low} or ' if low else ''}{low + runners}"
        )
    values = {**argument_defaults(training.algo), **preset.arguments}
    batches = [values["batch_size"]]
    if training.algo == "ppo":
        batches.append(preset.num_envs * values["n_steps"])
    if any(batch % learners for batch in batches):
        raise InvalidValue(
            f"batches of {' and '.join(map(str, batches))} steps cannot be divided among "
            f"{learners} learners: change learners, batch_size or n_steps"
        )


def configuration(training: Training) -> Any:
    """The AlgorithmConfig of a training.

    Numbers of games, steps and batches are totals, as in the preset: they are divided among the
    env runners and the learners.

    Raises:
        ValueError: for an algorithm or a hyperparameter that RLlib does not have, or if the
            games cannot be divided among the env runners, or the batches among the learners.
    """
    from steer_env.envs.rllib_runner import BatchedEnvRunner

    for module in ("algorithm_config", "sac.sac"):
        logging.getLogger(f"ray.rllib.algorithms.{module}").addFilter(_is_worth_showing)
    preset, runners = training.read_preset(), max(training.env_runners, 1)
    processes = training.env_runners, training.learners
    kind = ENVIRONMENTS[training.environment].action_type
    _check_division(training, preset)
    config = algorithm_configuration(training.algo, preset, kind, *processes)
    keywords = {**game_keywords(training), **preset.env_kwargs}
    # Other machines do not have the files of this one.
    keywords["opponent"] = [
        load_network(one, side=training.side.other) if is_loadable(one) else one
        for one in listed(keywords["opponent"])
    ]
    return (
        config.environment(f"steer_env:{training.environment}", env_config=keywords)
        .env_runners(
            env_runner_cls=BatchedEnvRunner,
            num_env_runners=training.env_runners,
            num_envs_per_env_runner=preset.num_envs // runners,
            sample_timeout_s=FIRST_SAMPLES,
        )
        .learners(num_learners=training.learners)
        .reporting(min_time_s_per_iteration=0, min_sample_timesteps_per_iteration=PAUSE)
        .debugging(seed=first_seed(training, preset))
    )


def _is_worth_showing(record: logging.LogRecord) -> bool:
    """Whether a message of RLlib is more than that its new API is now the default one."""
    return "on the new API stack" not in record.getMessage()


def algorithm_configuration(
    algorithm: str,
    preset: Preset,
    action_type: str = "continuous",
    env_runners: int = 0,
    learners: int = 0,
) -> Any:
    """The AlgorithmConfig of a preset, without games and processes.

    Args:
        algorithm: "ppo" or "sac".
        preset: its hyperparameters.
        action_type: "continuous" or "discrete".
        env_runners: the number of processes that only play.
        learners: the number of processes that only train.

    Raises:
        ValueError: for what RLlib does not have.
    """
    check_choice("algorithm with rllib", algorithm, ALGORITHMS)
    values = {**argument_defaults(algorithm), **preset.arguments}
    if refused := ", ".join(_refused(algorithm, preset, action_type, values)):
        raise InvalidValue(
            f"RLlib's {algorithm.upper()} does not have {refused}: change the preset, or train "
            "with stable-baselines3"
        )
    networks = networks_of(algorithm, preset)
    network: dict[str, Any] = {
        "fcnet_hiddens": networks.layers,
        "fcnet_activation": networks.activation,
    }
    same = {theirs: values[ours] for ours, theirs in _SAME[algorithm].items()}
    if algorithm == "ppo":
        network |= {"vf_share_layers": False, "free_log_std": action_type == "continuous"}
        config = _ppo(values, preset, max(learners, 1), same)
    else:
        config = _sac(values, preset, env_runners, max(learners, 1), same)
    return config.rl_module(model_config=network)


def networks_of(algorithm: str, preset: Preset) -> Networks:
    """The networks of a preset.

    Raises:
        ValueError: if the actor and the critic differ, or the activation is neither ReLU nor
            Tanh.
    """
    given = preset.arguments.get("policy_kwargs") or {}
    layers, activation = _USUAL_NETWORKS[algorithm]
    layers = given.get("net_arch", layers)
    if isinstance(layers, dict):
        widths = [*layers.values()]
        if len(widths) != 2 or widths[0] != widths[1]:
            raise InvalidValue(
                f"RLlib's actor and critic have the same hidden layers, got net_arch={layers}"
            )
        layers = widths[0]
    chosen = given.get("activation_fn")
    activation = activation if chosen is None else chosen.__name__
    check_choice("activation_fn with rllib", activation, _ACTIVATIONS)
    return Networks(
        list(layers),
        _ACTIVATIONS[activation],
        given.get("log_std_init", 0.0),
        given.get("ortho_init", algorithm == "ppo"),
    )


def _refused(
    algorithm: str, preset: Preset, action_type: str, values: dict[str, Any]
) -> Iterator[str]:
    """Lists what a preset has and RLlib does not."""
    for name in ("normalize", "block_width", "imitate"):
        if value := getattr(preset, name):
            yield f"{name}={shown(value)}"
    defaults = argument_defaults(algorithm)
    known = {*_SAME[algorithm], *_OTHERWISE[algorithm]}
    for name, value in preset.arguments.items():
        if name not in known and value != defaults[name]:
            yield f"{name}={shown(value)}"
        if name in _SAME[algorithm] and isinstance(value, LinearSchedule):
            yield f"a schedule of {name}"
    for name, value in (values["policy_kwargs"] or {}).items():
        if name not in _OF_NETWORKS[algorithm]:
            yield f"{name}={shown(value)}"
    if algorithm == "sac":
        if action_type != "continuous":
            yield f"{action_type} actions here"
        if not isinstance(values["ent_coef"], str):
            yield f"a fixed ent_coef={values['ent_coef']}"
        if isinstance(values["train_freq"], tuple) and values["train_freq"][1] != "step":
            yield f"train_freq={values['train_freq']}"


def _ppo(values: dict[str, Any], preset: Preset, learners: int, same: dict[str, Any]) -> Any:
    from ray.rllib.algorithms.ppo import PPOConfig

    batch = preset.num_envs * values["n_steps"]
    return (
        PPOConfig()
        .env_runners(rollout_fragment_length=values["n_steps"])
        .training(
            lr=_schedule(values["learning_rate"], preset.steps),
            train_batch_size_per_learner=-(-batch // learners),
            minibatch_size=-(-min(values["batch_size"], batch) // learners),
            use_kl_loss=False,
            vf_clip_param=math.inf,
            grad_clip_by="global_norm",
            **same,
        )
    )


def _sac(
    values: dict[str, Any],
    preset: Preset,
    env_runners: int,
    learners: int,
    same: dict[str, Any],
) -> Any:
    from ray.rllib.algorithms.sac import SACConfig

    freq = values["train_freq"]
    fragment = freq[0] if isinstance(freq, tuple) else freq
    sampled, updates = preset.num_envs * fragment, values["gradient_steps"]
    if updates == -1:
        updates = sampled
    # RLlib counts one env runner too many where they are processes of their own.
    counted = sampled * (env_runners + 1) / env_runners if env_runners else sampled
    batch = -(-values["batch_size"] // learners)
    initial = values["ent_coef"].partition("_")[2]
    rate = _schedule(values["learning_rate"], preset.steps)
    return (
        SACConfig()
        .env_runners(rollout_fragment_length=fragment)
        .training(
            actor_lr=rate,
            critic_lr=rate,
            alpha_lr=rate,
            train_batch_size_per_learner=batch,
            training_intensity=updates * batch * learners / counted,
            initial_alpha=float(initial or 1.0),
            replay_buffer_config={
                "type": "EpisodeReplayBuffer",
                "capacity": values["buffer_size"],
            },
            **same,
        )
    )


def _schedule(value: Any, steps: int) -> Any:
    """A learning rate as RLlib has it."""
    if isinstance(value, LinearSchedule):
        return [[0, value.initial], [steps, 0.0]]
    return value
