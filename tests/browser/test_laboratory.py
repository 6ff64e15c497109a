"""The page's laboratory, driven as a person does in a browser, if one is installed."""

from dataclasses import replace

import numpy as np
import pytest
from driving import choose, click, move_slider, play, text, wait_for
from rendering.browser import NEEDS_BROWSER

from steer_env.browser.games import POLICIES
from steer_env.episodes.duel import Duel
from steer_env.episodes.history import record_episode
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.players import controller_of
from steer_env.scripts.roster import named_script
from steer_env.sides import Side

pytestmark = NEEDS_BROWSER


def test_sliders_and_laws_bend_the_chase(browser, page):
    browser.open(page, "view=lab&seed=7")
    before = browser.run("chase.app.lab.episode.result")
    for slider, value in (("pursuerSpeed", 8), ("pursuerForce", 40), ("radius", 1.5)):
        move_slider(browser, f"#slider-{slider}", value)
    choose(browser, "#law-pursuer", "constant")
    move_slider(browser, "#pursuer-lookahead_seconds", 0.4)
    after = browser.run("chase.app.lab.episode.result")
    assert after != before
    config = game_config(capture_radius=1.5, pursuer={"max_speed": 8.0, "max_force": 40.0})
    script = replace(named_script("pursuit"), lookahead="constant", lookahead_seconds=0.4)
    duel = Duel(config, replace(script, facing_test=True), named_script("evade"))
    assert record_episode(duel, 7).status.result == after
    wait_for(browser, "location.hash.includes('lookahead_seconds')")
    link = browser.run("location.hash")
    browser.open(page, link[1:])
    assert browser.run("chase.app.lab.episode.result") == after
    assert browser.errors == []


def test_a_dragged_vehicle_branches_the_future(browser, page):
    browser.open(page, "view=lab&seed=7", (1000, 800))
    browser.press(" ")
    move_slider(browser, "#scrub", 30)
    x, y, left, top = browser.run(
        "(() => { const { episode } = chase.app.lab; const { columns } = episode.players[1];"
        "const box = document.querySelector('#arena').getBoundingClientRect();"
        "return [episode.view.column(columns.x[30]), episode.view.row(columns.y[30]), box.x,"
        "box.y]; })()"
    )
    before = browser.run("chase.app.lab.episode.result")
    mouse = {"button": "left", "buttons": 1, "clickCount": 1}
    for kind, dx in (
        ("mousePressed", 0),
        ("mouseMoved", -60),
        ("mouseMoved", -120),
        ("mouseReleased", -120),
    ):
        browser._ask("Input.dispatchMouseEvent", type=kind, x=left + x + dx, y=top + y, **mouse)
        browser.wait_for_frame()
    browser._ask(
        "Input.dispatchMouseEvent", type="mouseReleased", x=left + x - 120, y=top + y, **mouse
    )
    browser.wait_for_frame()
    assert browser.run("chase.app.lab.former.result") == before
    assert browser.run("chase.app.lab.former.from") == 30
    moved = browser.run("chase.app.lab.episode.players[1].columns.x[0]")
    stayed = browser.run("chase.app.lab.former.players[1].columns.x[30]")
    scale = browser.run("chase.app.lab.episode.view.scale")
    assert abs((stayed - moved) - 120 / scale) < 0.05
    click(browser, "#reset")
    assert browser.run("chase.app.lab.episode.result") == before
    assert browser.errors == []


def test_the_map_is_what_the_games_of_its_cells_say(browser, page):
    browser.open(page, "view=lab&seed=7&pursuer=pursuit&evader=flee")
    browser.press("m")
    wait_for(browser, "chase.app.lab.map && chase.app.lab.map.across === 64")
    assert "caught after" in text(browser, "#map-legend")
    seconds = browser.run("chase.app.lab.map.seconds.map((time) => Math.min(time, 99))")
    config = game_config()
    engine = Engine(config, [named_script("pursuit")], [named_script("flee")], 3)
    engine.seed([7, 7, 7])
    engine.start()
    state = engine.get_state()
    cells = [64 * 10 + 20, 64 * 40 + 33, 64 * 63]
    for k, cell in enumerate(cells):
        middles = [10.0 * ((2 * place + 1) / 64 - 1) for place in (cell % 64, cell // 64)]
        x, y = np.clip(middles, -9.7, 9.7)  # the vehicle fits between the walls
        state["players"]["body"]["position"][k, 1] = complex(x, y)
    engine.set_state(state)
    play(engine, 300)
    for k, cell in enumerate(cells):
        is_caught = engine.state.captured[k] == 1
        wanted = engine.state.steps[k] / 30 if is_caught else 99
        assert seconds[cell] == pytest.approx(wanted)
    assert browser.errors == []


def test_the_parts_of_forces_add_up(browser, page):
    browser.open(page, "view=lab&seed=3&evader=evade&pursuer=pursuit")
    click(browser, "#splits")
    shares = browser.run(
        "chase.app.lab.episode.players.map(({ thoughts }) => [...thoughts.keys()].filter("
        "(name) => name.startsWith('share')))"
    )
    assert shares[0] == ["share behavior"]
    assert set(shares[1]) == {"share behavior", "share wander", "share walls"}
    total, force = browser.run(
        "(() => { const { columns, thoughts } = chase.app.lab.episode.players[1];"
        "const sum = [...thoughts.keys()].filter((name) => name.startsWith('share') && "
        "columns[name][20]).map((name) => columns[`${name}.0`][20]).reduce((a, b) => a + b);"
        "return [sum, columns.forceX[21]]; })()"
    )
    assert total == pytest.approx(force, abs=1e-9)


def test_ten_thousand_games_give_the_rates_of_python(browser, page):
    browser.open(page, "view=lab&seed=0")
    choose(browser, "#other", "seek")
    click(browser, "#compare")
    wait_for(browser, "chase.app.lab.outcomes && chase.app.lab.outcomes[1].games === 10000", 60)
    for place, name in enumerate(("pursuit", "seek")):
        engine = Engine(game_config(), [named_script(name)], [named_script("evade")], 10_000)
        engine.seed(range(10_000))
        engine.start()
        play(engine, 600)
        captured = browser.run(f"chase.app.lab.outcomes[{place}].captured")
        assert captured == engine.state.captured.sum()
    assert browser.errors == []


def test_networks_play_in_the_laboratory(browser, page):
    for name in POLICIES:
        side = "pursuer" if "pursuit" in name else "evader"
        browser.open(page, f"view=lab&seed=7&{side}={name}")
        assert browser.run(f"chase.app.lab.episode.names.includes('{name}')")
        players = [name, "evade"] if side == "pursuer" else ["pursuit", name]
        duel = Duel(game_config(), *map(controller_of, players, Side))
        recording = record_episode(duel, 7)
        assert browser.run("chase.app.lab.episode.result") == recording.status.result
        move_slider(browser, "#slider-obstacles", 3)
        assert "cannot play here" in text(browser, "#notice")
        assert browser.errors == []
