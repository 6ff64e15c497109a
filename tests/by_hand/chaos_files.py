"""Files of every kind: how to make them, how they are damaged, and who reads them."""

from __future__ import annotations

import json
import random
import shutil
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from steer_env.agents.training.checkpoints import (
    newest_checkpoint,
    read_checkpoint,
    write_checkpoint,
)
from steer_env.agents.training.hyperparameters import PRESETS, read_preset
from steer_env.agents.training.training import RunFolder
from steer_env.baselines import Evaluation, evaluate
from steer_env.errors import UsageError
from steer_env.files import read_json
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.pretrained import path_of
from steer_env.policies.stable_baselines import load_stable_baselines3

CHECKSUMMED = ("policy", "evaluation", "model", "checkpoint")
"""Kinds of files that notice any damage; in a text, a letter can change."""

DAMAGES = ("truncated", "flipped", "zeros", "empty", "a folder")


def damage(path: Path, how: str, chance: random.Random) -> None:
    """Damages a file in one of `DAMAGES`."""
    content = bytearray(path.read_bytes())
    if how == "a folder":
        path.unlink()
        path.mkdir()
        return
    if how == "truncated":
        content = content[: chance.randrange(len(content))] if content else content
    elif how == "flipped":
        for place in chance.sample(range(len(content)), min(3, len(content))):
            content[place] ^= 1 << chance.randrange(8)
    elif how == "zeros":
        start = chance.randrange(max(len(content), 1))
        content[start:] = bytes(len(content) - start)
    else:
        content.clear()
    path.write_bytes(content)


def is_whole(path: Path) -> bool:
    """Whether a file that a training writes is complete, as far as its kind tells."""
    content = path.read_bytes()
    if path.name.startswith((".", "events.", "ballast")):  # fragments, locks, TensorBoard's
        return True
    try:
        match path.suffix:
            case ".npz":
                NetworkPolicy.load(path)
            case ".zip":
                with zipfile.ZipFile(path) as archive:
                    return archive.testzip() is None
            case ".bin":
                read_checkpoint(path)
            case ".json":
                read_json(path)
            case ".svg":
                ElementTree.fromstring(content)
            case ".png":
                return content.endswith(b"IEND\xaeB`\x82")
            case ".gif":
                return content.endswith(b";")
            case ".md":
                return content.endswith(b"\n")
    except (ValueError, OSError, zipfile.BadZipFile, ElementTree.ParseError):
        return False
    return True


def _network(folder: Path) -> Path:
    return Path(shutil.copy(path_of("pretrained/pursuit/ppo"), folder / "policy.npz"))


def _evaluation(folder: Path) -> Path:
    path = folder / "found.npz"
    evaluate("pursuit", "evade", episodes=50).save(path)
    return path


def _model(folder: Path) -> Path:
    from stable_baselines3 import PPO

    from steer_env.envs.sb3 import make_vec_env

    PPO("MlpPolicy", make_vec_env("Pursuit-v0", 2), n_steps=8, batch_size=16).save(
        folder / "model.zip"
    )
    return folder / "model.zip"


def _checkpoint(folder: Path) -> Path:
    return write_checkpoint(folder, 100, bytes(range(256)) * 40)


def _config(folder: Path) -> Path:
    (folder / "config.json").write_text(json.dumps({key: {} for key in _CONFIG}, indent=2))
    return folder / "config.json"


_CONFIG = (*RunFolder.keys, "versions", "machine")


def _preset(folder: Path) -> Path:
    return Path(shutil.copy(PRESETS / "ppo.yml", folder / "ppo.yml"))


def _or_refused(load: Callable[[Path], object]) -> Callable[[Path], object]:
    """What a loader reads in a comparable form, or that it refuses to in one line."""

    def loaded(path: Path) -> object:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return load(path)
        except (UsageError, OSError) as error:
            return "refused" if "\n" not in str(error) else f"refused at length: {error}"

    return loaded


LOADERS: dict[str, tuple[Callable[[Path], Path], Callable[[Path], object]]] = {
    kind: (make, _or_refused(load))
    for kind, (make, load) in {
        "policy": (
            _network,
            lambda path: [one.tobytes() for one in NetworkPolicy.load(path).weights],
        ),
        "evaluation": (_evaluation, lambda path: Evaluation.load(path).episodes.tobytes()),
        "model": (
            _model,
            lambda path: str(load_stable_baselines3(path, trust=True).get_parameters()),
        ),
        "checkpoint": (_checkpoint, lambda path: newest_checkpoint(path.parent)),
        "config": (_config, lambda path: sorted(RunFolder(path.parent).read_config())),
        "preset": (_preset, lambda path: str(read_preset("ppo", "Pursuit-v0", path).written)),
    }.items()
}
"""By kind of file: what makes one in a folder, and what reads it."""
