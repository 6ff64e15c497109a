"""The environments' ids and what Gymnasium should know of them."""

from __future__ import annotations

import gymnasium as gym

from steer_env.sides import ENVIRONMENTS


def register_environments() -> None:
    """Registers Pursuit-v0, Evade-v0 and their discrete forms, once.

    As "steer_env:Pursuit-v0" an id is known in every process, since Gymnasium then imports this
    package first.

    None has a time limit of Gymnasium's: an environment truncates an episode at its horizon.
    """
    for name, side in ENVIRONMENTS.items():
        if name not in gym.registry:
            verb = side.environment.removesuffix("-v0")
            kind = "discrete" if "Discrete" in name else "continuous"
            gym.register(
                id=name,
                entry_point=f"steer_env.envs.single:{verb}Env",
                vector_entry_point=f"steer_env.envs.vector:{verb}VectorEnv",
                kwargs={"action_type": kind},
            )
