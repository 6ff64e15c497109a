"""Games in lockstep, forward and back, round after round."""

from __future__ import annotations

import numpy as np
import pytest

from baselines.trajectories import trajectory
from steer_env.envs.keywords import game_config
from steer_env.watch import session as sessions
from steer_env.watch.session import STILL_SECONDS

from .sessions import make_session, same, to_the_end


def records(session):
    return [game.record(session.moment).copy() for game in session.games]


def walk(session, steps):
    for _ in range(steps):
        session.step_forward()


def pass_time(session, seconds, start=0.0, frames=50):
    """Whether the next round may begin, at each of the frames."""
    return [session.update(start + n / frames) for n in range(round(seconds * frames) + 1)]


def test_every_pursuer_plays_every_evader_from_the_same_starts():
    session = make_session(("seek", "pursuit"), ("evade", "flee", "rest"), games=2, seed=7)
    names = [game.duel.names for game in session.games]
    assert names[:4] == [("seek", "evade")] * 2 + [("seek", "flee")] * 2
    assert len(names) == 12
    assert [session.seed_of(number) for number in range(4)] == [7, 8, 7, 8]
    places = [record["players"]["body"]["position"].tolist() for record in records(session)]
    assert places[0::2] == [places[0]] * 6
    assert places[1::2] == [places[1]] * 6
    assert places[0] != places[1]


def test_games_are_those_of_baselines():
    session = make_session(("pursuit",), ("evade",), games=2, seed=3)
    to_the_end(session)
    for number, game in enumerate(session.games):
        expected = trajectory("pursuit", "evade", session.config, seed=3 + number)
        places = game.positions
        assert np.array_equal(places, expected.positions[: len(places)])
        assert len(places) == len(expected.positions)


def test_a_step_back_is_the_state_before_bit_for_bit():
    session = make_session(
        ("pursuit/pack",), ("evade/herd",), pursuers=2, evaders=2, obstacles=2
    )
    seen, forces = [], []
    for _ in range(40):
        seen.append(records(session)[0])
        forces.append(session.games[0].forces_at(session.moment).copy())
        session.step_forward()
    for state, force in zip(reversed(seen), reversed(forces)):
        session.step_back()
        assert same(records(session)[0], state)
        assert np.array_equal(session.games[0].forces_at(session.moment), force)
    session.step_back()
    assert session.moment == 0
    walk(session, 39)  # forward again: what has been played is not played anew
    assert same(records(session)[0], seen[-1])
    assert session.last_moment == 40


def test_a_restart_plays_the_same_again():
    session = make_session(("random",), ("evade/chaotic",), seed=5)
    walk(session, 30)
    before = records(session)[0]
    session.restart()
    assert (session.moment, session.last_moment, session.seed) == (0, 0, 5)
    walk(session, 30)
    assert same(records(session)[0], before)


def test_rounds_go_on_and_back_by_as_many_seeds_as_there_are_starts():
    session = make_session(games=3, seed=4)
    starts = records(session)
    session.next_round()
    assert (session.seed, session.round) == (7, 2)
    assert not any(same(*pair) for pair in zip(records(session), starts))
    session.previous_round()
    assert session.seed == 4
    assert all(same(*pair) for pair in zip(records(session), starts))
    session.previous_round()
    session.previous_round()
    assert session.seed == 0


def test_no_round_follows_on_the_last_seeds():
    session = make_session(games=2, seed=2**64 - 3, horizon=3)
    walk(session, 3)
    session.next_round()
    assert (session.seed, session.round, session.moment) == (2**64 - 3, 1, 3)


def test_games_that_end_keep_showing_their_end():
    session = make_session(("pursuit",), ("rest", "evade"), horizon=300, seed=0)
    to_the_end(session)
    resting, evading = session.games
    assert resting.last < evading.last == session.moment
    assert resting.is_captured(session.moment)
    assert same(resting.record(session.moment), resting.record(resting.last))
    session.moment = resting.last - 1
    assert not resting.is_over(session.moment)
    assert resting.result(session.moment).startswith("free after")


