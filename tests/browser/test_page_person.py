"""A person on the page: steers, goes back, chooses an opponent; if a browser is there."""

import json

import pytest
from driving import (
    FIRST_X,
    choose,
    click,
    drag,
    finish_round,
    mouse,
    phase,
    play_round,
    text,
    touch,
    wait_for,
)
from rendering.browser import NEEDS_BROWSER

from steer_env.browser.levels import OPPONENTS
from steer_env.sides import Side

pytestmark = NEEDS_BROWSER

ROUND = "chase.play.rounds.phase === 'round'"
PUSH = "chase.play.controls.push({x: 300, y: 300}, 600)"


INK_ON_BOARD = """(() => {
  const canvas = document.querySelector('#arena');
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  const { width, height } = canvas;
  pen.fillStyle = chase.app.colors.ink;
  const parts = pen.fillStyle.match(/[0-9a-f]{2}/g);
  const [red, green, blue] = parts.map((two) => parseInt(two, 16));
  const { data } = pen.getImageData(0, height * 0.12, width, height * 0.76);
  const columns = [];
  for (let place = 0; place < data.length; place += 4) {
    const isInk = data[place] === red && data[place + 1] === green && data[place + 2] === blue;
    if (isInk) columns.push((place / 4) % width);
  }
  return [columns.reduce((a, b) => Math.min(a, b), 1e9), Math.max(-1, columns.reduce((a, b) =>
    Math.max(a, b), -1)), width];
})()"""
"""The leftmost and rightmost column of the board in the color of texts, and its width."""

NO_WIDER = """(() => {
  const { scrollWidth, clientWidth } = document.querySelector('#round').parentElement;
  return scrollWidth <= clientWidth;
})()"""


def box_of(browser, selector):
    return browser.run(
        f"(() => {{ const box = document.querySelector('{selector}').getBoundingClientRect();"
        "return [box.left, box.top, box.right, box.bottom]; })()"
    )


def begin(browser, page, moment="seed=7", size=(1000, 800), **device):
    browser.open(page, moment, size, **device)
    browser.press("Enter")
    browser.run("chase.play.rounds.left = 0.01")
    wait_for(browser, ROUND)


def hold(browser, key, is_down=True):
    kind = "keyDown" if is_down else "keyUp"
    browser._ask("Input.dispatchKeyEvent", type=kind, key=key)


def go_back(browser, condition):
    browser.run("history.back()")
    wait_for(browser, condition)
    browser.wait_for_frame()


def test_the_mouse_steers_without_a_button_but_not_against_keys(browser, page):
    begin(browser, page)
    left, top, right, bottom = box_of(browser, "#arena")
    browser.point(left + 20, (top + bottom) / 2)
    assert browser.run(PUSH)[0] < -0.5
    before = browser.run(FIRST_X)
    wait_for(browser, f"{FIRST_X} < {before}")
    hold(browser, "ArrowRight")
    browser.point(left + 10, top + 20)
    assert browser.run(PUSH) == [1, 0]
    hold(browser, "ArrowRight", is_down=False)
    assert browser.run(PUSH) == [0, 0]
    browser.point(left + 11, top + 20)  # a pixel from where it was
    assert browser.run(PUSH) == [0, 0]
    browser.point(right + 40, (top + bottom) / 2)  # beside the board
    assert browser.run(PUSH)[0] > 0.5


@pytest.mark.parametrize(
    ("device", "start"), [("mouse", "Click here or press an arrow key"), ("finger", "Tap here")]
)
def test_the_board_says_how_to_start_and_to_steer(browser, page, device, start):
    browser.open(page, "seed=7", (1000, 800), touch=device == "finger")
    hint = "chase.play.hint?.lines.join(' ') ?? ''"
    assert browser.run(hint) == f"{start} to start"
    left, right, side = browser.run(INK_ON_BOARD)
    assert right - left > 0.4 * side
    browser.press("Enter")
    assert device in browser.run(hint)
    browser.run("chase.play.rounds.left = 0.01")
    wait_for(browser, ROUND)
    assert browser.run(hint) == ""
    wait_for(browser, f"({hint}).includes('{device}')")
    assert browser.run("chase.play.rounds.episode.seconds") == pytest.approx(2.0, abs=0.3)
    hold(browser, "ArrowRight")
    wait_for(browser, f"!({hint})", 2)
    hold(browser, "ArrowRight", is_down=False)


