"""A live game is the evaluated episode, step for step, and takes what persons do."""

from __future__ import annotations

import copy

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from recorded import same, trajectory

import steer_env  # noqa: F401  (registers the environments)
from steer_env.baselines.rollouts import play_to_the_end, start_games
from steer_env.episodes.live_game import LiveGame
from steer_env.game.config import game_config
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.players import controller_of
from steer_env.policies.random_policy import RandomPolicy
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER

TEAMS = game_config(pursuers=2, evaders=3, obstacles=2, capture_radius=0.8, horizon=200)
SHORT = game_config(horizon=60)
SEED = 5


class Counting:
    """A policy that turns left more at each step, as its hidden state says."""

    def __init__(self):
        self.starts = []

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        self.starts.append(bool(episode_start.all()))
        count = 0 if state is None else state
        return np.tile([0.5, count / 60], (len(observation), 1)), count + 1


def make(pursuer, evader, config=SHORT):
    return LiveGame(config, controller_of(pursuer, PURSUER), controller_of(evader, EVADER))


def play(live, seed):
    """Plays an episode; returns a copy of the state at each moment."""
    live.start(seed)
    states = [live.record]
    while not live.status.is_over:
        live.step()
        states.append(live.record)
    return states


def assert_same_episode(one, other):
    assert len(one) == len(other)
    assert all(same(first, second) for first, second in zip(one, other))


PAIRS = {
    "scripts": ("pursuit", "evade", game_config()),
    "teams": ("pursuit", "evade/herd", TEAMS),
    "torus": ("navigation", "wander", game_config(arena="torus", horizon=200)),
    "a network": ("pretrained/pursuit/ppo", "evade", game_config(horizon=200)),
    "networks": ("pretrained/pursuit/selfplay", "pretrained/evade/selfplay", SHORT),
    "chance": ("random", "random", SHORT),
}


@pytest.mark.parametrize(("pursuer", "evader", "config"), PAIRS.values(), ids=PAIRS)
def test_it_is_the_episode_that_is_evaluated(pursuer, evader, config):
    """Evaluations play two scripts elsewhere in the compiled code, some steps at once."""
    live = make(pursuer, evader, config)
    play(live, SEED + 1)  # what was before makes no difference
    states = play(live, SEED)
    engine, sides = start_games(config, pursuer, evader, SEED, 1)
    assert same(states[0], engine.get_state()[0])
    play_to_the_end(engine, sides)
    assert same(states[-1], engine.get_state()[0])
    found = trajectory(pursuer, evader, config, SEED)
    players = np.array(states)["players"]
    np.testing.assert_array_equal(players["body"]["position"], found.positions)
    np.testing.assert_array_equal(players["active"], found.states["players"]["active"])
    assert live.status.seconds == pytest.approx(found.times[-1])
    assert live.status.is_captured == found.status.is_captured


@pytest.mark.parametrize("pair", [("pursuit", "evade"), ("random", "idle")])
def test_an_episode_follows_from_its_seed(pair):
    live = make(*pair)
    first = play(live, 1)
    assert live.seed == 1
    assert not same(first[-1], play(live, 2)[-1])
    live.start(1)  # in the middle of an episode, too
    live.step()
    assert_same_episode(play(live, 1), first)


def test_a_policy_has_a_new_hidden_state_at_each_start_but_draws_on():
    policy = Counting()
    live = LiveGame(SHORT, policy, ROSTER["idle"])
    live.start(1)
    live.step()
    assert_same_episode(play(live, 2), play(LiveGame(SHORT, Counting(), ROSTER["idle"]), 2))
    assert policy.starts[:4] == [True, True, False, False]
    random = RandomPolicy(seed=3)
    live, untouched = LiveGame(SHORT, random, ROSTER["idle"]), copy.deepcopy(random)
    first, second = play(live, 1), play(live, 1)
    assert not same(first[-1], second[-1])
    assert_same_episode(play(LiveGame(SHORT, untouched, ROSTER["idle"]), 1), first)


def test_a_person_plays_what_an_environment_plays():
    """The same actions through gym.make, in float32, give the same states."""
    env = gym.make("Pursuit-v0", arena="torus")
    env.reset(seed=SEED)
    live = LiveGame(env.unwrapped.config, None, ROSTER["evade"])
    live.start(SEED)
    assert live.scripts == (None, ROSTER["evade"])
    for action in np.random.default_rng(0).uniform(-1, 1, (40, 2)).astype(np.float32):
        assert same(live.record, env.unwrapped.get_state()[0])
        env.step(action)
        live.step(action)
    env.close()


def test_persons_can_play_both_sides_and_teams():
    live = LiveGame(TEAMS, None, None)
    live.start(SEED)
    ahead = np.ones((3, 2)) * [1.0, 0.0]
    for _ in range(30):
        live.step(np.zeros((2, 2)), ahead)
    bodies = live.record["players"]["body"]
    assert (bodies["velocity"][:2] == 0.0).all()
    speeds = (bodies["velocity"] * bodies["heading"].conj())[2:]
    assert (np.abs(speeds) > 1.0).any()
    alone = LiveGame(SHORT, ROSTER["idle"], None)
    states = []
    for action in ([0.5, 1.0], [[0.5, 1.0]]):  # one player's, without and with the first axis
        alone.start(SEED)
        alone.step(evader_action=action)
        states.append(alone.record)
    assert same(*states)


def test_an_episode_must_have_begun_and_not_be_over_and_a_policy_must_fit():
    live = make("pursuit", "evade", game_config(horizon=2))
    assert (live.seed, live.status.result, live.status.is_over) == (None, "not begun", False)
    with pytest.raises(ResetNeeded, match="not begun"):
        live.step()
    play(live, 2**64 - 1)
    for seed in (-1, 2**64):
        with pytest.raises(ValueError, match="seed"):
            live.start(seed)
    play(live, SEED)
    with pytest.raises(ResetNeeded, match="is over"):
        live.step()
    policy = NetworkPolicy([np.zeros((2, 33))], [np.zeros(2)], activation="tanh", head="box")
    with pytest.raises(ValueError, match=r"shape \(33,\).*\(21,\)"):
        LiveGame(SHORT, policy, None)


def test_results_are_in_words():
    live = make("pursuit", "idle", game_config())
    play(live, SEED)
    assert live.status.is_captured
    assert live.status.result == f"caught after {live.status.seconds:.1f} s"
    live = make("idle", "idle")
    live.start(SEED)
    live.step()
    assert live.status.result == "still free after 0.0 s"
    play(live, SEED)
    assert live.status.result == "got away (2 s)"
    live = make("pursuit", "idle", game_config(evaders=2, horizon=60, capture_radius=3.0))
    results = []
    for seed in range(20):
        play(live, seed)
        results.append(live.status.result)
    assert "got away (2 s), 1 of 2 caught" in results
