"""All that a training run is made of at one moment, so that it goes on from there bit for bit.

The weights alone are not enough: the optimizer has its moments, the games are somewhere in the
middle, and all random numbers yet to come follow from the states of four generators.
"""

from __future__ import annotations

import io
import pickle
import random
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import (
    VecEnv,
    VecMonitor,
    VecNormalize,
    unwrap_vec_wrapper,
)

_NORMALIZE = ("obs_rms", "ret_rms", "returns")
_MONITOR = ("episode_returns", "episode_lengths", "episode_count")


def take_snapshot(model: BaseAlgorithm, progress: Any) -> bytes:
    """Everything about a training run, between two rollouts.

    Args:
        model: that is being trained in a VecEnv that `make_vec_env` made.
        progress: of the caller's own, which can be pickled.
    """
    venv = model.env
    assert venv is not None
    saved_model = io.BytesIO()
    model.save(saved_model)
    buffer = getattr(model, "replay_buffer", None)
    return pickle.dumps(
        {
            "model": saved_model.getvalue(),
            "replay_buffer": buffer,
            "games": venv.env_method("get_state", indices=[0])[0],
            "monitor": _fields(unwrap_vec_wrapper(venv, VecMonitor), _MONITOR),
            "normalize": _fields(unwrap_vec_wrapper(venv, VecNormalize), _NORMALIZE),
            "random": {
                "python": random.getstate(),
                "numpy": np.random.get_state(),  # noqa: NPY002  (stable-baselines3 draws from it)
                "torch": torch.get_rng_state(),
                "actions": model.action_space.np_random.bit_generator.state,
            },
            "progress": progress,
        },
        protocol=pickle.HIGHEST_PROTOCOL,
    )


def restore_snapshot(
    content: bytes, algorithm: type[BaseAlgorithm], venv: VecEnv
) -> tuple[BaseAlgorithm, Any]:
    """The model and the caller's progress as they were, with the games and with chance.

    Args:
        content: what `take_snapshot` returned. It is unpickled, which can run any code: never
            restore what you do not trust.
        algorithm: class of the model.
        venv: an environment like the one in which the model was trained.
    """
    saved = pickle.loads(content)
    venv.reset()
    model = algorithm.load(
        io.BytesIO(saved["model"]), env=venv, device="cpu", force_reset=False
    )
    if saved["replay_buffer"] is not None:
        model.replay_buffer = saved["replay_buffer"]  # type: ignore[attr-defined]
    venv.env_method("set_state", saved["games"], indices=[0])
    _set_fields(unwrap_vec_wrapper(venv, VecMonitor), saved["monitor"])
    _set_fields(unwrap_vec_wrapper(venv, VecNormalize), saved["normalize"])
    # Last, since making a model draws random numbers and seeds the generators.
    states = saved["random"]
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])  # noqa: NPY002
    torch.set_rng_state(states["torch"])
    model.action_space.np_random.bit_generator.state = states["actions"]
    return model, saved["progress"]


def _fields(wrapper: Any, names: tuple[str, ...]) -> dict[str, Any] | None:
    return None if wrapper is None else {name: getattr(wrapper, name) for name in names}


def _set_fields(wrapper: Any, fields: dict[str, Any] | None) -> None:
    for name, value in (fields or {}).items():
        setattr(wrapper, name, value)
