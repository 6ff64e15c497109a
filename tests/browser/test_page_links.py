"""Links to the page, and its file."""

import json
import re

import pytest
from driving import NEEDS_BROWSER, text

from steer_env.browser.page import save_play_page
from steer_env.episodes.duel import Duel
from steer_env.episodes.history import record_episode
from steer_env.game.config import game_config
from steer_env.rendering.html import save_html
from steer_env.scripts.roster import named_script

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
    link = browser.run("location.hash")
    browser.open(page, link[1:])
    told = browser.run(
        "JSON.stringify([chase.app.link.level, chase.app.link.as, "
        "String(chase.app.link.seed), chase.app.link.opponent, "
        "chase.app.link.game])"
    )
    assert json.loads(told) == ["hard", "evader", "42", "seek", "torus"]


def test_the_file_is_small_and_loads_nothing(page):
    content = page.read_text("utf-8")
    assert len(content.encode()) < 600_000
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', content)[1]
    assert "default-src &#x27;none&#x27;" in policy
    assert "unsafe-inline" not in policy
    assert "unsafe-eval" not in policy.replace("wasm-unsafe-eval", "")
    assert not re.findall(r"""(?:src|href)=["'](?!data:|#)""", content.split("<script")[0])


def test_the_same_page_is_the_same_to_the_byte(page, tmp_path):
    save_play_page(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == page.read_bytes()


def test_pages_share_their_drawing(page, tmp_path):
    players = [named_script("pursuit"), named_script("evade")]
    save_html(tmp_path / "chase.html", [record_episode(Duel(game_config(), *players), 0)])
    drawing = "function drawScene("
    assert drawing in (tmp_path / "chase.html").read_text("utf-8")
    assert drawing in page.read_text("utf-8")
