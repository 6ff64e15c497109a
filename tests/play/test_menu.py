"""What can be chosen can be played."""

import pytest

from steer_env.game.config import game_config
from steer_env.play.levels import LEVEL_NAMES
from steer_env.play.menu import Menu
from steer_env.sides import EVADER, PURSUER


def test_levels_go_up_and_down_and_end_at_both_ends():
    menu = Menu(PURSUER, game_config())
    assert menu.challenge.level.name == "normal"
    names = []
    for _ in range(4):
        menu.harder()
        names.append(menu.challenge.level.name)
    assert names == ["hard", "expert", "expert", "expert"]
    for _ in range(5):
        menu.easier()
    assert menu.challenge.level.name == "easy"
    assert menu.challenge.config.evader.max_speed < 3.6


def test_the_other_side_has_the_same_level():
    menu = Menu(PURSUER, game_config(), "hard")
    menu.other_side()
    assert (menu.side, menu.challenge.level.name) == (EVADER, "hard")
    assert menu.challenge.opponent_name == "navigation"
    menu.other_side()
    assert menu.side == PURSUER


def test_an_opponent_of_ones_own_is_a_level_more_with_the_limits_of_the_game():
    menu = Menu(EVADER, game_config(), opponent="seek")
    assert menu.challenge.opponent_name == "seek"
    assert menu.challenge.config == game_config()
    assert len(menu.levels) == len(LEVEL_NAMES) + 1
    menu.easier()
    assert menu.challenge.level.name == "expert"
    menu.harder()
    assert menu.challenge.opponent_name == "seek"
    menu.other_side()
    assert menu.challenge.level.name == "normal"


def test_an_opponent_of_ones_own_takes_the_limits_of_a_level_that_is_named():
    menu = Menu(PURSUER, game_config(), "expert", "flee")
    assert menu.challenge.opponent_name == "flee"
    assert menu.challenge.config.evader.max_speed == pytest.approx(1.25 * 3.6)
    assert "expert" in menu.challenge.level.name


def test_the_title_says_who_plays_whom_at_what_level():
    menu = Menu(PURSUER, game_config(), "hard")
    assert menu.title == "you v evade/threatened/full_force, hard"
    menu.other_side()
    assert menu.title == "navigation v you, hard"


def test_other_levels_can_be_looked_at_without_choosing_them():
    menu = Menu(EVADER, game_config())
    found = [menu.challenge_at(level).level for level in menu.levels]
    assert found == menu.levels
    assert menu.challenge.level.name == "normal"


def test_the_own_levels_do_not_change_those_of_others():
    Menu(PURSUER, game_config(), opponent="flee")
    assert len(Menu(PURSUER, game_config()).levels) == len(LEVEL_NAMES)


def test_choosing_a_team_is_reported_as_a_problem():
    menu = Menu(PURSUER, game_config(evaders=3))
    menu.other_side()
    assert menu.side == PURSUER
    assert "--evaders must be 1" in menu.problem
    menu.harder()
    assert menu.problem == ""


@pytest.mark.parametrize(
    ("level", "opponent", "message"),
    [
        ("esy", None, "Did you mean 'easy'"),
        (None, "evad", "Did you mean 'evade'"),
        (None, "pursuit", "made for the pursuer"),
        (None, "nothing.zip", "nothing.zip"),
    ],
)
def test_unknown_names_are_rejected(level, opponent, message):
    with pytest.raises((ValueError, OSError), match=message):
        Menu(PURSUER, game_config(), level, opponent)
