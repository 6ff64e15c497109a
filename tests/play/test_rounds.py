"""A round follows from its start and the person's actions, bit for bit."""

import gymnasium as gym
import numpy as np
import pytest
from envs.same import assert_same
from gymnasium.error import ResetNeeded

from play.rounds import faced, played, replayed, straight_to
from steer_env.play.rounds import Round
from steer_env.sides import EVADER, PURSUER


def waver(playing):
    """Pushes that depend on everything."""
    return straight_to(playing) * (0.1 + 0.05j * (len(playing.actions) % 7))


@pytest.mark.parametrize(
    ("side", "opponent", "keywords"),
    [
        (PURSUER, "wander", {"obstacles": 3}),
        (PURSUER, "pretrained/evade/mixture", {}),
        (EVADER, "pursuit/full_force", {"pursuers": 2, "arena": "torus"}),
        (EVADER, "random", {}),
    ],
)
def test_a_round_replays_bit_for_bit(side, opponent, keywords):
    challenged = faced(side, opponent, horizon=120, **keywords)
    once = played(challenged, 11, waver)
    recording = once.history.recording()
    again = replayed(challenged, 11, once.actions)
    assert len(again.states) == len(once.actions) + 1 > 10
    assert_same(again.states, recording.states)
    assert_same(again.forces, recording.forces)
    assert again.status.result == recording.status.result == once.duel.status.result
    other = replayed(challenged, 11, [-action for action in once.actions[:10]])
    assert not np.array_equal(other.positions[10], recording.positions[10])


def test_an_agent_that_does_the_same_is_at_the_same_places():
    once = played(faced(PURSUER, "evade"), 4, waver)
    recording = once.history.recording()
    env = gym.make("steer_env:Pursuit-v0", opponent="evade").unwrapped
    env.reset(seed=0)
    env.set_state(recording.states[:1])
    for action, expected in zip(once.actions, recording.positions[1:]):
        assert env.action_space.contains(action)
        assert np.hypot(*action) <= 1 + 1e-6
        env.step(action)
        there = env.get_state()["players"]["body"]["position"][0]
        assert np.array_equal(there, expected)


def test_who_wins():
    caught = played(faced(PURSUER, "rest"))
    assert (caught.duel.status.is_captured, caught.is_won) == (True, True)
    assert caught.duel.status.result.startswith("caught after")
    free = played(faced(PURSUER, "rest", horizon=5))
    assert (free.duel.status.is_captured, free.is_won, free.seconds_left) == (False, False, 0.0)
    got_away = played(faced(EVADER, "rest", horizon=5), push=lambda playing: 0j)
    assert (got_away.duel.status.is_captured, got_away.is_won) == (False, True)
    walked_into_it = played(faced(EVADER, "rest"))
    assert (walked_into_it.duel.status.is_captured, walked_into_it.is_won) == (True, False)


def test_a_round_that_goes_on_is_not_won():
    playing = Round(faced(EVADER, "rest"), 0)
    assert not playing.duel.status.is_over
    assert not playing.is_won
    assert playing.seconds_left == pytest.approx(20)


def test_a_round_that_is_over_is_over():
    over = played(faced(PURSUER, "rest", horizon=3))
    with pytest.raises(ResetNeeded):
        over.push(1)


def test_the_recording_says_who_is_who():
    recording = played(faced(EVADER, "seek", horizon=3)).history.recording()
    assert recording.names == ("seek", "you")
    assert recording.scripts[0].behavior == "seek"
    assert recording.scripts[1] is None
    assert len(recording.annotations(2)) == 2
