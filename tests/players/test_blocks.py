"""Networks that pool blocks: their formula, their file, and what they do not depend on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from players.networks import random_encoder
from steer_env.errors import InvalidValue
from steer_env.game.config.observation import OBSTACLE_SIZE, OTHER_SIZE, OWN_SIZE
from steer_env.players.blocks import KINDS, BlockCounts, BlockEncoder
from steer_env.players.network import NetworkPolicy

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
