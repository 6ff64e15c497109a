"""The networks of RLlib's default modules, for our files and from our presets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.rllib.configuration import Networks
from baselines import NetworkPolicy
from steer_env.errors import InvalidValue

_ACTORS = {"ppo": ("encoder.actor_encoder.net", "pi.net"), "sac": ("pi_encoder.net", "pi.net")}
_CRITICS = ("encoder.critic_encoder.net", "vf.net")
LOG_STD = "pi.log_std"
"""RLlib's name of the logarithms of the standard deviations of PPO's actions."""


def actor_of_state(
    state: Mapping[str, Any], algorithm: str, networks: Networks, metadata: dict[str, Any]
) -> NetworkPolicy:
    """Copies the actor of a default module of PPO or SAC.

    Its deterministic actions are the module's, and so is the distribution of PPO's sampled
    ones; the sampled actions of SAC are for exploration only, and left out.

    Args:
        state: of the module: weights and biases by name.
        algorithm: "ppo" or "sac".
        networks: as the module has them.
        metadata: of the network, anything that JSON can hold.

    Raises:
        ValueError: if the state is not that of such a module.
    """
    arrays = {name: np.asarray(value) for name, value in state.items()}
    encoder, head = _ACTORS[algorithm]
    names = [*layers_of(arrays, encoder), *layers_of(arrays, head)]
    if len(names) != len(networks.layers) + 1:
        raise InvalidValue(
            f"the module's actor has {len(names)} layers, expected {len(networks.layers) + 1}"
        )
    weights = [arrays[f"{name}.weight"] for name in names]
    biases = [arrays[f"{name}.bias"] for name in names]
    log_std = arrays.get(LOG_STD)
    kind = "categorical" if log_std is None else "box"
    if algorithm == "sac":  # the other outputs are the standard deviations
        kind, outputs = "squashed", len(weights[-1]) // 2
        weights[-1], biases[-1] = weights[-1][:outputs], biases[-1][:outputs]
    return NetworkPolicy(
        weights,
        biases,
        activation=networks.activation,
        head=kind,
        log_std=log_std,
        metadata=metadata,
    )


def first_weights(
    state: Mapping[str, Any], networks: Networks, seed: int
) -> dict[str, NDArray[np.float32]]:
    """The weights with which stable-baselines3's PPO begins, for RLlib's default module.

    Its layers are orthogonal matrices, times the square root of 2 in hidden layers, 0.01 in the
    actor's last and 1 in the critic's last one; biases are 0.

    Args:
        state: of the module: weights and biases by name.
        networks: as the module has them.
        seed: of the matrices.
    """
    found = {name: np.array(value) for name, value in state.items()}
    if networks.is_orthogonal:
        generator = torch.Generator().manual_seed(seed)
        gains = ((_ACTORS["ppo"], 0.01), (_CRITICS, 1.0))
        for (encoder, head), last in gains:
            for part, gain in ((encoder, 2.0**0.5), (head, last)):
                for name in layers_of(found, part):
                    weight = torch.empty(found[f"{name}.weight"].shape)
                    torch.nn.init.orthogonal_(weight, gain, generator)
                    found[f"{name}.weight"] = weight.numpy()
                    found[f"{name}.bias"] = np.zeros_like(found[f"{name}.bias"])
    if LOG_STD in found:
        found[LOG_STD] = np.full_like(found[LOG_STD], networks.log_std)
    return found


def layers_of(state: Mapping[str, Any], part: str) -> list[str]:
    """The names of a part's linear layers, in order."""
    end = ".weight"
    names = [name[: -len(end)] for name in state if name.startswith(f"{part}.") and end in name]
    return sorted(names, key=lambda name: int(name.rpartition(".")[2]))
