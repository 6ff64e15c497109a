"""A mixture draws a member for every episode, plays like it, and comes out of its file."""

from __future__ import annotations

import io

import gymnasium as gym
import numpy as np
import pytest

from players.networks import FEATURES, make_network, random_observations
from steer_env.baselines import evaluate
from steer_env.players.mixture import MixturePolicy
from steer_env.players.network import NetworkPolicy
from steer_env.players.pretrained import load_network
from steer_env.players.resolver import resolve, resolve_pair
from steer_env.sides import EVADER, PURSUER


def constant(action, features=FEATURES, **keywords):
    """A network that always does the same."""
    layers = [np.zeros((2, features))], [action]
    return NetworkPolicy(*layers, activation="tanh", head="box", **keywords)


LEFT, RIGHT = (0.0, 0.5), (0.0, -0.5)


def test_every_row_plays_like_the_member_that_its_state_names():
    members = [make_network(seed=seed) for seed in range(3)]
    mixture, observations = MixturePolicy(members), random_observations(200)
    actions, state = mixture.predict(observations, deterministic=True)
    assert set(state) == {0, 1, 2}
    for number, member in enumerate(members):
        expected = member.predict(observations[state == number], deterministic=True)[0]
        np.testing.assert_allclose(actions[state == number], expected, rtol=1e-6)


def test_members_are_drawn_by_their_chances():
    mixture = MixturePolicy([constant(LEFT), constant(RIGHT)], [3.0, 1.0])
    np.testing.assert_allclose(mixture.chances, [0.75, 0.25])
    _, state = mixture.predict(random_observations(20_000))
    assert abs((state == 1).mean() - 0.25) < 4 * np.sqrt(0.25 * 0.75 / 20_000)
    huge = MixturePolicy([constant(LEFT), constant(RIGHT)], [1e308, 1e308])
    np.testing.assert_allclose(huge.chances, [0.5, 0.5])
    _, state = MixturePolicy([constant(LEFT), constant(RIGHT)], [0, 1]).predict(
        random_observations(1000)
    )
    assert (state == 1).all()


def test_a_member_plays_on_until_an_episode_begins():
    mixture = MixturePolicy([constant(LEFT), constant(RIGHT)])
    observations = random_observations(500)
    _, first = mixture.predict(observations)
    _, second = mixture.predict(observations, first, np.zeros(500, bool))
    np.testing.assert_array_equal(first, second)
    starts = np.arange(500) < 250
    _, third = mixture.predict(observations, second, starts)
    np.testing.assert_array_equal(second[250:], third[250:])
    assert 50 < (second[:250] != third[:250]).sum() < 200
    actions, state = mixture.predict(random_observations(300, 3))  # a team shares its member
    assert 100 < state.sum() < 200
    np.testing.assert_array_equal(
        actions[..., 1], np.where(state == 0, 0.5, -0.5)[:, None].repeat(3, 1)
    )


def test_only_a_sampled_mixture_samples_when_it_is_asked_for_likely_actions():
    observations = random_observations(400)
    for sampled in (False, True):
        member = constant((0.0, 0.0), log_std=np.log([0.1, 0.1]))
        mixture = MixturePolicy([member], sampled=sampled)
        actions = mixture.predict(observations, deterministic=True)[0]
        assert actions.std() == pytest.approx(0.1 * sampled, abs=0.015)
        assert mixture.predict(observations)[0].std() == pytest.approx(0.1, abs=0.015)


def test_a_loaded_mixture_is_the_saved_one(tmp_path):
    mixture = MixturePolicy(
        [constant(LEFT), make_network(seed=4)], [1, 2], sampled=True, names=["a", "b"]
    )
    path = tmp_path / "mixture.npz"
    mixture.save(path)
    for loaded in (MixturePolicy.load(path), load_network(path)):
        assert loaded.is_equal(mixture)
        assert (loaded.sampled, loaded.names) == (True, ("a", "b"))
        loaded.save(tmp_path / "again.npz")
        assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()
    assert not loaded.is_equal(MixturePolicy([constant(LEFT), constant(RIGHT)]))
    constant(LEFT).save(tmp_path / "network.npz")
    assert isinstance(load_network(tmp_path / "network.npz"), NetworkPolicy)


def test_the_seed_decides_all_draws_and_both_sides_draw_apart(tmp_path):
    """With one seed for both, the same member would play on both sides in every game."""
    path, observations = tmp_path / "m.npz", random_observations(64)
    MixturePolicy([make_network(seed=k, log_std=[0, 0]) for k in (1, 2)]).save(path)
    players = (
        *(one.policy for one in resolve_pair(path, path, seed=7)),
        *(MixturePolicy.load(path, k) for k in (7, 8)),
    )
    pursuer, evader, same, other = (one.predict(observations) for one in players)
    for found, expected in zip(pursuer, same):
        np.testing.assert_array_equal(found, expected)
    assert 16 < (pursuer[1] != evader[1]).sum() < 48
    assert (pursuer[0] != other[0]).any()


@pytest.mark.parametrize(
    ("members", "keywords"),
    [
        ([], {}),
        ([constant(LEFT), "pursuit"], {}),
        ([constant(LEFT), make_network(features=7)], {}),
        ([constant(LEFT), make_network("categorical")], {}),
        *[([constant(LEFT)], {"chances": chances}) for chances in ([0.5, 0.5], [-1.0], [0.0])],
        *[([constant(LEFT)], {"names": names}) for names in (["a", "b"], "a")],
    ],
)
def test_wrong_members_are_refused(members, keywords):
    with pytest.raises((TypeError, ValueError), match=r"members|chances|names"):
        MixturePolicy(members, **keywords)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"names": None}, "lacks the arrays"),
        ({"format": np.asarray("steer_env mixture 9")}, "its format is"),
        ({"3/format": np.asarray("?")}, "not numbered"),
        ({"names": np.asarray("[")}, "names are not JSON"),
        ({"names": np.asarray("[1, 2]")}, r"names\[0\] must be a string"),
        ({"sampled": np.asarray("yes")}, "sampled must be 0 or 1"),
        ({"chances": np.zeros(2)}, "chances must not all be 0"),
    ],
)
def test_a_damaged_file_is_refused(change, message, tmp_path):
    arrays = {**MixturePolicy([constant(LEFT), constant(RIGHT)]).arrays(), **change}
    content = io.BytesIO()
    np.savez(content, **{name: array for name, array in arrays.items() if array is not None})
    path = tmp_path / "mixture.npz"
    path.write_bytes(content.getvalue())
    for load in (MixturePolicy.load, load_network):
        with pytest.raises(ValueError, match=message) as caught:
            load(path)
        assert str(path) in str(caught.value)


def test_a_mixture_plays_by_its_path(tmp_path):
    features = gym.make("Evade-v0").observation_space.shape[0]
    about = {"environment": "Evade-v0"}
    ahead, rest = (constant((push, 0.0), features, metadata=about) for push in (1.0, 0.0))
    path = str(tmp_path / "evader.npz")
    MixturePolicy([ahead, rest]).save(path)
    found = evaluate("pursuit", path, episodes=200, seed=5)
    again = evaluate("pursuit", path, episodes=200, seed=5)
    assert found.episodes.tobytes() == again.episodes.tobytes()
    assert 0.35 < (found["evader_effort"] == 0.0).mean() < 0.65  # the rest push all the time
    assert set(found["evader_effort"].round(12)) == {0.0, 1.0}  # a mean over the steps
    with pytest.raises(ValueError, match="made for the evader"):
        resolve(path, PURSUER)
    assert resolve(path, EVADER).policy.name == path