def push_a_key(browser, place):
    hold(browser, "ArrowUp")


def click_the_board(browser, place):
    browser.point(*place, click=True)


def tap_the_board(browser, place):
    touch(browser, "touchStart", *place)
    touch(browser, "touchEnd")


def tilt_a_stick(browser, place):
    pad = "{ index: 0, axes: [0.1, 0.9], buttons: [{ pressed: false }] }"
    browser.run(f"navigator.getGamepads = () => [{pad}]")


@pytest.mark.parametrize(
    "start",
    [push_a_key, click_the_board, tap_the_board, tilt_a_stick],
    ids=lambda f: f.__name__,
)
def test_a_round_begins_as_a_person_first_steers(browser, page, start):
    browser.open(page, "seed=7", (1000, 800), touch=start is tap_the_board)
    left, top, right, bottom = box_of(browser, "#arena")
    middle = ((left + right) / 2, (top + bottom) / 2)
    browser.point(*middle)  # a mouse on its way to the panel starts nothing
    assert phase(browser) == "ready"
    start(browser, middle)
    wait_for(browser, "chase.play.rounds.phase === 'count'")
    hold(browser, "ArrowUp", is_down=False)


def test_a_click_on_the_board_goes_on_after_a_pause(browser, page):
    begin(browser, page)
    browser.press(" ")
    assert browser.run("chase.play.hint.lines") == ["Paused"]
    left, top, right, bottom = box_of(browser, "#arena")
    browser.point((left + right) / 2, (top + bottom) / 2, click=True)
    assert phase(browser) == "round"


def test_the_end_stands_on_the_board_and_names_of_ghosts_do_not(browser, page):
    play_round(browser, page)
    (line,) = browser.run("chase.play.rounds.banner.lines")
    assert line.startswith("Caught! ")
    pursuer = INK_ON_BOARD.replace("colors.ink", "colors['pursuer-text']")
    left, right, side = browser.run(pursuer)
    assert right - left > 0.6 * side
    written = browser.run(
        "(() => { const written = []; const { prototype } = CanvasRenderingContext2D;"
        "const { fillText } = prototype; prototype.fillText = function (text, ...rest) {"
        "written.push(text); return fillText.call(this, text, ...rest); };"
        "chase.play.draw(); prototype.fillText = fillText; return written; })()"
    )
    assert line in written
    assert [one.strip() for one in written if "textbook" in one] == ["○ textbook method"]


def test_after_a_win_comes_the_next_level_and_after_a_loss_a_hint(browser, page):
    play_round(browser, page)
    click(browser, "#round .buttons button:nth-child(2)")
    assert phase(browser) == "count"
    assert browser.run("chase.play.rounds.link.level") == "normal"
    for steer, words in (("[0, 0]", "Keep steering"), ("[0, 1]", "Aim at where it will be")):
        begin(browser, page, "seed=7&level=expert")
        browser.run(f"chase.play.controls.push = () => {steer}")
        browser.run(
            "while (chase.play.rounds.phase === 'round') "
            "chase.play.rounds.advance(0.2, () => chase.play.controls.push())"
        )
        browser.press("v")
        browser.press("Escape")
        wait_for(browser, "document.querySelector('#round table')")
        assert text(browser, "#round h2").endswith("s up: it got away.")
        assert words in text(browser, "#round")
        assert "Next:" not in text(browser, "#round")


def test_play_has_few_switches_until_it_shows_more(browser, page):
    browser.open(page, "seed=7", (1000, 800))
    shown = (
        "[...document.querySelectorAll('#switches [data-name]:not([hidden])')]"
        ".map((one) => one."
    )
    few = ["velocity", "trail", "capture", "names", "score"]
    assert browser.run(f"{shown}dataset.name)") == few
    drawn = "[...chase.shownNow()].sort()"
    assert browser.run(drawn) == sorted(few)
    click(browser, "#more")
    assert {"force", "wander", *few} <= set(browser.run(f"{shown}dataset.name)"))
    click(browser, "#tab-lab")
    assert "aim" in browser.run(drawn)
    click(browser, "#tab-play")
    click(browser, "#more")
    assert browser.run(drawn) == sorted(few)


