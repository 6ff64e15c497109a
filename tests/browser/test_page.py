"""The page to play on, driven as a person does in a browser, if one is installed."""

import json
import re

import pytest
from driving import STEER, click, downloaded, phase, play_round, text, touch, wait_for
from rendering.browser import NEEDS_BROWSER

from steer_env.browser.levels import LEVELS
from steer_env.sides import Side

pytestmark = NEEDS_BROWSER


SIZES = [(1400, 900), (800, 600), (390, 844)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dark", [False, True])
def test_a_round_is_played_by_keys(browser, page, size, dark):
    browser.open(page, "level=easy&seed=7", size, dark=dark, touch=size[0] < 500)
    assert text(browser, "#overlay h2") == "Catch it as soon as you can."
    browser.press("Enter")
    assert phase(browser) == "count"
    assert text(browser, "#overlay") == "3"
    wait_for(browser, "chase.app.rounds.phase === 'round'")
    before = browser.run("[...chase.app.rounds.episode.engine.column('position').slice(0, 2)]")
    browser._ask("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
    wait_for(browser, f"chase.app.rounds.episode.engine.column('position')[0] > {before[0]}")
    browser._ask("Input.dispatchKeyEvent", type="keyUp", key="ArrowRight")
    browser.press(" ")
    assert phase(browser) == "pause"
    assert text(browser, "#overlay h2") == "Paused"
    browser.press(" ")
    browser.run(STEER)
    wait_for(browser, "chase.app.rounds.phase === 'end'")
    assert re.match(
        r"Caught in \d+\.\d s: \d+\.\d s ahead of pursuit, .*"
        r"the best known player \(tuned/pack/pursuer\)\.",
        text(browser, "#overlay h2"),
    )
    rows = text(browser, "#overlay table")
    assert "you" in rows
    assert "tuned/pack/pursuer" in rows
    browser.press("v")
    assert browser.run("chase.app.isReplay")
    browser.press("r")
    assert phase(browser) == "count"
    assert browser.run("chase.app.rounds.episode.seed") == "7"
    browser.press("Escape")
    assert phase(browser) == "ready"
    browser.press("n")
    assert browser.run("chase.app.rounds.episode.seed") != "7"
    assert browser.errors == []


def test_a_finger_steers(browser, page):
    browser.open(page, "level=easy&seed=7", (390, 844), touch=True)
    box = browser.run(
        "(() => { const box = document.querySelector('#overlay .main')"
        ".getBoundingClientRect(); return [box.x + 9, box.y + 9]; })()"
    )
    touch(browser, "touchStart", *box)
    touch(browser, "touchEnd")
    wait_for(browser, "chase.app.rounds.phase === 'round'")
    arena = browser.run(
        "(() => { const box = document.querySelector('#arena')"
        ".getBoundingClientRect(); return [box.x, box.y, box.width]; })()"
    )
    touch(browser, "touchStart", arena[0] + 20, arena[1] + arena[2] - 20)
    browser.run("new Promise((done) => setTimeout(done, 300))")
    right, up = browser.run("(() => chase.app.controls.push({x: 195, y: 195}, 390))()")
    assert right < -0.5
    assert up < -0.5
    touch(browser, "touchEnd")
    assert browser.run("chase.app.controls.push({x: 195, y: 195}, 390)") == [0, 0]
    assert browser.errors == []


def test_targets_are_large_enough_for_fingers(browser, page):
    for moment in ("seed=1", "view=lab&seed=1"):
        browser.open(page, moment, (390, 844), touch=True)
        small = browser.run(
            "[...document.querySelectorAll('button, select')].filter((each) => "
            "each.offsetParent).map((each) => [each.id || each.textContent, each.offsetWidth,"
            "each.offsetHeight]).filter(([, width, height]) => width < 44 || height < 44)"
        )
        assert small == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("moment", ["seed=1", "view=lab&seed=1"])
def test_nothing_overflows_and_the_board_is_in_view(browser, page, size, moment):
    browser.open(page, moment, size, touch=size[0] < 500)
    wide = browser.run("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]
    bottom = browser.run("document.querySelector('#arena').getBoundingClientRect().bottom")
    assert bottom <= size[1]
    if "lab" in moment:
        deck = browser.run("document.querySelector('#deck').getBoundingClientRect().bottom")
        assert deck <= size[1]
    overflowing = browser.run(
        "[...document.querySelectorAll('aside *')].filter((each) => each.offsetParent && "
        "each.getBoundingClientRect().right > document.querySelector('aside')"
        ".getBoundingClientRect().right + 1).map((each) => each.id || each.className)"
    )
    assert overflowing == []


def test_a_player_is_the_best_known_at_the_levels_of_the_default_game_alone(browser, page):
    title = "chase.app.rounds.rivals[1].title"
    for side in Side:
        for level in LEVELS[side]:
            browser.open(page, f"as={side.name}&level={level.name}&seed=7")
            assert browser.run(title) == f"the best known player ({level.best})"
    for moment in ("opponent=rest&seed=7", "game=torus&seed=7"):
        browser.open(page, moment)
        assert browser.run(title) == "a strong player (tuned/walls/pursuer)"


def test_best_times_are_kept_by_start_and_level(browser, page):
    browser.open(page, "seed=7")
    browser.run("localStorage.clear()")
    play_round(browser, page)
    assert "Your new best." in text(browser, "#overlay")
    best = browser.run("chase.app.rounds.episode.seconds")
    browser.open(page, "level=easy&seed=7")
    assert text(browser, "#best").count(f"{best:.1f} s") == 2
    browser.open(page, "level=easy&seed=8")
    assert text(browser, "#best") == f"Best at this level: {best:.1f} s."
    browser.run("localStorage.clear()")


def test_damaged_best_times_are_forgotten(browser, page):
    for kept in ("nonsense", "[1]", '{"walls pursuer easy wander": "</b>"}', "null"):
        browser.open(page, "level=easy&seed=7")
        browser.run(f"localStorage.setItem('steer_env best times', {json.dumps(kept)})")
        browser.open(page, "level=easy&seed=7")
        assert text(browser, "#best") == ""
        assert browser.errors == []
    browser.run("localStorage.clear()")


def test_the_days_five_rounds_add_up(browser, page):
    browser.open(page, "level=easy")
    click(browser, "#daily")
    first = browser.run("chase.app.rounds.episode.seed")
    assert re.fullmatch(r"\d{8}1", first)
    browser.press("Enter")
    for number in range(1, 6):
        assert browser.run("chase.app.rounds.episode.seed") == f"{first[:-1]}{number}"
        # A person's round, without waiting for it.
        browser.run(STEER)
        browser.run(
            "(() => { const { rounds } = chase.app; rounds.left = 0;"
            "rounds.phase = 'round'; while (rounds.phase === 'round') "
            "rounds.advance(0.2, () => chase.app.controls.push()); })()"
        )
        browser.press("t") if number == 0 else browser.run(
            "document.querySelector('#theme').click()"
        )
        words = text(browser, "#overlay")
        assert ("in all" if number == 5 else f"after {number}") in words
        if number < 5:
            browser.press("Enter")
    assert "Your best today." in words
    browser.run("localStorage.clear()")


def test_the_gif_moves(browser, page, downloads):
    imageio = pytest.importorskip("imageio.v3")
    play_round(browser, page)
    steps = browser.run(
        "Math.max(chase.app.rounds.episode.steps, ...chase.app.rounds.ghosts"
        ".map(({episode}) => episode.steps))"
    )
    click(browser, "#overlay .buttons:last-child button:nth-child(2)")
    frames = imageio.imread(downloaded(browser, downloads, "round-7.gif"), extension=".gif")
    assert frames.shape[1:] == (400, 400, 3)
    assert abs(len(frames) - (steps / 2 + 1)) <= 2
    assert (frames[0] != frames[-1]).any()
    board = browser.run("chase.app.colors.background")
    assert frames[0][0, 0].tolist() == [int(part) for part in re.findall(r"\d+", board)]


def test_the_saved_page_plays_the_round_beside_the_others(browser, page, downloads):
    play_round(browser, page)
    click(browser, "#overlay .buttons:last-child button:nth-child(3)")
    path = downloaded(browser, downloads, "round-7.html")
    browser.open(path)
    assert text(browser, "#failure") == ""
    assert browser.run("document.querySelectorAll('#tiles canvas').length") == 3
    assert browser.errors == []
