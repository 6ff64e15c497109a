"""Games in lockstep, forward and back, round after round."""

from __future__ import annotations

import numpy as np
import pytest
from recorded import trajectory

from steer_env.game.config import game_config
from steer_env.watch import screening as screenings
from steer_env.watch.screening import STILL_SECONDS

from .screenings import make_screening, same, to_the_end


def records(screening):
    return [game.record(screening.moment).copy() for game in screening.games]


def walk(screening, steps):
    for _ in range(steps):
        screening.step_forward()


def pass_time(screening, seconds, start=0.0, frames=50):
    """Whether the next round may begin, at each of the frames."""
    return [screening.update(start + n / frames) for n in range(round(seconds * frames) + 1)]


def test_every_pursuer_plays_every_evader_from_the_same_starts():
    screening = make_screening(("seek", "pursuit"), ("evade", "flee", "rest"), games=2, seed=7)
    names = [game.duel.names for game in screening.games]
    assert names[:4] == [("seek", "evade")] * 2 + [("seek", "flee")] * 2
    assert len(names) == 12
    assert [screening.seed_of(number) for number in range(4)] == [7, 8, 7, 8]
    places = [record["players"]["body"]["position"].tolist() for record in records(screening)]
    assert places[0::2] == [places[0]] * 6
    assert places[1::2] == [places[1]] * 6
    assert places[0] != places[1]


def test_games_are_those_of_baselines():
    screening = make_screening(("pursuit",), ("evade",), games=2, seed=3)
    to_the_end(screening)
    for number, game in enumerate(screening.games):
        expected = trajectory("pursuit", "evade", screening.config, seed=3 + number)
        places = game.recording().positions
        assert np.array_equal(places, expected.positions[: len(places)])
        assert len(places) == len(expected.positions)


def test_a_step_back_is_the_state_before_bit_for_bit():
    screening = make_screening(
        ("pursuit/pack",), ("evade/herd",), pursuers=2, evaders=2, obstacles=2
    )
    seen, forces = [], []
    for _ in range(40):
        seen.append(records(screening)[0])
        forces.append(screening.games[0].recording().forces[screening.moment].copy())
        screening.step_forward()
    for state, force in zip(reversed(seen), reversed(forces)):
        screening.step_back()
        assert same(records(screening)[0], state)
        found = screening.games[0].recording().forces[screening.moment]
        assert np.array_equal(found, force)
    screening.step_back()
    assert screening.moment == 0
    walk(screening, 39)  # forward again: what has been played is not played anew
    assert same(records(screening)[0], seen[-1])
    assert screening.last_moment == 40


def test_a_restart_plays_the_same_again():
    screening = make_screening(("random",), ("evade/chaotic",), seed=5)
    walk(screening, 30)
    before = records(screening)[0]
    screening.restart()
    assert (screening.moment, screening.last_moment, screening.seed) == (0, 0, 5)
    walk(screening, 30)
    assert same(records(screening)[0], before)


def test_rounds_go_on_and_back_by_as_many_seeds_as_there_are_starts():
    screening = make_screening(games=3, seed=4)
    starts = records(screening)
    screening.next_round()
    assert (screening.seed, screening.round) == (7, 2)
    assert not any(same(*pair) for pair in zip(records(screening), starts))
    screening.previous_round()
    assert screening.seed == 4
    assert all(same(*pair) for pair in zip(records(screening), starts))
    screening.previous_round()
    screening.previous_round()
    assert screening.seed == 0


def test_no_round_follows_on_the_last_seeds():
    screening = make_screening(games=2, seed=2**64 - 3, horizon=3)
    walk(screening, 3)
    screening.next_round()
    assert (screening.seed, screening.round, screening.moment) == (2**64 - 3, 1, 3)


def test_games_that_end_keep_showing_their_end():
    screening = make_screening(("pursuit",), ("rest", "evade"), horizon=300, seed=0)
    to_the_end(screening)
    resting, evading = screening.games
    assert resting.last < evading.last == screening.moment
    assert resting.status(screening.moment).is_captured
    assert same(resting.record(screening.moment), resting.record(resting.last))
    screening.moment = resting.last - 1
    assert not resting.status(screening.moment).is_over
    assert resting.status(screening.moment).result.startswith("free after")


def test_on_the_way_to_the_end_every_frame_plays_a_little(monkeypatch):
    monkeypatch.setattr(screenings, "_PLAYING_SECONDS", 0.0)  # one step
    screening = make_screening(("pursuit",), ("evade", "rest"), horizon=20)
    walk(screening, 5)
    screening.go_to_end()
    percents = []
    while screening.percent_to_goal is not None:
        percents.append(screening.percent_to_goal)
        assert screening.moment == 5  # what is looked at stands still
        screening.update(0.0)
    assert percents == sorted(percents)
    assert percents[0] == 25
    assert len(percents) > 15  # frames
    assert screening.is_over
    assert all(game.status(screening.moment).is_over for game in screening.games)


