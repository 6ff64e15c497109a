"""The whole state of a training run at one moment, from which it goes on bit for bit.

The weights alone are not enough: the optimizer has its moments, the games are in the middle of
episodes, and all future random numbers follow from the states of four generators.
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

from steer_env.envs.sb3 import PlayersVecEnv

_LAYERS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "players": (PlayersVecEnv, ("alive", "episode_returns", "episode_lengths")),
    "monitor": (VecMonitor, ("episode_returns", "episode_lengths", "episode_count")),
    "normalize": (VecNormalize, ("obs_rms", "ret_rms", "returns")),
}
"""What has a state of its own around the games, and the attributes that hold it."""


def take_snapshot(model: BaseAlgorithm, progress: Any) -> bytes:
    """Returns the state of a training in a VecEnv from `make_vec_env`, between two rollouts.

    The progress is anything of the caller's that can be pickled.
    """
    venv = model.env
    assert venv is not None
    saved_model = io.BytesIO()
    model.save(saved_model)
    return pickle.dumps(
        {
            "model": saved_model.getvalue(),
            "replay_buffer": getattr(model, "replay_buffer", None),
            "games": _states(venv),
            **{
                key: {name: value for name, value in vars(layer).items() if name in names}
                if layer
                else None
                for key, (kind, names) in _LAYERS.items()
                for layer in [_layer(venv, kind)]
            },
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
    content: bytes, algorithm: type[BaseAlgorithm], venv: VecEnv, **changes: Any
) -> tuple[BaseAlgorithm, Any]:
    """Restores a model, its games and all random generators; returns the progress with it.

    The content is unpickled, which can run any code: never restore what you do not trust. The
    environment must be like the one of the training. The changes replace hyperparameters of the
    model, such as its learning_rate.
    """
    saved = pickle.loads(content)
    venv.reset()
    model = algorithm.load(
        io.BytesIO(saved["model"]), env=venv, device="cpu", force_reset=False, **changes
    )
    if saved["replay_buffer"] is not None:
        buffer = saved["replay_buffer"]
        if hasattr(buffer, "gamma"):  # returns of several steps, discounted when drawn
            buffer.gamma = model.gamma  # type: ignore[attr-defined]
        model.replay_buffer = buffer  # type: ignore[attr-defined]
    venv.env_method("set_state", saved["games"])
    for key, (kind, _) in _LAYERS.items():
        for name, value in (saved.get(key) or {}).items():
            setattr(_layer(venv, kind), name, value)
    # Last, since making a model draws random numbers and seeds the generators.
    states = saved["random"]
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])  # noqa: NPY002
    torch.set_rng_state(states["torch"])
    model.action_space.np_random.bit_generator.state = states["actions"]
    return model, saved["progress"]


def _states(venv: VecEnv) -> np.ndarray:
    """The state of each game once: where a team learns, a game has a row for each player."""
    (games,) = set(venv.get_attr("num_envs"))
    first_rows = range(0, venv.num_envs, venv.num_envs // games)
    return np.concatenate(venv.env_method("get_state", indices=first_rows))


def _layer(venv: VecEnv, kind: type[Any]) -> Any:
    """The wrapper of a kind around the games, or what is wrapped; None if there is none."""
    innermost = venv.unwrapped
    return innermost if isinstance(innermost, kind) else unwrap_vec_wrapper(venv, kind)
