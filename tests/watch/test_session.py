"""Games at the same moment, forward and back, round after round."""

from __future__ import annotations

import numpy as np
import pytest
from recorded import same

from steer_env.watch.screening import SPEEDS, StepClock

from .windows import make_screening


def records(screening):
    return [game.record_at(screening.moment).copy() for game in screening.games]


def walk(screening, steps):
    for _ in range(steps):
        screening.move(1)


@pytest.mark.parametrize("speed", [SPEEDS[0], 1.0, SPEEDS[-1]])
@pytest.mark.parametrize("frames", [7, 60])
def test_as_many_steps_are_due_as_time_passes(speed, frames):
    clock = StepClock(1 / 30)
    clock.speed = speed
    steps = [clock.due(5.0 + frame / frames) for frame in range(8 * frames + 1)]
    assert steps[0] == 0
    assert sum(steps) == pytest.approx(8 * 30 * speed, abs=1)
    assert max(steps) - min(steps[1:]) <= 1


def test_long_breaks_and_pauses_are_not_caught_up():
    clock = StepClock(0.1)
    clock.change_speed(2.0)
    clock.due(0.0)
    assert clock.due(60.0) == 5
    assert clock.due(59.0) == 0  # a clock that goes back
    clock.change_speed(0.5)
    clock.pause()
    assert clock.due(59.2) == 0
    clock.pause()
    assert clock.due(59.35) == 1
    clock.restart()
    assert clock.due(90.0) == 0
    for _ in range(20):
        clock.change_speed(2.0)
    assert clock.speed == 16.0


def test_every_pursuer_plays_every_evader_from_the_same_starts():
    screening = make_screening(("seek", "pursuit"), ("evade", "flee", "idle"), seed=7)
    names = [game.names for game in screening.games]
    assert names[:2] == [("seek", "evade"), ("seek", "flee")]
    assert len(names) == 6
    assert screening.title == "seek, pursuit vs evade, flee, idle - 6 games - steer_env"
    places = [record["players"]["body"]["position"].tolist() for record in records(screening)]
    assert places == [places[0]] * 6


def test_a_step_back_is_the_state_before_bit_for_bit():
    teams = {"pursuers": 2, "evaders": 2, "obstacles": 2}
    screening = make_screening(("pursuit/pack",), ("evade/herd",), **teams)
    seen, forces = [], []
    for _ in range(40):
        seen.append(records(screening)[0])
        forces.append(screening.games[0].recording().forces[screening.moment].copy())
        screening.move(1)
    assert screening.clock.is_paused
    for state, force in zip(reversed(seen), reversed(forces)):
        screening.move(-1)
        assert same(records(screening)[0], state)
        found = screening.games[0].recording().forces[screening.moment]
        assert np.array_equal(found, force)
    screening.move(-1)
    assert screening.moment == 0
    walk(screening, 39)  # forward again: what has been played is not played again
    assert same(records(screening)[0], seen[-1])
    assert screening.last_moment == 40


def test_a_restart_plays_the_same_and_the_next_round_has_the_next_seed():
    screening = make_screening(("random",), ("evade/chaotic", "evade"), seed=5)
    walk(screening, 30)
    before = records(screening)
    screening.restart()
    assert (screening.moment, screening.last_moment, screening.seed) == (0, 0, 5)
    walk(screening, 30)
    assert all(same(*pair) for pair in zip(records(screening), before))
    screening.next_round()
    assert (screening.seed, screening.round) == (6, 2)
    walk(screening, 30)
    assert not any(same(*pair) for pair in zip(records(screening), before))
    last = make_screening(seed=2**64 - 1)
    last.next_round()
    assert (last.seed, last.round) == (2**64 - 1, 1)


def test_games_that_end_keep_showing_their_end():
    screening = make_screening(("pursuit",), ("idle", "evade"), horizon=300, seed=0)
    screening.go_to(screening.config.horizon)
    resting, evading = screening.games
    assert resting.last < evading.last == screening.moment
    assert same(resting.record_at(screening.moment), resting.record_at(resting.last))
    assert resting.status_at(screening.moment).is_captured
    assert resting.status_at(resting.last - 1).result.startswith("still free after")


def test_each_result_is_reported_once():
    screening = make_screening(("pursuit",), ("idle", "flee"), horizon=300, seed=2)
    assert screening.results() == []
    screening.go_to(screening.config.horizon)
    lines = screening.results()
    assert lines[0].startswith("seed 2: pursuit caught idle after ")
    assert lines[1].startswith("seed 2: pursuit caught flee after ")
    screening.restart()
    screening.go_to(screening.config.horizon)
    assert screening.results() == []
    screening.next_round()
    screening.go_to(screening.config.horizon)
    assert len(screening.results()) == 2