@pytest.mark.parametrize(
    ("move", "moment"),
    [("step_forward", 6), ("step_back", 4), ("go_to_start", 0), ("restart", 0)],
)
def test_the_way_to_the_end_can_be_left(move, moment):
    screening = make_screening(("rest",), ("rest",), horizon=10**6)
    walk(screening, 5)
    screening.go_to_end()
    screening.update(0.0)
    assert screening.percent_to_goal is not None
    getattr(screening, move)()
    assert screening.percent_to_goal is None
    screening.clock.is_paused = True
    screening.update(0.1)
    assert screening.moment == moment


def test_going_on_cancels_the_way_to_the_end():
    screening = make_screening(("rest",), ("rest",), horizon=10**6)
    screening.go_to_end()
    screening.update(0.0)
    screening.clock.pause()
    screening.update(0.1)
    screening.update(0.3)
    assert screening.percent_to_goal is None
    assert 0 < screening.moment <= 9


def test_time_passes_at_the_speed_that_is_chosen():
    screening = make_screening(horizon=600)
    screening.update(0.0)
    screening.update(0.2)
    assert screening.moment == 6
    screening.clock.faster()
    screening.update(0.4)
    assert screening.moment == 18
    screening.clock.pause()
    screening.update(0.6)
    assert screening.moment == 18


def test_the_next_round_may_begin_after_the_end_was_shown():
    screening = make_screening(horizon=30)
    may_go_on = pass_time(screening, 1.0 + STILL_SECONDS - 0.1)
    assert screening.is_over
    assert not any(may_go_on)
    assert screening.update(1.0 + STILL_SECONDS + 0.1)
    screening.keeps_going = not screening.keeps_going
    assert not screening.update(9.0)
    screening.keeps_going = not screening.keeps_going
    screening.clock.pause()
    assert not screening.update(10.0)
    screening.clock.pause()
    assert not screening.update(10.1)  # the end is seen anew
    assert screening.update(10.2 + STILL_SECONDS)
    screening.step_back()
    screening.clock.pause()
    assert not screening.update(20.0)


def test_each_result_is_reported_once():
    screening = make_screening(("pursuit",), ("rest", "flee"), horizon=300, seed=2)
    assert screening.results() == []
    to_the_end(screening)
    lines = screening.results()
    assert lines[0].startswith("seed 2: pursuit v rest: caught after ")
    assert lines[1].startswith("seed 2: pursuit v flee: ")
    screening.restart()
    to_the_end(screening)
    assert screening.results() == []
    screening.next_round()
    to_the_end(screening)
    assert len(screening.results()) == 2


@pytest.mark.parametrize("move", ["step_forward", "step_back", "go_to_start", "go_to_end"])
def test_going_to_a_moment_pauses(move):
    screening = make_screening()
    getattr(screening, move)()
    assert screening.clock.is_paused


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
def test_invalid_games_are_rejected(keywords, message):
    with pytest.raises(ValueError, match=message):
        make_screening(**keywords)


def test_many_moments_are_kept():
    screening = make_screening(("rest",), ("rest",), horizon=1000)
    to_the_end(screening)
    game = screening.games[0]
    assert [int(game.record(m)["game"]["steps"]) for m in (0, 63, 64, 65, 999, 1000)] == [
        0,
        63,
        64,
        65,
        999,
        1000,
    ]
    assert game.duel.config == game_config(horizon=1000)


@pytest.mark.parametrize(
    ("chasers", "runners", "games", "title"),
    [
        (["pursuit"], ["evade"], 1, "pursuit v evade - seed 7 - steer_env"),
        (["pursuit"], ["evade/herd"], 2, "pursuit v evade/herd - 2 games - steer_env"),
        (
            ["seek", "pursuit", "pretrained/pursuit/ppo"],
            ["evade"],
            3,
            "seek, pursuit, ppo v evade - 9 games - steer_env",
        ),
    ],
)
def test_titles_say_who_plays(chasers, runners, games, title, pretrained_folder):
    screening = make_screening(chasers, runners, games, seed=7)
    assert screening.title == title
    screening.next_round()
    assert screening.title == title.replace("seed 7", "seed 8")


def test_short_names_stay_apart():
    names = ["pretrained/pursuit/ppo", "pretrained/team/ppo", "demo/policy", "evade/herd"]
    assert screenings.short_names(names) == [*names[:2], "policy", "evade/herd"]
    assert screenings.short_names(names[1:]) == ["ppo", "policy", "evade/herd"]


@pytest.mark.parametrize(
    ("chasers", "runners", "games", "table"),
    [
        (["seek", "pursuit"], ["evade"], 3, (2, 3)),
        (["seek", "pursuit"], ["evade", "flee", "rest"], 1, (2, 3)),
        (["seek", "pursuit"], ["evade", "flee"], 2, (4, 2)),
        (["seek"], ["evade"], 3, None),
        (["seek"], ["evade", "flee"], 1, None),
        (["seek", "pursuit"], ["evade"], 1, None),
    ],
)
def test_pairs_and_seeds_are_a_table(chasers, runners, games, table):
    assert make_screening(chasers, runners, games).table == table
