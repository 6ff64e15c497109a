"""Rounds on the page to play on, from their start to their replay; if a browser is there."""

import json
import re

import page_pictures
import pytest
from driving import (
    FIRST_X,
    LISTEN,
    STEER,
    click,
    finish_round,
    phase,
    play_round,
    text,
    wait_for,
)
from rendering.browser import NEEDS_BROWSER

from steer_env import __version__

pytestmark = NEEDS_BROWSER

LAZY = (
    "(() => { const { rounds } = chase.play; rounds.begin(); rounds.left = 0;"
    "while (rounds.phase !== 'end') rounds.advance(0.2, () => [0, 0]); })()"
)
"""Plays a round in which the person does nothing."""


def test_a_round_from_its_start_to_its_replay(browser, page):
    browser.open(page, "level=easy&seed=7", (1000, 800))
    assert text(browser, "#round h2") == "Catch the Stroller as fast as you can."
    browser.press("Enter")
    assert phase(browser) == "count"
    assert browser.run("chase.play.rounds.count") == 3
    wait_for(browser, "chase.play.rounds.phase === 'round'")
    before = browser.run(FIRST_X)
    browser._ask("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
    wait_for(browser, f"{FIRST_X} > {before}")
    browser._ask("Input.dispatchKeyEvent", type="keyUp", key="ArrowRight")
    for key, is_paused in ((" ", True), (" ", False), ("?", True)):  # the help pauses, too
        browser.press(key)
        assert phase(browser) == ("pause" if is_paused else "round")
    browser.press("?")
    browser.press(" ")
    browser.run(STEER)
    browser.run("while (chase.play.rounds.episode.seconds < 1) chase.play.advanceRound(0.2)")
    wait_for(browser, "chase.play.rounds.phase === 'end'")
    sentence = text(browser, "#round h2")
    told = re.fullmatch(r"C(aught it in \d+\.\d s)\.", sentence)
    outcome = f"c{told[1]}"
    times = r"caught it in \d\.\d s"
    rivals = f"; textbook method: {times}; best known player: {times}"
    assert re.fullmatch(f"you: {outcome}{rivals}", text(browser, "#announcement"))
    assert f"you {outcome}" in " ".join(text(browser, "#round table").split())
    for key in ("End", "Escape"):
        browser.press("v")
        assert browser.run("chase.play.isReplay")
        assert text(browser, "#deck #time").startswith("0.")
        browser.press(key)
        wait_for(browser, "!chase.play.isReplay")
        browser.wait_for_frame()
        assert text(browser, "#round h2") == sentence
    for tab in ("lab", "play"):  # a look at the laboratory
        click(browser, f"#tab-{tab}")
    assert text(browser, "#round h2") == sentence
    browser.open(page, "level=easy&seed=8")
    browser.press("n")
    assert browser.run("chase.play.rounds.episode.seed") != "8"


OUTCOMES = (  # the player's side, seconds, captured evaders, all evaders
    ("pursuer", 6.24, 1, 1, "caught it in 6.2 s"),
    ("pursuer", 20.0, 0, 1, "did not catch it within 20 s"),
    ("pursuer", 20.0, 2, 3, "caught 2 of 3 within 20 s"),
    ("pursuer", 6.2, 3, 3, "caught all 3 in 6.2 s"),
    ("evader", 6.2, 1, 1, "caught after 6.2 s"),
    ("evader", 20.0, 0, 1, "got away"),
)
ENDS = (  # of rounds in which the person does nothing: the board's first words, and who won
    ("game=guard&as=pursuer&opponent=idle", "You kept it out", True),
    ("game=guard&as=evader&opponent=idle", "Time", False),
    ("as=pursuer&opponent=escape", "It got away", False),
    ("as=evader&opponent=idle", "You got away", True),
)


def test_outcomes_are_said_of_the_player_and_won_by_whoever_wanted_them(browser, page):
    for link, line, is_won in ENDS:
        browser.open(page, f"seed=7&{link}", (1000, 800))
        browser.run(LAZY)
        assert browser.run("chase.play.rounds.banner.lines[0]").startswith(line)
        assert browser.run("chase.play.rounds.isWon") == is_won
    for side, seconds, captured, evaders, outcome in OUTCOMES:
        is_caught = captured == evaders
        game = {"evaders": evaders, "horizon": 600, "dt": 1 / 30}
        episode = {"seconds": seconds, "captured": captured, "game": game}
        episode["isCaught"] = is_caught
        ghosts = [{"title": "textbook", "episode": episode}]
        rounds = {"isPursuer": side == "pursuer", "game": game, "episode": episode}
        given = json.dumps({**rounds, "ghosts": ghosts})
        given = f"Object.assign(Object.create(chase.play.rounds), {given})"
        assert browser.run(f"{given}.outcomes") == [["you", outcome], ["textbook", outcome]]


@pytest.mark.weekly
def test_the_end_stands_on_the_board_and_names_of_ghosts_do_not(browser, page):
    play_round(browser, page)
    (line,) = browser.run("chase.play.rounds.banner.lines")
    assert line.startswith("Caught! ")
    browser.run(LISTEN)
    browser.run("chase.play.draw()")
    written = browser.run("window.texts")
    assert line in written
    assert [one.strip() for one in written if "textbook" in one] == ["○ textbook method"]


@pytest.mark.weekly
def test_after_a_win_comes_the_next_level_and_after_a_loss_a_hint(browser, page):
    play_round(browser, page)
    click(browser, "#round .buttons button:nth-child(2)")
    assert phase(browser) == "count"
    assert browser.run("chase.play.rounds.link.level") == "normal"
    for push, words in (("[0, 0]", "Keep steering"), ("[0, 1]", "Aim at where it will be")):
        browser.open(page, "seed=7&level=expert", (1000, 800))
        finish_round(browser, f"() => {push}")
        assert text(browser, "#round h2").endswith("s up: it got away.")
        assert words in text(browser, "#round")
        assert "Next:" not in text(browser, "#round")


NO_WIDER = """(() => {
  const { scrollWidth, clientWidth } = document.querySelector('#round').parentElement;
  return scrollWidth <= clientWidth;
})()"""
SIZES = [(1400, 900), (900, 700), (800, 600), (390, 844), (844, 390), (740, 360), (370, 520)]


@pytest.mark.weekly
@pytest.mark.parametrize("size", SIZES)
def test_no_card_covers_the_board_or_leaves_its_panel(browser, page, size):
    for push in ("chase.play.controls.push", "() => [0, 0]"):  # a win, a loss
        browser.open(page, "level=easy&seed=7", size)
        board, card, main = (
            browser.boxes(selector)[0] for selector in ("#arena", "#round", "#round .main")
        )
        assert card[0] >= board[2] or card[1] >= board[3]
        assert board[2] - board[0] > 0.55 * min(size)
        assert main[3] <= size[1]  # its button is within the window
        assert browser.run(NO_WIDER)
        finish_round(browser, push)
        card = browser.boxes("#round")[0]
        assert card[0] >= board[2] or card[1] >= board[3]
        assert browser.run(NO_WIDER)
    assert "did not catch it within 20 s" in text(browser, "#round")


@pytest.mark.weekly
def test_a_first_card_says_how_vehicles_move(browser, page):
    for side, words in (
        ("pursuer", "it is inside your ring (0.8 m)"),
        ("evader&level=normal", "its ring (0.35 m)"),
        ("evader", "when it touches you (0.25 m)"),
    ):
        browser.open(page, f"seed=7&as={side}")
        card = text(browser, "#round")
        for lesson in (words, "mouse", "gliding", "brake"):
            assert lesson in card
    play_round(browser, page)
    browser.press("n")
    card = text(browser, "#round")
    assert "gliding" not in card
    assert "You have 20 s." in card
    about = "Stroller: wanders and ignores you; slower than you."
    assert text(browser, "#opponent-text") == about


@pytest.mark.weekly
def test_a_person_who_gets_into_the_target_has_won(browser, page):
    browser.open(page, "game=race&as=evader&level=easy&seed=2", (1000, 800))
    assert text(browser, "#round h2") == "Get into the gray disc."
    browser.run("chase.play.rounds.begin()")
    # Without waiting for frames: straight for the middle, at full speed.
    place = "chase.play.rounds.episode.engine.pair('position', 1)"
    push = f"() => {{ const [x, y] = {place}; return [-x, -y]; }}"
    browser.run(f"chase.play.rounds.advance(30, {push})")
    assert browser.run("chase.play.rounds.outcomes[0][1]").startswith("got there in")
    assert browser.run("chase.play.rounds.isWon")


@pytest.mark.weekly
def test_the_published_pictures_of_the_page_name_no_version(browser, page):
    browser.open(page)
    assert __version__ in browser.run("document.body.innerText")
    assert page_pictures.take(browser, page, "light").startswith(b"\x89PNG")
    assert __version__ not in browser.run("document.body.innerText")
