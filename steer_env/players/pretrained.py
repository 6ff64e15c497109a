"""Loads networks, from files and by the names of the pretrained policies.

Such a name has the game (none for the default one), the learner's word, the algorithm, and the
seed of one run: "pretrained/evade/ppo/2" or "pretrained/agile_torus/pursuit/ppo". Without a
seed, it is the run of the lowest one, the only one that wheels have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from types import MappingProxyType

from steer_env import agents
from steer_env.errors import InvalidValue, unknown
from steer_env.files import read_json
from steer_env.players.archive import MAX_BYTES, read_archive, refusing_damage
from steer_env.players.mixture import MixturePolicy
from steer_env.players.network import NetworkPolicy
from steer_env.scenarios.registry import DEFAULT_GAME, ENVIRONMENTS, GAMES, Environment
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import EVADER, PURSUER, Side

PREFIX = "pretrained/"  # of all names
# The side that the learner's word in a name stands for.
SIDES: Mapping[str, Side] = MappingProxyType({"evade": EVADER, "pursuit": PURSUER})
FILES = (".npz", ".zip")  # the endings of policies' files (.zip is stable-baselines3's)

_FILE = re.compile(r"seed_(0|[1-9]\d*)\.npz")


def folder() -> Path:
    """The folder of the files."""
    return Path(agents.__path__[0], "pretrained")


def names() -> tuple[str, ...]:
    """All valid names, sorted: each algorithm's first run, then all its runs by seed."""
    return tuple(_paths())


def path_of(name: str) -> Path:
    """The file of a pretrained policy, or an InvalidValue if it is not known or not here.

    Raises:
        InvalidValue: if there is no such name, and the message lists the nearest names; or if
            only a checkout has this run.
    """
    paths = _paths()
    if name not in paths:
        first, _, seed = name.rpartition("/")
        algorithm = paths[first].parent if first in paths else folder()
        config = algorithm / "config.json"  # which names all runs, here or not
        seeds = read_json(config).get("seeds", ()) if config.is_file() else ()
        if seed in map(str, seeds):
            place = "/".join((*algorithm.parts[-2:], f"seed_{seed}.npz"))
            raise InvalidValue(
                f"{name!r} is not installed: a wheel has one run of each algorithm, here "
                f"{first!r}. A clone of the repository has all: agents/pretrained/{place}"
            )
        raise InvalidValue(unknown("pretrained policy", name, paths))
    return paths[name]


def environments() -> dict[str, Environment]:
    """For each valid name the environment, its game and the learner's side, of its training."""
    return {name: ENVIRONMENTS[path.parent.parent.name] for name, path in _paths().items()}


def runs_of(game: Scenario, side: Side) -> tuple[str, ...]:
    """The names of all runs for a side of a game, the first one without a seed."""
    folder_name, found = game.environment(side), dict[Path, str]()
    for name, path in _paths().items():
        if path.parent.parent.name == folder_name:
            found.setdefault(path, name)
    return tuple(found.values())


def name_of(game: Scenario, side: Side, algorithm: str) -> str:
    """The name of the first run of an algorithm for a side of a game."""
    words = {side: word for word, side in SIDES.items()}
    place = "" if game.name == DEFAULT_GAME else f"{game.name}/"
    return f"{PREFIX}{place}{words[side]}/{algorithm}"


def _paths() -> dict[str, Path]:
    """The file of each valid name, in order."""
    paths: dict[str, Path] = {}
    for game, side in product(GAMES.values(), SIDES.values()):
        for algorithm in sorted((folder() / game.environment(side)).glob("*/")):
            found = (_FILE.fullmatch(file.name) for file in algorithm.glob("seed_*.npz"))
            seeds = sorted(int(one[1]) for one in found if one)
            name = name_of(game, side, algorithm.name)
            runs = {f"{name}/{seed}": algorithm / f"seed_{seed}.npz" for seed in seeds}
            paths |= {name: next(iter(runs.values()))} | runs if runs else {}
    return paths


def is_file(name: object) -> bool:
    """True for a name that looks like the path of a policy's file."""
    return isinstance(name, Path) or (isinstance(name, str) and name.endswith(FILES))


def is_pretrained(name: object) -> bool:
    """True for a name that looks like that of a pretrained policy, valid or not."""
    return isinstance(name, str) and name.startswith(PREFIX) and not is_file(name)


def load_network(name: str | Path, seed: int = 0) -> NetworkPolicy | MixturePolicy:
    """Returns the network or mixture in a file, or of a pretrained policy.

    Args:
        name: of a pretrained policy, or the path of an .npz that `NetworkPolicy.save` or
            `MixturePolicy.save` wrote.
        seed: of the actions that it samples.

    Raises:
        InvalidValue: if there is no such name (the message has the nearest one), or the file is
            damaged.
    """
    path = Path(name) if is_file(name) else path_of(str(name))
    with refusing_damage(path, "a valid network file"):
        arrays = read_archive(path, MAX_BYTES, MixturePolicy.MAX_ARRAYS)
        kind = MixturePolicy if "chances" in arrays else NetworkPolicy
        network = kind.from_arrays(arrays, seed)
    network.name = str(name)
    return network


def side_of(network: NetworkPolicy | MixturePolicy) -> Side | None:
    """The side that a loaded network plays, as its name or its metadata say, or None."""
    name = network.name or ""
    if is_pretrained(name):
        return next(side for word, side in SIDES.items() if f"/{word}/" in name)
    environment = ENVIRONMENTS.get(str(network.metadata.get("environment")))
    return None if environment is None else environment.side
