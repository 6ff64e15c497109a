"""RLlib's multi-agent environment ends its episodes when nobody is left in play."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("default")  # RLlib's own
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("ray.rllib")
    from ray.rllib.env.multi_agent_env import MultiAgentEnv

    from steer_env.envs.rllib import RLlibEnv

AGENTS = ["pursuer_0", "pursuer_1", "evader_0", "evader_1"]


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


@pytest.mark.parametrize("caught", [0, 1, 2])
def test_an_episode_ends_in_the_step_in_which_nobody_is_left(caught):
    """Also where some are caught in the very step in which the time is up for the others."""
    places = [(0.1, 0.0) if place < caught else (9.0, 9.0) for place in range(2)]
    start = {
        "pursuer": {"position": [(0.0, 0.0), (0.0, 0.4)], "speed": 0.0},
        "evader": {"position": places, "speed": 0.0},
    }
    env = RLlibEnv({"pursuers": 2, "evaders": 2, "start": start, "max_episode_steps": 1})
    env.reset(seed=0)
    _, _, terminated, truncated, _ = env.step({agent: np.zeros(2) for agent in AGENTS})
    assert env.par_env.agents == []
    assert terminated["__all__"] is (caught == 2)
    assert truncated["__all__"] is (caught < 2)
    env.reset(seed=0)


def test_an_evader_that_is_caught_leaves():
    start = {
        "pursuer": {"position": [(0.0, 0.0)]},
        "evader": {"position": [(0.1, 0.0), (9, 9)]},
    }
    env = RLlibEnv({"evaders": 2, "start": start})
    env.reset(seed=0)
    agents = ["pursuer_0", "evader_0", "evader_1"]
    _, _, terminated, truncated, _ = env.step({agent: np.zeros(2) for agent in agents})
    assert terminated["evader_0"]
    assert not terminated["__all__"]
    assert not truncated["__all__"]
    observations, *_ = env.step({agent: np.zeros(2) for agent in env.par_env.agents})
    assert list(observations) == ["pursuer_0", "evader_1"]
