"""Levels are what they say: the harder, the harder."""

import numpy as np
import pytest

from baselines import evaluate
from play.persons import Chaser, LeadingChaser, LookingRunner, Runner
from steer_env.game.config import game_config
from steer_env.play.levels import (
    LEVEL_NAMES,
    LEVELS,
    challenge,
    first_that_fits,
    game_at,
    level_named,
)
from steer_env.policies import pretrained
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER

ROUNDS = 200


def outcomes(side, person_type):
    """The shares of rounds with a capture and the mean times, level by level."""
    found = []
    for level in LEVELS[side]:
        faced = challenge(side, level, game_config())
        person = person_type(faced.config)
        rounds = evaluate(*faced.side.ordered(person, faced.opponent), faced.config, ROUNDS)
        found.append((rounds["captured"].mean(), rounds["time"].mean()))
    return np.array(found).T


@pytest.mark.compiled
@pytest.mark.parametrize("person", [Chaser, LeadingChaser])
def test_pursuers_need_longer_from_level_to_level(person):
    rates, times = outcomes(PURSUER, person)
    assert (np.diff(times) > 1.0).all()
    assert rates[0] > 0.97  # easy is easy
    assert rates[-1] < 0.25  # expert is nearly hopeless


@pytest.mark.compiled
def test_evaders_that_look_ahead_are_free_for_less_from_level_to_level():
    rates, times = outcomes(EVADER, LookingRunner)
    assert (np.diff(times) < -1.0).all()
    assert rates[0] < 0.1
    assert rates[-1] > 0.97


@pytest.mark.compiled
def test_evaders_that_just_run_are_caught_sooner_on_harder_levels():
    _, times = outcomes(EVADER, Runner)
    assert times[0] > times[1] + 1.0 > times[2] + 2.0
    assert times[2] > times[3]


def test_both_sides_have_the_same_names_of_levels():
    assert [level.name for level in LEVELS[EVADER]] == list(LEVEL_NAMES)
    assert len(LEVEL_NAMES) >= 4
    assert level_named("hard", EVADER) is LEVELS[EVADER][2]
    with pytest.raises(ValueError, match="Did you mean 'hard'"):
        level_named("hrad", PURSUER)


@pytest.mark.parametrize("side", [PURSUER, EVADER])
def test_the_last_opponent_of_a_level_fits_every_game(side):
    for level in LEVELS[side]:
        assert level.opponents[-1] in ROSTER


def test_a_level_changes_the_opponent_and_the_reach_only():
    config = game_config(arena="torus", obstacles=3)
    game = game_at(level_named("expert", PURSUER), PURSUER, config)
    assert game.evader.max_speed == pytest.approx(1.2 * 3.6)
    assert game.capture_radius == pytest.approx(0.4)
    assert (game.pursuer, game.arena) == (config.pursuer, config.arena)
    game = game_at(level_named("easy", EVADER), EVADER, config)
    assert game.pursuer.max_speed == pytest.approx(0.6 * 4.0)
    assert game.evader == config.evader


def test_bodies_that_push_apart_can_still_be_caught():
    config = game_config(solid="everyone", capture_radius=0.65)
    for side in (PURSUER, EVADER):
        for level in LEVELS[side]:
            assert game_at(level, side, config).capture_radius >= 0.65


def test_networks_are_replaced_where_they_do_not_fit():
    level = level_named("hard", PURSUER)
    assert challenge(PURSUER, level, game_config()).opponent_name == level.opponents[0]
    for keywords in ({"obstacles": 2}, {"evaders": 2}):
        faced = challenge(PURSUER, level, game_config(**keywords))
        assert faced.opponent_name == "evade/among_obstacles"


def test_networks_that_are_not_installed_are_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(pretrained, "folder", lambda: tmp_path)
    name, _ = first_that_fits(("pretrained/evade/ppo", "flee"), EVADER, game_config())
    assert name == "flee"


@pytest.mark.parametrize(
    ("side", "keywords"), [(PURSUER, {"pursuers": 2}), (EVADER, {"evaders": 3})]
)
def test_a_person_cannot_play_a_team(side, keywords):
    with pytest.raises(ValueError, match=f"--{next(iter(keywords))} must be 1"):
        challenge(side, level_named("easy", side), game_config(**keywords))


def test_names_and_sides_are_in_order():
    faced = challenge(EVADER, level_named("easy", EVADER), game_config())
    assert faced.names == ("seek", "you")
    assert faced.side.ordered(None, faced.opponent) == (ROSTER["seek"], None)
