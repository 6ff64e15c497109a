"""Writes a trained network into a file that runs without this project.

The formats are .npz and ONNX, which is compared with the network before it is written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env import __version__
from steer_env.baselines import NetworkPolicy, load
from steer_env.errors import InvalidValue, check_choice
from steer_env.files import check_endings, write_bytes
from steer_env.players.pretrained import PREFIX, is_pretrained
from steer_env.players.stable_baselines import is_model_file, split_model

FORMATS = ("npz", "onnx")  # and the endings of their files
NETWORK_FILE = "policy.npz"  # the network in the folder of a run
CHECKED_OBSERVATIONS = 10_000
TOLERANCE = 1e-5  # the largest difference of an exported network's actions from the exact ones


class InexactExport(ArithmeticError):
    """An exported network acts differently even in double precision: a bug of the export."""


class ExportedNetwork(NamedTuple):
    """A file that `export` has written."""

    path: Path
    precision: str  # of its weights and its arithmetic, "float32" or "float64"
    difference: float  # the largest of its actions from the exact ones


def export(
    run: str | os.PathLike[str],
    to: str,
    out: str | os.PathLike[str] | None = None,
    trust: bool = False,
    normalization: str | os.PathLike[str] | None = None,
) -> ExportedNetwork:
    """Writes a network in another format, beside the network or to a given file.

    An .npz file is the network itself. The ONNX model takes float32 observations, "observation"
    (N, features), normalizes them if the network does, and returns its deterministic actions,
    "action": (N, 2) in float32, or (N,) in int64 if they are discrete. Where single precision
    changes them by more than 1e-5, it computes in double precision. Its properties are
    steer_env's `version`, the network's `head`, its metadata as JSON (`training`), its
    `environment` if the metadata name it.

    Args:
        run: the folder of a run, an .npz file, the name of a pretrained network, or
            ALGORITHM:FILE.zip, a model of stable-baselines3.
        to: "npz" or "onnx".
        out: the file to write, which must end in .npz or .onnx.
        trust: must be True for a .zip file, which can run any code when it is loaded. What is
            written cannot.
        normalization: file of the VecNormalize of a .zip file.

    Raises:
        gymnasium.error.DependencyNotInstalled: without onnx or torch.
        InexactExport: if double precision is not exact enough; nothing is written then.
    """
    check_choice("format", to, FORMATS)
    network, source = _network_of(run, trust, normalization)
    ending = f".{to}"
    path = (source or Path(NETWORK_FILE)).with_suffix(ending) if out is None else Path(out)
    if path.is_dir():
        raise InvalidValue(f"{path} is a folder; out must be a file ending in {ending!r}")
    check_endings([path], [ending])
    if source is not None and path.resolve() == source.resolve():
        raise InvalidValue(f"{path} is the network's own file; give out for a copy")
    if to == "npz":
        network.save(path)
        return ExportedNetwork(path, "float32", 0.0)
    from .torch_network import from_onnx, to_onnx  # only now, since it needs torch

    observation, difference = likely_observations(network), np.inf
    for precision in ("float32", "float64"):
        content = to_onnx(network, _metadata(network), precision)
        difference = largest_difference(network, from_onnx(content), observation)
        if difference <= TOLERANCE:  # nan is too much too
            write_bytes(path, content)
            return ExportedNetwork(path, precision, difference)
    raise InexactExport(
        f"{path} is not written: its actions would differ from the network's by up to "
        f"{difference:.1e}, which is more than {TOLERANCE}"
    )


def _network_of(
    run: str | os.PathLike[str], trust: bool, normalization: str | os.PathLike[str] | None
) -> tuple[NetworkPolicy, Path | None]:
    """Returns a network, and its file unless it is a pretrained one."""
    path = Path(run)
    if path.is_dir():
        path = path / NETWORK_FILE
        if not path.is_file():
            raise FileNotFoundError(f"there is no {NETWORK_FILE} in {run}: is it a run?")
    if path.suffix == ".npz":
        return NetworkPolicy.load(path), path
    name = str(run)
    if not is_model_file(name) and not is_pretrained(name):
        raise InvalidValue(
            f"there is no folder {name!r}; expected that of a run, an .npz file, PPO:FILE.zip "
            "(after its algorithm), or the name of a pretrained network, which begins with "
            f"{PREFIX!r}"
        )
    found: Any = load(name, trust=trust, normalization=normalization)
    if isinstance(found, NetworkPolicy):
        return found, None
    from .actor import actor_of  # only now, since it needs torch

    return actor_of(found), Path(split_model(name)[1])


def likely_observations(network: NetworkPolicy) -> NDArray[np.float32]:
    """Draws 10,000 observations in [-1, 1], within three deviations of the network's mean."""
    shape = (CHECKED_OBSERVATIONS, *network.observation_space.shape)
    observation = np.random.default_rng(0).uniform(-1.0, 1.0, shape)
    mean, variance = network.observation_mean, network.observation_variance
    if mean is not None and variance is not None:
        observation = (mean + 3.0 * np.sqrt(variance) * observation).clip(-1.0, 1.0)
    return observation.astype(np.float32)


def largest_difference(
    network: NetworkPolicy,
    act: Callable[[NDArray[Any]], NDArray[Any]],
    observation: NDArray[np.float32],
) -> float:
    """The largest difference of a function's actions from the network's in double precision.

    For discrete actions it is the loss in the network's own estimate: its value or logit for
    its own action minus that for the other, divided by the largest one if that is above 1.
    """
    actions, values = act(observation), network.outputs(observation.astype(np.float64))
    is_continuous = network.head in ("box", "squashed")
    shape, dtype = values.shape[: 2 if is_continuous else 1], network.action_space.dtype
    if actions.shape != shape or actions.dtype != dtype:
        raise InvalidValue(
            f"the actions must be {dtype} of shape {shape}, got {actions.dtype} of shape "
            f"{actions.shape}"
        )
    if is_continuous:
        return float(abs(actions - network.bounded(values)).max())
    loss = values.max(axis=1) - values[np.arange(len(values)), actions]
    return float((loss / abs(values).max(axis=1).clip(1.0)).max())


def _metadata(network: NetworkPolicy) -> dict[str, str]:
    found = {"version": __version__, "head": network.head}
    if "environment" in network.metadata:
        found["environment"] = str(network.metadata["environment"])
    return {**found, "training": json.dumps(network.metadata, sort_keys=True)}
