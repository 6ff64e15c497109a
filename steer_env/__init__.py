"""Pursuit and evasion as Gymnasium environments.

Importing the package registers the environments and does nothing more: numba, pygame
and torch are imported when they are first needed. ``gymnasium.make("steer_env:Pursuit-v0")``
needs no import, also in the worker processes of other programs: Gymnasium imports the package.
"""

from __future__ import annotations

from typing import Any

from steer_env.suite import register_environments

__version__ = "0.2.0"

__all__ = [
    "Script",
    "SimultaneousState",
    "__version__",
    "check_vector_env",
    "parallel_env",
    "parallel_vec_env",
]

register_environments()


def __getattr__(name: str) -> Any:
    if name == "check_vector_env":
        from steer_env.envs.check import check_vector_env

        return check_vector_env
    if name == "SimultaneousState":
        from steer_env.envs.simultaneous import SimultaneousState

        return SimultaneousState
    if name == "parallel_env":
        from steer_env.envs.parallel import ParallelEnv

        return ParallelEnv
    if name == "parallel_vec_env":
        from steer_env.envs.parallel_vector import ParallelVectorEnv

        return ParallelVectorEnv
    if name == "Script":
        from steer_env.scripts.script import Script

        return Script
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
