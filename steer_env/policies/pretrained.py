"""The pretrained policies: their names, their files, and the side that each plays.

A name is "pretrained", the side, the algorithm and, if one run of several is meant, its seed:
"pretrained/evade/ppo/2". Without a seed it is the first run, that of the lowest: not the best.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from steer_env.errors import InvalidValue, unknown

PREFIX = "pretrained/"
"""How the name of a pretrained policy begins."""

Side: TypeAlias = Literal["pursuer", "evader"]

SIDES: Mapping[str, Side] = MappingProxyType({"pursuit": "pursuer", "evade": "evader"})
"""From a name's second part to who such a policy was trained to be."""

ENVIRONMENTS: Mapping[str, str] = MappingProxyType(
    {"pursuit": "Pursuit-v0", "evade": "Evade-v0"}
)
"""From a name's second part to the environment that such a policy was trained in."""

_FILE = re.compile(r"seed_(0|[1-9]\d*)\.npz")


def folder() -> Path:
    """Where the files are: inside an installed package, or under agents/ in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "pretrained"
    return installed if installed.is_dir() else package.parent / "agents" / "pretrained"


def names() -> tuple[str, ...]:
    """Every valid name, sorted: each algorithm's first run, then all its runs by number."""
    return tuple(_paths())


def path_of(name: str) -> Path:
    """The file of a pretrained policy.

    Args:
        name: one of `names`.

    Raises:
        ValueError: if there is none of that name; it tells the nearest and the valid ones.
    """
    paths = _paths()
    if name in paths:
        return paths[name]
    if not paths:
        raise InvalidValue(
            f"unknown pretrained policy {name!r}: there are no pretrained policies in "
            f"{folder()}; a file there is called <Environment>/<algorithm>/seed_<number>.npz, "
            f"for example {ENVIRONMENTS['pursuit']}/ppo/seed_0.npz"
        )
    raise InvalidValue(unknown("pretrained policy", name, paths))


def side_of(name: str) -> Side:
    """The side that a pretrained policy was trained to play, "pursuer" or "evader".

    Raises:
        ValueError: if there is none of that name; it tells the nearest and the valid ones.
    """
    path_of(name)
    return SIDES[name.split("/")[1]]


def _paths() -> dict[str, Path]:
    """From each valid name to its file, in order."""
    paths: dict[str, Path] = {}
    for side in sorted(ENVIRONMENTS):
        for algorithm in sorted((folder() / ENVIRONMENTS[side]).glob("*/")):
            runs = {
                int(found[1]): file
                for file in algorithm.glob("seed_*.npz")
                if (found := _FILE.fullmatch(file.name))
            }
            name = f"{PREFIX}{side}/{algorithm.name}"
            if runs:
                paths[name] = runs[min(runs)]
            paths.update({f"{name}/{seed}": runs[seed] for seed in sorted(runs)})
    return paths
