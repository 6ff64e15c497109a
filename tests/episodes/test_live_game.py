"""A live game is the evaluated episode, step for step, and its recording keeps it all."""

from __future__ import annotations

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from recorded import live_game, same, trajectory

import steer_env  # noqa: F401  (registers the environments)
from steer_env.baselines.rollouts import play_to_the_end, start_games
from steer_env.episodes.live_game import record_episode
from steer_env.game.config import make_game
from steer_env.game.engine import Engine
from steer_env.game.run.memory import BLOCK
from steer_env.players.network import NetworkPolicy
from steer_env.players.random_policy import RandomPolicy
from steer_env.players.resolver import resolve_pair
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER
from steer_env.steering.vehicle import apply_force, as_vehicle

TEAMS = make_game(pursuers=2, evaders=3, obstacles=2, capture_radius=0.8, horizon=200)
SHORT = make_game(horizon=60)
SEED = 5
OPEN = make_game(arena="open", horizon=200)
OPEN_TEAMS = make_game(pursuers=2, evaders=3, arena="open", horizon=200)


class Counting:
    """A policy that turns left more at each step, as its hidden state says."""

    def __init__(self):
        self.starts = []

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        self.starts.append(bool(episode_start.all()))
        count = 0 if state is None else state
        return np.tile([0.5, count / 60], (len(observation), 1)), count + 1


def make(pursuer, evader, config=SHORT):
    return live_game(config, pursuer, evader)


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
    "scripts": ("pursuit", "evade", make_game()),
    "teams": ("pursuit", "evade/herd", TEAMS),
    "torus": ("navigation", "wander", make_game(arena="torus", horizon=200)),
    "a network": ("pretrained/pursuit/ppo", "evade", make_game(horizon=200)),
    "networks": ("pretrained/pursuit/selfplay", "pretrained/evade/selfplay", SHORT),
    "chance": ("random", "random", SHORT),
}


@pytest.mark.parametrize(("pursuer", "evader", "config"), PAIRS.values(), ids=PAIRS)
def test_it_is_the_episode_that_is_evaluated(pursuer, evader, config):
    """Evaluations play two scripts elsewhere in the compiled code, some steps at once."""
    live = make(pursuer, evader, config)
    play(live, SEED + 1)  # what was before makes no difference
    states = play(live, SEED)
    players = resolve_pair(pursuer, evader, SEED)
    engine = start_games(config, players, SEED, 1)
    assert same(states[0], engine.get_state()[0])
    play_to_the_end(engine, players)
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
    live = live_game(SHORT, policy, ROSTER["idle"])
    live.start(1)
    live.step()
    assert_same_episode(play(live, 2), play(live_game(SHORT, Counting(), ROSTER["idle"]), 2))
    assert policy.starts[:4] == [True, True, False, False]
    random = RandomPolicy(seed=3)
    live, untouched = live_game(SHORT, random, ROSTER["idle"]), copy.deepcopy(random)
    first, second = play(live, 1), play(live, 1)
    assert not same(first[-1], second[-1])
    assert_same_episode(play(live_game(SHORT, untouched, ROSTER["idle"]), 1), first)


def test_a_person_plays_what_an_environment_plays():
    """The same actions through gym.make, in float32, give the same states."""
    env = gym.make("Pursuit-v0", arena="torus")
    env.reset(seed=SEED)
    live = live_game(env.unwrapped.config, None, ROSTER["evade"])
    live.start(SEED)
    assert [player.script for player in live.players] == [None, ROSTER["evade"]]
    for action in np.random.default_rng(0).uniform(-1, 1, (40, 2)).astype(np.float32):
        assert same(live.record, env.unwrapped.get_state()[0])
        env.step(action)
        live.step(action)
    env.close()


def test_persons_can_play_both_sides_and_teams():
    live = live_game(TEAMS, None, None)
    live.start(SEED)
    ahead = np.ones((3, 2)) * [1.0, 0.0]
    for _ in range(30):
        live.step(np.zeros((2, 2)), ahead)
    bodies = live.record["players"]["body"]
    assert (bodies["velocity"][:2] == 0.0).all()
    speeds = (bodies["velocity"] * bodies["heading"].conj())[2:]
    assert (np.abs(speeds) > 1.0).any()
    alone = live_game(SHORT, ROSTER["idle"], None)
    states = []
    for action in ([0.5, 1.0], [[0.5, 1.0]]):  # one player's, without and with the first axis
        alone.start(SEED)
        alone.step(evader_action=action)
        states.append(alone.record)
    assert same(*states)


def test_an_episode_must_have_begun_and_not_be_over_and_a_policy_must_fit():
    live = make("pursuit", "evade", make_game(horizon=2))
    assert (live.seed, live.status.is_over) == (None, False)
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
        live_game(SHORT, policy, None)


def test_results_are_in_words():
    live = make("pursuit", "idle", make_game())
    play(live, SEED)
    assert live.status.is_captured
    assert live.status.result == f"caught after {live.status.seconds:.1f} s"
    live = make("idle", "idle")
    live.start(SEED)
    live.step()
    assert live.status.result == "still free after 0.0 s"
    play(live, SEED)
    assert live.status.result == "got away (2 s)"
    live = make("pursuit", "idle", make_game(evaders=2, horizon=60, capture_radius=3.0))
    results = []
    for seed in range(20):
        play(live, seed)
        results.append(live.status.result)
    assert "got away (2 s), 1 of 2 caught" in results


