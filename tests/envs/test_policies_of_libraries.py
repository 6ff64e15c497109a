"""Policies of torch, JAX and stable-baselines3."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from envs.test_policy_player import FEATURES, Answering, ask, box, zeros
from steer_env.baselines import FunctionPolicy, evaluate
from steer_env.game.config import game_config
from steer_env.policies.policy_player import PolicyPlayer
from steer_env.sides import PURSUER

pytestmark = pytest.mark.weekly


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["Pursuit", "PursuitDiscrete"])
def test_a_model_of_stable_baselines3_leads_a_team(kind):
    from stable_baselines3 import PPO

    from steer_env.envs.sb3 import make_vec_env

    env = make_vec_env(f"{kind}-v0", num_envs=2, pursuers=3)
    model = PPO("MlpPolicy", env, n_steps=8, batch_size=16)
    config = game_config(pursuers=3, horizon=20)
    assert len(evaluate(model, "evade", config, episodes=5)) == 5
    other = gym.make_vec("Evade-v0", num_envs=2, pursuers=3, opponent=model)
    other.reset(seed=0)
    other.step(np.zeros((2, 2), np.float32))


def linear(torch):
    """A torch module from observations to actions."""
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(21, 2), torch.nn.Tanh())


def test_a_torch_module_is_told_what_it_lacks():
    torch = pytest.importorskip("torch")
    module = linear(torch)
    message = r"Sequential.* torch module is a policy as FunctionPolicy\(.*torch\.as_tensor\("
    for refused in (
        lambda: evaluate(module, "evade", episodes=2),
        lambda: gym.make("Evade-v0", opponent=module),
        lambda: FunctionPolicy(module),
    ):
        with pytest.raises(TypeError, match=message):
            refused()


def test_tensors_are_actions_unless_they_have_a_gradient():
    torch = pytest.importorskip("torch")
    module = linear(torch)
    answer = lambda rows: (module(torch.as_tensor(rows)), None)  # noqa: E731
    remedy = r"torch tensor that has a gradient.*return actions\.detach\(\)\.cpu\(\)\.numpy"
    with pytest.raises(TypeError, match=rf"Answering as pursuer returned .*{remedy}"):
        evaluate(Answering(answer), "evade", {"horizon": 5}, episodes=2)
    policy = FunctionPolicy(lambda rows: module(torch.as_tensor(rows)))
    with pytest.raises(TypeError, match=rf"FunctionPolicy\(<lambda>\) are a {remedy}"):
        evaluate(policy, "evade", {"horizon": 5}, episodes=2)
    env = gym.make("Pursuit-v0")
    observation, _ = env.reset(seed=0)
    with pytest.raises(TypeError, match=remedy):
        env.step(module(torch.as_tensor(observation)))

    def without(rows):
        with torch.no_grad():
            return module(torch.as_tensor(rows))

    detached = FunctionPolicy(lambda rows: module(torch.as_tensor(rows)).detach().numpy())
    for policy in (FunctionPolicy(without), Answering(lambda rows: (without(rows), None))):
        found, expected = (evaluate(p, "evade", {"horizon": 5}, 2) for p in (policy, detached))
        np.testing.assert_array_equal(found.episodes, expected.episodes)


def test_arrays_of_jax_are_actions():
    jax = pytest.importorskip("jax")
    act = jax.jit(lambda rows: jax.numpy.tanh(3.0 * rows[..., 11:13]))
    expected = evaluate(
        FunctionPolicy(lambda rows: np.tanh(3.0 * rows[..., 11:13])), "evade", {"horizon": 5}, 9
    )
    found = evaluate(FunctionPolicy(act), "evade", {"horizon": 5}, 9)
    np.testing.assert_allclose(found["distance"], expected["distance"], rtol=1e-4)
    with pytest.raises(TypeError, match="FunctionPolicy"):
        evaluate(act, "evade", episodes=2)


@pytest.mark.parametrize("seen", [None, box(FEATURES)])
@pytest.mark.parametrize("space", [None, box(2), spaces.Discrete(9)])
def test_every_other_policy_is_asked_for_each_player(seen, space):
    policy = Answering(zeros(12, 2), seen, space)
    assert ask(policy).shape == (4, 3, 2)
    assert policy.asked == [((12, FEATURES), (12,))]


class OneArgument:
    def predict(self, observation):
        return np.zeros((len(observation), 2)), None


class NoSignature:
    predict = staticmethod(max)  # whose arguments cannot be looked at before it is called


def test_a_predict_of_other_arguments_is_refused_before_play():
    match = r"policy OneArgument as evader has predict\(observation\).*FunctionPolicy\(policy"
    with pytest.raises(TypeError, match=match):
        gym.make("Pursuit-v0", opponent=OneArgument())
    with pytest.raises(TypeError, match=match):
        evaluate("pursuit", OneArgument(), episodes=2)
    PolicyPlayer(NoSignature(), PURSUER, 1, FEATURES)
