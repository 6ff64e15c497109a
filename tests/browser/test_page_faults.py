"""Faults that the page once had, each repeated as it was found; if a browser is there."""

import pytest
from driving import click, move_slider, phase, play_round, text, wait_for
from rendering.browser import NEEDS_BROWSER

from steer_env.browser.page import save_play_page

pytestmark = NEEDS_BROWSER

COPIED = "navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }"
LAZY = (
    "(() => { const { rounds } = chase.play; rounds.begin(); rounds.left = 0;"
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
        ("game=guard&as=pursuer&opponent=idle", "You kept it out", True),
        ("game=guard&as=evader&opponent=idle", "Time", False),
        ("as=pursuer&opponent=escape", "It got away", False),
        ("as=evader&opponent=idle", "You got away", True),
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


def test_a_video_of_a_board_that_changes_its_size_is_stopped(browser, page):
    play_round(browser, page)
    browser.press("v")
    click(browser, "#film")
    size = {"width": 500, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    browser._ask("Emulation.setDeviceMetricsOverride", **size)
    wait_for(browser, "!chase.app.isFilming")
    assert text(browser, "#notice") == "The video was stopped."


def test_the_key_that_begins_a_round_does_not_steer_in_it(browser, page):
    browser.open(page, "seed=7", (1000, 800))
    browser.press("ArrowLeft")
    assert phase(browser) == "count"
    wait_for(browser, "chase.play.rounds.pushes.length > 2")
    assert not browser.run("chase.play.rounds.isPushed")


def test_a_stick_that_stays_tilted_begins_one_round(browser, page):
    browser.open(page, "seed=7", (1000, 800))
    pad = "{ index: 0, axes: [0.9, 0], buttons: [{ pressed: false }] }"
    browser.run(f"navigator.getGamepads = () => [{pad}]")
    wait_for(browser, "chase.play.rounds.phase === 'count'")
    browser.press("Escape")
    wait_for(browser, "chase.play.rounds.phase === 'ready'")
    for _ in range(3):
        browser.wait_for_frame()
    assert phase(browser) == "ready"


def test_the_comparison_of_a_network_has_no_undefined_numbers(browser, page):
    browser.open(page, "view=lab&seed=7", (1000, 800))
    browser.run(
        "(() => { const { lab } = chase.play; const interval = [0.5, 0.4, 0.6];"
        "const of = (sides) => ({ game: lab.game, sides, captureRate: interval,"
        "meanCaptureTime: interval }); const network = chase.playerNamed("
        "'pretrained/pursuit/search');"
        "lab.measured = [of(lab.sides), of([network, lab.sides[1]])]; })()"
    )
    click(browser, "#new-seed")
    table = text(browser, "#measured")
    assert "lookahead" in table
    assert "undefined" not in table
    assert "Infinity" not in table
