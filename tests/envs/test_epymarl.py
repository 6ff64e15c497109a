"""The environment in tuples plays the vector one's game, in the form that EPyMARL takes."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from steer_env.envs.epymarl import PlayersEnv
from steer_env.envs.parallel_vector import ParallelVectorEnv
from steer_env.errors import InvalidType, InvalidValue

KEY = "steer_env.envs.epymarl:Players-v0"
TEAMS = {"pursuers": 3, "evaders": 2, "capture_radius": 2.0, "arena_size": 12.0}


def test_it_has_what_epymarl_reads():
    """What `GymmaWrapper` of EPyMARL's commit cbc38c0 does with an environment."""
    env = gym.wrappers.TimeLimit(gym.make(KEY, **TEAMS), max_episode_steps=30)
    assert env.unwrapped.n_agents == 5
    assert max(env.action_space, key=lambda space: space.n).n == 9
    longest = max(env.observation_space, key=lambda space: space.shape)
    assert [spaces.flatdim(space) for space in env.observation_space] == [54] * 5
    assert not hasattr(env.unwrapped, "state_size")  # EPyMARL's state is all observations
    observations, _ = env.reset(seed=3)
    truncated, steps = False, 0
    while not truncated:
        flat = [spaces.flatten(longest, row) for row in observations]
        assert np.concatenate(flat).shape == (270,)
        observations, rewards, terminated, truncated, info = env.step([0, 1, 2, 3, 4])
        assert terminated in (True, False)
        assert isinstance(sum(rewards), float)
        assert all(isinstance(value, float) for value in info.values())
        steps += 1
        if terminated:
            break
    assert steps <= 30


@pytest.mark.parametrize("learner", ["both", "pursuer", "evader"])
@pytest.mark.parametrize("action_type", ["discrete", "continuous"])
def test_it_plays_the_vector_environments_game_bit_for_bit(learner, action_type):
    game = {**TEAMS, "capture_radius": 3.0, "arena_size": 9.0, "horizon": 120}
    keywords = {**game, "learner": learner, "action_type": action_type}
    env = PlayersEnv(credit="own", **keywords)
    envs = ParallelVectorEnv(1, autoreset_mode="SameStep", credit="own", **keywords)
    ends = {"terminated": 0, "truncated": 0}
    for seed in range(12):
        rows, _ = env.reset(seed=seed)
        wanted, info = envs.reset(seed=seed)
        rng, over = np.random.default_rng(seed), False
        while not over:
            for row, (side, place) in zip(rows, players_of(envs), strict=True):
                assert (row == wanted[side][0, place]).all()
            given = {
                side: draw(rng, envs.config.count(side), action_type) for side in envs.sides
            }
            rows, gained, terminated, truncated, info = env.step(
                [action for side in envs.sides for action in given[side]]
            )
            last = {side: actions[None] for side, actions in given.items()}
            wanted, rewards, *_, of_games = envs.step(last)
            for reward, (side, place) in zip(gained, players_of(envs), strict=True):
                assert reward == rewards[side][0, place]
            over = bool(of_games.get("_final_obs", [False])[0])
            assert over is (terminated or truncated)
            if over:
                captured = of_games["final_info"]["captured"][0]
                assert terminated is bool(captured == 2)
                assert info["captured"] == captured
                ends["terminated" if terminated else "truncated"] += 1
    if learner == "both":  # scripts decide too many of the others
        assert min(ends.values()) > 0


def players_of(envs):
    return [(side, place) for side in envs.sides for place in range(envs.config.count(side))]


def draw(rng, count, action_type):
    if action_type == "discrete":
        return rng.integers(9, size=count)
    return rng.uniform(-1, 1, (count, 2)).astype(np.float32)


def test_a_player_that_is_caught_stays_in_the_tuples():
    start = {
        "pursuer": {"position": [(0.0, 0.0)], "speed": 0.0},
        "evader": {"position": [(0.1, 0.0), (8.0, 8.0)], "speed": 0.0},
    }
    env = PlayersEnv(evaders=2, start=start)
    env.reset(seed=0)
    env.step((0, 0, 0))
    rows, rewards, terminated, truncated, info = env.step((0, 5, 0))
    assert not rows[1].any()
    assert rewards[1] == 0.0 != rewards[2]
    assert not terminated
    assert not truncated
    assert info["captured"] == 1.0


def test_pictures_and_the_state():
    env = gym.make(KEY, pursuers=2, render_mode="rgb_array", drawing={"size": (80, 60)})
    env.reset(seed=0)
    assert env.render().shape == (60, 80, 3)
    assert env.unwrapped.state().shape == env.unwrapped.games.state_space.shape
    env.close()
    with pytest.raises(ClosedEnvironmentError):
        env.unwrapped.reset()


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ((0, 1), InvalidValue, "each of the 3 players, got 2"),
        ("012", InvalidType, "tuple of 3"),
        (3, InvalidType, "tuple of 3"),
        ((0, 1, 9), InvalidValue, "9"),
        ((0, 1, 0.5), InvalidType, "integers"),
    ],
)
def test_actions_are_checked(actions, error, message):
    env = PlayersEnv(pursuers=2)
    env.reset(seed=0)
    with pytest.raises(error, match=message):
        env.step(actions)


def test_wrong_uses():
    env = PlayersEnv()
    with pytest.raises(ResetNeeded):
        env.step((0, 0))
    with pytest.raises(InvalidType, match="num_envs is fixed"):
        PlayersEnv(num_envs=2)
    with pytest.raises(InvalidType, match="pursuers"):
        PlayersEnv(persuers=2)
