"""Reads a network from its file, by path or by the name of a pretrained policy."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from steer_env.errors import InvalidValue
from steer_env.policies import pretrained
from steer_env.policies.network import NetworkPolicy

FILES = (".npz", ".zip")
"""The kinds of files that a policy can be in; a .zip is stable-baselines3's."""


def is_file(name: object) -> bool:
    """Whether a name is meant to be the path of a policy's file."""
    return isinstance(name, Path) or (isinstance(name, str) and name.endswith(FILES))


def is_pretrained(name: object) -> bool:
    """Whether a name is meant to be that of a pretrained policy; there may be none of it."""
    return isinstance(name, str) and name.startswith(pretrained.PREFIX) and not is_file(name)


def is_loadable(name: object) -> bool:
    """Whether a name is meant for `load_network`."""
    return is_file(name) or is_pretrained(name)


def load_network(
    name: str | Path, seed: int = 0, side: pretrained.Side | None = None
) -> NetworkPolicy:
    """The network in a file; messages and tables call it by what it was loaded as.

    Args:
        name: of a pretrained policy, or the path of an .npz that `NetworkPolicy.save` wrote.
        seed: of the actions that it samples.
        side: that it is to play; None for either.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if there is no such name (it tells the nearest), the file is damaged, it is
            a .zip, which is not safe to load, or it was trained to play the other side, as far
            as its name or its metadata tell.
    """
    path = Path(name) if is_file(name) else pretrained.path_of(str(name))
    if path.suffix == ".zip":
        if not path.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        raise InvalidValue(
            f"{path} is a file of stable-baselines3, which runs code when it is loaded; if you "
            "trust whoever made it, pass the policy itself, "
            f"baselines.load({str(path)!r}, trust=True)"
        )
    network = NetworkPolicy.load(path, seed=seed)
    network.name = str(name)
    made_for = pretrained.side_of(str(name)) if is_pretrained(name) else _trained_side(network)
    if side is not None and made_for not in (None, side):
        raise InvalidValue(
            f"{str(name)!r} is made for the {made_for}, and would play the {side}: are the two "
            "sides exchanged? To have it play all the same, pass the policy itself, "
            f"baselines.load({str(name)!r})"
        )
    return network


def _trained_side(network: NetworkPolicy) -> pretrained.Side | None:
    """The side that a network's metadata tell, by the environment that it was trained in."""
    environment = str(network.metadata.get("environment", ""))
    if environment.startswith("Pursuit"):
        return "pursuer"
    return "evader" if environment.startswith("Evade") else None
