"""Pursuit and evasion as Gymnasium environments.

Importing the package registers the environments and does nothing more: numba, pygame
and torch are imported when they are first needed. ``gymnasium.make("steer_env:Pursuit-v0")``
needs no import, also in the worker processes of other programs: Gymnasium imports the package.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from steer_env.scenarios.features import feature, features
from steer_env.scenarios.registry import register, register_environments
from steer_env.scenarios.scenario import Scenario

__version__ = "0.3.0"

__all__ = [
    "FeatureFunction",
    "Map",
    "Scenario",
    "Script",
    "Transition",
    "__version__",
    "feature",
    "features",
    "parallel_env",
    "parallel_vec_env",
    "register",
]

if not Path(__file__).parent.is_dir():
    raise ImportError(
        f"steer_env needs its files in a folder, and there is none at {Path(__file__).parent}: "
        "where that is in an archive, unpack it, or install it with pip"
    )
if not Path(__file__).with_name("baselines").is_dir():  # a checkout, where it stands beside
    __path__.append(str(Path(__file__).parents[1]))
register_environments()

_PLACES = {
    "FeatureFunction": "steer_env.game.config.observation",
    "Map": "steer_env.maps.map",
    "ParallelEnv": "steer_env.envs.pettingzoo",
    "ParallelVectorEnv": "steer_env.envs.parallel_vector",
    "Script": "steer_env.scripts.script",
    "Transition": "steer_env.game.transition",
}
_NAMES = {"parallel_env": "ParallelEnv", "parallel_vec_env": "ParallelVectorEnv"}


def __getattr__(name: str) -> Any:
    found = _NAMES.get(name, name)
    if name in __all__ and found in _PLACES:
        return getattr(import_module(_PLACES[found]), found)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