def test_the_help_names_the_keys_of_the_view(browser, page):
    keys = "[...document.querySelectorAll('#keys dt')].map((one) => one.innerText)"
    for view, first, missing in (("play", "← ↑ ↓ →", "Home"), ("lab", "N", "Enter")):
        browser.open(page, f"seed=7&view={view}", (1000, 800))
        browser.press("?")
        listed = browser.run(keys)
        assert listed[0] == first
        assert missing not in listed
        assert len(listed) == len(set(listed))
        browser.point(500, 400, click=True)
        assert browser.run("document.querySelector('#help').open")
        browser.point(8, 790, click=True)  # beside it
        assert not browser.run("document.querySelector('#help').open")
    assert phase(browser) == "ready"


def test_a_notice_goes_by_itself(browser, page):
    undo = browser.before_pages(
        "const wait = setTimeout; globalThis.setTimeout = (act, ms) => wait(act, ms / 40)"
    )
    browser.open(page, "level=impossible")
    undo()
    assert "level" in text(browser, "#notice")
    wait_for(browser, "document.querySelector('#notice').hidden", 3)


def test_a_first_card_says_how_vehicles_move(browser, page):
    for side, words in (
        ("pursuer", "it is inside your ring (0.8 m)"),
        ("evader&level=normal", "its ring (0.35 m)"),
        ("evader", "when it touches you (0.25 m)"),
    ):
        browser.open(page, f"seed=7&as={side}")
        browser.run("localStorage.clear()")
        browser.open(page, f"seed=7&as={side}")
        card = text(browser, "#round")
        assert words in card
        for lesson in ("mouse", "gliding", "brake"):
            assert lesson in card
    play_round(browser, page)  # a best time
    browser.press("n")
    card = text(browser, "#round")
    assert "gliding" not in card
    assert "You have 20 s." in card
    about = "Stroller: wanders and ignores you; slower than you."
    assert text(browser, "#opponent-text") == about


@pytest.mark.parametrize("side", Side)
def test_a_few_opponents_come_first_by_their_titles(browser, page, side):
    browser.open(page, f"seed=7&as={side.other.name}")
    listed = "[...document.querySelectorAll('#opponent option')].map((one) => one.text)"
    shown = browser.run(listed)
    chosen = [": ".join(one) for one in OPPONENTS[side].values()]
    assert shown[1 : len(chosen) + 1] == chosen
    assert not any("/" in one for one in chosen)
    groups = "[...document.querySelectorAll('#opponent optgroup')].map((one) => one.label)"
    own, others = "scripts that run away", "scripts that chase"
    others = own if side is Side.PURSUER else others
    assert browser.run(groups) == ["scripts", others]
    script = "pursuit/braking" if side is Side.PURSUER else "evade/herd"
    of_script = f"document.querySelector('#opponent [value=\"{script}\"]').parentElement.label"
    assert browser.run(of_script) == "scripts"
    for name, (title, _) in OPPONENTS[side].items():
        choose(browser, "#opponent", name)
        assert title in text(browser, "h1")


def test_back_returns_to_the_view_and_the_card_before(browser, page):
    browser.open(page, "level=easy&seed=7", (1000, 800))
    finish_round(browser)
    browser.press("v")
    assert browser.run("chase.play.isReplay")
    go_back(browser, "!chase.play.isReplay")
    assert text(browser, "#round h2").startswith("Caught it in")
    click(browser, "#tab-lab")
    go_back(browser, "chase.play.link.view === 'play'")
    assert text(browser, "#round h2").startswith("Caught it in")
    browser.press("Enter")  # the next start
    seed = browser.run("chase.play.rounds.episode.seed")
    browser.press("Escape")
    wait_for(browser, "chase.play.rounds.phase === 'ready'")
    assert browser.run("chase.play.rounds.episode.seed") == seed != "7"
    go_back(browser, "chase.play.rounds.episode.seed === '7'")
    assert phase(browser) == "ready"
    click(browser, "#tab-lab")
    choose(browser, "#lab-pursuer", "seek")
    wait_for(browser, "location.hash.includes('seek')")
    browser.run("globalThis.isOld = true")
    browser._ask("Page.reload")
    while not browser.run("!globalThis.isOld && Boolean(globalThis.chase?.app.ready)"):
        pass
    state = "[chase.play.link.view, chase.play.link.pursuer, String(chase.play.link.seed)]"
    assert browser.run(state) == ["lab", "seek", "7"]


