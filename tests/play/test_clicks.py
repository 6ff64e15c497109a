"""Everything on the menu and at the end can be clicked."""

from __future__ import annotations

import pytest

from play import events
from steer_env.play.levels import LEVEL_NAMES
from steer_env.play.visit import Phase
from steer_env.sides import EVADER, PURSUER

pygame = events.pygame

SIZES = [(900, 800), (500, 420), (1400, 500), (360, 700)]


def labels(game):
    return [label for _, label in game.buttons()]


@pytest.mark.parametrize("size", SIZES)
def test_buttons_of_the_menu_are_in_the_window_and_apart(make, size):
    found = [area for area, _ in make(size=size, opponent=None).buttons()]
    assert len(found) >= 2 + len(LEVEL_NAMES) + 2 + 5
    for number, area in enumerate(found):
        assert 0 <= area.left < area.right <= size[0]
        assert 0 <= area.top < area.bottom <= size[1]
        assert area.height >= 14
        for other in found[:number]:
            is_beside = area.right <= other.left or other.right <= area.left
            assert is_beside or area.bottom <= other.top or other.bottom <= area.top


@pytest.mark.parametrize("side", [PURSUER, EVADER])
def test_the_menus_last_line_is_one_row_in_the_default_window(make, side):
    begin, *others = make(size=SIZES[0], side=side, opponent=None).buttons()[-5:]
    assert (begin[1], others[-1][1]) == ("Begin", "Quit")
    assert {area.top for area, _ in others} == {begin[0].top}


def test_a_game_is_chosen_and_begun_with_clicks_alone(make):
    game = make(opponent=None)
    visit = game.visit
    game.click("evader")
    assert visit.menu.side is EVADER
    for name in LEVEL_NAMES:
        game.click(name)
        assert visit.menu.challenge.level.name == name
    game.click("pursuer")
    assert (visit.menu.side, visit.menu.challenge.level.name) == (PURSUER, "expert")
    game.click("new each time")
    assert visit.next_seed is None
    game.click("a number")
    seed = visit.next_seed
    assert seed is not None
    game.click("Sound: off")
    assert game.app.sounds.is_on
    game.click("Keys")
    assert game.app.is_help_shown
    game.press("x")
    game.click("Begin")
    assert (visit.phase, visit.round.seed) == (Phase.COUNTDOWN, seed)


def test_a_click_on_a_button_does_not_steer(make):
    game = make(horizon=40)
    game.click("Begin")
    game.reach(Phase.ROUND)
    game.wait(0.3)
    assert game.push == 0


def test_the_board_has_no_buttons_while_one_plays(make):
    game = make(horizon=40).reach(Phase.ROUND)
    assert labels(game) == []
    game.press("p")
    assert labels(game) == ["Go on", "Again", "Menu"]
    game.click("Go on")
    assert not game.visit.is_paused


@pytest.mark.parametrize(
    ("label", "phase", "seed"),
    [
        ("Again", Phase.COUNTDOWN, 5),
        ("Next start", Phase.COUNTDOWN, 6),
        ("Replay", Phase.REPLAY, 5),
        ("Menu", Phase.TITLE, 5),
    ],
)
def test_the_end_and_the_replay_have_buttons(make, label, phase, seed):
    game = make(horizon=20).reach(Phase.END)
    game.click(label)
    assert (game.visit.phase, game.visit.round.seed) == (phase, seed)
    if phase is Phase.REPLAY:
        game.click("Pause")
        assert game.visit.replay.clock.is_paused
        game.click("Play")
        assert not game.visit.replay.clock.is_paused
        game.click("Back")
        assert game.visit.phase is Phase.END


def test_best_times_are_listed_and_begin_their_start(make):
    game = make(side=EVADER, horizon=20, opponent=None).reach(Phase.END)
    game.click("Menu")
    game.click("Best times")
    assert "0.7 s" in labels(game)
    game.press("tab")
    assert "0.7 s" not in labels(game)
    game.click("evader")
    game.click("0.7 s")
    assert (game.visit.phase, game.visit.round.seed) == (Phase.COUNTDOWN, 5)


def test_digits_write_the_number_of_the_start(make):
    game = make(opponent=None)
    game.press(*"12")
    assert game.visit.next_seed == 512
    game.post(events.event("KEYDOWN", key=pygame.K_BACKSPACE, mod=0, unicode="", scancode=0))
    game.press("return")
    assert game.visit.round.seed == 51


def test_a_button_under_the_pointer_looks_different(make):
    game = make(opponent=None)
    game.wait()
    plain = game.app.draw()
    (area,) = (area for area, label in game.buttons() if label == "Begin")
    place = area.left + 5, area.top + 5
    move = events.event("MOUSEMOTION", pos=place, rel=(0, 0), buttons=(0, 0, 0))
    drawn = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(game.window, "show", drawn.append)
        game.post(move)
        game.wait(0.5)
    assert len(drawn) == 1
    changed = (drawn[0] != plain).any(axis=-1)
    assert changed[area.top : area.bottom, area.left : area.right].sum() == changed.sum() > 100


def test_the_window_says_who_plays_whom(make):
    game = make(opponent=None)
    game.wait()
    assert pygame.display.get_caption()[0].startswith("you v flee/full_force, normal")
    game.click("evader")
    game.wait()
    assert pygame.display.get_caption()[0].startswith("seek v you, normal")
