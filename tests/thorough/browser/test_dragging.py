"""Faults that the page once had, each repeated as it was found."""

import json

import pytest
from driving import (
    STEER,
    choose,
    click,
    downloaded,
    move_slider,
    open_file,
    phase,
    play_round,
    text,
    wait_for,
)
from rendering.browser import NEEDS_BROWSER

from steer_env.browser.page import save_play_page
from steer_env.episodes.round_file import read_round

pytestmark = NEEDS_BROWSER

SAVE_ROUND = "#overlay .buttons:last-child button:first-child"


def mouse(browser, kind, x, y):
    keywords = {"button": "left", "buttons": 1, "clickCount": 1}
    browser._ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **keywords)
    browser.wait_for_frame()


def place_of(browser, vehicle):
    """Where a vehicle of the laboratory is in the window, in pixels."""
    return browser.run(
        "(() => { const { lab, time } = chase.app; const { view, players } = lab.episode;"
        f"const {{ columns }} = players[{vehicle}]; const moment = Math.floor(time);"
        "const box = document.querySelector('#arena').getBoundingClientRect();"
        "return [box.x + view.column(columns.x[moment]), box.y + view.row(columns.y[moment])];"
        "})()"
    )


def drag(browser, vehicle, *offsets):
    """Drags a vehicle of the laboratory by offsets in pixels, and holds it at the last one."""
    x, y = place_of(browser, vehicle)
    mouse(browser, "mousePressed", x, y)
    for right, down in offsets:
        mouse(browser, "mouseMoved", x + right, y + down)
    return x + offsets[-1][0], y + offsets[-1][1]


def is_alive(browser):
    """Whether the page still draws: time goes on when it plays."""
    browser.run("chase.app.time = 0; chase.app.isPlaying = true")
    wait_for(browser, "chase.app.time > 1", 5)
    return browser.errors == []


def test_an_embedded_chase_begins_again_at_its_end(browser, page):
    browser.open(page, "seed=7&pursuer=pursuit&view=arena", (500, 560))
    browser.run("chase.app.time = chase.app.lab.episode.steps - 2")
    wait_for(browser, "chase.app.time > chase.app.lab.episode.steps")
    wait_for(browser, "chase.app.time < 60", 5)
    assert is_alive(browser)


def test_a_click_on_a_vehicle_moves_nothing(browser, page):
    browser.open(page, "view=lab&seed=7", (1000, 800))
    browser.press(" ")
    move_slider(browser, "#scrub", 60)
    x, y = place_of(browser, 1)
    for kind in ("mousePressed", "mouseReleased"):
        mouse(browser, kind, x + 12, y)
    assert browser.run("[chase.app.time, chase.app.lab.former]") == [60, None]


def test_a_vehicle_beside_an_obstacle_can_be_grabbed(browser, page):
    browser.open(page, "view=lab&seed=0&game=obstacles", (1000, 800))
    browser.press(" ")
    # Dragged into every obstacle, it stays where it had room last.
    for obstacle in range(5):
        x, y = place_of(browser, 0)
        to_x, to_y = browser.run(
            "(() => { const { view, obstacles } = chase.app.lab.episode;"
            "const box = document.querySelector('#arena').getBoundingClientRect();"
            f"const [right, up] = obstacles[{obstacle}];"
            "return [box.x + view.column(right), box.y + view.row(up)]; })()"
        )
        way = [(share * (to_x - x), share * (to_y - y)) for share in (0.3, 0.6, 1.0)]
        pointer = drag(browser, 0, *way)
        browser.press("r")  # keys wait
        mouse(browser, "mouseReleased", *pointer)
        gap = browser.run(
            f"(() => {{ const {{ obstacles, players }} = chase.app.lab.episode;"
            f"const [x, y, radius] = obstacles[{obstacle}]; const {{ columns }} = players[0];"
            "return Math.hypot(columns.x[0] - x, columns.y[0] - y) - radius; })()"
        )
        assert gap > 0.29
    assert is_alive(browser)


def test_a_dragged_vehicle_stays_under_the_pointer_in_the_open(browser, page):
    browser.open(page, "view=lab&seed=7&game=open", (1000, 800))
    browser.press(" ")
    pointer = drag(browser, 1, *((20 * step, -10 * step) for step in range(1, 6)))
    held = browser.run(
        "(() => { const { held, episode } = chase.app.lab; const { columns } = "
        "episode.players[1]; const box = document.querySelector('#arena')"
        ".getBoundingClientRect(); return [box.x + held.view.column(columns.x[0]), "
        "box.y + held.view.row(columns.y[0])]; })()"
    )
    assert held == pytest.approx(pointer, abs=1)
    mouse(browser, "mouseReleased", *pointer)
    assert is_alive(browser)


