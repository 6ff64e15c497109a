"""Links to the page, and its file."""

import json

import pytest
from driving import phase, text, wait_for
from policies.networks import make_network
from rendering.browser import NEEDS_BROWSER

from steer_env.browser.page import save_play_page

pytestmark = NEEDS_BROWSER


def test_an_embedded_board_has_nothing_else(browser, page):
    browser.open(page, "seed=7&pursuer=pursuit&view=arena", (600, 640))
    shown = browser.run(
        "['header', 'aside', 'footer', '#arena', '#deck'].map((each) => "
        "document.querySelector(each).offsetParent !== null)"
    )
    assert shown == [False, False, False, True, True]
    assert browser.run("chase.app.isPlaying")
    assert browser.run("document.documentElement.scrollHeight <= innerHeight")


@pytest.mark.parametrize(
    "hash_",
    [
        "seed=abc&level=impossible&as=nobody&game=moon&opponent=%3Cscript%3Ealert(1)%3C/script%3E",
        "view=lab&pursuer=%E2%80%AE%22%27%3E%3Cimg%20src=x%20onerror=alert(1)%3E&radius=1e99",
        "seed=99999999999999999999&size=&obstacles=-1&pursuer.lookahead=__proto__",
        "opponent=constructor&pursuer=__proto__&evader=toString&level=constructor",
        "%%%&=&&seed=1%00",
    ],
)
def test_a_damaged_link_gives_the_default_and_says_so(browser, page, hash_):
    browser.open(page, hash_)
    assert text(browser, "#notice").startswith("The link is damaged")
    assert browser.run("document.querySelectorAll('#notice *').length") == 0
    assert browser.run("chase.app.link.game") == "walls"
    assert browser.run("chase.app.link.level") == "normal"
    assert browser.errors == []


def test_a_link_carries_the_round(browser, page):
    browser.open(page, "level=hard&as=evader&seed=42&opponent=seek&game=torus")
    wait_for(browser, "location.hash.includes('opponent')")
    link = browser.run("location.hash")
    browser.open(page, link[1:])
    played = browser.run(
        "JSON.stringify([chase.app.link.level, chase.app.link.as, "
        "String(chase.app.link.seed), chase.app.link.opponent, "
        "chase.app.link.game])"
    )
    assert json.loads(played) == ["hard", "evader", "42", "seek", "torus"]


def test_a_network_with_a_hostile_name_plays_as_any_other(browser, tmp_path):
    name = "<img src=x onerror=alert(1)>\"'&\u202e"
    make_network(features=21, seed=3).save(tmp_path / f"{name}.npz")
    save_play_page(tmp_path / "play.html", opponent=str(tmp_path / f"{name}.npz"), seed=4)
    browser.open(tmp_path / "play.html")
    assert browser.run("chase.app.rounds.opponent") == name
    assert name in text(browser, "#overlay")
    assert browser.run("document.querySelectorAll('img').length") == 0
    browser.press("Enter")
    assert phase(browser) == "count"
    assert browser.errors == []
