"""A network of RLlib as a model of stable-baselines3, from which its trainings can go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from agents.rllib.actor import LOG_STD, layers_of
from agents.training.start import make_training_env, new_model
from agents.training.training import Training
from steer_env.errors import InvalidValue

_PARTS = {
    "encoder.actor_encoder.net": "mlp_extractor.policy_net",
    "pi.net": "action_net",
    "encoder.critic_encoder.net": "mlp_extractor.value_net",
    "vf.net": "value_net",
}
"""The parts of RLlib's default module of PPO, and stable-baselines3's names of them."""


def stable_baselines_model(state: Mapping[str, Any], training: Training) -> Any:
    """A PPO of stable-baselines3 with the actor and the critic of RLlib's default module.

    Its optimizer is new.

    Args:
        state: of the module: weights and biases by name.
        training: for stable-baselines3, with the preset of the module.

    Raises:
        ValueError: if the preset's networks are others.
    """
    venv = make_training_env(training)
    try:
        model = new_model(training, venv)
    finally:
        venv.close()
    found = {}
    for ours, theirs in _PARTS.items():
        for index, name in enumerate(layers_of(state, ours)):
            # Activations lie between the hidden layers, which are counted with them.
            target = f"{theirs}.{2 * index}" if theirs.startswith("mlp") else theirs
            for kind in ("weight", "bias"):
                found[f"{target}.{kind}"] = torch.as_tensor(state[f"{name}.{kind}"])
    if LOG_STD in state:
        found["log_std"] = torch.as_tensor(state[LOG_STD])
    try:
        model.policy.load_state_dict(found)
    except RuntimeError as error:
        raise InvalidValue(
            f"the module is not that of the preset of {training.environment}: {error}"
        ) from error
    return model