def test_on_the_way_to_the_end_every_frame_plays_a_little(monkeypatch):
    monkeypatch.setattr(sessions, "_PLAYING_SECONDS", 0.0)  # one step
    session = make_session(("pursuit",), ("evade", "rest"), horizon=20)
    walk(session, 5)
    session.go_to_end()
    percents = []
    while session.percent_to_goal is not None:
        percents.append(session.percent_to_goal)
        assert session.moment == 5  # what is looked at stands still
        session.update(0.0)
    assert percents == sorted(percents)
    assert percents[0] == 25
    assert len(percents) > 15  # frames
    assert session.is_over
    assert all(game.is_over(session.moment) for game in session.games)


@pytest.mark.parametrize(
    ("move", "moment"),
    [("step_forward", 6), ("step_back", 4), ("go_to_start", 0), ("restart", 0)],
)
def test_the_way_to_the_end_can_be_left(move, moment):
    session = make_session(("rest",), ("rest",), horizon=10**6)
    walk(session, 5)
    session.go_to_end()
    session.update(0.0)
    assert session.percent_to_goal is not None
    getattr(session, move)()
    assert session.percent_to_goal is None
    session.clock.is_paused = True
    session.update(0.1)
    assert session.moment == moment


def test_who_goes_on_leaves_the_way_to_the_end():
    session = make_session(("rest",), ("rest",), horizon=10**6)
    session.go_to_end()
    session.update(0.0)
    session.clock.pause()
    session.update(0.1)
    session.update(0.3)
    assert session.percent_to_goal is None
    assert 0 < session.moment <= 9


def test_time_passes_at_the_speed_that_is_chosen():
    session = make_session(horizon=600)
    session.update(0.0)
    session.update(0.2)
    assert session.moment == 6
    session.clock.faster()
    session.update(0.4)
    assert session.moment == 18
    session.clock.pause()
    session.update(0.6)
    assert session.moment == 18


def test_the_next_round_may_begin_after_the_end_was_shown():
    session = make_session(horizon=30)
    may_go_on = pass_time(session, 1.0 + STILL_SECONDS - 0.1)
    assert session.is_over
    assert not any(may_go_on)
    assert session.update(1.0 + STILL_SECONDS + 0.1)
    session.toggle_keeps_going()
    assert not session.update(9.0)
    session.toggle_keeps_going()
    session.clock.pause()
    assert not session.update(10.0)
    session.clock.pause()
    assert not session.update(10.1)  # the end is seen anew
    assert session.update(10.2 + STILL_SECONDS)
    session.step_back()
    session.clock.pause()
    assert not session.update(20.0)


def test_each_result_is_told_once():
    session = make_session(("pursuit",), ("rest", "flee"), horizon=300, seed=2)
    assert session.results() == []
    to_the_end(session)
    lines = session.results()
    assert lines[0].startswith("seed 2: pursuit v rest: caught after ")
    assert lines[1].startswith("seed 2: pursuit v flee: ")
    session.restart()
    to_the_end(session)
    assert session.results() == []
    session.next_round()
    to_the_end(session)
    assert len(session.results()) == 2


@pytest.mark.parametrize("move", ["step_forward", "step_back", "go_to_start", "go_to_end"])
def test_who_looks_at_a_moment_stays_there(move):
    session = make_session()
    getattr(session, move)()
    assert session.clock.is_paused


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"games": 37}, "37 panels; at most 36"),
        ({"chasers": ["seek"] * 7, "runners": ["flee"] * 6}, "42 panels"),
        ({"games": 0}, "games must be at least 1"),
        ({"seed": -1}, "seed must be from 0"),
        ({"seed": 2**64 - 1, "games": 2}, "seed must be from 0"),
        ({"runners": []}, "at least one evader"),
    ],
)
def test_what_cannot_be_shown_is_refused(keywords, message):
    with pytest.raises(ValueError, match=message):
        make_session(**keywords)


def test_many_moments_are_kept():
    session = make_session(("rest",), ("rest",), horizon=1000)
    to_the_end(session)
    game = session.games[0]
    assert [int(game.record(m)["game"]["steps"]) for m in (0, 63, 64, 65, 999, 1000)] == [
        0,
        63,
        64,
        65,
        999,
        1000,
    ]
    assert game.duel.config == game_config(horizon=1000)
