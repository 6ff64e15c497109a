"""The environments' ids and what Gymnasium should know of them."""

from __future__ import annotations

import gymnasium as gym

_SIDES = ("Pursuit", "Evade")
_KINDS = {"": "continuous", "Discrete": "discrete"}


def register_environments() -> None:
    """Registers Pursuit-v0, Evade-v0 and their discrete forms, once."""
    for side in _SIDES:
        for suffix, action_type in _KINDS.items():
            name = f"{side}{suffix}-v0"
            if name in gym.registry:
                continue
            gym.register(
                id=name,
                entry_point=f"steer_env.envs.single:{side}Env",
                vector_entry_point=f"steer_env.envs.vector:{side}VectorEnv",
                max_episode_steps=600,
                kwargs={"action_type": action_type},
            )
