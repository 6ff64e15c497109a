"""A network in numpy computes what it does in torch."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from policies.networks import FEATURES, WIDTH, make_network, random_observations
from steer_env.policies.network import NetworkPolicy

# --- what it computes -------------------------------------------------------------------


def layers_of(*modules):
    torch = pytest.importorskip("torch")
    linear = [
        layer
        for module in modules
        for layer in module.modules()
        if isinstance(layer, torch.nn.Linear)
    ]
    return {
        "weights": [layer.weight.detach().numpy() for layer in linear],
        "biases": [layer.bias.detach().numpy() for layer in linear],
    }


def model_and_network(name, discrete=False):
    """An untrained model of stable-baselines3, and its copy in numpy."""
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    torch = pytest.importorskip("torch")
    env = gym.make("PursuitDiscrete-v0" if discrete else "Pursuit-v0")
    keywords = {} if name in ("PPO", "A2C") else {"buffer_size": 10}
    activation = "tanh" if name in ("PPO", "A2C") else "relu"
    model = getattr(stable_baselines3, name)(
        "MlpPolicy", env, seed=0, policy_kwargs={"net_arch": [32, 16]}, device="cpu", **keywords
    )
    # Untrained, the last layer is so small that a wrong head would hardly show.
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter.mul_(3.0).add_(0.05 * torch.randn_like(parameter))
    policy = model.policy
    if name in ("PPO", "A2C"):
        layers = layers_of(policy.mlp_extractor.policy_net, policy.action_net)
        head = "categorical" if discrete else "box"
    elif name == "DQN":
        layers, head = layers_of(policy.q_net), "greedy"
    elif name == "SAC":
        layers, head = layers_of(policy.actor.latent_pi, policy.actor.mu), "squashed"
    else:
        layers, head = layers_of(policy.actor.mu), "squashed"
    return model, NetworkPolicy(**layers, activation=activation, head=head)


@pytest.mark.parametrize(
    ("name", "discrete"),
    [
        ("PPO", False),
        ("PPO", True),
        ("A2C", False),
        ("SAC", False),
        ("TD3", False),
        ("DQN", True),
    ],
)
def test_it_predicts_what_stable_baselines3_predicts(name, discrete, monkeypatch):
    torch = pytest.importorskip("torch")
    model, network = model_and_network(name, discrete)
    assert network.observation_space.shape == model.observation_space.shape
    assert network.action_space == model.action_space
    observations = random_observations(1000, features=network.observation_space.shape[0])
    rounded, _ = model.predict(observations, deterministic=True)
    actions, _ = network.predict(observations, deterministic=True)
    assert actions.shape == rounded.shape
    assert actions.dtype == rounded.dtype
    # In float32, torch rounds in another way on every kind of processor.
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)
    model.policy.double()
    expected, _ = model.predict(observations, deterministic=True)
    np.testing.assert_allclose(actions, expected, rtol=0.0, atol=1e-6)
    monkeypatch.undo()
    model.policy.float()
    assert len(np.unique(actions, axis=0)) > (3 if discrete else 500)
    one, _ = network.predict(observations[0], deterministic=True)
    assert one.shape == model.predict(observations[0], deterministic=True)[0].shape


def test_it_normalizes_as_vec_normalize_does():
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.vec_env import VecNormalize

    from steer_env.envs.sb3 import make_vec_env

    envs = VecNormalize(make_vec_env("Pursuit-v0", num_envs=4, seed=0), clip_obs=0.8)
    envs.reset()
    for _ in range(50):
        envs.step(np.zeros((4, 2), np.float32))
    features = envs.observation_space.shape[0]
    # One layer that passes two features on, so that the actions are what it normalized.
    chosen = np.eye(features)[3:5]
    network = NetworkPolicy(
        [0.5 * chosen],
        [np.zeros(2)],
        activation="tanh",
        head="box",
        observation_mean=envs.obs_rms.mean,
        observation_variance=envs.obs_rms.var,
        observation_clip=0.8,
    )
    observations = envs.get_original_obs()
    expected = 0.5 * envs.normalize_obs(observations)[:, 3:5]
    np.testing.assert_allclose(network.predict(observations)[0], expected, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("head", ["box", "squashed", "categorical", "greedy"])
def test_single_batched_and_team_observations_give_the_same_actions(head):
    network = make_network(head)
    size = (2,) if head in ("box", "squashed") else ()
    kind = np.float32 if size else np.int64
    teams = random_observations(4, 3)
    actions, state = network.predict(teams, "kept", deterministic=True)
    assert state == "kept"
    assert actions.shape == (4, 3, *size)
    assert actions.dtype == kind
    batch, _ = network.predict(teams.reshape(12, FEATURES), deterministic=True)
    assert batch.shape == (12, *size)
    np.testing.assert_allclose(actions.reshape(batch.shape), batch, rtol=0.0, atol=1e-6)
    for observation, action in zip(teams.reshape(12, FEATURES), batch, strict=True):
        one, _ = network.predict(observation, deterministic=True)
        assert one.shape == size
        assert one.dtype == kind
        np.testing.assert_allclose(one, action, rtol=0.0, atol=1e-6)
        assert network.action_space.contains(one if size else int(one))
    assert network.predict(teams[:0])[0].shape == (0, 3, *size)


# --- what it samples --------------------------------------------------------------------


@pytest.mark.parametrize("head", ["box", "squashed"])
def test_gaussian_samples_have_the_mean_and_the_deviation(head):
    log_std = np.log([0.05, 0.1])
    network = NetworkPolicy(
        [np.zeros((2, FEATURES))], [[0.2, -0.3]], activation="tanh", head=head, log_std=log_std
    )
    samples, _ = network.predict(random_observations(20_000))
    assert samples.dtype == np.float32
    gaussian = np.arctanh(samples) if head == "squashed" else samples
    np.testing.assert_allclose(gaussian.mean(axis=0), [0.2, -0.3], atol=0.004)
    np.testing.assert_allclose(gaussian.std(axis=0), [0.05, 0.1], rtol=0.03)
    assert abs(np.corrcoef(gaussian.T)[0, 1]) < 0.04
    exact, _ = network.predict(random_observations(3), deterministic=True)
    mean = np.tanh([0.2, -0.3]) if head == "squashed" else [0.2, -0.3]
    np.testing.assert_allclose(exact, np.broadcast_to(mean, (3, 2)), atol=1e-6)


def test_categorical_samples_follow_the_softmax():
    logits = np.linspace(-1.0, 1.0, 9)
    network = NetworkPolicy(
        [np.zeros((9, FEATURES))], [logits], activation="tanh", head="categorical"
    )
    samples, _ = network.predict(random_observations(50_000))
    frequencies = np.bincount(samples, minlength=9) / len(samples)
    probabilities = np.exp(logits) / np.exp(logits).sum()
    np.testing.assert_allclose(frequencies, probabilities, atol=0.008)
    assert (network.predict(random_observations(5), deterministic=True)[0] == 8).all()


@pytest.mark.parametrize("keywords", [{"log_std": [0.0, 0.0]}, {"head": "categorical"}])
def test_the_seed_decides_the_samples_single_or_batched(keywords):
    observations = random_observations(50)
    batch, _ = make_network(**keywords, seed=0).predict(observations)
    again = make_network(**keywords, seed=0)
    single = [again.predict(observation)[0] for observation in observations]
    np.testing.assert_allclose(batch, single, rtol=0.0, atol=1e-6)
    reseeded = NetworkPolicy(
        again.weights,
        again.biases,
        activation="tanh",
        head=again.head,
        log_std=again.log_std,
        seed=1,
    )
    assert (reseeded.predict(observations)[0] != batch).any()


# --- what it refuses --------------------------------------------------------------------

VALID = {
    "weights": [np.zeros((WIDTH, FEATURES)), np.zeros((2, WIDTH))],
    "biases": [np.zeros(WIDTH), np.zeros(2)],
    "activation": "tanh",
    "head": "box",
}
STATISTICS = {"observation_mean": np.zeros(FEATURES), "observation_variance": np.ones(FEATURES)}


@pytest.mark.parametrize(
    ("changes", "error", "match"),
    [
        ({"activation": "sigmoid"}, ValueError, "activation"),
        ({"head": "boxed"}, ValueError, "Did you mean 'box'"),
        ({"head": "greedy"}, ValueError, "9 outputs"),
        ({"weights": []}, ValueError, "1 to 64 layers"),
        ({"weights": VALID["weights"][:1]}, ValueError, "2 biases"),
        ({"weights": [np.zeros(FEATURES), np.zeros((2, WIDTH))]}, ValueError, "weights 0"),
        ({"weights": [np.zeros((WIDTH, 0)), np.zeros((2, WIDTH))]}, ValueError, "weights 0"),
        ({"weights": [np.zeros((WIDTH, FEATURES)), np.zeros((2, 3))]}, ValueError, "weights 1"),
        ({"biases": [np.zeros(WIDTH), np.zeros(3)]}, ValueError, "biases 1"),
        ({"biases": [np.zeros(WIDTH), [1e39, 0.0]]}, ValueError, "biases 1"),
        ({"biases": [["a"] * WIDTH, np.zeros(2)]}, TypeError, "biases 0"),
        ({"log_std": [0.0]}, ValueError, "log_std"),
        ({"log_std": [100.0, 0.0]}, ValueError, "log_std"),
        ({"log_std": [1j, 0.0]}, TypeError, "log_std"),
        ({"observation_mean": np.zeros(FEATURES)}, ValueError, "both"),
        ({**STATISTICS, "observation_mean": np.zeros(3)}, ValueError, "mean"),
        ({**STATISTICS, "observation_variance": -np.ones(FEATURES)}, ValueError, "variance"),
        ({**STATISTICS, "observation_clip": 0.0}, ValueError, "clip"),
        ({"seed": -1}, ValueError, "seed"),
        ({"metadata": [1]}, TypeError, "metadata"),
        ({"metadata": {"loss": float("nan")}}, ValueError, "metadata"),
    ],
)
def test_wrong_arguments_are_refused(changes, error, match):
    NetworkPolicy(**VALID)
    with pytest.raises(error, match=match):
        NetworkPolicy(**{**VALID, **changes})


@pytest.mark.parametrize("head", ["box", "greedy"])
def test_an_observation_of_nan_gives_no_action(head):
    observation = random_observations()
    observation[2] = np.nan
    with pytest.raises(FloatingPointError, match="not all finite"):
        make_network(head, activation="relu").predict(observation)