def test_a_vehicle_let_go_plays_on(browser, page):
    for is_playing in (True, False):
        browser.open(page, "view=lab&seed=7", (1000, 800))
        browser.run(f"chase.app.isPlaying = {json.dumps(is_playing)}")
        pointer = drag(browser, 1, (-60, 0), (-120, 0))
        assert browser.run("chase.app.isPlaying") is False
        mouse(browser, "mouseReleased", *pointer)
        assert browser.run("[chase.app.isPlaying, chase.play.lab.held]") == [is_playing, None]


@pytest.mark.parametrize("size", [(1400, 900), (800, 600), (390, 844), (844, 390), (370, 520)])
def test_no_card_covers_the_board(browser, page, size):
    browser.open(page, "level=easy&seed=7", size)
    for _ in range(2):
        board, card = box_of(browser, "#arena"), box_of(browser, "#round")
        assert card[0] >= board[2] or card[1] >= board[3]
        assert board[2] - board[0] > 0.55 * min(size)
        main = box_of(browser, "#round .main")
        assert main[3] <= size[1]  # its button is within the window
        assert browser.run(NO_WIDER)
        finish_round(browser)


@pytest.mark.parametrize("size", [(900, 700), (800, 600), (844, 390), (740, 360)])
def test_the_card_of_a_lost_round_fits_its_panel(browser, page, size):
    begin(browser, page, "level=easy&seed=7", size)
    wait = "() => [0, 0]"
    browser.run(
        f"while (chase.play.rounds.phase === 'round') chase.play.rounds.advance(0.2, {wait})"
    )
    browser.press("v")  # the page shows the result after a change
    browser.press("Escape")
    wait_for(browser, "document.querySelector('#round table')")
    assert "did not catch it within 20 s" in text(browser, "#round")
    assert browser.run(NO_WIDER)


def test_the_page_around_it_sets_the_theme(browser, page):
    begin(browser, page)
    color = "[getComputedStyle(document.body).backgroundColor, chase.app.colors.background]"
    theme = "{type: 'steer-env-theme', theme: 'dark'}"
    before = browser.run(color)
    for data in ("'dark'", "null", "{theme: 'dark'}", "{type: 'steer-env-theme', theme: 'x'}"):
        browser.run(f"window.postMessage({data}, '*')")
    browser.run(
        "document.body.append(document.createElement('iframe')); "  # not the page around it
        f"dispatchEvent(new MessageEvent('message', {{data: {theme}, source: frames[0]}}))"
    )
    browser.wait_for_frame()
    assert browser.run(color) == before
    assert browser.run("'theme' in document.documentElement.dataset") is False
    browser.run(f"window.postMessage({theme}, '*')")
    wait_for(browser, "document.documentElement.dataset.theme === 'dark'")
    after = browser.run(color)
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert phase(browser) == "round"


@pytest.mark.parametrize(
    ("players", "some", "none"),
    [
        ("pursuer=seek&evader=flee", ["aim", "feelers"], ["corridor", "threat"]),
        ("pursuer=pretrained/pursuit/search&evader=wander", ["wander"], ["aim", "corridor"]),
        ("game=obstacles&pursuer=pursuit/among_obstacles", ["corridor"], ["threat"]),
        ("evader=evade/threatened", ["threat", "apollonius"], ["corridor"]),
        ("evaderSpeed=4", ["aim"], ["apollonius"]),
    ],
)
def test_only_switches_that_do_something_are_shown(browser, page, players, some, none):
    browser.open(page, f"view=lab&seed=7&{players}", still=True)
    shown = browser.run(
        "[...document.querySelectorAll('#switches [data-name]')].filter((one) => !one.hidden)"
        ".map((one) => one.dataset.name)"
    )
    assert {"velocity", "force", "trail", *some} <= set(shown)
    assert not set(none) & set(shown)
