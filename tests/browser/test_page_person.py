"""A person on the page: steers, finds help, goes back, chooses; if a browser is there."""

import pytest
from driving import FIRST_X, choose, click, finish_round, phase, text, touch, wait_for
from rendering.browser import NEEDS_BROWSER

from steer_env.browser.levels import OPPONENTS
from steer_env.sides import Side

pytestmark = NEEDS_BROWSER

ROUND = "chase.play.rounds.phase === 'round'"
PUSH = "chase.play.controls.push({x: 300, y: 300}, 600)"
HINT = "chase.play.hint?.lines.join(' ') ?? ''"


def begin(browser, page, moment="seed=7", size=(1000, 800), **device):
    browser.open(page, moment, size, **device)
    browser.press("Enter")
    browser.run("chase.play.rounds.left = 0.01")
    wait_for(browser, ROUND)


def hold(browser, key, is_down=True):
    kind = "keyDown" if is_down else "keyUp"
    browser._ask("Input.dispatchKeyEvent", type=kind, key=key)


def test_the_mouse_steers_without_a_button_but_not_against_keys(browser, page):
    begin(browser, page)
    left, top, right, bottom = browser.boxes("#arena")[0]
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
    browser.press(" ")
    assert browser.run("chase.play.hint.lines") == ["Paused"]
    browser.point((left + right) / 2, (top + bottom) / 2, click=True)
    assert phase(browser) == "round"


def start_with(browser, device, place):
    if device == "key":
        browser.press("ArrowUp")
    elif device == "mouse":
        browser.point(*place, click=True)
    else:
        touch(browser, "touchStart", *place)
        touch(browser, "touchEnd")


@pytest.mark.weekly
@pytest.mark.parametrize("device", ["key", "mouse", "finger"])
def test_a_round_begins_as_a_person_first_steers(browser, page, device):
    is_finger = device == "finger"
    browser.open(page, "seed=7", (1000, 800), touch=is_finger)
    start = "Tap here" if is_finger else "Click here or press an arrow key"
    assert browser.run(HINT) == f"{start} to start"
    left, top, right, bottom = browser.boxes("#arena")[0]
    middle = ((left + right) / 2, (top + bottom) / 2)
    browser.point(*middle)  # a mouse on its way to the panel starts nothing
    assert phase(browser) == "ready"
    start_with(browser, device, middle)
    wait_for(browser, "chase.play.rounds.phase === 'count'")
    assert ("finger" if is_finger else "mouse") in browser.run(HINT)
    browser.run("chase.play.rounds.left = 0.01")
    wait_for(browser, ROUND)
    if device == "key":  # which does not steer in it
        wait_for(browser, f"({HINT}).includes('mouse')")
        assert browser.run("chase.play.rounds.episode.seconds") == pytest.approx(2.0, abs=0.3)
        hold(browser, "ArrowRight")
        wait_for(browser, f"!({HINT})", 2)
        hold(browser, "ArrowRight", is_down=False)
    elif device == "finger":
        touch(browser, "touchStart", left + 20, bottom - 20)
        assert max(browser.run(PUSH)) < -0.5
        touch(browser, "touchEnd")
        assert browser.run(PUSH) == [0, 0]
    browser.press("Escape")
    wait_for(browser, "chase.play.rounds.phase === 'ready'")
    for _ in range(3):
        browser.wait_for_frame()
    assert phase(browser) == "ready"


def test_play_has_few_switches_and_the_laboratory_all(browser, page):
    browser.open(page, "seed=7", (1000, 800))
    shown = "#switches [data-name]:not([hidden])", "one.dataset.name"
    few = ["velocity", "trail", "capture", "names", "score"]
    assert browser.each(*shown) == few
    drawn = "[...chase.shownNow()].sort()"
    assert browser.run(drawn) == sorted(few)
    click(browser, "#tab-lab")
    assert {"force", "aim", *few} <= {*browser.each(*shown)}
    assert "aim" in browser.run(drawn)
    click(browser, "#tab-play")
    assert browser.run(drawn) == sorted(few)


@pytest.mark.weekly
def test_the_help_names_the_keys_of_the_view(browser, page):
    for view, first, missing in (("play", "← ↑ ↓ →", "Home"), ("lab", "N", "Enter")):
        browser.open(page, f"seed=7&view={view}", (1000, 800))
        browser.press("?")
        listed = browser.each("#keys dt", "one.innerText")
        assert listed[0] == first
        assert missing not in listed
        assert len(listed) == len(set(listed))
        browser.point(500, 400, click=True)
        assert browser.run("document.querySelector('#help').open")
        browser.point(8, 790, click=True)  # beside it
        assert not browser.run("document.querySelector('#help').open")
    assert phase(browser) == "ready"


@pytest.mark.weekly
@pytest.mark.parametrize("side", Side)
def test_a_few_opponents_come_first_by_their_titles(browser, page, side):
    browser.open(page, f"seed=7&as={side.other.name}")
    shown = browser.each("#opponent option", "one.text")
    chosen = [": ".join(one) for one in OPPONENTS[side].values()]
    assert shown[1 : len(chosen) + 1] == chosen
    assert not any("/" in one for one in chosen)
    others = "run away" if side is Side.PURSUER else "chase"
    assert browser.each("#opponent optgroup", "one.label") == [
        "scripts",
        f"scripts that {others}",
    ]
    for name, (title, _) in OPPONENTS[side].items():
        choose(browser, "#opponent", name)
        assert title in text(browser, "h1")


@pytest.mark.weekly
def test_escape_returns_to_the_card_before_and_a_reload_to_the_view(browser, page):
    browser.open(page, "level=easy&seed=7", (1000, 800))
    finish_round(browser)
    browser.press("v")
    assert browser.run("chase.play.isReplay")
    browser.press("Escape")
    browser.wait_for_frame()
    assert text(browser, "#round h2").startswith("Caught it in")
    browser.press("Enter")  # the next start
    seed = browser.run("chase.play.rounds.episode.seed")
    browser.press("Escape")
    wait_for(browser, "chase.play.rounds.phase === 'ready'")
    assert browser.run("chase.play.rounds.episode.seed") == seed != "7"
    wait_for(browser, f"location.hash.includes('seed={seed}')")
    browser.run("location.hash = 'level=easy&seed=7'")  # as by hand
    wait_for(browser, "chase.play.rounds.episode.seed === '7'")
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


@pytest.mark.weekly
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
    assert all(old != new for old, new in zip(before, browser.run(color)))
    assert phase(browser) == "round"
