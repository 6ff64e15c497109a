"""A mixture draws a member for every episode, plays like it, and comes out of its file."""

from __future__ import annotations

import io

import gymnasium as gym
import numpy as np
import pytest

from baselines import evaluate
from policies.networks import FEATURES, make_network, random_encoder, random_observations
from steer_env.game.features import observation_layout
from steer_env.policies.blocks import BlockCounts
from steer_env.policies.loading import load_network
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import NetworkPolicy
from steer_env.sides import EVADER, PURSUER


def constant(action, log_std=None, **keywords):
    """A network that always does the same."""
    return NetworkPolicy(
        [np.zeros((2, FEATURES))],
        [action],
        activation="tanh",
        head="box",
        log_std=log_std,
        **keywords,
    )


FEATURES_OF_GAME = observation_layout(2, 0)
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
    mixture, observations = MixturePolicy([constant(LEFT), constant(RIGHT)]), None
    observations = random_observations(500)
    _, first = mixture.predict(observations)
    _, second = mixture.predict(observations, first, np.zeros(500, bool))
    np.testing.assert_array_equal(first, second)
    starts = np.arange(500) < 250
    _, third = mixture.predict(observations, second, starts)
    np.testing.assert_array_equal(second[250:], third[250:])
    assert 50 < (second[:250] != third[:250]).sum() < 200


def test_only_a_sampled_mixture_samples_when_it_is_asked_for_likely_actions():
    observations = random_observations(400)
    for sampled in (False, True):
        mixture = MixturePolicy([constant((0.0, 0.0), np.log([0.1, 0.1]))], sampled=sampled)
        actions = mixture.predict(observations, deterministic=True)[0]
        assert actions.std() == pytest.approx(0.1 * sampled, abs=0.015)
        assert mixture.predict(observations)[0].std() == pytest.approx(0.1, abs=0.015)


@pytest.mark.parametrize("head", ["box", "categorical"])
def test_one_observation_and_teams_have_the_shapes_of_a_network(head):
    mixture = MixturePolicy([make_network(head, seed=seed) for seed in (1, 2)])
    for shape in ((), (3,), (3, 2), (0,)):
        ours, state = mixture.predict(random_observations(*shape))
        theirs = mixture.members[0].predict(random_observations(*shape))[0]
        assert ours.shape == theirs.shape
        assert ours.dtype == theirs.dtype
        games = shape if len(shape) < 2 else shape[:-1]  # the last axis is that of players
        assert state.shape == (int(np.prod(games)),)


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


def test_the_seed_decides_all_draws(tmp_path):
    MixturePolicy([make_network(seed=k, log_std=[0, 0]) for k in (1, 2)]).save(tmp_path / "m")
    observations = random_observations(50)
    first, second, other = (
        MixturePolicy.load(tmp_path / "m", seed).predict(observations)[0] for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_a_mixture_plays_by_its_path(tmp_path):
    features = gym.make("Evade-v0").observation_space.shape[0]
    ahead, rest = (
        NetworkPolicy(
            [np.zeros((2, features))],
            [[push, 0.0]],
            activation="tanh",
            head="box",
            metadata={"environment": "Evade-v0"},
        )
        for push in (1.0, 0.0)
    )
    path = str(tmp_path / "evader.npz")
    MixturePolicy([ahead, rest]).save(path)
    found = evaluate("pursuit", path, episodes=200, seed=5)
    again = evaluate("pursuit", path, episodes=200, seed=5)
    np.testing.assert_array_equal(found.episodes, again.episodes)
    assert 0.35 < (found["evader_effort"] == 0.0).mean() < 0.65  # the rest push all the time
    assert set(found["evader_effort"]) == {0.0, 1.0}
    envs = gym.make_vec("Pursuit-v0", num_envs=4, opponent=path)
    envs.reset(seed=1)
    envs.step(np.zeros((4, 2), np.float32))
    # Another file of the same name is another opponent.
    assert envs.unwrapped.opponent == (path,)
    MixturePolicy([rest]).save(path)
    envs.set_opponent(path)
    assert envs.unwrapped.opponent == (path,)
    envs.reset(seed=1)
    for _ in range(5):
        observations = envs.step(np.zeros((4, 2), np.float32))[0]
    speed = [f.name for f in FEATURES_OF_GAME].index("velocity_forward")
    np.testing.assert_array_equal(observations[:, [speed, speed + 1]], 0.0)
    with pytest.raises(ValueError, match="made for the evader"):
        load_network(path, side=PURSUER)
    assert load_network(path, side=EVADER).name == path


@pytest.mark.parametrize(
    ("members", "keywords", "message"),
    [
        ([], {}, "1 to 64 members, got 0"),
        ([constant(LEFT), "pursuit"], {}, "NetworkPolicies, got str"),
        ([constant(LEFT), make_network(features=7)], {}, "the same observation_space"),
        ([constant(LEFT), make_network("categorical")], {}, "the same action_space"),
        ([constant(LEFT)], {"chances": [0.5, 0.5]}, "one for each of the 1 members"),
        ([constant(LEFT)], {"chances": [-1.0]}, "at least 0"),
        ([constant(LEFT)], {"chances": [np.nan]}, "finite"),
        ([constant(LEFT)], {"chances": [0.0]}, "not all 0"),
        ([constant(LEFT)], {"names": ["a", "b"]}, "one for each of the 1 members"),
        ([constant(LEFT)], {"names": "a"}, "list of texts"),
    ],
)
def test_wrong_members_are_refused(members, keywords, message):
    with pytest.raises((TypeError, ValueError), match=message):
        MixturePolicy(members, **keywords)


def test_wrong_states_are_refused():
    mixture = MixturePolicy([constant(LEFT), constant(RIGHT)])
    with pytest.raises(ValueError, match="each of the 3 games"):
        mixture.predict(random_observations(3), np.zeros(2, int))
    with pytest.raises(ValueError, match="takes 5 features"):
        mixture.predict(random_observations(3, features=4))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"names": None}, "lacks the arrays"),
        ({"format": np.asarray("steer_env mixture 9")}, "its format is"),
        ({"1/format": np.asarray("?")}, "its format is"),
        ({"3/format": np.asarray("?")}, "not numbered"),
        ({"names": np.asarray("[")}, "names are not JSON"),
        ({"names": np.asarray("[" * 100_000)}, "names are not JSON"),
        ({"names": np.asarray("[1, 2]")}, "list of texts"),
        ({"sampled": np.asarray("yes")}, "sampled must be 0 or 1"),
        ({"chances": np.zeros(2)}, "not all 0"),
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