def test_the_map_knows_the_sliders_after_a_drag(browser, page):
    browser.open(page, "view=lab&seed=7&pursuer=seek&evader=rest", (1000, 800))
    browser.press(" ")
    mouse(browser, "mouseReleased", *drag(browser, 0, (-60, -60)))
    move_slider(browser, "#slider-pursuerSpeed", 8)
    move_slider(browser, "#slider-pursuerForce", 40)
    click(browser, "#map")
    wait_for(browser, "chase.app.lab.map && chase.app.lab.map.across === 64")
    of_map, of_episode = browser.run(
        "(() => { const { map, episode } = chase.app.lab; const { columns } = "
        "episode.players[1]; const place = (value) => Math.floor((value / 20 + 0.5) * 64);"
        "return [map.seconds[place(columns.y[0]) * 64 + place(columns.x[0])], "
        "episode.seconds]; })()"
    )
    assert of_map == pytest.approx(of_episode, abs=0.15)


def test_a_finger_drags_a_vehicle_and_scrolls_elsewhere(browser, page):
    browser.open(page, "view=lab&seed=7", (390, 844), touch=True)
    click(browser, "#play")
    x, y = place_of(browser, 1)

    def touch(kind, *points):
        points = [{"x": right, "y": down} for right, down in points]
        browser._ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    touch("touchStart", (x, y))
    for step in range(1, 9):
        touch("touchMove", (x, y - 8 * step))
        browser.wait_for_frame()
    assert browser.run("Boolean(chase.app.lab.held)")
    touch("touchEnd")
    browser.wait_for_frame()
    moved = place_of(browser, 1)
    assert moved == pytest.approx([x, y - 64], abs=1.5)
    assert browser.run("scrollY") == 0


def test_the_days_five_end_when_something_else_is_played(browser, page):
    for change in ("#levels [data-name=hard]", "#sides [data-name=evader]", "#new-seed"):
        browser.open(page, "level=easy")
        click(browser, "#daily")
        assert browser.run("chase.app.rounds.daily !== null")
        click(browser, change)
        assert browser.run("chase.app.rounds.daily") is None


def test_the_days_five_wait_while_one_looks_at_the_laboratory(browser, page):
    browser.open(page, "level=easy")
    click(browser, "#daily")
    click(browser, "#tab-lab")
    move_slider(browser, "#slider-radius", 1)
    click(browser, "#tab-play")
    assert browser.run("chase.app.rounds.daily !== null")


def test_escape_in_a_replay_returns_to_the_result(browser, page):
    play_round(browser, page)
    browser.press("v")
    browser.press("Escape")
    assert phase(browser) == "end"
    assert "pursuit" in text(browser, "#overlay h2")
    browser.press("v")
    browser.press("End")
    assert "pursuit" in text(browser, "#overlay h2")


def test_a_result_is_still_there_after_a_look_at_the_laboratory(browser, page):
    play_round(browser, page)
    before = text(browser, "#overlay h2")
    click(browser, "#tab-lab")
    click(browser, "#tab-play")
    assert text(browser, "#overlay h2") == before


def test_the_clock_waits_for_the_help(browser, page):
    browser.open(page, "level=easy&seed=7")
    browser.press("Enter")
    wait_for(browser, "chase.app.rounds.phase === 'round'")
    browser.press("?")
    assert phase(browser) == "pause"


def test_keys_work_after_a_slider_and_a_choice(browser, page):
    browser.open(page, "view=lab&seed=7")
    browser.run("document.querySelector('#scrub').focus()")
    playing = browser.run("chase.app.isPlaying")
    browser.press(" ")
    assert browser.run("chase.app.isPlaying") != playing
    browser.open(page, "seed=7")
    browser.run("document.querySelector('#game').focus()")
    choose(browser, "#game", "torus")
    browser.press("Enter")
    assert phase(browser) == "count"


