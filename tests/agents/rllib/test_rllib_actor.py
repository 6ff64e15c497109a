"""Networks of RLlib, copied, act as they do there."""

import numpy as np
import pytest
import torch

pytest.importorskip("ray.rllib")

import gymnasium as gym
from ray.rllib.algorithms.ppo.ppo_catalog import PPOCatalog
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.algorithms.sac.sac_catalog import SACCatalog
from ray.rllib.algorithms.sac.torch.default_sac_torch_rl_module import DefaultSACTorchRLModule
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from stable_baselines3 import PPO

from agents.rllib.actor import actor_of_state, first_weights
from agents.rllib.configuration import configuration, networks_of
from agents.training.start import make_training_env, new_model
from agents.training.training import Training
from steer_env.actions import action_space
from steer_env.policies.network import NetworkPolicy

pytestmark = pytest.mark.filterwarnings("default")  # RLlib's own

FEATURES = 21


def module_of(training):
    config = configuration(training)
    discrete = "Discrete" in training.env
    kinds = {
        "ppo": (DefaultPPOTorchRLModule, PPOCatalog),
        "sac": (DefaultSACTorchRLModule, SACCatalog),
    }
    kind, catalog = kinds[training.algo]
    return RLModuleSpec(
        module_class=kind,
        catalog_class=catalog,
        observation_space=gym.spaces.Box(-1.0, 1.0, (FEATURES,), np.float32),
        action_space=action_space("discrete" if discrete else "continuous", 1),
        model_config={**config.model_config, "twin_q": True},
    ).build()


CASES = [
    ("ppo", "Pursuit-v0", "box"),
    ("ppo", "PursuitDiscrete-v0", "categorical"),
    ("sac", "Pursuit-v0", "squashed"),
]


@pytest.mark.parametrize(("algo", "env", "head"), CASES)
@pytest.mark.parametrize("activation", ["ReLU", "Tanh"])
def test_an_actor_acts_as_its_module(algo, env, head, activation):
    network = f"policy_kwargs=dict(net_arch=[32, 16], activation_fn=nn.{activation})"
    training = Training(engine="rllib", algo=algo, env=env, params=(network,))
    networks = networks_of(algo, training.read_preset())
    module = module_of(training)
    with torch.no_grad():  # as large as after a training, so that the bounds of actions matter
        for value in module.parameters():
            value.mul_(3.0)
    policy = actor_of_state(module.get_state(), algo, networks, {"steps": 7})
    assert policy.head == head
    assert policy.metadata == {"steps": 7}
    observations = np.random.default_rng(0).uniform(-1, 1, (500, FEATURES)).astype(np.float32)
    with torch.no_grad():
        batch = {Columns.OBS: torch.from_numpy(observations)}
        inputs = module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS]
        kind = module.get_inference_action_dist_cls()
        expected = kind.from_logits(inputs).to_deterministic().sample().numpy()
    if algo == "sac":  # RLlib forgets to bound it as it bounds sampled actions; fails once not
        np.testing.assert_array_equal(expected, inputs[:, :2].numpy())
        expected = np.tanh(expected)
    found, _ = policy.predict(observations, deterministic=True)
    if head == "categorical":
        assert (found == expected).mean() > 0.999
        return
    np.testing.assert_allclose(found, np.clip(expected, -1.0, 1.0), atol=2e-6)
    assert np.abs(found).max() > 0.9


def test_sampled_actions_have_the_standard_deviation_of_the_module():
    training = Training(engine="rllib")
    module = module_of(training)
    networks = networks_of("ppo", training.read_preset())
    state = first_weights(module.get_state(), networks, seed=0)
    policy = actor_of_state(state, "ppo", networks, {})
    np.testing.assert_array_equal(policy.log_std, np.float32([-0.5, -0.5]))
    observations = np.zeros((20_000, FEATURES), np.float32)
    actions, _ = policy.predict(observations)
    inside = actions[np.abs(actions) < 1.0]
    assert abs(np.mean(inside)) < 0.02
    assert np.mean(np.abs(actions) >= 1.0) == pytest.approx(0.0992, abs=0.01)  # of normal draws


def test_first_weights_are_those_that_stable_baselines3_draws():
    training = Training(engine="rllib")
    networks = networks_of("ppo", training.read_preset())
    module = module_of(training)
    found = first_weights(module.get_state(), networks, seed=5)
    assert found.keys() == module.get_state().keys()
    venv = make_training_env(Training(num_envs=2))
    model = new_model(Training(num_envs=2), venv)
    venv.close()
    assert isinstance(model, PPO)
    theirs = model.policy.state_dict()
    pairs = {
        "encoder.actor_encoder.net.mlp.0": "mlp_extractor.policy_net.0",
        "encoder.actor_encoder.net.mlp.2": "mlp_extractor.policy_net.2",
        "pi.net.mlp.0": "action_net",
        "encoder.critic_encoder.net.mlp.0": "mlp_extractor.value_net.0",
        "encoder.critic_encoder.net.mlp.2": "mlp_extractor.value_net.2",
        "vf.net.mlp.0": "value_net",
    }
    for ours, other in pairs.items():
        weight, their = found[f"{ours}.weight"], theirs[f"{other}.weight"].numpy()
        assert weight.shape == their.shape
        sizes = [np.linalg.svd(one.astype(np.float64))[1] for one in (weight, their)]
        np.testing.assert_allclose(*sizes, rtol=1e-5)  # an orthogonal matrix times a gain
        assert not found[f"{ours}.bias"].any()
    again = first_weights(module.get_state(), networks, seed=5)
    assert all(np.array_equal(found[name], again[name]) for name in found)
    other = first_weights(module.get_state(), networks, seed=6)
    assert not np.array_equal(found["pi.net.mlp.0.weight"], other["pi.net.mlp.0.weight"])


def test_another_module_is_refused():
    training = Training(engine="rllib")
    networks = networks_of("ppo", training.read_preset())
    state = module_of(training).get_state()
    with pytest.raises(ValueError, match="has 3 layers, expected 4"):
        actor_of_state(state, "ppo", networks._replace(layers=[64, 64, 64]), {})


def test_an_actor_survives_its_file(tmp_path):
    training = Training(engine="rllib")
    networks = networks_of("ppo", training.read_preset())
    policy = actor_of_state(module_of(training).get_state(), "ppo", networks, {})
    policy.save(tmp_path / "policy.npz")
    assert NetworkPolicy.load(tmp_path / "policy.npz").is_equal(policy)
