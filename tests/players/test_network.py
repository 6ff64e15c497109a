"""Networks: their arithmetic, what they compute and sample, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from players.networks import FEATURES, WIDTH, make_network, random_observations
from steer_env.baselines import evaluate, load
from steer_env.errors import InvalidValue
from steer_env.players.layers import Dense, tanh
from steer_env.players.network import NetworkPolicy


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
def test_the_seed_decides_the_samples_single_or_batched(keywords, tmp_path):
    observations = random_observations(50)
    batch, _ = make_network(**keywords).predict(observations)
    again = make_network(**keywords)
    single = [again.predict(observation)[0] for observation in observations]
    np.testing.assert_allclose(batch, single, rtol=0.0, atol=1e-6)
    again.save(tmp_path / "network.npz")
    reseeded = NetworkPolicy.load(tmp_path / "network.npz", seed=1)
    assert (reseeded.predict(observations)[0] != batch).any()


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


def random_layer(inputs, outputs, seed=0):
    generator = np.random.default_rng(seed)
    shapes = (outputs, inputs), (outputs,)
    return [generator.normal(size=shape).astype(np.float32) for shape in shapes]


@pytest.mark.parametrize("inputs", [1, 3, 4, 5, 21, 400])
@pytest.mark.parametrize("outputs", [1, 2, 7, 8, 9, 64])
def test_a_layer_is_the_product_and_the_biases(inputs, outputs):
    weights, biases = random_layer(inputs, outputs)
    rows = np.random.default_rng(1).normal(size=(13, inputs)).astype(np.float32)
    exact = rows.astype(float) @ weights.T.astype(float) + biases
    size = np.abs(rows) @ np.abs(weights.T) + np.abs(biases)
    layer = Dense(weights, biases)
    assert (np.abs(layer(rows) - exact) <= 1e-6 * size).all()
    rows[0, -1], rows[1, 0] = np.nan, np.inf
    assert np.isnan(layer(rows)[0]).all()
    assert not np.isfinite(layer(rows)[1]).any()


@given(st.integers(1, 40), st.integers(1, 30), st.integers(1, 20), st.integers(0, 2**32))
def test_a_row_does_not_depend_on_the_rows_beside_it(total, inputs, outputs, seed):
    layer = Dense(*random_layer(inputs, outputs, seed))
    rows = np.random.default_rng(seed).normal(size=(total, inputs)).astype(np.float32)
    apart = np.concatenate([layer(row[None]) for row in rows])
    np.testing.assert_array_equal(layer(rows), apart)
    np.testing.assert_array_equal(layer(rows[::-1]), apart[::-1])


def test_tanh_is_near_the_real_one_and_at_most_one():
    dense = np.linspace(-12.0, 12.0, 200_001)
    small = np.geomspace(1e-30, 10.0, 100_001)
    numbers = np.concatenate([dense, small, np.linspace(7.99, 8.0, 20_001)])
    numbers = numbers.astype(np.float32)[None]
    found = tanh(numbers)
    np.testing.assert_allclose(found, np.tanh(numbers.astype(float)), rtol=5e-7, atol=0.0)
    assert np.abs(found).max() == 1.0
    np.testing.assert_array_equal(tanh(-numbers), -found)
    special = np.array([[np.nan, np.inf, -np.inf, 0.0]], np.float32)
    np.testing.assert_array_equal(tanh(special), [[np.nan, 1.0, -1.0, 0.0]])
    for shape in ((), (7,), (2, 3, 4), (0, 5)):
        found = tanh(np.full(shape, 0.5, np.float32))
        np.testing.assert_allclose(found, np.full(shape, np.tanh(0.5)), rtol=1e-6)


@pytest.mark.parametrize("name", ["pretrained/pursuit/ppo", "pretrained/team/pursuit/ppo"])
def test_episodes_played_apart_are_those_played_together(name):
    policy = load(name)
    assert isinstance(policy, NetworkPolicy)
    game = {"game": "team"} if "team" in name else None
    whole = evaluate(policy, "evade", game, 30, 100)
    parts = [evaluate(policy, "evade", game, n, 100 + k) for k, n in ((0, 1), (1, 6), (7, 23))]
    assert np.concatenate([p.episodes for p in parts]).tobytes() == whole.episodes.tobytes()


@pytest.mark.parametrize("shape", [(4,), (4, 3), (4, 5), (4, 4, 1), ()])
def test_rows_of_another_shape_are_refused(shape):
    layer = Dense(np.ones((2, 4), np.float32), np.zeros(2, np.float32))
    assert layer(np.ones((3, 4), np.float32)).tolist() == [[4.0, 4.0]] * 3
    with pytest.raises(InvalidValue, match=r"a layer takes \(N, 4\) numbers"):
        layer(np.ones(shape, np.float32))
