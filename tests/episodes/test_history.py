"""A history keeps every moment of an episode while it is played."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from steer_env.episodes.duel import Duel
from steer_env.episodes.history import History, record_episode
from steer_env.game.config import game_config
from steer_env.scripts.roster import ROSTER

OPEN = game_config(arena="open", horizon=200)


def make_history(seed=4, pursuer=ROSTER["pursuit"], config=OPEN):
    history = History(Duel(config, pursuer, ROSTER["evade"], ("one", "other")))
    history.start(seed)
    return history


def test_every_moment_can_be_looked_at_again():
    history = make_history()
    seen = []
    for _ in range(150):
        seen.append((history.duel.record, history.duel.forces))
        history.step()
    assert history.last == 150
    for moment, (state, forces) in enumerate(seen):
        assert history.record(moment) == state
        assert np.array_equal(history.recording().forces[moment], forces)
    assert history.record(999) == history.duel.record


def test_a_recording_is_the_episode_so_far():
    whole = record_episode(make_history().duel, 4)
    history = make_history()
    history.reach(90)
    found = history.recording()
    history.reach(OPEN.horizon)
    assert len(found.states) == 91
    assert np.array_equal(found.states, whole.states[:91])
    assert np.array_equal(found.forces, whole.forces[:91])
    assert np.array_equal(history.recording().states, whole.states)
    assert (found.names, found.seed, found.config) == (("one", "other"), 4, OPEN)
    assert found.scripts == (ROSTER["pursuit"], ROSTER["evade"])
    history.start(5)
    history.reach(OPEN.horizon)
    assert np.array_equal(found.states, whole.states[:91])


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
    history.start(5)
    again = history.recording()
    assert len(again.positions) == 1
    assert again.corners[0][0].real == again.positions.real.min()


def test_a_person_can_play():
    history = make_history(pursuer=None)
    with pytest.raises(TypeError, match="pursuer_action"):
        history.reach(1)
    history.step(pursuer_action=[1.0, 0.0])
    assert history.last == 1
    assert history.recording().scripts == (None, ROSTER["evade"])
    assert abs(history.recording().forces[1, 0]) > 0.0


def test_actions_are_kept_where_no_script_plays():
    history = make_history(pursuer=None)
    assert history.recording().actions[0].shape == (0, 1, 2)
    pushes = np.random.default_rng(0).uniform(-1, 1, (70, 2)).astype(np.float32)
    for push in pushes:
        history.step(pursuer_action=push)
        assert np.array_equal(history.duel.actions[0], [push])
    found = history.recording()
    assert found.actions[1] is history.duel.actions[1] is None
    assert found.actions[0].dtype == np.float32
    assert np.array_equal(found.actions[0], pushes[:, None])
    history.start(5)
    assert (history.duel.actions[0] == 0.0).all()
    history.step(pursuer_action=[1.0, 0.0])
    assert np.array_equal(found.actions[0], pushes[:, None])


def test_actions_of_a_policy_are_those_that_the_engine_took():
    class Steering:
        """Writes all its answers into one array."""

        answer = np.zeros((1, 2), np.float32)

        def predict(self, observation, state=None, episode_start=None, deterministic=False):
            self.answer += np.float32(0.01)
            return self.answer, None

    found = record_episode(Duel(OPEN, Steering(), ROSTER["evade"]), 4)
    assert found.actions[0].shape == (len(found.states) - 1, 1, 2)
    assert (np.diff(found.actions[0], axis=0) > 0.0).all()


def test_an_episode_has_to_begin_before_it_is_recorded():
    history = History(Duel(OPEN, ROSTER["seek"], ROSTER["rest"]))
    with pytest.raises(ResetNeeded, match="start"):
        history.recording()
