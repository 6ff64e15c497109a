"""RLlib: the games as a multi-agent environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steer_env.errors import importing

with importing("RLlib", 'run: pip install "ray[rllib]" torch'):
    from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv

from steer_env.envs.parallel import ParallelEnv


class RLlibEnv(ParallelPettingZooEnv):  # type: ignore[misc]
    """A game as a MultiAgentEnv: RLlib's adapter of PettingZoo, over `ParallelEnv`.

    It is made from the ``env_config`` of an algorithm, with the keywords of `ParallelEnv`;
    without any, both sides learn in the default game. An episode ends when no agent is left in
    play, even if their flags differ.

    Example:
        ``PPOConfig().environment(RLlibEnv, env_config={"pursuers": 3, "opponent": "evade"})``
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        env = ParallelEnv(**(config or {}))
        # In the order of the game, not of a set; RLlib's class leaves alone what is there.
        self.agents = self.possible_agents = list(env.possible_agents)
        super().__init__(env)
        self.observation_spaces, self.action_spaces = env.observation_spaces, env.action_spaces

    def step(
        self, action_dict: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], Any]:
        """Moves all players, see `ParallelEnv.step`. "__all__" is the flag of the episode."""
        observations, rewards, terminated, truncated, infos = super().step(action_dict)
        truncated["__all__"] = not self.par_env.agents and not terminated["__all__"]
        return observations, rewards, terminated, truncated, infos
