"""Games on maps on the page to play on; if a browser is there."""

import pytest
from driving import (
    bytes_of,
    choose,
    drag,
    finish_round,
    mouse,
    replayed,
    text,
)
from recorded import live_game
from rendering.browser import NEEDS_BROWSER

from steer_env import Map
from steer_env.browser.games import describe_game
from steer_env.browser.levels import SCRIPTED_EXPERTS
from steer_env.browser.page import save_play_page
from steer_env.drawing import THEMES
from steer_env.episodes.live_game import record_episode
from steer_env.game.config import make_game
from steer_env.rendering.scene import map_on_page
from steer_env.sides import Side

pytestmark = NEEDS_BROWSER

MAPS = [
    *Map.rooms(2),
    Map([(-6, -4), (6, -4), (6, 4), (-6, 4)], solids=[[(1, -1), (5, -1), (3, 1)]]),
]
PAIRS = [("pursuit", "evade"), ("pursuit/paths", "evade/paths")]
EPISODE, LAB = "chase.play.rounds.episode", "chase.play.lab.episode"
NUMBER = "Number({}.engine.column('map')[0])"


@pytest.fixture(scope="module")
def on_maps(tmp_path_factory):
    """A page with a game on three maps."""
    path = tmp_path_factory.mktemp("maps") / "play.html"
    save_play_page(path, game={"map": MAPS})
    return path


@pytest.fixture(scope="module")
def on_one(tmp_path_factory):
    """A page with a game on the smallest of them."""
    path = tmp_path_factory.mktemp("map") / "play.html"
    save_play_page(path, game={"map": MAPS[2]})
    return path


def test_every_start_has_the_map_and_the_episode_of_python(browser, on_maps):
    numbers = set()
    for seed in range(6):
        names = PAIRS[seed % len(PAIRS)]
        players = "&".join(f"{side.name}={name}" for side, name in zip(Side, names))
        browser.open(on_maps, f"view=lab&game=own&seed={seed}&{players}")
        live = live_game(make_game(map=MAPS), *names)
        recording = record_episode(live, seed)
        number = int(recording.states[0]["map"][0])
        numbers.add(number)
        assert browser.run(NUMBER.format(LAB)) == number
        assert browser.run(f"{LAB}.map.rings[0].length") == len(MAPS[number].outline)
        found = bytes_of(browser, f"{LAB}.engine.column('position')")
        assert found == recording.positions[-1].tobytes()
        assert browser.run(f"{LAB}.result") == recording.status.result
    assert numbers == {0, 1, 2}


def test_a_round_on_a_map_is_replayed_in_python(browser, on_maps):
    browser.open(on_maps, "game=own&level=expert&seed=5", (1000, 800))
    finish_round(browser)
    opponent = browser.run("chase.play.rounds.opponent")
    game = SCRIPTED_EXPERTS[Side.PURSUER].game(Side.PURSUER, make_game(map=MAPS))
    recording = replayed(browser, game, None, opponent, 5)
    assert recording.status.result == browser.run(f"{EPISODE}.result")


COLOR = """(([x, y]) => {
  const { view } = EPISODE;
  const canvas = document.querySelector("#arena");
  const pixel = [view.column(x), view.row(y)].map((each) => (each * canvas.width) / view.side);
  return [...canvas.getContext("2d").getImageData(...pixel, 1, 1).data].slice(0, 3);
})""".replace("EPISODE", EPISODE)
"""The color at a place of the board, in meters."""


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_solid_has_the_color_around_the_board(browser, on_one, theme):
    browser.open(on_one, "game=own&seed=1", (900, 900), dark=theme == "dark")
    colors = THEMES[theme]
    for place, color in (
        ([3.07, -0.1], colors.background),
        ([0.07, 5.1], colors.background),
        ([3.07, 2.1], colors.ground),
        ([0.07, -1.9], colors.ground),
        ([3.07, -0.98], colors.wall),
        ([0.07, 4.03], colors.wall),
    ):
        assert browser.run(f"{COLOR}({place})") == pytest.approx(color, abs=3), place


def test_a_vehicle_cannot_be_put_into_a_wall(browser, on_one):
    browser.open(on_one, "view=lab&game=own&seed=7", (1000, 800))
    browser.press(" ")
    browser.press("Home")
    first = f"(({{ columns }}) => [columns.x[0], columns.y[0]])({LAB}.players[1])"
    start, scale = complex(*browser.run(first)), browser.run(f"{LAB}.view.scale")
    for target, is_free in ((3 - 0.3j, False), (-3 + 0j, True)):
        offset = (target - start) * scale
        pointer = drag(browser, 1, (offset.real, -offset.imag))
        mouse(browser, "mouseReleased", *pointer)
        now = complex(*browser.run(first))
        assert (abs(now - target) < 0.1) == is_free
    for slider in ("size", "obstacles"):
        assert browser.run(f"document.querySelector('#slider-{slider}').parentElement.hidden")
    choose(browser, "#game", "walls")
    assert not browser.run("document.querySelector('#slider-size').parentElement.hidden")


def test_a_game_with_sensors_of_its_own_is_played_without_networks(browser, tmp_path):
    path = tmp_path / "sensors.html"
    save_play_page(
        path, game={"map": MAPS[0], "observation": {"range": 5.0, "occlusion": True}}
    )
    browser.open(path, "game=own&seed=2&level=expert", (1000, 800))
    assert browser.run("chase.play.rounds.opponent") == "evade/paths/full_force"
    options = browser.run(
        "[...document.querySelectorAll('#opponent option')].map((o) => o.value)"
    )
    assert "flee" in options
    assert not any(name.startswith("pretrained/") for name in options)
    finish_round(browser)
    assert text(browser, "#round h2")


def test_a_page_has_the_maps_of_a_game_once():
    content = bytearray()
    described = describe_game("own", "Your game", make_game(map=MAPS), content)
    assert described["maps"] == [map_on_page(one) for one in MAPS]
    ends = [first + size for first, size in described["table"].values()]
    assert max(ends) <= len(content) < max(ends) + 8
    assert all(first % 8 == 0 for first, _ in described["table"].values())
