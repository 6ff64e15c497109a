"""A network in numpy computes what it does in torch, and no file makes it do anything else."""

from __future__ import annotations

import io
import itertools
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steer_env
from baselines import network as network_module
from baselines.network import FORMAT, NetworkPolicy

ROOT = Path(steer_env.__file__).parents[1]
FEATURES = 5
WIDTH = 4


def make_network(head="box", layers=2, seed=0, **keywords):
    random = np.random.default_rng(seed)
    sizes = [FEATURES] + [WIDTH] * (layers - 1) + [2 if head in ("box", "squashed") else 9]
    weights = [
        random.normal(size=(after, before)) for before, after in itertools.pairwise(sizes)
    ]
    biases = [random.normal(size=after) for after in sizes[1:]]
    keywords = {"activation": "tanh", **keywords}
    return NetworkPolicy(weights, biases, head=head, **keywords)


def full_network(**keywords):
    return make_network(
        log_std=[-1.0, -0.5],
        observation_mean=np.linspace(-0.1, 0.1, FEATURES),
        observation_variance=np.linspace(0.0, 1.0, FEATURES),
        observation_clip=3.0,
        metadata={"algorithm": "PPO", "steps": 1000, "sizes": (64, 64)},
        **keywords,
    )


def random_observations(*shape, features=FEATURES, seed=1):
    values = np.random.default_rng(seed).uniform(-1.0, 1.0, (*shape, features))
    return values.astype(np.float32)


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
def test_it_predicts_what_stable_baselines3_predicts(name, discrete):
    model, network = model_and_network(name, discrete)
    assert network.observation_space.shape == model.observation_space.shape
    assert network.action_space == model.action_space
    observations = random_observations(1000, features=network.observation_space.shape[0])
    expected, _ = model.predict(observations, deterministic=True)
    actions, _ = network.predict(observations, deterministic=True)
    assert actions.shape == expected.shape
    assert actions.dtype == expected.dtype
    np.testing.assert_allclose(actions, expected, rtol=0.0, atol=1e-6)
    assert len(np.unique(actions, axis=0)) > (3 if discrete else 500)
    one, _ = network.predict(observations[0], deterministic=True)
    assert one.shape == model.predict(observations[0], deterministic=True)[0].shape


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_it_computes_what_torch_computes(activation):
    torch = pytest.importorskip("torch")
    network = make_network(layers=4, activation=activation)
    function = {"tanh": torch.tanh, "relu": torch.relu}[activation]
    observations = random_observations(1000)
    values = torch.tensor(observations)
    for number, (weights, biases) in enumerate(zip(network.weights, network.biases)):
        values = torch.nn.functional.linear(
            values, torch.tensor(weights.copy()), torch.tensor(biases.copy())
        )
        values = function(values) if number < 3 else values.clip(-1.0, 1.0)
    actions, _ = network.predict(observations)
    np.testing.assert_allclose(actions, values.numpy(), rtol=0.0, atol=1e-6)


def test_it_normalizes_as_vec_normalize_does():
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.vec_env import VecNormalize

    from steer_env.envs.sb3 import make_vec_env

    envs = VecNormalize(make_vec_env("Pursuit-v0", num_envs=4, seed=0), clip_obs=2.0)
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
        observation_clip=2.0,
    )
    observations = envs.get_original_obs()
    expected = 0.5 * envs.normalize_obs(observations)[:, 3:5]
    np.testing.assert_allclose(network.predict(observations)[0], expected, rtol=0.0, atol=1e-6)


def test_a_feature_that_never_varied_loses_no_precision():
    values = np.full(FEATURES, 0.3)
    network = NetworkPolicy(
        [np.eye(2, FEATURES)],
        [np.zeros(2)],
        activation="relu",
        head="box",
        observation_mean=np.float64(values.astype(np.float32)),
        observation_variance=np.zeros(FEATURES),
    )
    np.testing.assert_array_equal(network.predict(values)[0], 0.0)
    assert network.observation_clip == 10.0


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


def test_it_plays_in_an_environment():
    env = gym.make("Pursuit-v0")
    features = env.observation_space.shape[0]
    network = NetworkPolicy(
        [np.ones((2, features))], [np.zeros(2)], activation="relu", head="squashed"
    )
    assert network.observation_space.shape == env.observation_space.shape
    assert network.action_space == env.action_space
    observation, _ = env.reset(seed=0)
    env.step(network.predict(observation)[0])


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


