"""The arithmetic of networks: right, and the same bits however many observations there are."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.baselines import NetworkPolicy, evaluate, load
from steer_env.errors import InvalidValue
from steer_env.policies.layers import Dense, tanh


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
    assert (np.abs(Dense(weights, biases)(rows) - exact) <= 1e-6 * size).all()


@given(st.integers(1, 40), st.integers(1, 30), st.integers(1, 20), st.integers(0, 2**32))
def test_a_row_does_not_depend_on_the_rows_beside_it(total, inputs, outputs, seed):
    layer = Dense(*random_layer(inputs, outputs, seed))
    rows = np.random.default_rng(seed).normal(size=(total, inputs)).astype(np.float32)
    apart = np.concatenate([layer(row[None]) for row in rows])
    np.testing.assert_array_equal(layer(rows), apart)
    np.testing.assert_array_equal(layer(rows[::-1]), apart[::-1])


def test_nan_and_infinity_show():
    layer = Dense(np.ones((1, 5), np.float32), np.zeros(1, np.float32))
    rows = np.ones((4, 5), np.float32)
    rows[1, 2], rows[2, 4], rows[3] = np.nan, np.inf, 1e38
    np.testing.assert_array_equal(layer(rows)[:, 0], [5.0, np.nan, np.inf, np.inf])


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


@pytest.mark.parametrize("name", ["pretrained/pursuit/ppo", "pretrained/team/pursuit/ppo"])
def test_episodes_played_apart_are_those_played_together(name):
    policy = load(name)
    assert isinstance(policy, NetworkPolicy)
    game = {"game": "team"} if "team" in name else None
    whole = evaluate(policy, "evade", game, 30, 100)
    parts = [evaluate(policy, "evade", game, n, 100 + k) for k, n in ((0, 1), (1, 6), (7, 23))]
    np.testing.assert_array_equal(np.concatenate([p.episodes for p in parts]), whole.episodes)


@pytest.mark.parametrize("shape", [(4,), (4, 3), (4, 5), (4, 4, 1), ()])
def test_rows_of_another_shape_are_refused(shape):
    layer = Dense(np.ones((2, 4), np.float32), np.zeros(2, np.float32))
    assert layer(np.ones((3, 4), np.float32)).tolist() == [[4.0, 4.0]] * 3
    with pytest.raises(InvalidValue, match=r"a layer takes \(N, 4\) numbers"):
        layer(np.ones(shape, np.float32))


@pytest.mark.parametrize("shape", [(), (7,), (2, 3, 4), (0, 5)])
def test_tanh_takes_any_shape(shape):
    numbers = np.linspace(-2.0, 2.0, int(np.prod(shape))).reshape(shape).astype(np.float32)
    np.testing.assert_allclose(tanh(numbers), np.tanh(numbers), rtol=1e-6)
    assert tanh(numbers).shape == shape
