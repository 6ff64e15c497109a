"""Levels are what they say: the harder, the harder."""

import itertools

import pytest

from baselines import evaluate
from play.persons import PERSONS
from steer_env.game.config import game_config
from steer_env.play import levels
from steer_env.play.levels import (
    LEVEL_NAMES,
    LEVELS,
    challenge,
    game_at,
    level_named,
)
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER

ROUNDS = 200
WON = {  # the least and the largest share of rounds that each stand-in may win, in percent
    "straight": [(90, 100), (35, 60), (5, 25), (0, 10)],
    "ahead": [(95, 100), (90, 100), (60, 85), (5, 40)],
    "hasty": [(90, 100), (80, 100), (35, 60), (5, 30)],
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", list(WON))
@pytest.mark.parametrize("side", [PURSUER, EVADER])
def test_levels_are_as_hard_as_their_table_says(side, name):
    shares = []
    for level, (least, largest) in zip(LEVELS[side], WON[name]):
        faced = challenge(side, level, game_config())
        person = PERSONS[side][name](faced.config)
        rounds = evaluate(*side.ordered(person, faced.opponent), faced.config, ROUNDS)
        caught = 100 * rounds["captured"].mean()
        shares.append(caught if side is PURSUER else 100 - caught)
        assert least <= shares[-1] <= largest, level.name
    assert all(one > other for one, other in itertools.pairwise(shares[1:]))


def row_of(side, level):
    """The row of a level in the docstring's table."""
    rows = [line.split("|") for line in levels.__doc__.splitlines() if line.startswith("|")]
    (found,) = (row for row in rows if [row[1].strip(), row[2].strip()] == [side.name, level])
    return [cell.strip() for cell in found[3:-1]]


@pytest.mark.parametrize("side", [PURSUER, EVADER])
def test_the_table_has_the_levels(side):
    for number, level in enumerate(LEVELS[side]):
        config = challenge(side, level, game_config()).config
        speed = config.vehicles(side.other.name)[0].max_speed
        opponent, *limits, straight, ahead, hasty = row_of(side, level.name)
        assert opponent == level.opponent
        assert limits == [f"{speed:.1f} m/s", f"{config.capture_radius:.2g} m"]
        for name, share in zip(WON, (straight, ahead, hasty)):
            least, largest = WON[name][number]
            assert least <= int(share.removesuffix("%")) <= largest


@pytest.mark.compiled
@pytest.mark.parametrize("side", [PURSUER, EVADER])
def test_the_best_known_player_of_a_level_is_better_than_other_strong_ones(side):
    others = {
        PURSUER: ("pursuit/full_force", "navigation/full_force", "pretrained/pursuit/mixture"),
        EVADER: ("evade/full_force", "escape/full_force", "pretrained/evade/mixture"),
    }
    for level in LEVELS[side]:
        faced = challenge(side, level, game_config())

        def mean_time(name, faced=faced):
            players = side.ordered(name, faced.opponent)
            return evaluate(*players, faced.config, 400)["time"].mean()

        best = mean_time(level.best)
        for name in others[side]:
            margin = best - mean_time(name) if side is PURSUER else mean_time(name) - best
            assert margin < 0.05, (level.name, name)


def test_both_sides_have_the_same_names_of_levels():
    assert [level.name for level in LEVELS[EVADER]] == list(LEVEL_NAMES)
    assert len(LEVEL_NAMES) >= 4
    assert level_named("hard", EVADER) is LEVELS[EVADER][2]
    with pytest.raises(ValueError, match="Did you mean 'hard'"):
        level_named("hrad", PURSUER)


@pytest.mark.parametrize("side", [PURSUER, EVADER])
def test_the_opponents_of_levels_are_scripts_which_play_any_game(side):
    for level in LEVELS[side]:
        assert level.opponent in ROSTER
        assert level.best in ROSTER


def test_a_level_changes_the_opponent_and_the_reach_only():
    config = game_config(arena="torus", obstacles=3)
    game = game_at(level_named("expert", PURSUER), PURSUER, config)
    assert game.evader.max_speed == pytest.approx(1.25 * 3.6)
    assert game.capture_radius == pytest.approx(0.4)
    assert (game.pursuer, game.arena) == (config.pursuer, config.arena)
    game = game_at(level_named("hard", EVADER), EVADER, config)
    assert game.pursuer.max_speed == pytest.approx(0.8 * 4.0)
    assert game.evader == config.evader


def test_bodies_that_push_apart_can_still_be_caught():
    config = game_config(solid="everyone", capture_radius=0.65)
    for side in (PURSUER, EVADER):
        for level in LEVELS[side]:
            assert game_at(level, side, config).capture_radius >= 0.65


@pytest.mark.parametrize(
    ("side", "keywords"), [(PURSUER, {"pursuers": 2}), (EVADER, {"evaders": 3})]
)
def test_a_person_cannot_play_a_team(side, keywords):
    with pytest.raises(ValueError, match=f"--{next(iter(keywords))} must be 1"):
        challenge(side, level_named("easy", side), game_config(**keywords))


def test_names_and_sides_are_in_order():
    faced = challenge(EVADER, level_named("easy", EVADER), game_config())
    assert faced.names == ("wander", "you")
    assert faced.side.ordered(None, faced.opponent) == (ROSTER["wander"], None)