@pytest.mark.parametrize("head", ["box", "squashed"])
def test_samples_stay_in_the_action_space(head):
    samples, _ = make_network(head, log_std=[80.0, 3.0]).predict(random_observations(5000))
    assert np.abs(samples).max() == 1.0


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


def test_without_deviations_or_with_greed_nothing_is_sampled():
    for network in (make_network("box"), make_network("squashed"), make_network("greedy")):
        observations = random_observations(100)
        first, _ = network.predict(observations)
        second, _ = network.predict(observations, deterministic=True)
        np.testing.assert_array_equal(first, second)


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
STATISTICS = {
    "observation_mean": np.zeros(FEATURES),
    "observation_variance": np.ones(FEATURES),
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"activation": "sigmoid"}, "unknown activation"),
        ({"head": "boxed"}, "Did you mean 'box'"),
        ({"head": "greedy"}, "9 outputs, got 2"),
        ({"weights": []}, "1 to 64 layers"),
        ({"weights": VALID["weights"][:1]}, "1 weights and 2 biases"),
        ({"weights": [np.zeros((2, 2))] * 65, "biases": [np.zeros(2)] * 65}, "1 to 64 layers"),
        ({"weights": [np.zeros(FEATURES), np.zeros((2, WIDTH))]}, "weights 0 must have"),
        ({"weights": [np.zeros((WIDTH, 0)), np.zeros((2, WIDTH))]}, "each at least 1"),
        ({"weights": [np.zeros((WIDTH, FEATURES)), np.zeros((2, 3))]}, r"\(outputs, 4\)"),
        ({"biases": [np.zeros(WIDTH), np.zeros(3)]}, r"biases 1 must have the shape \(2,\)"),
        ({"biases": [np.zeros(WIDTH), [np.nan, 0.0]]}, "biases 1 must be finite"),
        ({"biases": [np.zeros(WIDTH), [1e39, 0.0]]}, "must be finite in float32"),
        ({"log_std": [0.0]}, r"log_std must have the shape \(2,\)"),
        ({"log_std": [np.inf, 0.0]}, "log_std must be finite"),
        ({"log_std": [100.0, 0.0]}, "exponential of log_std must be finite"),
        ({"observation_mean": np.zeros(FEATURES)}, "must both be given"),
        ({"observation_clip": 5.0}, "must both be given"),
        ({**STATISTICS, "observation_mean": np.zeros(3)}, r"the shape \(5,\), got \(3,\)"),
        ({**STATISTICS, "observation_variance": -np.ones(FEATURES)}, "at least 0"),
        ({**STATISTICS, "observation_clip": 0.0}, "observation_clip must be finite and above"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"metadata": {"loss": float("nan")}}, "metadata must be what JSON can hold"),
        ({"metadata": {"space": object()}}, "metadata must be what JSON can hold"),
    ],
)
def test_it_says_what_is_wrong_with_an_argument(changes, message):
    NetworkPolicy(**VALID)
    with pytest.raises(ValueError, match=message):
        NetworkPolicy(**{**VALID, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"biases": [["a"] * WIDTH, np.zeros(2)]}, "biases 0 must be real numbers"),
        ({"log_std": [1j, 0.0]}, "log_std must be real numbers"),
        ({"metadata": [1]}, "metadata must be a dict, got list"),
        ({**STATISTICS, "observation_clip": "5"}, "observation_clip must be a number"),
    ],
)
def test_it_says_what_has_the_wrong_type(changes, message):
    with pytest.raises(TypeError, match=message):
        NetworkPolicy(**{**VALID, **changes})


def test_only_a_gaussian_has_deviations():
    with pytest.raises(ValueError, match="'greedy' head is not Gaussian"):
        make_network("greedy", log_std=np.zeros(9))


@pytest.mark.parametrize("shape", [(), (FEATURES + 1,), (3, FEATURES - 1), (FEATURES, 1)])
def test_it_refuses_observations_of_another_game(shape):
    with pytest.raises(ValueError, match="takes 5 features an observation, got the shape"):
        make_network().predict(np.zeros(shape, np.float32))


