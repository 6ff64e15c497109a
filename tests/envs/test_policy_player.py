"""Policies are asked in the form that they were made for, and what does not fit is told."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from steer_env.baselines import FunctionPolicy, evaluate
from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import PursuitVectorEnv
from steer_env.game.config import make_game
from steer_env.players.resolver import resolve
from steer_env.sides import EVADER, PURSUER

from .same import assert_same, play_all

FEATURES = 5


class Answering:
    """Answers with what a function makes of the observations; remembers what it was asked."""

    def __init__(self, answer, observation_space=None, action_space=None):
        self.answer, self.asked = answer, []
        self.observation_space, self.action_space = observation_space, action_space

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        self.asked.append((observation.shape, episode_start.shape))
        return self.answer(observation)


def given(act):
    """A policy that answers with what a function makes of the observations, and no state."""
    return Answering(lambda rows: (act(rows), None))


def box(*shape):
    return spaces.Box(-1.0, 1.0, shape, np.float32)


def ask(policy, games=4, players=3, side=PURSUER):
    player = resolve(policy, side).fit(side, players, FEATURES)
    observations = np.zeros((games, players, FEATURES), np.float32)
    return player.choose(observations, np.ones(games, np.bool_))


def zeros(*shape, dtype=np.float32):
    return lambda _: (np.zeros(shape, dtype), None)


@pytest.mark.parametrize(
    ("answer", "space"),
    [
        (zeros(4, 3, 2), box(3, 2)),
        (zeros(4, 3, dtype=np.int64), spaces.MultiDiscrete([9, 9, 9])),
        (zeros(4, 3, dtype=np.int32), spaces.MultiDiscrete([9, 9, 9], dtype=np.int32)),
        (zeros(4, 3, dtype=np.int64), None),
    ],
)
def test_a_policy_of_a_team_is_asked_for_it_jointly(answer, space):
    policy = Answering(answer, box(3, FEATURES), space)
    assert ask(policy).shape == (4, 3, 2)
    assert policy.asked == [((4, 3, FEATURES), (4,))]


def test_each_player_gets_its_own_action():
    def numbered(observation):
        return np.arange(12).reshape(4, 3) % 9, None

    joint = ask(Answering(numbered, box(3, FEATURES)))
    alone = ask(given(lambda rows: np.arange(12) % 9))
    np.testing.assert_array_equal(joint, alone)


@pytest.mark.parametrize(
    ("seen", "space", "match"),
    [
        (box(4), None, r"\(4,\).*have \(5,\), or \(3, 5\) for the team"),
        (box(2, FEATURES), None, r"\(2, 5\).*have \(5,\), or \(3, 5\)"),
        (box(3, FEATURES), box(2), r"\(2,\).*Box\(-1.0, 1.0, \(3, 2\).*MultiDiscrete"),
        (box(FEATURES), box(3, 2), r"\(3, 2\).*Box\(-1.0, 1.0, \(2,\)"),
        (None, spaces.Discrete(8), r"Discrete\(8\).*or Discrete\(9\)"),
        (box(3, FEATURES), spaces.MultiDiscrete([9, 9, 8]), r"MultiDiscrete\(\[9 9 8\]\)"),
        (box(FEATURES), spaces.Discrete(9, start=1), r"start=1"),
    ],
)
def test_a_policy_for_another_game_is_refused(seen, space, match):
    with pytest.raises(ValueError, match=f"^the policy Answering as evader .*{match}"):
        ask(Answering(zeros(12, 2), seen, space), side=EVADER)


def test_the_shape_tells_the_kind_of_action_and_not_the_dtype():
    ahead = given(lambda rows: np.tile([1, 0], (len(rows), 1)))
    np.testing.assert_array_equal(ask(ahead)[..., 0], 1.0)
    with pytest.raises(TypeError, match=r"\(12,\) are discrete.*integers, got dtype float32"):
        ask(Answering(zeros(12)))
    with pytest.raises(ValueError, match=r"\(12, 2\), real.*\(12,\), integers.*got \(4, 2\)"):
        ask(Answering(zeros(4, 2)))


@pytest.mark.parametrize("discrete", [False, True])
def test_a_team_plays_jointly_as_each_for_itself(discrete):
    """In an environment and in an evaluation, as an opponent and as a learner."""
    config = make_game(pursuers=3, evaders=2, horizon=60)
    env = EvadeEnv(pursuers=3, evaders=2)
    features = env.observation_space.shape[-1]

    def actions(observations):
        if discrete:
            return (observations[..., 11] > 0.0).astype(np.int64) + 1
        return observations[..., 11:13]

    joint = Answering(lambda rows: (actions(rows), None), box(3, features))
    alone = given(actions)
    found = [evaluate(policy, "evade", config, episodes=10) for policy in (joint, alone)]
    assert found[0].episodes.tobytes() == found[1].episodes.tobytes()
    assert joint.asked[0] == ((10, 3, features), (10,))
    evaders = Answering(joint.answer, box(2, features)), alone
    envs = [PursuitVectorEnv(4, pursuers=3, evaders=2, opponent=each) for each in evaders]
    assert_same(envs[0].reset(seed=0), envs[1].reset(seed=0))
    assert_same(play_all(envs[0], 50), play_all(envs[1], 50))
    assert evaders[0].asked[0] == ((4, 2, features), (4,))
    with pytest.raises(ValueError, match=rf"have \({features},\), or \(2, {features}\)"):
        PursuitEnv(pursuers=3, evaders=2, opponent=joint)


@pytest.mark.weekly
@pytest.mark.parametrize("kind", ["Pursuit", "PursuitDiscrete"])
def test_a_model_of_stable_baselines3_leads_a_team(kind):
    from stable_baselines3 import PPO

    from steer_env.envs.sb3 import make_vec_env

    env = make_vec_env(f"{kind}-v0", num_envs=2, pursuers=3)
    model = PPO("MlpPolicy", env, n_steps=8, batch_size=16)
    assert len(evaluate(model, "evade", make_game(pursuers=3, horizon=20), episodes=5)) == 5
    other = gym.make_vec("Evade-v0", num_envs=2, pursuers=3, opponent=model)
    other.reset(seed=0)
    other.step(np.zeros((2, 2), np.float32))


@pytest.mark.weekly
def test_modules_of_torch_and_tensors_with_a_gradient_are_told_what_they_lack():
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Linear(21, 2), torch.nn.Tanh())

    def act(rows):
        return module(torch.as_tensor(rows))

    def plays(policy):
        return evaluate(policy, "evade", {"horizon": 5}, episodes=2).episodes

    wrapped = r"Sequential.* torch module is a policy as FunctionPolicy\(.*torch\.as_tensor\("
    remedy = r"torch tensor that has a gradient.*return actions\.detach\(\)\.cpu\(\)\.numpy"
    env = gym.make("Pursuit-v0")
    observation, _ = env.reset(seed=0)
    for message, refused in (
        (wrapped, lambda: plays(module)),
        (wrapped, lambda: gym.make("Evade-v0", opponent=module)),
        (wrapped, lambda: FunctionPolicy(module)),
        (rf"Answering as pursuer returned .*{remedy}", lambda: plays(given(act))),
        (rf"FunctionPolicy\(act\) are a {remedy}", lambda: plays(FunctionPolicy(act))),
        (remedy, lambda: env.step(act(observation))),
    ):
        with pytest.raises(TypeError, match=message):
            refused()
    without = torch.no_grad()(act)
    expected = plays(FunctionPolicy(lambda rows: act(rows).detach().numpy()))
    for policy in (FunctionPolicy(without), given(without)):
        assert plays(policy).tobytes() == expected.tobytes()


@pytest.mark.weekly
def test_arrays_of_jax_are_actions():
    jax = pytest.importorskip("jax")
    act = jax.jit(lambda rows: jax.numpy.tanh(3.0 * rows[..., 11:13]))
    expected = evaluate(
        FunctionPolicy(lambda rows: np.tanh(3.0 * rows[..., 11:13])), "evade", {"horizon": 5}, 9
    )
    found = evaluate(FunctionPolicy(act), "evade", {"horizon": 5}, 9)
    np.testing.assert_allclose(found["distance"], expected["distance"], rtol=1e-4)
    with pytest.raises(TypeError, match="FunctionPolicy"):
        evaluate(act, "evade", episodes=2)


@pytest.mark.parametrize("seen", [None, box(FEATURES)])
@pytest.mark.parametrize("space", [None, box(2), spaces.Discrete(9)])
@pytest.mark.weekly
def test_every_other_policy_is_asked_for_each_player(seen, space):
    policy = Answering(zeros(12, 2), seen, space)
    assert ask(policy).shape == (4, 3, 2)
    assert policy.asked == [((12, FEATURES), (12,))]


class OneArgument:
    def predict(self, observation):
        return np.zeros((len(observation), 2)), None


class NoSignature:
    predict = staticmethod(max)  # whose arguments cannot be looked at before it is called


def test_a_predict_of_other_arguments_is_refused_before_play():
    match = r"policy OneArgument as evader has predict\(observation\).*FunctionPolicy\(policy"
    with pytest.raises(TypeError, match=match):
        gym.make("Pursuit-v0", opponent=OneArgument())
    with pytest.raises(TypeError, match=match):
        evaluate("pursuit", OneArgument(), episodes=2)
    resolve(NoSignature(), PURSUER).fit(PURSUER, 1, FEATURES)
