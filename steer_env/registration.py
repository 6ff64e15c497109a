"""The environments' ids and what Gymnasium should know of them."""

from __future__ import annotations

import gymnasium as gym

from steer_env.suite import DEFAULT_GAME, ENVIRONMENTS


def register_environments() -> None:
    """Registers Pursuit-v0, Evade-v0, the other games of the suite, and their discrete forms.

    As "steer_env:Pursuit-v0" an id is known in every process, since Gymnasium then imports this
    package first.

    None has a time limit of Gymnasium's: an environment truncates an episode at its horizon.
    """
    for name, (game, side, action_type) in ENVIRONMENTS.items():
        if name not in gym.registry:
            keywords = {"action_type": action_type}
            if game.name != DEFAULT_GAME:
                keywords["game"] = game.name
            gym.register(
                id=name,
                entry_point=f"steer_env.envs.single:{side.verb}Env",
                vector_entry_point=f"steer_env.envs.vector:{side.verb}VectorEnv",
                kwargs=keywords,
            )