@pytest.mark.parametrize("head", ["box", "greedy"])
def test_an_observation_of_nan_gives_no_action(head):
    observation = random_observations()
    observation[2] = np.nan
    with pytest.raises(FloatingPointError, match="not all finite"):
        make_network(head, activation="relu").predict(observation)


def test_the_arrays_are_copies_that_none_can_change():
    weights = np.zeros((2, FEATURES), np.float32)
    network = NetworkPolicy([weights], [np.zeros(2)], activation="tanh", head="box")
    weights[:] = 1.0
    assert not network.weights[0].any()
    with pytest.raises(ValueError, match="read-only"):
        network.weights[0][:] = 1.0


# --- its file ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The bytes of a network's file."""
    path = tmp_path_factory.mktemp("saved") / "network.npz"
    full_network().save(path)
    return path.read_bytes()


def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_zip(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return path


def npy(array, allow_pickle=False):
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=allow_pickle)
    return stream.getvalue()


def npy_claiming(shape, data=b"", dtype="<f4"):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


def check_refused(path, message):
    with pytest.raises(ValueError, match=message) as caught:
        NetworkPolicy.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "network",
    [
        full_network(),
        make_network("squashed", layers=1, activation="relu"),
        make_network("categorical", layers=4),
        make_network("greedy", metadata={"note": "schnell & gewandt: ü, 雪, \U0001f98a"}),
    ],
    ids=lambda network: network.head,
)
def test_a_loaded_network_is_the_saved_one(network, tmp_path):
    path = tmp_path / "network.of.mine"
    network.save(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["network.of.mine"]
    loaded = NetworkPolicy.load(str(path), seed=0)
    assert loaded.metadata == network.metadata
    assert loaded.observation_clip == network.observation_clip
    assert (loaded.head, loaded.activation) == (network.head, network.activation)
    observations = random_observations(100)
    fresh = NetworkPolicy.load(path, seed=3).predict(observations, deterministic=True)
    np.testing.assert_array_equal(
        fresh[0], network.predict(observations, deterministic=True)[0]
    )
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_saving_twice_gives_the_same_bytes_however_the_metadata_are_ordered(tmp_path):
    for name, metadata in (("a", {"x": 1, "y": 2}), ("b", {"y": 2, "x": 1})):
        make_network(metadata=metadata).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_numpy_can_read_the_file_too(saved):
    with np.load(io.BytesIO(saved), allow_pickle=False) as arrays:
        assert str(arrays["format"]) == FORMAT == "steer_env network 1"
        assert json.loads(str(arrays["metadata"]))["sizes"] == [64, 64]
        assert arrays["weights_1"].shape == (2, WIDTH)


def test_a_file_of_numpy_in_float64_and_column_order_is_read(saved, tmp_path):
    with np.load(io.BytesIO(saved)) as arrays:
        arrays = dict(arrays)
    expected = arrays["weights_0"]
    arrays["weights_0"] = np.asfortranarray(expected, np.float64)
    np.savez(tmp_path / "network.npz", **arrays)
    loaded = NetworkPolicy.load(tmp_path / "network.npz")
    assert loaded.weights[0].dtype == np.float32
    np.testing.assert_array_equal(loaded.weights[0], expected)


def test_a_failed_save_leaves_the_old_file(saved, tmp_path, monkeypatch):
    path = tmp_path / "network.npz"
    path.write_bytes(saved)

    def fail(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="full"):
        make_network().save(path)
    assert path.read_bytes() == saved
    assert list(tmp_path.iterdir()) == [path]


def test_it_neither_writes_nor_reads_what_is_too_large(saved, tmp_path, monkeypatch):
    path = tmp_path / "network.npz"
    path.write_bytes(saved)
    monkeypatch.setattr(network_module, "MAX_BYTES", len(saved) - 1)
    check_refused(path, "a network has at most")
    with pytest.raises(ValueError, match="a file has at most"):
        full_network().save(path)


def test_a_missing_file_is_missing_and_a_folder_is_none(tmp_path):
    with pytest.raises(FileNotFoundError):
        NetworkPolicy.load(tmp_path / "none.npz")
    check_refused(tmp_path, "is not a file")


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip archive", npy(np.zeros(3))])
def test_what_is_no_archive_is_refused(content, tmp_path):
    path = tmp_path / "network.npz"
    path.write_bytes(content)
    check_refused(path, "damaged, or no .npz archive")


WRONG_MEMBERS = {
    "objects": ("weights_0", npy(np.array([[print]]), True), r"float32 or float64.*'\|O'"),
    "a structure": ("weights_0", npy(np.zeros(2, "f4,f4")), "not begin as a plain .npy"),
    "integers": ("weights_0", npy(np.zeros((WIDTH, FEATURES), int)), "float32 or float64"),
    "text for numbers": ("log_std", npy(np.array("0")), "float32 or float64"),
    "a wrong shape": ("weights_0", npy(np.zeros((WIDTH, 4))), r"must have the shape \(4,\)"),
    "a vector": ("weights_1", npy(np.zeros(8)), "weights 1 must have the shape"),
    "nan": ("weights_1", npy(np.full((2, WIDTH), np.nan)), "weights 1 must be finite"),
    "infinity": ("biases_1", npy(np.array([np.inf, 0.0])), "biases 1 must be finite"),
    "too large": ("biases_1", npy(np.array([1e300, 0.0])), "finite in float32"),
    "no clip": ("observation_clip", npy(np.array(-1.0)), "observation_clip must be finite"),
    "two clips": ("observation_clip", npy(np.ones(2)), "must be a single number"),
    "no name": ("head", npy(np.array("boxed")), "unknown head"),
    "numbers for text": ("head", npy(np.array(1.0)), "head must be one string"),
    "two texts": ("head", npy(np.array(["box", "box"])), "head must be one string"),
    "no characters": ("head", npy_claiming("()", b"\xff" * 12, "<U3"), "utf-32-le"),
    "next version": ("format", npy(np.array("steer_env network 2")), f"expected '{FORMAT}'"),
    "no JSON": ("metadata", npy(np.array("{")), "metadata are not JSON"),
    "deep JSON": ("metadata", npy(np.array("[" * 200_000)), "metadata are not JSON"),
    "no JSON object": ("metadata", npy(np.array("[1]")), "metadata must be a dict"),
    "JSON of nan": ("metadata", npy(np.array('{"a": NaN}')), "what JSON can hold"),
    "huge": ("weights_0", npy_claiming((2**40, 2**20)), "does not fit"),
    "huge and empty": ("weights_0", npy_claiming((2**62, 0)), "does not fit"),
    "many digits": ("weights_0", npy_claiming("(" + "9" * 5000 + ",)"), "digits|does not fit"),
    "many axes": ("weights_0", npy_claiming((1,) * 100, b"\0" * 4), "dimension"),
    "negative": ("weights_0", npy_claiming((-1, -4)), "not begin as a plain .npy"),
    "huge text": ("head", npy_claiming("()", b"", "<U999999999"), "must be one string"),
    "too little data": ("biases_1", npy(np.zeros(2))[:-1], "does not fit"),
    "too much data": ("biases_1", npy(np.zeros(2)) + b"\0", "does not fit"),
    "nothing": ("biases_1", b"", "not begin as a plain .npy"),
    "another .npy version": ("biases_1", b"\x93NUMPY\x02\x00" + bytes(20), "not begin"),
}


@pytest.mark.parametrize("what", WRONG_MEMBERS)
def test_a_wrong_array_is_refused(what, saved, tmp_path):
    name, member, message = WRONG_MEMBERS[what]
    members = {**members_of(saved), f"{name}.npy": member}
    check_refused(write_zip(tmp_path / "network.npz", members), message)


@pytest.mark.parametrize(
    ("removed", "added", "message"),
    [
        (["format"], [], "has no array 'format'"),
        (["head"], [], r"lacks the arrays \['head'\]"),
        (["biases_1"], [], r"lacks the arrays \['biases_1'\]"),
        (["weights_0"], [], r"lacks the arrays \['weights_0'\]"),
        (["weights_0", "weights_1"], [], r"lacks the arrays \['weights_0'\]"),
        (["observation_mean"], [], "must both be given"),
        ([], ["surprise.npy"], r"unknown arrays \['surprise'\]"),
        ([], ["biases_2.npy"], r"unknown arrays \['biases_2'\]"),
        ([], ["weights_01.npy"], "lacks the arrays"),
        ([], ["readme.txt"], "'readme.txt' is there twice, or no .npy"),
        ([], ["../outside.npy"], "unknown arrays"),
        ([], [f"many_{number}.npy" for number in range(200)], "more than the 136 arrays"),
    ],
)
def test_missing_and_unknown_arrays_are_refused(removed, added, message, saved, tmp_path):
    members = {
        name: member
        for name, member in members_of(saved).items()
        if name.removesuffix(".npy") not in removed
    }
    members.update(dict.fromkeys(added, npy(np.zeros(2))))
    check_refused(write_zip(tmp_path / "network.npz", members), message)


def test_a_name_that_is_there_twice_is_refused(saved, tmp_path):
    path = tmp_path / "network.npz"
    path.write_bytes(saved)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("biases_0.npy", npy(np.ones(WIDTH)))
    check_refused(path, "'biases_0.npy' is there twice")


@pytest.mark.parametrize(
    "compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_a_bomb_is_refused_before_it_is_unpacked(compression, saved, tmp_path):
    bomb = npy_claiming((2**20, 4), bytes(2**24))
    members = {"weights_0.npy": bomb, **members_of(saved)}
    path = write_zip(tmp_path / "network.npz", members, compression)
    assert path.stat().st_size < 2**16
    check_refused(path, "'weights_0' is compressed")


def changed_entry(content, offset, value):
    """The archive with some bytes of the first entry of its table of contents changed."""
    start = content.index(b"PK\x01\x02") + offset
    return content[:start] + value + content[start + len(value) :]


@pytest.mark.parametrize(
    ("offset", "value", "message"),
    [
        (8, b"\x01", "'format' is encrypted"),
        (24, b"\xff\xff\xff\x7f", "claims a size that it cannot have"),
        (20, b"\xff\xff\xff\x00\xff\xff\xff\x00", "damaged"),
        (16, b"\0\0\0\0", "damaged"),
        (42, b"\xff\xff\xff\x00", "damaged"),
    ],
    ids=["encrypted", "grown", "beyond the end", "wrong checksum", "misplaced"],
)
def test_a_false_table_of_contents_is_refused(offset, value, message, saved, tmp_path):
    path = tmp_path / "network.npz"
    path.write_bytes(changed_entry(saved, offset, value))
    check_refused(path, message)


def load_or_refuse(content, path):
    """Loads what may be damaged: it must be refused, or be a network of finite arrays."""
    path.write_bytes(content)
    try:
        network = NetworkPolicy.load(path)
    except ValueError as refusal:
        error = refusal
    else:
        for array in (*network.weights, *network.biases):
            assert np.isfinite(array).all()
        assert isinstance(network.metadata, dict)
        return
    assert str(path) in str(error)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_truncated_or_flipped_files_are_refused_or_harmless(data, saved, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    content = bytearray(saved)
    if data.draw(st.booleans(), "truncate"):
        content = content[: data.draw(st.integers(0, len(content) - 1), "length")]
    else:
        # Most of what is not covered by a checksum is in the table of contents, at the end.
        table = saved.index(b"PK\x01\x02")
        first = data.draw(st.sampled_from([0, table]), "first")
        for _ in range(data.draw(st.integers(1, 3), "flips")):
            index = data.draw(st.integers(first, len(content) - 1), "index")
            content[index] ^= data.draw(st.integers(1, 255), "bits")
    load_or_refuse(bytes(content), path)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_arrays_damaged_behind_a_right_checksum_are_refused_or_harmless(
    data, saved, tmp_path_factory
):
    path = tmp_path_factory.getbasetemp() / "forged.npz"
    members = members_of(saved)
    name = data.draw(st.sampled_from(sorted(members)), "member")
    member = bytearray(members[name])
    index = data.draw(st.integers(0, len(member) - 1), "index")
    member[index] ^= data.draw(st.integers(1, 255), "bits")
    write_zip(path, {**members, name: bytes(member)})
    load_or_refuse(path.read_bytes(), path)


# --- what it needs ----------------------------------------------------------------------


def test_it_needs_nothing_but_numpy_and_gymnasium():
    # By its path, since the package around it has modules that need more.
    code = (
        "import importlib.util, sys\n"
        "spec = importlib.util.spec_from_file_location('network', 'baselines/network.py')\n"
        "spec.loader.exec_module(importlib.util.module_from_spec(spec))\n"
        "heavy = {'torch', 'stable_baselines3', 'scipy', 'matplotlib', 'pygame'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "import baselines.network\n"
        "assert not {'torch', 'stable_baselines3', 'matplotlib'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
