"""Faults that the laboratory once had, each repeated as it was found."""

import pytest
from rendering.browser import NEEDS_BROWSER

from tests.browser.driving import click, drag, mouse, move_slider, place_of, touch, wait_for

pytestmark = [pytest.mark.weekly, NEEDS_BROWSER]


def is_alive(browser):
    """Whether the page still draws: time goes on when it plays."""
    browser.run("chase.app.time = 0; chase.app.isPlaying = true")
    wait_for(browser, "chase.app.time > 1", 5)
    return browser.errors == []


def test_a_vehicle_beside_an_obstacle_can_be_grabbed(browser, page):
    browser.open(page, "view=lab&seed=0&game=obstacles", (1000, 800))
    browser.press(" ")
    # Dragged into every obstacle, it stays where it had room last.
    for obstacle in range(5):
        x, y = place_of(browser, 0)
        to_x, to_y = browser.run(
            "(() => { const { view, obstacles } = chase.play.lab.episode;"
            "const box = document.querySelector('#arena').getBoundingClientRect();"
            f"const [right, up] = obstacles[{obstacle}];"
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
    assert is_alive(browser)


def test_a_dragged_vehicle_stays_under_the_pointer_in_the_open(browser, page):
    browser.open(page, "view=lab&seed=7&game=open", (1000, 800))
    browser.press(" ")
    pointer = drag(browser, 1, *((20 * step, -10 * step) for step in range(1, 6)))
    held = browser.run(
        "(() => { const { held, episode } = chase.play.lab; const { columns } = "
        "episode.players[1]; const box = document.querySelector('#arena')"
        ".getBoundingClientRect(); return [box.x + held.view.column(columns.x[0]), "
        "box.y + held.view.row(columns.y[0])]; })()"
    )
    assert held == pytest.approx(pointer, abs=1)
    mouse(browser, "mouseReleased", *pointer)
    assert is_alive(browser)


def test_the_map_knows_the_sliders_after_a_drag(browser, page):
    browser.open(page, "view=lab&seed=7&pursuer=seek&evader=idle", (1000, 800))
    browser.press(" ")
    mouse(browser, "mouseReleased", *drag(browser, 0, (-60, -60)))
    move_slider(browser, "#slider-pursuerSpeed", 8)
    move_slider(browser, "#slider-pursuerForce", 40)
    click(browser, "#map")
    wait_for(browser, "chase.play.lab.map && chase.play.lab.map.across === 64")
    of_map, of_episode = browser.run(
        "(() => { const { map, episode } = chase.play.lab; const { columns } = "
        "episode.players[1]; const place = (value) => Math.floor((value / 20 + 0.5) * 64);"
        "return [map.seconds[place(columns.y[0]) * 64 + place(columns.x[0])], "
        "episode.seconds]; })()"
    )
    assert of_map == pytest.approx(of_episode, abs=0.15)


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


def test_memory_does_not_grow_with_use(browser, page):
    browser.open(page, "view=lab&seed=7")
    browser.press("m")
    sizes = []
    for _ in range(6):
        for value in (2, 5, 8):
            move_slider(browser, "#slider-evaderSpeed", value)
        wait_for(browser, "chase.play.lab.map && chase.play.lab.map.across === 64")
        browser.run("chase.play.lab.map = null")
        click(browser, "#tab-play")
        browser.press("n")
        browser.press("Enter")
        browser.press("Escape")
        wait_for(browser, "chase.play.rounds.phase === 'ready'")
        click(browser, "#tab-lab")
        sizes.append(browser.run("chase.play.machine.end"))
    assert sizes[-1] == sizes[2]
