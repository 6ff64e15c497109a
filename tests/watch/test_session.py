"""A person's game goes on as time passes, round after round."""

from __future__ import annotations

import pytest
from recorded import same

from steer_env.game.engine import LARGEST_SEED
from steer_env.watch.session import STILL_SECONDS

from .windows import make_session


def play(session, seconds, frames=60, start=0.0):
    """Lets a session go on, and returns the times at which a next round was due."""
    times = [start + frame / frames for frame in range(round(seconds * frames) + 1)]
    return [now for now in times if session.update(now)]


@pytest.mark.parametrize("frames", [7, 60])
def test_as_many_steps_are_played_as_time_passes(frames):
    session = make_session("idle", keeps_going=True)
    assert play(session, 1.0, frames, start=5.0) == []
    assert session.game.last == pytest.approx(30, abs=1)
    assert session.seconds == session.game.last / 30


def test_long_breaks_and_pauses_are_not_caught_up():
    session = make_session("idle", keeps_going=True, dt=0.1)
    for now, last in ((0.0, 0), (60.0, 2), (59.0, 2), (59.06, 3)):  # also back
        session.update(now)
        assert session.game.last == last
    session.pause()
    session.update(59.2)
    assert session.game.last == 3
    session.pause()
    session.update(59.31)
    assert session.game.last == 4
    session.wait()
    session.update(90.0)
    assert session.game.last == 4


def test_a_restart_plays_the_same_and_rounds_go_on_by_a_seed():
    session = make_session("random", keeps_going=True, seed=5)
    play(session, 1.0)
    before, last = session.game.record.copy(), session.game.last
    session.restart()
    assert (session.game.last, session.seed, session.round) == (0, 5, 1)
    play(session, 1.0)
    assert session.game.last == last
    assert same(session.game.record, before)
    session.next_round()
    assert (session.seed, session.round) == (6, 2)
    play(session, 1.0)
    assert not same(session.game.record, before)
    last = make_session(seed=LARGEST_SEED)
    last.next_round()
    assert (last.seed, last.round) == (LARGEST_SEED, 1)


def test_a_round_waits_or_goes_on_and_its_result_is_told_once():
    session = make_session("idle", seed=2, horizon=15)
    assert session.is_waiting
    assert play(session, 5.0) == []
    assert session.is_waiting
    session.pause()
    assert play(session, 5.0) == []  # the next one waits for a key
    line = "seed 2: idle got away from you (0.5 s)"
    assert (session.is_over, session.take_result(), session.take_result()) == (True, line, None)
    session.restart()
    assert session.is_waiting
    session.keeps_going = True
    session.restart()
    assert session.take_result() is None
    first, *_ = play(session, 5.0)
    assert first == pytest.approx(0.5 + STILL_SECONDS, abs=0.1)
    assert session.take_result() == line
