"""The native VecEnv: options, refusals, training."""

from __future__ import annotations

import numpy as np
import pytest
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.vec_env import VecNormalize

from steer_env.envs.sb3 import make_vec_env
from steer_env.errors import InvalidValue

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize(
    "options",
    [
        [{"opponent": "idle"}, {"opponent": "flee"}],
        [{"start": {"evader": {"position": np.full(2, place)}}} for place in (1.0, 2.0)],
        [{}, {"opponent": "idle"}],
    ],
)
def test_options_of_single_games_are_refused(options):
    vec_env = make_vec_env("Pursuit-v0", 2)
    with pytest.raises(InvalidValue, match="the same for all games"):
        vec_env.set_options(options)


def test_it_trains():
    ppo = PPO(
        "MlpPolicy", make_vec_env("Pursuit-v0", 8), n_steps=16, batch_size=64, device="cpu"
    )
    dqn = DQN(
        "MlpPolicy", make_vec_env("PursuitDiscrete-v0", 4), learning_starts=16, device="cpu"
    )
    for model, steps in ((ppo, 256), (dqn, 64)):
        before = [weights.detach().clone() for weights in model.policy.parameters()]
        model.learn(steps)
        assert model.num_timesteps == steps
        after = list(model.policy.parameters())
        assert any((one != other).any() for one, other in zip(before, after))
        assert all(weights.isfinite().all() for weights in after)


def test_options_are_used_once():
    vec_env = VecNormalize(make_vec_env("Pursuit-v0", 3, seed=0), norm_obs=False)
    place = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    vec_env.set_options({"start": {"evader": {"position": place}}, "opponent": "idle"})
    vec_env.reset()
    (states,) = {id(s.base): s.base for s in vec_env.env_method("get_state")}.values()
    np.testing.assert_array_equal(
        states["players"]["body"]["position"][:, 1], place[:, 0] + 1j * place[:, 1]
    )
    assert vec_env.get_attr("opponent_index") == [-1, -1, -1]
    vec_env.reset()
    assert vec_env.get_attr("opponent_index") == [0, 0, 0]
