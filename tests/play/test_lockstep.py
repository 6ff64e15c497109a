"""Recordings go side by side, in lockstep."""

import pytest

from play.rounds import faced, played
from steer_env.game.state import PURSUER
from steer_env.play.comparison import others
from steer_env.play.lockstep import Lockstep


@pytest.fixture(scope="module")
def recordings():
    challenged = faced(PURSUER, "rest", horizon=150)
    return [played(challenged, 2, lambda _: 0j).history.recording(), *others(challenged, 2)]


def test_all_show_the_same_moment_until_they_end(recordings):
    lockstep = Lockstep(recordings)
    lengths = [len(each.states) - 1 for each in recordings]
    assert lockstep.last == max(lengths) == 150
    assert min(lengths) < 100
    lockstep.advance(0.0)
    for tick in range(1, 181):
        lockstep.advance(tick / 30)
        assert lockstep.moment == min(tick, 150)
        for each, length in zip(recordings, lengths):
            assert lockstep.moment_of(each) == min(tick, length)
            assert lockstep.is_over(each) == (tick >= length)


def test_it_can_be_stepped_and_paused(recordings):
    lockstep = Lockstep(recordings)
    lockstep.backward()
    assert lockstep.moment == 0
    for _ in range(3):
        lockstep.forward()
    lockstep.backward()
    assert (lockstep.moment, lockstep.clock.is_paused) == (2, True)
    lockstep.advance(0.0)
    lockstep.advance(0.2)
    assert lockstep.moment == 2
    lockstep.pause()
    lockstep.advance(0.3)
    assert lockstep.moment == 5
    lockstep.to_end()
    lockstep.forward()
    assert lockstep.moment == 150
    lockstep.pause()  # from the end, anew
    assert (lockstep.moment, lockstep.clock.is_paused) == (0, False)


@pytest.mark.parametrize(("jump", "moment"), [("to_start", 0), ("to_end", 150), ("hold", 3)])
def test_jumps_pause(recordings, jump, moment):
    lockstep = Lockstep(recordings)
    lockstep.advance(0.0)
    lockstep.advance(0.1)
    getattr(lockstep, jump)()
    lockstep.advance(0.2)
    assert (lockstep.moment, lockstep.clock.is_paused) == (moment, True)


def test_it_goes_faster_and_slower(recordings):
    lockstep = Lockstep(recordings)
    lockstep.faster()
    lockstep.advance(0.0)
    lockstep.advance(0.2)
    assert lockstep.moment == 12
    lockstep.slower()
    lockstep.slower()
    lockstep.advance(0.4)
    assert lockstep.moment == 15
