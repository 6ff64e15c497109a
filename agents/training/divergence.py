"""Notices that a training has diverged, before its numbers replace good ones on the disk."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import unwrap_vec_normalize
from torch.nn.utils import parameters_to_vector

from steer_env.errors import InvalidValue

LARGEST_WEIGHT = 1e4
"""Weights of networks that learn are far smaller."""


class Diverged(InvalidValue):
    """A training has diverged; the message says from where it can go on, and how."""


def find_divergence(model: BaseAlgorithm, *, thorough: bool = True) -> str | None:
    """Returns what is wrong with a model that has diverged, or None if it is sound.

    Args:
        model: with its environment, whose VecNormalize counts as part of it.
        thorough: look at everything that is saved, not at the networks and losses alone. That
            takes some milliseconds.
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
    normalization = model.env and unwrap_vec_normalize(model.env)
    for name in ("obs_rms", "ret_rms"):
        statistics: Any = getattr(normalization, name, None)
        if statistics and not np.isfinite([*statistics.mean.flat, *statistics.var.flat]).all():
            return f"the statistics {name} of VecNormalize are not finite"
    return None


def _tensors(state: Any) -> Iterator[torch.Tensor]:
    """The tensors in nested mappings and sequences."""
    if isinstance(state, torch.Tensor):
        yield state
    elif isinstance(state, dict):
        yield from _tensors(state.values())
    elif isinstance(state, Iterable) and not isinstance(state, str):
        for one in state:
            yield from _tensors(one)
