"""RLlib's multi-agent environment, in the example."""

from __future__ import annotations

import sys
import warnings

import clients
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("default")  # RLlib's own
sys.path.append(str(clients.EXAMPLES))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("ray.rllib")
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from rllib_both_sides import RLlibEnv

AGENTS = ["pursuer_0", "pursuer_1", "evader_0", "evader_1"]


@pytest.mark.parametrize("caught", [0, 1, 2])
def test_an_episode_ends_in_the_step_in_which_nobody_is_left(caught):
    """Also where some are caught in the very step in which the time is up for the others."""
    places = [(0.1, 0.0) if place < caught else (9.0, 9.0) for place in range(2)]
    start = {
        "pursuer": {"position": [(0.0, 0.0), (0.0, 0.4)], "speed": 0.0},
        "evader": {"position": places, "speed": 0.0},
    }
    for limit in (1, 2):
        keywords = {"pursuers": 2, "evaders": 2, "start": start, "max_episode_steps": limit}
        env = RLlibEnv(keywords)
        env.reset(seed=0)
        _, _, terminated, truncated, _ = env.step({agent: np.zeros(2) for agent in AGENTS})
        assert terminated["__all__"] is (caught == 2)
        assert truncated["__all__"] is (caught < 2 and limit == 1)
        assert bool(env.par_env.agents) is (caught < 2 and limit == 2)


def test_its_agents_are_in_the_games_order():
    env = RLlibEnv({"pursuers": 2, "evaders": 2})
    assert isinstance(env, MultiAgentEnv)
    assert env.possible_agents == AGENTS
    observations, _ = env.reset(seed=0)
    assert list(observations) == AGENTS
    for agent, observation in observations.items():
        assert env.get_observation_space(agent).contains(observation)
        assert env.get_action_space(agent).shape == (2,)
    assert RLlibEnv({"opponent": "evade"}).possible_agents == ["pursuer_0"]
