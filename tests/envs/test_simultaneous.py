"""Both sides choose at once: the environments' rewards and states, and copies."""

from __future__ import annotations

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest

import steer_env
from steer_env.envs.simultaneous import PlayerId, SimultaneousState
from steer_env.errors import InvalidType, InvalidValue
from steer_env.scenarios.registry import GAMES
from steer_env.sides import Side

from .same import assert_same

ALONE = [name for name, game in GAMES.items() if not any(map(game.is_team, Side))]
SHORT = {"horizon": 40, "capture_radius": 1.5, "arena_size": 8.0}


class Plays:
    """A policy that plays a list of actions."""

    def __init__(self, actions):
        self.actions, self.step = actions, 0

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        action = self.actions[self.step]
        self.step += 1
        return np.repeat(np.asarray(action)[None], len(observation), axis=0), None


def joint_actions(state, count, seed=0):
    state.action_space.seed(seed)
    return [[state.action_space.sample(), state.action_space.sample()] for _ in range(count)]


def play(state, actions):
    found = []
    for pair in actions:
        if state.is_terminal():
            break
        state.apply_actions(pair)
        found.append((state.rewards(), state.returns(), state.get_state()))
    return found


@pytest.mark.parametrize("action_type", ["discrete", "continuous"])
@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("side", [0, 1])
def test_it_is_the_game_of_the_environments_bit_for_bit(name, action_type, side):
    state = SimultaneousState(game=name, seed=5, action_type=action_type, horizon=60)
    actions = joint_actions(state, 60)
    theirs = [np.asarray(pair[1 - side]) for pair in actions]
    if action_type == "discrete":
        from steer_env.actions import DIRECTIONS

        theirs = [DIRECTIONS[action] for action in theirs]
    kind = GAMES[name].environment(Side(side), action_type)
    env = gym.make(kind, opponent=Plays(theirs), horizon=60).unwrapped
    observation, _ = env.reset(seed=5)
    total = 0.0
    for pair in actions:
        assert_same(state.observation_tensor(side), observation)
        state.apply_actions(pair)
        observation, reward, terminated, truncated, _ = env.step(pair[side])
        total += reward
        assert_same(state.rewards()[side] + 0.0, reward + 0.0)  # -0.0 is 0.0
        assert_same(state.returns()[side] + 0.0, total + 0.0)
        assert_same(state.get_state(), env.get_state())
        assert state.is_terminal() == (terminated or truncated)
        if state.is_terminal():
            break
    assert state.is_terminal()
    assert sum(state.returns()) == 0.0


def test_the_vocabulary():
    state = steer_env.SimultaneousState(seed=1, **SHORT)
    assert (state.num_players(), state.current_player()) == (2, PlayerId.SIMULTANEOUS)
    assert state.is_simultaneous_node()
    assert not state.is_chance_node()
    assert state.legal_actions(0) == state.legal_actions(1) == list(range(9))
    assert state.rewards() == state.returns() == [0.0, 0.0]
    play(state, [[1, 2]] * 40)
    assert state.is_terminal()
    assert not state.is_simultaneous_node()
    assert state.current_player() is PlayerId.TERMINAL
    assert state.legal_actions(0) == []
    assert state.history()[:4] == [1, 2, 1, 2]
    assert str(state).endswith(", over")
    with pytest.raises(InvalidValue, match="the game is over"):
        state.apply_actions([0, 0])


COPIES = {
    "clone": lambda state: state.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
}


@pytest.mark.parametrize("action_type", ["discrete", "continuous"])
@pytest.mark.parametrize("way", COPIES.values(), ids=COPIES)
def test_copies_go_their_own_way_and_play_on_the_same(way, action_type):
    state = SimultaneousState(seed=3, action_type=action_type, obstacles=3, **SHORT)
    actions = joint_actions(state, 40)
    play(state, actions[:7])
    copied = way(state)
    assert_same(copied.get_state(), state.get_state())
    assert copied.history() == state.history()
    expected = play(state.clone(), actions[7:])
    play(copied, actions[20:25])  # another branch leaves the state as it was
    assert_same(play(state, actions[7:]), expected)
    assert_same(play(way(state.clone()), []), [])


def test_a_game_with_much_in_it_survives_a_pickle():
    state = SimultaneousState(
        randomize={"evader": {"max_speed": (2.0, 4.0)}},
        start={"pursuer": {"position": np.array([[1.0, 2.0], [3.0, 1.0]])}},
        obstacles=[(-5.0, -5.0, 1.0)],
        observation={"features": ["own.speed", "other.distance"]},
        reward={"closing": 0.25},
        seed=2**64 - 1,
    )
    state.apply_actions([1, 1])
    found = COPIES["pickle"](state)
    assert found.config == state.config
    assert found.get_state().tobytes() == state.get_state().tobytes()
    assert_same(found.observation_tensor(1), state.observation_tensor(1))
    assert_same([found.rewards(), found.returns()], [state.rewards(), state.returns()])


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"pursuers": 2}, InvalidValue, "one pursuer"),
        ({"action": {"noise": 0.1}}, InvalidValue, "noise"),
        ({"observation": {"delay": 2}}, InvalidValue, "noise and delays"),
        ({"reward": {"terms": lambda step: 1.0}}, InvalidValue, "zero-sum"),
        ({"seed": -1}, InvalidValue, "seed"),
        ({"opponent": "evade"}, InvalidType, "opponent"),
        ({"arean": "torus"}, InvalidType, "arena"),
    ],
)
def test_what_is_no_such_game_is_refused(keywords, error, message):
    with pytest.raises(error, match=message):
        SimultaneousState(**keywords)


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        ([1], InvalidType),
        (None, InvalidType),
        ([1, 9], InvalidValue),
        ([1.0, 2], InvalidType),
        ([1, [2, 3]], InvalidValue),
        ({7, 2}, InvalidType),
    ],
)
def test_wrong_actions_change_nothing(actions, error):
    state = SimultaneousState(seed=0, **SHORT)
    before = state.get_state()
    with pytest.raises(error):
        state.apply_actions(actions)
    assert_same(state.get_state(), before)
    assert state.history() == []


def test_continuous_actions_must_be_finite_and_are_not_listed():
    state = SimultaneousState(seed=0, action_type="continuous", **SHORT)
    with pytest.raises(InvalidValue, match="not finite"):
        state.apply_actions([[np.nan, 0.0], [0.0, 0.0]])
    with pytest.raises(InvalidValue, match=r"-9\.0"):
        state.apply_actions([[1.0, 0.0], [-9.0, 3.0]])
    assert state.history() == []
    with pytest.raises(InvalidValue, match="action_space"):
        state.legal_actions(0)
    with pytest.raises(InvalidValue, match="player"):
        state.observation_tensor(2)
    state.apply_actions([[1, 0.1], (0.0, 0.0)])
    assert state.history() == [(1.0, float(np.float32(0.1))), (0.0, 0.0)]
