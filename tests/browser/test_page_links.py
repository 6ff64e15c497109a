"""Links of the page to play on, and the rounds that they carry; if a browser is there."""

import shlex
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from driving import (
    choose,
    click,
    finish_round,
    phase,
    play_round,
    text,
    wait_for,
)
from policies.networks import make_network
from rendering.browser import NEEDS_BROWSER

from steer_env.__main__ import main
from steer_env.browser.page import save_play_page

pytestmark = NEEDS_BROWSER


@pytest.mark.parametrize(
    "hash_",
    [
        "seed=abc&level=impossible&as=nobody&game=moon&opponent=%3Cscript%3Ealert(1)%3C/script%3E",
        "view=lab&pursuer=%E2%80%AE%22%27%3E%3Cimg%20src=x%20onerror=alert(1)%3E&radius=1e99",
        "seed=99999999999999999999&obstacles=-1&pursuer.lookahead=__proto__&opponent=constructor",
    ],
)
def test_a_damaged_link_gives_the_default_and_says_so(browser, page, hash_):
    browser.open(page, hash_)
    assert text(browser, "#notice").startswith("The link is damaged")
    assert browser.run("document.querySelectorAll('#notice *').length") == 0
    assert browser.run("[chase.play.link.game, chase.play.link.level]") == ["walls", "easy"]


@pytest.fixture
def site(page):
    """The address of the page from a server, where links can be copied."""
    handler = partial(SimpleHTTPRequestHandler, directory=page.parent)
    handler.log_message = lambda *arguments: None
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{page.name}"
        server.shutdown()


COPIED = "navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }"


def test_a_copied_round_is_played_beside_whoever_opens_it(browser, page, tmp_path):
    play_round(browser, page, "level=normal&seed=7")
    ends = "chase.play.rounds.episode.engine.column('position').join()"
    seconds, end = browser.run("chase.play.rounds.episode.seconds"), browser.run(ends)
    browser.run(COPIED)
    click(browser, "#share")
    assert text(browser, "#notice") == "Command copied"
    command = shlex.split(browser.run("copied"))
    assert command[:3] == ["steer-env", "play", "--link"]
    main([*command[1:], "--html", str(tmp_path / "sent.html")])
    browser.open(tmp_path / "sent.html", size=(1000, 800))
    challenger = "chase.play.rounds.challengers[0].episode"
    assert browser.run(f"{challenger}.engine.column('position').join()") == end
    assert browser.run(f"{challenger}.seconds") == seconds
    assert browser.run("chase.play.hint.lines[0]") == f"Caught in {seconds:.1f} s. Can you?"
    finish_round(browser)
    assert "challenger" in text(browser, "#round table")
    browser.press("n")
    assert browser.run("chase.play.rounds.challengers.length") == 0
    wait_for(browser, "!location.hash.includes('round=')")


def test_a_link_from_a_server_is_an_address(browser, site):
    browser.open(site, "level=hard&seed=7", (1000, 800))
    browser.run(COPIED)
    click(browser, "#share")
    assert text(browser, "#notice") == "Link copied"
    assert browser.run("copied") == f"{site}#level=hard&seed=7"


def test_a_link_carries_the_round(browser, page):
    browser.open(page, "level=hard&as=evader&seed=42&opponent=seek&game=torus")
    wait_for(browser, "location.hash.includes('opponent')")
    browser.open(page, browser.run("location.hash")[1:])
    parts = "['level', 'as', 'seed', 'opponent', 'game'].map((name) => String(play.link[name]))"
    found = browser.run(f"(() => {{ const {{ play }} = chase; return {parts}; }})()")
    assert found == ["hard", "evader", "42", "seek", "torus"]
    choose(browser, "#game", "pack")
    click(browser, "#levels button")  # easy
    assert browser.run("chase.play.rounds.link.level") == "easy"
    assert browser.run("chase.play.rounds.game.pursuers") == 3


def test_a_network_with_a_hostile_name_plays_as_any_other(browser, tmp_path):
    name = "<img src=x onerror=alert(1)>\"'&\u202e"
    make_network(features=21, seed=3).save(tmp_path / f"{name}.npz")
    save_play_page(tmp_path / "play.html", opponent=str(tmp_path / f"{name}.npz"), seed=4)
    browser.open(tmp_path / "play.html")
    assert browser.run("chase.play.rounds.opponent") == name
    assert name in text(browser, "#opponent-text")
    assert browser.run("document.querySelectorAll('img').length") == 0
    browser.press("Enter")
    assert phase(browser) == "count"
