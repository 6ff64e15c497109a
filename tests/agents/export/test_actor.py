"""The actor that is taken out of a model plays as the model does."""

from __future__ import annotations

import numpy as np
import pytest
import stable_baselines3
import torch
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.vec_env import VecNormalize
from torch import nn

from agents.export.actor import actor_of
from agents.export.export import largest_difference
from baselines import load
from steer_env.envs.sb3 import make_vec_env

FEATURES = 21
KINDS = {
    "PPO": ("PPO", {}),
    "PPO discrete": ("PPO", {}),
    "PPO shared ReLU": ("PPO", {"net_arch": [32, 16], "activation_fn": nn.ReLU}),
    "PPO separate": ("PPO", {"net_arch": {"pi": [8], "vf": [16, 16]}}),
    "PPO own extractors": ("PPO", {"share_features_extractor": False}),
    "PPO linear": ("PPO", {"net_arch": [], "activation_fn": nn.ELU}),
    "A2C": ("A2C", {}),
    "SAC": ("SAC", {"net_arch": {"pi": [32, 16], "qf": [8]}}),
    "SAC Tanh": ("SAC", {"net_arch": [16], "activation_fn": nn.Tanh}),
    "TD3": ("TD3", {"net_arch": [32, 16]}),
    "DDPG": ("DDPG", {"net_arch": [16]}),
    "DQN": ("DQN", {"net_arch": [32]}),
}


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Networks so small only wait for more."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def make_model(algorithm="PPO", discrete=False, normalize=None, env=None, **policy_kwargs):
    """An untrained model and its VecNormalize, if it has one."""
    venv = make_vec_env("PursuitDiscrete-v0" if discrete else "Pursuit-v0", 2, 0, **(env or {}))
    if normalize is not None:
        venv = VecNormalize(venv, **normalize)
    if algorithm == "PPO":
        keywords = {"n_steps": 16, "batch_size": 16, "n_epochs": 2}
    elif algorithm == "A2C":
        keywords = {"n_steps": 16}
    else:
        keywords = {"buffer_size": 200, "learning_starts": 8, "train_freq": 4}
    make = getattr(stable_baselines3, algorithm)
    model = make(
        "MlpPolicy", venv, device="cpu", seed=0, policy_kwargs=policy_kwargs, **keywords
    )
    return model, model.get_vec_normalize_env()


def observations():
    """Random ones, the corners and the middle of the space, and some far outside."""
    random = np.random.default_rng(0)
    inside = random.uniform(-1, 1, (10_000, FEATURES))
    corners = random.choice([-1.0, 0.0, 1.0], (500, FEATURES))
    edges = np.concatenate([np.eye(FEATURES), -np.eye(FEATURES), np.zeros((1, FEATURES))])
    return np.concatenate([inside, corners, edges, 30 * edges]).astype(np.float32)


def difference(model, normalization, actor):
    def predict(observation):
        if normalization is not None:
            observation = normalization.normalize_obs(observation)
        return model.predict(observation, deterministic=True)[0]

    return largest_difference(actor, predict, observations())


