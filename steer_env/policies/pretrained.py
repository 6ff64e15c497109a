"""The pretrained policies: their names, their files, and the side that each one plays.

A name has three to five parts: "pretrained", the game (none for the default one), the learner's
word ("pursuit" or "evade"), the algorithm, and the seed of one run, as in
"pretrained/evade/ppo/2" or "pretrained/agile_torus/pursuit/ppo". Without a seed, it is the run
of the lowest seed, which need not be the best.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from types import MappingProxyType

from steer_env.errors import InvalidValue, unknown
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.suite import DEFAULT_GAME, ENVIRONMENTS, GAMES, Environment, SuiteGame

PREFIX = "pretrained/"
"""The beginning of the name of every pretrained policy."""

SIDES: Mapping[str, Side] = MappingProxyType({"evade": EVADER, "pursuit": PURSUER})
"""The side that the learner's word in a name stands for."""

_FILE = re.compile(r"seed_(0|[1-9]\d*)\.npz")


def folder() -> Path:
    """The folder of the files: in the installed package, or under agents/ in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "pretrained"
    return installed if installed.is_dir() else package.parent / "agents" / "pretrained"


def names() -> tuple[str, ...]:
    """All valid names, sorted: each algorithm's first run, then all its runs by seed."""
    return tuple(_paths())


def path_of(name: str) -> Path:
    """The file of a pretrained policy.

    Args:
        name: one of `names`.

    Raises:
        ValueError: if the policy does not exist; the message lists the nearest names.
    """
    paths = _paths()
    if name in paths:
        return paths[name]
    raise InvalidValue(unknown("pretrained policy", name, paths))


def side_of(name: str) -> Side:
    """The side that a pretrained policy was trained to play.

    Raises:
        ValueError: as `path_of`.
    """
    path_of(name)
    return next(side for word, side in SIDES.items() if f"/{word}/" in name)


def environments() -> dict[str, Environment]:
    """For each valid name the environment, its game and the learner's side, of its training."""
    return {name: ENVIRONMENTS[path.parent.parent.name] for name, path in _paths().items()}


def runs_of(game: SuiteGame, side: Side) -> tuple[str, ...]:
    """The names of all runs for a side of a game; a first run has no seed in its name."""
    folder_name, found = game.environment(side), dict[Path, str]()
    for name, path in _paths().items():
        if path.parent.parent.name == folder_name:
            found.setdefault(path, name)
    return tuple(found.values())


def name_of(game: SuiteGame, side: Side, algorithm: str) -> str:
    """The name of the first run of an algorithm for a side of a game."""
    words = {side: word for word, side in SIDES.items()}
    place = "" if game.name == DEFAULT_GAME else f"{game.name}/"
    return f"{PREFIX}{place}{words[side]}/{algorithm}"


def _paths() -> dict[str, Path]:
    """The file of each valid name, in order."""
    paths: dict[str, Path] = {}
    for game, side in product(GAMES.values(), SIDES.values()):
        for algorithm in sorted((folder() / game.environment(side)).glob("*/")):
            runs = {
                int(found[1]): file
                for file in algorithm.glob("seed_*.npz")
                if (found := _FILE.fullmatch(file.name))
            }
            name = name_of(game, side, algorithm.name)
            if runs:
                paths[name] = runs[min(runs)]
            paths.update({f"{name}/{seed}": runs[seed] for seed in sorted(runs)})
    return paths
