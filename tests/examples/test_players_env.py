"""The environment of the example with EPyMARL plays the vector one's game, in tuples."""

from __future__ import annotations

import clients
import gymnasium as gym
import numpy as np
import pytest

from steer_env.envs.parallel_vector import ParallelVectorEnv

KEY = "team_epymarl_mappo:Players-v0"
TEAMS = {"pursuers": 3, "evaders": 2, "capture_radius": 3.0, "arena_size": 9.0, "horizon": 120}


@pytest.fixture(autouse=True)
def examples(monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(clients.EXAMPLES)


@pytest.mark.parametrize("learner", ["both", "pursuer"])
def test_it_plays_the_vector_environments_game_bit_for_bit(learner):
    env = gym.make(KEY, credit="own", learner=learner, **TEAMS).unwrapped
    envs = ParallelVectorEnv(
        1,
        autoreset_mode="SameStep",
        credit="own",
        learner=learner,
        action_type="discrete",
        **TEAMS,
    )
    players = [(side, n) for side in envs.sides for n in range(envs.config.count(side))]
    ends = {"terminated": 0, "truncated": 0}
    for seed in range(8):
        rows, _ = env.reset(seed=seed)
        wanted, _ = envs.reset(seed=seed)
        rng, over = np.random.default_rng(seed), False
        while not over:
            for row, (side, place) in zip(rows, players, strict=True):
                assert (row == wanted[side][0, place]).all()
            given = {side: rng.integers(9, size=envs.config.count(side)) for side in envs.sides}
            rows, gained, terminated, truncated, info = env.step(
                [action for side in envs.sides for action in given[side]]
            )
            last = {side: actions[None] for side, actions in given.items()}
            wanted, rewards, *_, of_games = envs.step(last)
            for reward, (side, place) in zip(gained, players, strict=True):
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
