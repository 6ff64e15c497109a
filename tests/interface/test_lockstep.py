"""Episodes go side by side, in lockstep."""

import pytest
from play.rounds import faced, played

from steer_env.interface.lockstep import Lockstep
from steer_env.play.rounds import others
from steer_env.sides import PURSUER


@pytest.fixture(scope="module")
def histories():
    challenged = faced(PURSUER, "rest", horizon=150)
    return [played(challenged, 2, lambda _: 0j).history, *others(challenged, 2)]


def test_all_show_the_same_moment_until_they_end(histories):
    lockstep = Lockstep(histories)
    lengths = [each.last for each in histories]
    assert lockstep.last_moment == max(lengths) == 150
    assert min(lengths) < 100
    lockstep.advance(0.0)
    for tick in range(1, 181):
        lockstep.advance(tick / 30)
        assert lockstep.moment == min(tick, 150)
        for each, length in zip(histories, lengths):
            assert each.status(lockstep.moment).is_over == (tick >= length)


def test_it_can_be_stepped_and_paused(histories):
    lockstep = Lockstep(histories)
    lockstep.step_back()
    assert lockstep.moment == 0
    for _ in range(3):
        lockstep.step_forward()
    lockstep.step_back()
    assert (lockstep.moment, lockstep.clock.is_paused) == (2, True)
    lockstep.advance(0.0)
    lockstep.advance(0.2)
    assert lockstep.moment == 2
    lockstep.pause()
    lockstep.advance(0.3)
    assert lockstep.moment == 5
    lockstep.go_to_end()
    lockstep.step_forward()
    assert lockstep.moment == 150
    lockstep.pause()  # from the end, anew
    assert (lockstep.moment, lockstep.clock.is_paused) == (0, False)


@pytest.mark.parametrize(
    ("jump", "moment"), [("go_to_start", 0), ("go_to_end", 150), ("step_back", 2)]
)
def test_jumps_pause(histories, jump, moment):
    lockstep = Lockstep(histories)
    lockstep.advance(0.0)
    lockstep.advance(0.1)
    getattr(lockstep, jump)()
    lockstep.advance(0.2)
    assert (lockstep.moment, lockstep.clock.is_paused) == (moment, True)


def test_it_goes_faster_and_slower(histories):
    lockstep = Lockstep(histories)
    lockstep.clock.faster()
    lockstep.advance(0.0)
    lockstep.advance(0.2)
    assert lockstep.moment == 12
    lockstep.clock.slower()
    lockstep.clock.slower()
    lockstep.advance(0.4)
    assert lockstep.moment == 15