@pytest.mark.parametrize("normalize", [None, {"clip_obs": 5.0}], ids=["raw", "normalized"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_actor_plays_as_the_trained_model(kind, normalize):
    algorithm, policy_kwargs = KINDS[kind]
    discrete = algorithm == "DQN" or "discrete" in kind
    model, normalization = make_model(algorithm, discrete, normalize, **policy_kwargs)
    untrained = actor_of(model)
    model.learn(32)
    actor = actor_of(model)
    assert any((a != b).any() for a, b in zip(actor.weights, untrained.weights))
    assert difference(model, normalization, actor) <= 1e-5


def test_the_spread_of_sampled_actions_is_the_models():
    model, _ = make_model(log_std_init=-0.7)
    np.testing.assert_array_equal(actor_of(model).log_std, np.float32([-0.7, -0.7]))


def test_metadata_are_the_networks():
    assert actor_of(make_model()[0], metadata={"steps": 3}).metadata == {"steps": 3}


@pytest.mark.parametrize(
    "normalize", [{"norm_obs": False}, {"epsilon": 1e-3}, {"epsilon": 1e-10}]
)
def test_normalization_settings_are_kept(normalize):
    model, normalization = make_model(normalize=normalize)
    model.learn(32)
    if normalize.get("norm_obs", True):
        normalization.obs_rms.var += 0.01
    actor = actor_of(model)
    assert (actor.observation_mean is None) == ("norm_obs" in normalize)
    assert difference(model, normalization, actor) <= 1e-5


def test_too_small_an_epsilon_is_refused():
    model, normalization = make_model(normalize={"epsilon": 1e-10})
    normalization.obs_rms.var[0] = 0.0
    with pytest.raises(ValueError, match=r"epsilon must be at least 1e-08 .* got 1e-10"):
        actor_of(model)


class OtherExtractor(FlattenExtractor):
    pass


class OtherPolicy(ActorCriticPolicy):
    pass


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        (
            {"activation_fn": nn.ELU},
            "either Tanh or ReLU between them, got Linear, ELU, Linear",
        ),
        ({"features_extractor_class": OtherExtractor}, "BlockFeatures, got OtherExtractor"),
        ({"env": {"pursuers": 2}}, r"of one player, of shape \(features,\), got"),
    ],
)
def test_models_that_a_network_cannot_represent_are_refused(keywords, message):
    with pytest.raises(ValueError, match=message):
        actor_of(make_model(**keywords)[0])


@pytest.mark.parametrize("squash_output", [False, True])
@pytest.mark.parametrize("algorithm", ["PPO", "A2C"])
def test_state_dependent_exploration_leaves_the_means(algorithm, squash_output):
    keywords = {"n_steps": 16, "use_sde": True, "seed": 0, "device": "cpu"}
    keywords["policy_kwargs"] = {"squash_output": squash_output}
    if algorithm == "PPO":
        keywords["batch_size"] = 32
    venv = make_vec_env("Pursuit-v0", 2, 0)
    model = getattr(stable_baselines3, algorithm)("MlpPolicy", venv, **keywords)
    model.learn(64)
    network = actor_of(model)
    assert network.log_std is None
    assert network.head == ("squashed" if squash_output else "box")
    observation = np.random.default_rng(0).normal(size=(200, FEATURES)).astype(np.float32)
    expected, _ = model.predict(observation, deterministic=True)
    found, _ = network.predict(observation, deterministic=True)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_state_dependent_exploration_of_sac_is_refused():
    venv = make_vec_env("Pursuit-v0", 2, 0)
    model = stable_baselines3.SAC("MlpPolicy", venv, use_sde=True, device="cpu")
    with pytest.raises(ValueError, match="SAC with gSDE"):
        actor_of(model)


def test_another_policy_is_refused():
    model = stable_baselines3.PPO(OtherPolicy, make_vec_env("Pursuit-v0", 2, 0), device="cpu")
    with pytest.raises(ValueError, match=r"must be the MlpPolicy of .* got OtherPolicy"):
        actor_of(model)


def test_other_actions_are_refused():
    model, _ = make_model()
    model.action_space = type(model.action_space)(-2.0, 2.0, (2,), np.float32)
    with pytest.raises(ValueError, match=r"the actions must be Box\(-1.0, 1.0.*got Box\(-2.0"):
        actor_of(model)


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="model must be stable-baselines3's, got str"):
        actor_of("model.zip")


def test_the_normalization_of_a_loaded_model_is_exported_too(tmp_path):
    model, normalization = make_model(normalize={})
    model.learn(32)
    model.save(tmp_path / "model.zip")
    normalization.save(str(tmp_path / "stats.pkl"))
    loaded = load(tmp_path / "model.zip", trust=True, normalization=tmp_path / "stats.pkl")
    assert difference(model, normalization, actor_of(loaded)) <= 1e-5
    with pytest.raises(ValueError, match="trained with a VecNormalize, which is missing"):
        actor_of(stable_baselines3.PPO.load(tmp_path / "model.zip", device="cpu"))
