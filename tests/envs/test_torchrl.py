"""TorchRL's environment passes TorchRL's check, and plays the vector one's games."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import steer_env
from steer_env.envs.parallel_vector import ParallelVectorEnv
from steer_env.errors import InvalidType

pytestmark = [pytest.mark.weekly, pytest.mark.filterwarnings("default")]  # TorchRL's own
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchrl")
    from torchrl.envs import PettingZooWrapper
    from torchrl.envs.utils import check_env_specs
    from torchrl_env import TorchRLEnv

TEAMS = {"pursuers": 3, "evaders": 2, "capture_radius": 2.0, "arena_size": 12.0}
GAMES = {
    "both": TEAMS,
    "discrete": {**TEAMS, "action_type": "discrete", "credit": "own"},
    "pursuers": {**TEAMS, "opponent": "evade", "horizon": 60},
    "evaders": {**TEAMS, "learner": "evader", "horizon": 60},
}


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_it_plays_the_vector_environments_games(game):
    """Also through resets of some games: a reset draws what "SameStep" draws."""
    env = TorchRLEnv(6, **game)
    check_env_specs(env)
    env.set_seed(3)
    envs = ParallelVectorEnv(6, autoreset_mode="SameStep", **game)
    steps = env.rollout(200, break_when_any_done=False)
    observations, info = envs.reset(seed=3)
    ends = 0
    for number in range(200):
        step = steps[:, number]
        actions = {side: step[side, "action"].numpy() for side in envs.sides}
        for side in envs.sides:
            assert (step[side, "observation"].numpy() == observations[side]).all()
            assert (step[side, "mask"].numpy() == info["alive"][side]).all()
            assert (step[side, "done"].numpy()[..., 0] == ~info["alive"][side]).all()
        alive = info["alive"]
        observations, rewards, terminations, truncations, info = envs.step(actions)
        after, over = step["next"], info.get("_final_obs", np.zeros(6, np.bool_))
        assert (after["done"].numpy()[:, 0] == over).all()
        last = {**observations, **info.get("final_obs", {})}
        for side in envs.sides:
            assert (after[side, "observation"].numpy() == last[side]).all()
            assert (after[side, "reward"].numpy()[..., 0] == np.float32(rewards[side])).all()
            caught = terminations[side] | ~alive[side]
            assert (after[side, "terminated"].numpy()[..., 0] == caught).all()
            assert (after[side, "truncated"].numpy()[..., 0] == truncations[side]).all()
        ends += over.sum()
    assert ends > 0


def test_the_seed_is_that_of_the_games():
    env = TorchRLEnv(3, pursuers=2)
    env.set_seed(8)
    wanted, _ = ParallelVectorEnv(3, pursuers=2).reset(seed=8)
    first = env.reset()
    assert (first["pursuer", "observation"].numpy() == wanted["pursuer"]).all()
    assert (first["state"].numpy() == env.games.state()).all()
    assert (env.reset()["pursuer", "observation"].numpy() != wanted["pursuer"]).any()
    assert env.group_map["pursuer"] == ["pursuer_0", "pursuer_1"]


def test_what_it_refuses():
    with pytest.raises(InvalidType, match="autoreset_mode is fixed"):
        TorchRLEnv(2, autoreset_mode="SameStep")
    with pytest.raises(InvalidType, match="pursuers"):
        TorchRLEnv(2, persuers=2)


def test_torchrls_own_face_of_pettingzoo():
    pytest.importorskip("pettingzoo")
    env = PettingZooWrapper(
        steer_env.parallel_env(**TEAMS), use_mask=True, done_on_any=False, return_state=True
    )
    assert set(env.group_map) == {"pursuer", "evader"}
    check_env_specs(env)
    steps = env.rollout(800, break_when_any_done=False)
    assert steps["next", "done"].sum() > 0
    assert (~steps["evader", "mask"]).sum() > 0  # a caught evader waits for the end
