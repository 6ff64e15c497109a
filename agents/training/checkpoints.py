"""Snapshots of a training run, from which it goes on bit for bit, and their files.

The weights alone are not enough: the optimizer has its moments, the games are in the middle of
episodes, and all future random numbers follow from the states of four generators. A file is
replaced as a whole, and has a checksum, so a crash cannot damage it unnoticed.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import random
import warnings
from contextlib import suppress
from pathlib import Path
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
from steer_env.errors import InvalidValue
from steer_env.files import write_bytes

KEPT = 2  # checkpoints in a folder: if the newest is damaged, there is the one before
_MAGIC = b"steer_env checkpoint 1 "
_LONGEST_HEADER = len(_MAGIC) + 2 * hashlib.sha256().digest_size + 1


_LAYERS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "players": (PlayersVecEnv, ("alive", "episode_returns", "episode_lengths")),
    "monitor": (VecMonitor, ("episode_returns", "episode_lengths", "episode_count")),
    "normalize": (VecNormalize, ("obs_rms", "ret_rms", "returns")),
}
"""The wrappers around the games that have a state, and the attributes that hold it."""


def write_checkpoint(folder: Path, steps: int, content: bytes) -> Path:
    """Writes a checkpoint with its checksum, and removes all but the newest ones.

    It also removes those of more steps: a run that gets here again found them damaged.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"checkpoint_{steps:012}.bin"
    checksum = hashlib.sha256(content).hexdigest().encode()
    write_bytes(path, _MAGIC + checksum + b"\n" + content)
    found = checkpoints(folder)
    written = found.index(path)
    for other in (*found[:written], *found[written + KEPT :]):
        with suppress(OSError):  # it does no harm
            other.unlink()
    return path


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in a folder, the newest first."""
    return sorted(folder.glob(f"checkpoint_{'[0-9]' * 12}.bin"), reverse=True)


def checkpoint_steps(path: Path) -> int:
    """The steps of training after which a checkpoint was written."""
    return int(path.stem.rpartition("_")[2])


def read_checkpoint(path: Path) -> bytes:
    """Returns the content of a checkpoint, or raises a ValueError if it is damaged."""
    if not path.is_file():
        raise InvalidValue(f"{path} is not a file")
    with path.open("rb") as file:
        header = file.readline(_LONGEST_HEADER).removesuffix(b"\n")
        if not header.startswith(_MAGIC):  # whatever it is, it may be too large to read
            raise InvalidValue(f"{path} does not begin as a checkpoint does")
        try:
            content = file.read()
        except MemoryError:
            raise InvalidValue(f"{path} is larger than the memory") from None
    if hashlib.sha256(content).hexdigest().encode() != header[len(_MAGIC) :]:
        raise InvalidValue(f"{path} is damaged: its checksum differs")
    return content


def newest_checkpoint(folder: Path) -> bytes | None:
    """Returns the content of the newest undamaged checkpoint, or None if there are none.

    Warns of each damaged one, and raises a ValueError if all are.
    """
    paths = checkpoints(folder)
    for path in paths:
        try:
            return read_checkpoint(path)
        except (InvalidValue, OSError) as error:
            warnings.warn(f"{error}; going on from the one before", stacklevel=2)
    if paths:
        raise InvalidValue(
            f"all {len(paths)} checkpoints in {folder} are damaged; start a new run"
        )
    return None


def saved_lessons(folder: Path) -> Any:
    """Returns what `imitate` saved last in a folder of checkpoints, or None.

    It is unpickled, which can run any code: never resume a run that you do not trust.
    """
    content = newest_checkpoint(folder)
    return None if content is None else pickle.loads(content)


def take_snapshot(model: BaseAlgorithm, progress: Any) -> bytes:
    """Returns the state of a training in a VecEnv from `make_vec_env`, between two rollouts.

    The progress is any object that can be pickled.
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
    """Restores a model, its games and all random generators, and returns it with the progress.

    The content is unpickled, which can run any code: never restore what you do not trust. The
    changes replace hyperparameters of the model.
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
        for name, value in (saved[key] or {}).items():
            setattr(_layer(venv, kind), name, value)
    # Last, since making a model draws random numbers and seeds the generators.
    states = saved["random"]
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])  # noqa: NPY002
    torch.set_rng_state(states["torch"])
    model.action_space.np_random.bit_generator.state = states["actions"]
    return model, saved["progress"]


def _states(venv: VecEnv) -> np.ndarray:
    """The state of each game once: if a team learns, a game has a row for each player."""
    (games,) = set(venv.get_attr("num_envs"))
    first_rows = range(0, venv.num_envs, venv.num_envs // games)
    return np.concatenate(venv.env_method("get_state", indices=first_rows))


def _layer(venv: VecEnv, kind: type[Any]) -> Any:
    """The wrapper of a kind around the games, or the innermost environment."""
    innermost = venv.unwrapped
    return innermost if isinstance(innermost, kind) else unwrap_vec_wrapper(venv, kind)
