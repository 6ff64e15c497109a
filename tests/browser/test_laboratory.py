"""The laboratory of the page to play on, and boards in other pages; if a browser is there."""

from dataclasses import replace

import pytest
from driving import (
    choose,
    click,
    drag,
    mouse,
    move_slider,
    place_of,
    text,
    touch,
    wait_for,
)
from recorded import live_game
from rendering.browser import NEEDS_BROWSER

from steer_env.browser.games import GAMES
from steer_env.episodes.live_game import record_episode
from steer_env.game.config import make_game
from steer_env.scripts.roster import named_script

pytestmark = NEEDS_BROWSER

RESULT = "chase.play.lab.episode.result"


def result_in_python(players, seed, **game):
    return record_episode(live_game(make_game(**game), *players), seed).status.result


def test_the_laboratory_plays_what_python_plays(browser, page):
    browser.open(page, "view=lab&seed=7", (1000, 800))
    before = browser.run(RESULT)
    assert before == result_in_python(["pursuit", "evade"], 7)
    for slider, value in (("pursuerSpeed", 8), ("pursuerForce", 40), ("radius", 1.5)):
        move_slider(browser, f"#slider-{slider}", value)
    choose(browser, "#law-pursuer", "constant")
    move_slider(browser, "#slider-pursuer-lookahead_seconds", 0.4)
    after = browser.run(RESULT)
    game = {"capture_radius": 1.5, "pursuer": {"max_speed": 8.0, "max_force": 40.0}}
    law = {"lookahead": "constant", "lookahead_seconds": 0.4, "facing_test": True}
    script = replace(named_script("pursuit"), **law)
    assert after == result_in_python([script, "evade"], 7, **game) != before
    wait_for(browser, "location.hash.includes('lookahead_seconds')")
    browser.open(page, browser.run("location.hash")[1:])
    assert browser.run(RESULT) == after
    click(browser, "#reset")
    assert browser.run(RESULT) == before
    browser.press("Home")
    playing = browser.run("chase.app.isPlaying")
    browser.run("document.querySelector('#scrub').focus()")
    browser.press(" ")  # a key for the page, not for the slider
    assert browser.run("chase.app.isPlaying") != playing
    browser.press("End")
    assert text(browser, "#result").lower() == f"{before}."


def test_a_dragged_vehicle_branches_the_future(browser, page):
    browser.open(page, "view=lab&seed=7", (1000, 800))
    browser.press(" ")
    move_slider(browser, "#scrub", 30)
    before = browser.run(RESULT)
    x, y = place_of(browser, 1)
    for kind in ("mousePressed", "mouseReleased"):  # a click moves nothing
        mouse(browser, kind, x + 8, y)
    assert browser.run("[chase.app.time, chase.play.lab.former]") == [30, None]
    pointer = drag(browser, 1, (-60, 0), (-120, 0))
    browser.press("r")  # keys wait
    mouse(browser, "mouseReleased", *pointer)
    assert browser.run("[chase.app.isPlaying, chase.play.lab.held]") == [False, None]
    moved, stayed, scale = browser.run(
        "(() => { const { episode, former } = chase.play.lab; return [episode.players[1]"
        ".columns.x[0], former.players[1].columns.x[former.from], episode.view.scale]; })()"
    )
    assert stayed - moved == pytest.approx(120 / scale, abs=0.05)
    assert browser.run("chase.play.lab.former.result") == before
    click(browser, "#reset")
    assert browser.run(RESULT) == before
    browser.run("chase.app.isPlaying = true")
    pointer = drag(browser, 1, (-60, 0), (-120, 0))
    assert browser.run("chase.app.isPlaying") is False
    mouse(browser, "mouseReleased", *pointer)
    assert browser.run("[chase.app.isPlaying, chase.play.lab.held]") == [True, None]


@pytest.mark.weekly
def test_a_vehicle_beside_an_obstacle_can_be_grabbed(browser, page):
    browser.open(page, "view=lab&seed=0&game=obstacles", (1000, 800))
    browser.press(" ")
    # Dragged into every obstacle, it stays where it had room last.
    for obstacle in range(browser.run("chase.play.lab.episode.obstacles.length")):
        x, y = place_of(browser, 0)
        to_x, to_y = browser.run(
            f"(() => {{ const [right, up] = chase.play.lab.episode.obstacles[{obstacle}];"
            "const { view } = chase.play.lab.episode;"
            "const box = document.querySelector('#arena').getBoundingClientRect();"
            "return [box.x + view.column(right), box.y + view.row(up)]; })()"
        )
        way = [(share * (to_x - x), share * (to_y - y)) for share in (0.3, 0.6, 1.0)]
        mouse(browser, "mouseReleased", *drag(browser, 0, *way))
        gap = browser.run(
            f"(() => {{ const {{ obstacles, players }} = chase.play.lab.episode;"
            f"const [x, y, radius] = obstacles[{obstacle}]; const {{ columns }} = players[0];"
            "return Math.hypot(columns.x[0] - x, columns.y[0] - y) - radius; })()"
        )
        assert gap > 0.29
    browser.run("chase.app.time = 0; chase.app.isPlaying = true")
    wait_for(browser, "chase.app.time > 1", 5)  # the page still draws