def test_all_players_of_a_team_share_the_member_of_their_game():
    mixture = MixturePolicy([constant(LEFT), constant(RIGHT)])
    observations = random_observations(300, 3)
    actions, state = mixture.predict(observations)
    assert (actions.shape, state.shape) == ((300, 3, 2), (300,))
    np.testing.assert_array_equal(
        actions[..., 1], np.where(state == 0, 0.5, -0.5)[:, None].repeat(3, 1)
    )
    assert 100 < state.sum() < 200
    again, same = mixture.predict(observations, state, np.zeros(300, np.bool_))
    np.testing.assert_array_equal(again, actions)
    np.testing.assert_array_equal(same, state)
    _, new = mixture.predict(observations, state, np.arange(300) < 150)
    np.testing.assert_array_equal(new[150:], state[150:])
    assert (new[:150] != state[:150]).any()
    with pytest.raises(ValueError, match="each of the 300 games"):
        mixture.predict(observations, np.zeros(900, int))


def test_a_team_of_a_mixture_is_one_member_in_every_episode(tmp_path):
    """Half of the teams rest, half push: none does both."""
    features = gym.make("PackPursuit-v0").observation_space.shape[1]
    members = [
        NetworkPolicy([np.zeros((2, features))], [[push, 0.0]], activation="tanh", head="box")
        for push in (1.0, 0.0)
    ]
    MixturePolicy(members).save(tmp_path / "pack.npz")
    found = evaluate(tmp_path / "pack.npz", "flee", "pack", 200, 5)["pursuer_effort"]
    assert set(found) == {0.0, 1.0}
    assert 0.35 < found.mean() < 0.65
    envs = gym.make_vec("PackEvade-v0", num_envs=64, opponent=str(tmp_path / "pack.npz"))
    envs.reset(seed=1)
    for _ in range(10):
        envs.step(np.zeros((64, 2), np.float32))
    state = envs.unwrapped.get_state()
    speeds = np.abs(state["players"]["body"]["velocity"][:, :3])
    assert ((speeds > 0.0).all(axis=1) | (speeds == 0.0).all(axis=1)).all()
    assert 10 < (speeds > 0.0).all(axis=1).sum() < 54


def test_a_mixture_takes_what_all_its_members_take():
    counts, random = BlockCounts(1, 2, 0), np.random.default_rng(0)
    encoder = random_encoder(random, counts)
    layers = {"activation": "tanh", "head": "box", "encoder": encoder}
    pooling = MixturePolicy([NetworkPolicy([np.zeros((2, encoder.inputs))], [LEFT], **layers)])
    assert pooling.takes(counts.features)
    assert pooling.takes(counts._replace(mates=4).features)
    assert not pooling.takes(counts.features + 1)
    assert not MixturePolicy([constant(LEFT)]).takes(FEATURES + 1)
