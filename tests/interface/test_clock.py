"""Steps are due in real time, at any speed and any frame rate."""

from __future__ import annotations

import pytest

from steer_env.interface.clock import SPEEDS, StepClock, speed_text


@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("frames", [7, 30, 60, 144])
def test_as_many_steps_are_due_as_time_passes(speed, frames):
    clock = StepClock(1 / 30)
    clock.speed = speed
    steps = [clock.due(5.0 + frame / frames) for frame in range(8 * frames + 1)]
    assert steps[0] == 0
    assert sum(steps) == pytest.approx(8 * 30 * speed, abs=1)
    assert max(steps) - min(steps[1:]) <= 1


def test_a_long_break_is_not_caught_up():
    clock = StepClock(0.1)
    clock.faster()
    clock.due(0.0)
    assert clock.due(60.0) == 5
    assert clock.due(60.05) == 1
    assert clock.due(59.0) == 0  # a clock that goes back


def test_nothing_is_due_in_a_pause_or_for_it():
    clock = StepClock(0.1)
    clock.due(0.0)
    clock.pause()
    assert clock.due(0.2) == 0
    clock.pause()
    assert clock.due(0.35) == 1
    clock.restart()
    assert clock.due(9.0) == 0


def test_the_speed_keeps_to_its_range():
    clock = StepClock(0.1)
    for _ in range(20):
        clock.faster()
    assert clock.speed == SPEEDS[-1]
    for _ in range(20):
        clock.slower()
    assert clock.speed == SPEEDS[0]


def test_speeds_are_written_short():
    assert [speed_text(speed) for speed in (0.125, 1.0, 16.0)] == ["1/8x", "1x", "16x"]
