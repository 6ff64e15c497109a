"""Faults that the page once had, each repeated as it was found; if a browser is there."""

import pytest
from driving import click, move_slider, text
from rendering.browser import NEEDS_BROWSER

from steer_env.browser.page import save_play_page

pytestmark = NEEDS_BROWSER

COPIED = "navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }"
LAZY = (
    "(() => { const { rounds } = chase.play; rounds.begin();"
    "while (rounds.phase !== 'end') rounds.advance(0.2, () => [0, 0]); })()"
)
"""Plays a round in which the person does nothing."""


def test_a_ghost_that_does_not_know_the_game_is_left_out(browser, page):
    ghost = "ghost=pretrained/pursuit/search&slider=obstacles"
    browser.open(page, f"view=arena&seed=7&{ghost}", (600, 620))
    assert browser.run("chase.play.lab.ghosts.length") == 1
    move_slider(browser, "#slider-obstacles", 3)
    assert browser.run("chase.play.lab.ghosts.length") == 0


@pytest.mark.parametrize(
    ("link", "line", "is_won"),
    [
        ("game=guard&as=pursuer&opponent=idle", "Kept it out", True),
        ("game=guard&as=evader&opponent=idle", "Did not get there", False),
        ("as=pursuer&opponent=escape", "Time", False),
        ("as=evader&opponent=idle", "Got away", True),
    ],
)
def test_a_round_until_time_is_up_is_won_by_whoever_wanted_that(
    browser, page, link, line, is_won
):
    browser.open(page, f"seed=7&{link}", (1000, 800))
    browser.run(LAZY)
    assert browser.run("chase.play.rounds.banner.lines[0]").startswith(line)
    assert browser.run("chase.play.rounds.isWon") == is_won


def test_an_own_game_is_not_copied_as_a_command(browser, tmp_path):
    path = tmp_path / "own.html"
    save_play_page(path, game={"obstacles": 2}, seed=3)
    browser.open(path, size=(1000, 800))
    browser.run(COPIED)
    click(browser, "#share")
    assert text(browser, "#notice") == "Link copied"
    assert browser.run("copied").startswith("file:")
    assert "game=own" in browser.run("copied")


def test_a_challenge_fits_the_outcome_and_a_cut_one_is_reported(browser, page):
    browser.open(page, "seed=7&as=evader&opponent=pursuit", (1000, 800))
    browser.run(LAZY)
    pushes = browser.run("chase.play.rounds.pushes")
    browser.open(page, f"seed=7&as=evader&opponent=pursuit&round={pushes}")
    hint = browser.run("chase.play.hint.lines[0]")
    assert hint.startswith("Caught after")
    assert hint.endswith("Can you do better?")
    browser.open(page, f"seed=7&as=evader&opponent=pursuit&round={pushes[:4]}")
    assert text(browser, "#notice") == "The round in the link is damaged."