@pytest.mark.weekly
def test_a_finger_drags_a_vehicle_and_scrolls_elsewhere(browser, page):
    browser.open(page, "view=lab&seed=7", (390, 844), touch=True)
    click(browser, "#play")
    x, y = place_of(browser, 1)
    touch(browser, "touchStart", x, y)
    for step in range(1, 9):
        touch(browser, "touchMove", x, y - 8 * step)
    assert browser.run("Boolean(chase.play.lab.held)")
    touch(browser, "touchEnd")
    assert place_of(browser, 1) == pytest.approx([x, y - 64], abs=1.5)
    assert browser.run("scrollY") == 0


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["pretrained/pursuit/search", "pretrained/evade/selfplay"])
def test_networks_play_in_the_laboratory(browser, page, name):
    side = "pursuer" if "pursuit" in name else "evader"
    browser.open(page, f"view=lab&seed=7&{side}={name}")
    players = [name, "evade"] if side == "pursuer" else ["pursuit", name]
    assert browser.run(RESULT) == result_in_python(players, 7)
    move_slider(browser, "#slider-obstacles", 3)
    assert "cannot play here" in text(browser, "#notice")


@pytest.mark.weekly
@pytest.mark.parametrize("game", ["guard", "race"])
def test_races_for_a_target_end_as_in_python(browser, page, game):
    ends = set()
    for seed in (1, 2, 3, 4):
        browser.open(page, f"view=lab&game={game}&seed={seed}", (1000, 800))
        force = "/full_force" if game == "guard" else ""
        expected = result_in_python((f"block{force}", f"reach{force}"), seed, **GAMES[game][1])
        assert browser.run(RESULT) == expected
        ends.add(expected.split()[0])
    assert ends == {"caught", "reached"}


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("players", "some", "none"),
    [
        ("pursuer=seek&evader=flee", ["aim", "feelers"], ["corridor", "threat"]),
        ("pursuer=pretrained/pursuit/search&evader=wander", ["wander"], ["aim", "corridor"]),
        ("game=obstacles&pursuer=pursuit/among_obstacles", ["corridor"], ["threat"]),
        ("evader=evade/threatened", ["threat", "apollonius"], ["corridor"]),
    ],
)
def test_only_switches_that_do_something_are_shown(browser, page, players, some, none):
    browser.open(page, f"view=lab&seed=7&{players}", still=True)
    shown = browser.each("#switches [data-name]:not([hidden])", "one.dataset.name")
    assert {"velocity", "force", "trail", *some} <= set(shown)
    assert not set(none) & set(shown)


@pytest.mark.weekly
def test_an_embedded_board_has_nothing_else_and_begins_again(browser, page):
    browser.open(page, "seed=7&pursuer=pursuit&view=arena", (600, 640))
    shown = browser.run(
        "['header', 'aside', 'footer', '#arena', '#deck'].map((each) => "
        "document.querySelector(each).offsetParent !== null)"
    )
    assert shown == [False, False, False, True, True]
    assert browser.run("document.documentElement.scrollHeight <= innerHeight")
    browser.run("chase.app.time = chase.play.lab.episode.steps - 2")
    wait_for(browser, "chase.app.time > chase.play.lab.episode.steps")
    wait_for(browser, "chase.app.time < 60", 5)


@pytest.mark.weekly
def test_an_embedded_board_has_a_ghost_and_one_slider(browser, page):
    players = "pursuer=pretrained/pursuit/search&evader=evade&ghost=pursuit"
    browser.open(page, f"view=arena&seed=7&{players}&slider=evaderSpeed", (600, 620))
    assert browser.run("document.documentElement.scrollHeight <= innerHeight")
    for name, episode in (
        ("pretrained/pursuit/search", "episode"),
        ("pursuit", "ghosts[0].episode"),
    ):
        expected = result_in_python([name, "evade"], 7)
        assert browser.run(f"chase.play.lab.{episode}.result") == expected
    ends = "chase.play.lab.banner.lines"
    before = browser.run(ends)
    assert [line.split()[0] for line in before] == ["Learner", "pursuit"]
    move_slider(browser, "#stage #slider-evaderSpeed", 2)
    assert browser.run(ends) != before
    assert browser.run(
        "chase.play.lastStep === Math.max(...chase.play.others.map((one) => "
        "one.steps), chase.play.episode.steps)"
    )
    ghost = "ghost=pretrained/pursuit/search&slider=obstacles"
    browser.open(page, f"view=arena&seed=7&{ghost}", (600, 620))
    assert browser.run("chase.play.lab.ghosts.length") == 1
    move_slider(browser, "#slider-obstacles", 3)  # a game that it does not know
    assert browser.run("chase.play.lab.ghosts.length") == 0
