"""The actor that is taken out of a model plays as the model does."""

import numpy as np
import pytest
import stable_baselines3
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.vec_env import VecNormalize
from torch import nn

from steer_env.agents.export.actor import actor_of
from steer_env.agents.export.export import export, largest_difference
from steer_env.baselines import NetworkPolicy, load
from steer_env.cli import main
from steer_env.envs.sb3 import make_vec_env

FEATURES = 21
KINDS = {
    "PPO": ("PPO", {}, None),
    "PPO discrete, normalized": ("PPO", {}, {"clip_obs": 5.0}),
    "PPO shared ReLU": ("PPO", {"net_arch": [32, 16], "activation_fn": nn.ReLU}, None),
    "PPO separate": ("PPO", {"net_arch": {"pi": [8], "vf": [16, 16]}}, {"epsilon": 1e-10}),
    "PPO own extractors": ("PPO", {"share_features_extractor": False}, None),
    "PPO linear": ("PPO", {"net_arch": [], "activation_fn": nn.ELU}, {"norm_obs": False}),
    "PPO gSDE": ("PPO", {}, None),
    "PPO gSDE squashed": ("PPO", {"squash_output": True}, None),
    "A2C": ("A2C", {}, None),
    "SAC": ("SAC", {"net_arch": {"pi": [32, 16], "qf": [8]}}, {"epsilon": 1e-3}),
    "SAC Tanh": ("SAC", {"net_arch": [16], "activation_fn": nn.Tanh}, None),
    "TD3": ("TD3", {"net_arch": [32, 16]}, None),
    "DDPG": ("DDPG", {"net_arch": [16]}, None),
    "DQN": ("DQN", {"net_arch": [32]}, {"clip_obs": 5.0}),
}


def make_model(
    algorithm="PPO", discrete=False, normalize=None, env=None, use_sde=False, **policy_kwargs
):
    """An untrained model and its VecNormalize, if it has one."""
    venv = make_vec_env("PursuitDiscrete-v0" if discrete else "Pursuit-v0", 2, 0, **(env or {}))
    if normalize is not None:
        venv = VecNormalize(venv, **normalize)
    given = {"buffer_size": 200, "learning_starts": 8, "train_freq": 4}
    if algorithm in ("PPO", "A2C"):
        given = {"n_steps": 16}
    if algorithm == "PPO":
        given |= {"batch_size": 16, "n_epochs": 2, "use_sde": use_sde}
    make = getattr(stable_baselines3, algorithm)
    model = make("MlpPolicy", venv, device="cpu", seed=0, policy_kwargs=policy_kwargs, **given)
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

    rows = observations()
    expected, found = predict(rows), actor.predict(rows, deterministic=True)[0]
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    if found.dtype == np.float32:
        np.testing.assert_allclose(found, expected, atol=2e-5)
    else:
        assert (found != expected).mean() < 1e-3
    return largest_difference(actor, predict, rows)


@pytest.mark.parametrize("kind", KINDS)
def test_the_actor_plays_as_the_trained_model(kind):
    algorithm, policy_kwargs, normalize = KINDS[kind]
    discrete, has_sde = algorithm == "DQN" or "discrete" in kind, "gSDE" in kind
    policy_kwargs = {**policy_kwargs, "use_sde": has_sde}
    model, normalization = make_model(algorithm, discrete, normalize, **policy_kwargs)
    untrained = actor_of(model)
    model.learn(32)
    if normalize is not None and normalize.get("norm_obs", True):
        normalization.obs_rms.var += 0.01
    actor = actor_of(model, metadata={"steps": 3})
    assert actor.observation_space.shape == model.observation_space.shape
    assert actor.action_space == model.action_space
    assert any((a != b).any() for a, b in zip(actor.weights, untrained.weights))
    assert difference(model, normalization, actor) <= 1e-5
    assert actor.metadata == {"steps": 3}
    assert (actor.observation_mean is None) == ("norm_obs" in (normalize or {"norm_obs": 0}))
    if has_sde:  # exploration depends on the state: the means are left
        assert actor.log_std is None
        assert actor.head == ("squashed" if "squashed" in kind else "box")


class OtherExtractor(FlattenExtractor):
    pass


class OtherPolicy(ActorCriticPolicy):
    pass


def too_small_an_epsilon():
    model, normalization = make_model(normalize={"epsilon": 1e-10})
    normalization.obs_rms.var[0] = 0.0
    return model


def other_actions():
    model, _ = make_model()
    model.action_space = type(model.action_space)(-2.0, 2.0, (2,), np.float32)
    return model


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_model(activation_fn=nn.ELU)[0], "Tanh or ReLU"),
        (lambda: make_model(features_extractor_class=OtherExtractor)[0], "OtherExtractor"),
        (lambda: make_model(env={"pursuers": 2})[0], "of one player"),
        (too_small_an_epsilon, "epsilon"),
        (lambda: stable_baselines3.SAC("MlpPolicy", _venv(), use_sde=True), "gSDE"),
        (lambda: stable_baselines3.PPO(OtherPolicy, _venv(), device="cpu"), "OtherPolicy"),
        (other_actions, "actions"),
        (lambda: "model.zip", "got str"),
    ],
)
def test_what_a_network_cannot_represent_is_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        actor_of(make())


def _venv():
    return make_vec_env("Pursuit-v0", 2, 0)


def test_the_normalization_of_a_loaded_model_is_exported_too(tmp_path):
    model, normalization = make_model(normalize={})
    model.learn(32)
    model.save(tmp_path / "model.zip")
    normalization.save(str(tmp_path / "stats.pkl"))
    name = f"PPO:{tmp_path}/model.zip"
    loaded = load(name, trust=True, normalization=tmp_path / "stats.pkl")
    assert difference(model, normalization, actor_of(loaded)) <= 1e-5
    trusted = "--trust", "--normalization", str(tmp_path / "stats.pkl")
    main(["export", name, "--to", "npz", *trusted])
    written = NetworkPolicy.load(tmp_path / "model.npz")
    assert difference(model, normalization, written) <= 1e-5
    with pytest.raises(ValueError, match="runs code when it is loaded"):
        export(name, "npz")
