"""Networks: their arithmetic, what they compute and sample, and how they pool blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from players.networks import (
    FEATURES,
    WIDTH,
    make_network,
    random_encoder,
    random_observations,
)
from steer_env.baselines import evaluate, load
from steer_env.errors import InvalidValue
from steer_env.game.config.features import OBSTACLE_SIZE, OTHER_SIZE, OWN_SIZE
from steer_env.players.blocks import KINDS, BlockCounts, BlockEncoder
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


# ---- Networks that pool blocks -------------------------------------------------------------

COUNTS = BlockCounts(opponents=2, mates=3, obstacles=2)
ALLOTS = pytest.mark.parametrize("allots", [False, True], ids=["", "allots"])


def pooled_network(counts=COUNTS, seed=0, allots=False, **keywords):
    random = np.random.default_rng(seed)
    encoder = random_encoder(random, counts, allots=allots)
    weights = [random.normal(size=(8, encoder.inputs)) / 5.0, random.normal(size=(2, 8))]
    biases = [random.normal(size=8) / 5.0, np.zeros(2)]
    return NetworkPolicy(
        weights, biases, activation="tanh", head="box", encoder=encoder, **keywords
    )


def observations(counts=COUNTS, rows=50, seed=0):
    """Random ones, some of whose blocks are absent."""
    random = np.random.default_rng(seed)
    found = random.uniform(-1.0, 1.0, (rows, counts.features)).astype(np.float32)
    first = OWN_SIZE
    for size, count in ((OTHER_SIZE, counts[0] + counts[1]), (OBSTACLE_SIZE, counts[2])):
        blocks = found[:, first : first + size * count].reshape(rows, count, size)
        blocks[:, :, 0] = random.integers(0, 2, (rows, count))
        blocks *= blocks[:, :, :1]
        first += size * count
    return found


def direction_to(offset):
    distance = abs(offset)
    unit = offset / (distance + 1e-6)
    return unit.real, unit.imag, distance / (distance + 0.1), distance / (distance + 0.02)


def direction_on(block, others):
    """From a block to the nearest of the others that is there."""
    offsets = [complex(*(one - block)[1:3]) for one in others if one[0] == 1.0]
    return direction_to(min(offsets, key=abs)) if offsets else (0.0, 0.0, 1.0, 1.0)


def paired(mates, quarries):
    """Whose each quarry is, one pair after the other: (mine, a mate's) by its number.

    As many rounds as the encoder has suffice for so few.
    """
    free = {(k, q) for k in range(len(mates) + 1) for q in range(len(quarries))}
    places = [0j, *mates]
    found = {}
    while free:
        hunter, quarry = min(free, key=lambda pair: abs(places[pair[0]] - quarries[pair[1]]))
        found[quarry] = (hunter == 0, hunter > 0)
        free = {(k, q) for k, q in free if k != hunter and q != quarry}
    return found


def allotment_of(blocks):
    """The encoder's additions to each opponent, by the definition."""
    mates, quarries = (
        [complex(*block[1:3]) for block in blocks[kind] if block[0] == 1.0]
        for kind in ("mates", "opponents")
    )
    found, pairs = [], paired(mates, quarries)
    for number, place in enumerate(quarries):
        mine = 1 + sum(abs(mate - place) < abs(place) for mate in mates)
        its = 1 + sum(abs(other) < abs(place) for other in quarries)
        found.append([*pairs.get(number, (False, False)), 1 / mine, 1 / its])
    return found


@ALLOTS
def test_the_formula(allots):
    encoder = random_encoder(np.random.default_rng(3), COUNTS, allots=allots)
    assert encoder.allots == allots
    rows = observations()
    encoded = encoder.encode(rows)
    assert encoded.shape == (50, encoder.inputs)
    places = {"opponents": (10, 2, 11), "mates": (32, 3, 11), "obstacles": (65, 2, 4)}
    for row, wanted in zip(rows.astype(float), encoded):
        position = complex(*row[1:3]) * complex(*row[3:5]).conjugate()
        own = [*row[:10], position.real, position.imag]
        expected = list(own)
        blocks = {
            kind: row[first : first + count * size].reshape(count, size)
            for kind, (first, count, size) in places.items()
        }
        allotment = iter(allotment_of(blocks))
        for kind in places:
            outputs = []
            for block in blocks[kind]:
                extended = [*own, *block, *direction_to(complex(*block[1:3]))]
                if kind != "obstacles":
                    others = blocks["mates" if kind == "opponents" else "opponents"]
                    extended += direction_on(block, others)
                if block[0] == 1.0:
                    if allots and kind == "opponents":
                        extended += next(allotment)
                    found = encoder.weights[kind] @ extended + encoder.biases[kind]
                    outputs.append(np.maximum(found, 0.0))
            outputs = outputs or [np.zeros(6)]
            expected += [*np.mean(outputs, axis=0), *np.max(outputs, axis=0)]
        np.testing.assert_allclose(wanted, expected, atol=2e-6)


@ALLOTS
@given(
    seed=st.integers(0, 1000), mates=st.permutations(range(3)), pairs=st.permutations(range(2))
)
def test_the_order_of_the_blocks_does_not_matter(allots, seed, mates, pairs):
    network, rows = pooled_network(seed=seed, allots=allots), observations(seed=seed)
    order = list(range(10))
    for first, size, places in ((10, 11, pairs), (32, 11, mates), (65, 4, pairs)):
        for place in places:
            order += range(first + size * place, first + size * (place + 1))
    actions, _ = network.predict(rows, deterministic=True)
    again, _ = network.predict(rows[:, order], deterministic=True)
    np.testing.assert_allclose(actions, again, atol=2e-6)


def test_it_takes_any_number_of_mates_if_it_was_trained_with_mates():
    network, alone = pooled_network(), pooled_network(BlockCounts(1, 0, 2))
    sizes = [COUNTS.features + 11 * more for more in (-3, 0, 9)]
    assert all(map(network.takes, sizes))
    assert not any(map(network.takes, (sizes[0] - 11, sizes[1] + 1, 10)))
    assert alone.takes(10 + 11 + 8)
    assert not alone.takes(10 + 22 + 8)
    with pytest.raises(InvalidValue, match="features"):
        network.predict(np.zeros((3, COUNTS.features + 1), np.float32))


@ALLOTS
def test_a_file_brings_it_back_and_absent_mates_are_like_none(tmp_path, allots):
    network = pooled_network(log_std=[-1.0, -1.0], metadata={"a": 1}, allots=allots)
    network.save(tmp_path / "pooled.npz")
    loaded = NetworkPolicy.load(tmp_path / "pooled.npz")
    assert loaded.is_equal(network)
    assert (loaded.encoder.counts, loaded.encoder.allots) == (COUNTS, allots)
    rows = observations()
    rows[:, 43:65] = 0.0  # the second and the third mate
    actions, _ = network.predict(rows, deterministic=True)
    np.testing.assert_array_equal(loaded.predict(rows, deterministic=True)[0], actions)
    without = np.delete(rows, np.s_[43:65], axis=1)
    again, _ = network.predict(without, deterministic=True)
    np.testing.assert_allclose(actions, again, atol=2e-6)


@ALLOTS
def test_torch_computes_the_same(allots):
    torch = pytest.importorskip("torch")
    pytest.importorskip("stable_baselines3")
    from steer_env.agents.export.torch_network import BlockFeatures

    space = pooled_network().observation_space
    torch.manual_seed(0)
    module = BlockFeatures(space, tuple(COUNTS), width=7, allots=allots)
    encoder = BlockEncoder(
        COUNTS,
        {kind: module.encoders[kind].weight.detach().numpy() for kind in KINDS},
        {kind: module.encoders[kind].bias.detach().numpy() for kind in KINDS},
    )
    rows = observations()
    wanted = module(torch.tensor(rows)).detach().numpy()
    assert wanted.shape[1] == module.features_dim == encoder.inputs
    np.testing.assert_allclose(encoder.encode(rows), wanted, atol=2e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"blocks": np.array([2.0, 3.0])}, "blocks"),
        ({"blocks": np.array([2.0, 3.5, 2.0])}, "integers"),
        ({"blocks": np.array([2.0, -1.0, 2.0])}, "mates"),
        ({"blocks": np.array([2.0, 0.0, 2.0])}, "mates"),
        ({"blocks": np.array([2.0, np.inf, 2.0])}, "integers"),
        ({"mates_weights": np.zeros((6, 20))}, "mates"),
        ({"mates_biases": np.zeros(5)}, "mates"),
        ({"mates_biases": np.full(6, np.nan)}, "finite"),
        ({"weights_0": np.zeros((8, 21))}, "first layer"),
        ({"observation_mean": np.zeros(73)}, "normalization"),
        ({"blocks": None}, "lacks"),
        ({"opponents_weights": None}, "opponents"),
    ],
)
def test_damaged_encoders_are_refused(change, message):
    arrays = {**pooled_network().arrays(), **change}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    with pytest.raises(InvalidValue, match=message):
        NetworkPolicy.from_arrays(arrays)
