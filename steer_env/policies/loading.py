"""Loads a network from a file, or by the name of a pretrained policy."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from steer_env.errors import InvalidValue
from steer_env.policies import pretrained
from steer_env.policies.archive import read_archive
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import MAX_BYTES, NetworkPolicy
from steer_env.policies.stable_baselines import untrusted
from steer_env.sides import Side
from steer_env.suite import ENVIRONMENTS

FILES = (".npz", ".zip")
"""The endings of policies' files; a .zip is stable-baselines3's."""


def is_file(name: object) -> bool:
    """Whether a name looks like the path of a policy's file."""
    return isinstance(name, Path) or (isinstance(name, str) and name.endswith(FILES))


def is_pretrained(name: object) -> bool:
    """Whether a name looks like that of a pretrained policy; there may be no such policy."""
    return isinstance(name, str) and name.startswith(pretrained.PREFIX) and not is_file(name)


def is_loadable(name: object) -> bool:
    """Whether `load_network` is the function for a name."""
    return is_file(name) or is_pretrained(name)


def load_network(
    name: str | Path, seed: int = 0, side: Side | None = None
) -> NetworkPolicy | MixturePolicy:
    """Returns the network or mixture in a file; messages and tables call it by the given name.

    Args:
        name: of a pretrained policy, or the path of an .npz that `NetworkPolicy.save` or
            `MixturePolicy.save` wrote.
        seed: of the actions that it samples.
        side: that it is to play; None for either.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if there is no such name (the message has the nearest one), the file is
            damaged, it is a .zip, which is not safe to load, or the network was trained to
            play the other side, according to its name or its metadata.
    """
    path = Path(name) if is_file(name) else pretrained.path_of(str(name))
    if path.suffix == ".zip":
        if not path.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        raise untrusted(path)
    network = _read(path, seed)
    network.name = str(name)
    if is_pretrained(name):
        trained: Side | None = pretrained.side_of(str(name))
    else:
        environment = ENVIRONMENTS.get(str(network.metadata.get("environment")))
        trained = None if environment is None else environment.side
    if side is not None and trained is not None and trained != side:
        raise InvalidValue(
            f"{str(name)!r} is made for the {trained.name}, and would play the {side.name}: "
            "are the two sides exchanged? To let it play all the same, pass the policy itself, "
            f"baselines.load({str(name)!r})"
        )
    return network


def _read(path: Path, seed: int) -> NetworkPolicy | MixturePolicy:
    """The policy in an .npz file, of the kind that the file holds."""
    try:
        arrays = read_archive(path, MAX_BYTES, MixturePolicy.MAX_ARRAYS)
        kind = MixturePolicy if MixturePolicy.is_made_of(arrays) else NetworkPolicy
        return kind.from_arrays(arrays, seed)
    except (TypeError, ValueError) as error:
        raise InvalidValue(f"{path} is not a valid network file: {error}") from error