def test_sentences_fit_the_times_beside_them(browser, page):
    browser.open(page, "seed=7")
    wrong = browser.run(
        "(() => { const found = []; const { conclude } = chase; for (let mine = 30; mine < 90;"
        "mine++) for (let theirs = 30; theirs < 90; theirs++) { const round = (steps) => "
        "({ seconds: steps / 30, isCaught: true, isOver: true }); const rival = { title: 'x', "
        "episode: round(theirs) }; const text = conclude(true, 1, round(mine), [rival]);"
        "const [one, other] = [mine, theirs].map((steps) => "
        "(steps / 30).toFixed(1)); const shown = (/: ([\\d.]+) s/.exec(text) ?? [0, '0'])[1];"
        "if (Math.abs(Math.abs(other - one) - parseFloat(shown)) > 0.01) found.push(text); }"
        "return found; })()"
    )
    assert wrong == []


def test_a_round_against_a_network_that_the_page_lacks_is_shown(browser, page, downloads):
    play_round(browser, page, "level=easy&seed=2&opponent=pretrained/evade/selfplay")
    click(browser, SAVE_ROUND)
    path = downloaded(browser, downloads, "round-2.json")
    made = json.loads(path.read_text())
    assert made["evader"]["name"] == "pretrained/evade/selfplay"
    made["evader"]["name"] = "runs/mine"
    path.write_text(json.dumps(made))
    browser.open(page, "seed=1")
    open_file(browser, path)
    assert text(browser, "#notice") == ""
    assert phase(browser) == "end"
    assert "Again" not in text(browser, "#overlay")
    seconds = read_round(path).status.seconds
    assert text(browser, "#overlay h2") == f"Caught in {seconds:.1f} s."
    browser.press("r")
    assert phase(browser) == "end"
    browser.press("Enter")
    assert phase(browser) == "count"
    assert browser.errors == []


GAMES = [
    {"capture_radius": 0.7, "arena_size": 16.0},
    {"solid": "everyone", "capture_radius": 0.8, "obstacles": 3},
    {"evader": {"max_force": 3.0, "mass": 0.5}, "arena": "torus"},
    {"evaders": 2, "horizon": 300},
]


@pytest.mark.parametrize("game", GAMES)
def test_rounds_of_an_own_game_go_to_python_and_back(browser, tmp_path, downloads, game):
    save_play_page(tmp_path / "own.html", game=game, level="easy", seed=3)
    browser.open(tmp_path / "own.html")
    browser.press("Enter")
    browser.run(STEER)
    wait_for(browser, "chase.app.rounds.phase === 'end'", 60)
    result = browser.run("chase.app.rounds.episode.result")
    click(browser, SAVE_ROUND)
    path = downloaded(browser, downloads, "round-3.json")
    assert read_round(path).status.result == result
    browser.open(tmp_path / "own.html", "seed=1")
    open_file(browser, path)
    assert text(browser, "#notice") == ""
    assert browser.run("chase.app.rounds.episode.result") == result
    assert "Again" in text(browser, "#overlay")
    assert browser.errors == []


@pytest.mark.parametrize(
    "game",
    [
        {"obstacles": 1_000_000_000},
        {"obstacles": -3},
        {"obstacles": 2.5},
        {"capture_radius": "x"},
        {"arena_size": 1e300},
        {"pursuer": {"max_speed": -1}},
        {"__proto__": {"pursuers": 3}, "pursuers": 99},
        [],
    ],
)
def test_hostile_rounds_take_nothing_from_the_page(browser, page, tmp_path, game):
    made = {"format": "steer_env round 1", "seed": "1", "steps": 0, "end": "", "game": game}
    for side in ("pursuer", "evader"):
        made[side] = {"name": "__proto__"}
    made["actions"] = {"pursuer": "", "evader": ""}
    (tmp_path / "round.json").write_text(json.dumps(made))
    browser.open(page, "seed=1")
    before = browser.run("chase.app.machine.end")
    for _ in range(3):
        open_file(browser, tmp_path / "round.json")
        assert "cannot be opened" in text(browser, "#notice")
        assert "undefined" not in text(browser, "#notice")
    after = browser.run("chase.app.machine.end")
    assert after - before < 200_000
    browser.press("Enter")
    assert phase(browser) == "count"
    assert browser.errors == []


def test_memory_does_not_grow_with_use(browser, page):
    browser.open(page, "view=lab&seed=7")
    browser.press("m")
    sizes = []
    for _ in range(6):
        for value in (2, 5, 8):
            move_slider(browser, "#slider-evaderSpeed", value)
        wait_for(browser, "chase.app.lab.map && chase.app.lab.map.across === 64")
        browser.run("chase.app.lab.map = null")
        click(browser, "#tab-play")
        browser.press("n")
        click(browser, "#tab-lab")
        sizes.append(browser.run("chase.app.machine.end"))
    assert sizes[-1] == sizes[2]