def make_history(seed=4, pursuer=ROSTER["pursuit"], config=OPEN):
    history = live_game(config, pursuer, ROSTER["evade"], ("one", "other"))
    history.start(seed)
    return history


def test_a_recording_is_the_episode_so_far_and_no_later_step_changes_it():
    whole = record_episode(make_history(), 4)
    history = make_history()
    history.reach(90)
    found = history.recording()
    history.reach(OPEN.horizon)
    last = history.recording()
    history.start(7)
    history.reach(OPEN.horizon)
    assert len(found.states) == 91
    for one, moments in ((found, 91), (last, len(whole.states))):
        assert np.array_equal(one.states, whole.states[:moments])
        assert np.array_equal(one.forces, whole.forces[:moments])
    assert (found.names, found.seed, found.config) == (("one", "other"), 4, OPEN)
    assert found.scripts == (ROSTER["pursuit"], ROSTER["evade"])
    again = pickle.loads(pickle.dumps(whole))
    assert (again.names, again.config, again.scripts) == (whole.names, OPEN, whole.scripts)
    assert np.array_equal(again.states, whole.states)
    steps = np.abs(np.diff(whole.positions, axis=0))
    assert 0.0 < steps.max() <= OPEN.pursuer.max_speed * OPEN.dt + 1e-9
    np.testing.assert_array_equal(whole.states["game"]["steps"], np.arange(len(steps) + 1))


def test_the_box_around_all_positions_grows_with_them():
    history = make_history()
    for reached in (70, OPEN.horizon):
        history.reach(reached)
        found = history.recording()
        assert len(found.corners) == history.last + 1
        for moment in (0, 1, 63, 64, history.last):
            places = found.positions[: moment + 1]
            low, high = found.corners[moment]
            assert (low.real, low.imag) == (places.real.min(), places.imag.min())
            assert (high.real, high.imag) == (places.real.max(), places.imag.max())


@pytest.mark.parametrize(
    ("pursuer", "evader", "config"),
    [
        ("pursuit", "evade", OPEN),
        ("pursuit/full_force", "random", OPEN),
        ("pursuit/closing", "evade/herd", OPEN_TEAMS),
    ],
)
def test_the_forces_are_what_moved_the_players(pursuer, evader, config):
    """A point mass, free of walls: each state and force give the next velocity."""
    found = trajectory(pursuer, evader, config, seed=5)
    bodies, active = found.states["players"]["body"], found.states["players"]["active"]
    assert (found.forces[0] == 0.0).all()
    assert (np.abs(found.forces) > 0.0).any()
    for t in range(1, len(found.states)):
        for number in np.flatnonzero(active[t]):
            before, after = as_vehicle(bodies[t - 1, number]), bodies[t, number]
            velocity, heading = apply_force(before, found.forces[t, number], config.dt)
            assert velocity == pytest.approx(after["velocity"], abs=1e-12)
            assert heading == pytest.approx(after["heading"], abs=1e-12)


def test_forces_are_cut_to_what_a_player_has_and_none_when_it_is_caught():
    strong = Script(behavior="seek", response_time=1e-6)
    found = record_episode(live_game(OPEN, strong, ROSTER["idle"]), 4)
    np.testing.assert_allclose(np.abs(found.forces[1:9, 0]), OPEN.pursuer.max_force)
    teams = make_game(pursuers=2, evaders=3, capture_radius=1.5)
    found = trajectory("pursuit", "evade", teams, seed=5)
    caught = ~found.states["players"]["active"]
    assert caught[:-1].any()
    assert (found.forces[caught] == 0.0).all()


def pushed(games=2, restart_after=None):
    """An engine whose pursuers were pushed ahead, in two steps."""
    engine = Engine(make_game(), [None], [ROSTER["idle"]], games, restart_after or 0)
    engine.seed(range(games))
    engine.start()
    ahead = np.tile(np.float32([1.0, 0.0]), (games, 1, 1))
    for _ in range(2):
        engine.step(ahead, np.zeros((0, 1, 2), np.float32), PURSUER, True)
    return engine


def test_forces_are_those_of_each_game_zero_without_a_step_and_unknown_of_many():
    engine = pushed()
    for game in range(2):
        heading = engine.get_state()["players"]["body"]["heading"][game, 0]
        np.testing.assert_allclose(engine.forces(game), [12.0 * heading, 0.0], atol=1e-9)
    engine.start(np.array([True, False]))
    assert (engine.forces(0) == 0.0).all()
    assert (engine.forces(1) != 0.0).any()
    engine.set_state(engine.get_state())
    assert (engine.forces(1) == 0.0).all()
    assert (pickle.loads(pickle.dumps(pushed())).forces(0) == 0.0).all()
    assert (pushed(restart_after=1).forces(0) == 0.0).all()  # began anew instead of its step
    assert np.isnan(pushed(BLOCK + 1).forces(0)).all()
    assert np.isfinite(pushed(BLOCK).forces(BLOCK - 1)).all()
