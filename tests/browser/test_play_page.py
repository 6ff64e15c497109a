"""A walk through the page to play on: rounds and the laboratory; if a browser is there."""

import json
import re
from dataclasses import replace

import numpy as np
import page_pictures
import pytest
from driving import (
    FIRST_X,
    STEER,
    choose,
    click,
    downloaded,
    drag,
    mouse,
    move_slider,
    phase,
    place_of,
    play,
    play_round,
    text,
    touch,
    wait_for,
)
from films import read_video
from rendering.browser import NEEDS_BROWSER

from steer_env import __version__
from steer_env.baselines import evaluate
from steer_env.browser.games import GAMES
from steer_env.episodes.live_game import LiveGame, record_episode
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.policies.players import controller_of
from steer_env.scripts.roster import named_script
from steer_env.sides import Side

pytestmark = NEEDS_BROWSER

RESULT = "chase.play.lab.episode.result"


def result_in_python(players, seed, **game):
    scripts = map(controller_of, players, Side)
    return record_episode(LiveGame(game_config(**game), *scripts), seed).status.result


def test_a_round_from_its_start_to_its_replay(browser, page):
    browser.open(page, "level=easy&seed=7", (1000, 800))
    browser.run("localStorage.clear()")
    assert text(browser, "#round h2") == "Catch the Stroller as fast as you can."
    browser.press("Enter")
    assert phase(browser) == "count"
    assert browser.run("chase.play.rounds.count") == 3
    wait_for(browser, "chase.play.rounds.phase === 'round'")
    before = browser.run(FIRST_X)
    browser._ask("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
    wait_for(browser, f"{FIRST_X} > {before}")
    browser._ask("Input.dispatchKeyEvent", type="keyUp", key="ArrowRight")
    for key, is_paused in ((" ", True), (" ", False), ("?", True)):  # the help pauses, too
        browser.press(key)
        assert phase(browser) == ("pause" if is_paused else "round")
    browser.press("?")
    browser.press(" ")
    browser.run(STEER)
    wait_for(browser, "chase.play.rounds.phase === 'end'")
    sentence = text(browser, "#round h2")
    told = re.fullmatch(r"C(aught it in \d+\.\d s)\.", sentence)
    outcome = f"c{told[1]}"
    times = r"caught it in \d\.\d s"
    rivals = f"; textbook method: {times}; best known player: {times}"
    assert re.fullmatch(f"you: {outcome}{rivals}", text(browser, "#announcement"))
    assert f"you {outcome}" in " ".join(text(browser, "#round table").split())
    for key in ("End", "Escape"):
        browser.press("v")
        assert browser.run("chase.play.isReplay")
        assert text(browser, "#deck #time").startswith("0.")
        browser.press(key)
        wait_for(browser, "!chase.play.isReplay")
        browser.wait_for_frame()
        assert text(browser, "#round h2") == sentence
    for tab in ("lab", "play"):  # a look at the laboratory
        click(browser, f"#tab-{tab}")
    assert text(browser, "#round h2") == sentence
    browser.open(page, "level=easy&seed=8")
    assert text(browser, "#best") == f"Best at this level: {outcome}."
    browser.press("n")
    assert browser.run("chase.play.rounds.episode.seed") != "8"


@pytest.mark.parametrize(
    ("side", "seconds", "captured", "evaders", "outcome"),
    [
        ("pursuer", 6.24, 1, 1, "caught it in 6.2 s"),
        ("pursuer", 20.0, 0, 1, "did not catch it within 20 s"),
        ("pursuer", 20.0, 2, 3, "caught 2 of 3 within 20 s"),
        ("pursuer", 6.2, 3, 3, "caught all 3 in 6.2 s"),
        ("evader", 6.2, 1, 1, "caught after 6.2 s"),
        ("evader", 20.0, 0, 1, "got away"),
    ],
)
def test_outcomes_are_said_of_the_player(
    browser, page, side, seconds, captured, evaders, outcome
):
    episode = {
        "seconds": seconds,
        "captured": captured,
        "isCaught": captured == evaders,
        "game": {"evaders": evaders, "horizon": 600, "dt": 1 / 30},
    }
    rounds = {
        "isPursuer": side == "pursuer",
        "game": episode["game"],
        "episode": episode,
        "ghosts": [{"title": "textbook", "episode": episode}],
    }
    browser.open(page, "seed=7")
    given = f"Object.assign(Object.create(chase.play.rounds), {json.dumps(rounds)})"
    assert browser.run(f"{given}.outcomes") == [["you", outcome], ["textbook", outcome]]
    if episode["isCaught"] or side == "evader":
        assert browser.run(f"{given}.outcomeOfBest({seconds})") == outcome


def test_damaged_best_times_are_forgotten(browser, page):
    for kept in ("nonsense", "[1]", "null"):
        browser.open(page, "level=easy&seed=7")
        browser.run(f"localStorage.setItem('steer_env best times', {json.dumps(kept)})")
        browser.open(page, "level=easy&seed=7")
        assert text(browser, "#best") == ""
        assert browser.errors == []
    browser.run("localStorage.clear()")


@pytest.mark.parametrize("encoder", [True, False])
def test_a_replay_is_saved_as_a_whole_video(browser, page, downloads, encoder):
    play_round(browser, page)
    browser.press("v")
    if not encoder:
        browser.run("delete globalThis.VideoEncoder")
    steps = browser.run("chase.play.lastStep")
    click(browser, "#film")
    film = downloaded(browser, downloads, "chase-7.webm")
    assert text(browser, "#notice") == "Video saved"
    wait_for(browser, "!chase.play.isReplay")
    assert phase(browser) == "end"
    pytest.importorskip("imageio_ffmpeg")
    pictures, _ = read_video(film)
    if encoder:
        assert len(pictures) == 1 + steps + 45  # 30 a second, and the last one for 1.5 s
    # The last picture has the outcome, across the upper or lower half; the first has not.
    reddish = pictures[[0, -1]].astype(int)
    is_text = (reddish[..., 0] - reddish[..., 2] > 120).sum(axis=(1, 2))
    assert is_text[1] > 4 * is_text[0]


def test_a_finger_and_a_gamepad_steer(browser, page):
    browser.open(page, "level=easy&seed=7", (390, 844), touch=True)
    click(browser, "#round .main")
    wait_for(browser, "chase.play.rounds.phase === 'round'")
    left, top, width = browser.run(
        "(() => { const box = document.querySelector('#arena')"
        ".getBoundingClientRect(); return [box.x, box.y, box.width]; })()"
    )
    push = "chase.play.controls.push({x: 195, y: 195}, 390)"
    touch(browser, "touchStart", left + 20, top + width - 20)
    right, up = browser.run(push)
    assert right < -0.5
    assert up < -0.5
    touch(browser, "touchEnd")
    assert browser.run(push) == [0, 0]
    browser.run("globalThis.pad = { index: 0, axes: [0.1, 0], buttons: [{ pressed: true }] }")
    browser.run("navigator.getGamepads = () => [null, pad]")
    assert browser.run(push) == [0, 0]  # it only drifts
    browser.run("pad.axes = [0, 1]")
    assert browser.run(push) == [0, -1]


def test_the_laboratory_plays_what_python_plays(browser, page):
    browser.open(page, "view=lab&seed=7", (1000, 800))
    before = browser.run(RESULT)
    assert before == result_in_python(["pursuit", "evade"], 7)
    for slider, value in (("pursuerSpeed", 8), ("pursuerForce", 40), ("radius", 1.5)):
        move_slider(browser, f"#slider-{slider}", value)
    choose(browser, "#law-pursuer", "constant")
    move_slider(browser, "#pursuer-lookahead_seconds", 0.4)
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
    moved, stayed, scale = browser.run(
        "(() => { const { episode, former } = chase.play.lab; return [episode.players[1]"
        ".columns.x[0], former.players[1].columns.x[former.from], episode.view.scale]; })()"
    )
    assert stayed - moved == pytest.approx(120 / scale, abs=0.05)
    assert browser.run("chase.play.lab.former.result") == before
    click(browser, "#reset")
    assert browser.run(RESULT) == before


def test_the_map_is_what_the_games_of_its_cells_say(browser, page):
    browser.open(page, "view=lab&seed=7&pursuer=pursuit&evader=flee")
    browser.press("m")
    wait_for(browser, "chase.play.lab.map && chase.play.lab.map.across === 64")
    browser.wait_for_frame()
    assert text(browser, "#map-legend").startswith("Caught after: dark ")
    seconds = browser.run("chase.play.lab.map.seconds.map((time) => Math.min(time, 99))")
    engine = Engine(game_config(), [named_script("pursuit")], [named_script("flee")], 3)
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
        assert seconds[cell] == pytest.approx(engine.state.steps[k] / 30 if is_caught else 99)


def test_many_games_are_measured_as_in_python(browser, page):
    browser.open(page, "view=lab", still=True)
    click(browser, "#measure")
    wait_for(browser, "chase.play.lab.measured.length")
    browser.wait_for_frame()
    found = evaluate("pursuit", "evade", None, 10_000)
    rate, mean = browser.run(
        "chase.play.lab.measured.map((one) => [one.captureRate, one.meanCaptureTime])[0]"
    )
    assert rate == pytest.approx(
        [*map(float, (found.capture_rate, found.capture_rate.low, found.capture_rate.high))]
    )
    assert mean[0] == pytest.approx(float(found.mean_capture_time), abs=1e-9)
    ends = found.mean_capture_time.low, found.mean_capture_time.high
    assert mean[1:] == pytest.approx(ends, abs=0.02)  # of resampled episodes
    move_slider(browser, "#slider-radius", 0.6)
    click(browser, "#measure")
    wait_for(browser, "chase.play.lab.measured.length === 2")
    browser.wait_for_frame()
    rows = [row.split("\t") for row in text(browser, "#measured").splitlines()]
    shown = {row[0]: row[1:] for row in rows}
    assert shown["pursuer"] == ["pursuit", "pursuit"]
    assert shown["capture radius"] == ["0.5 m", "0.6 m"]
    assert not any("speed" in label for label in shown)  # it is the same
    low, high = (f"{100 * end:.1f}" for end in rate[1:])
    assert shown["captured [%]"][0] == f"{100 * rate[0]:.1f} [{low}, {high}]"
    assert "counts as 20 s" in text(browser, "#measured")


def test_many_games_are_measured_whatever_else_is_done(browser, page):
    browser.open(page, "view=lab", still=True)
    click(browser, "#measure")
    assert "of 10000 games" in text(browser, "#progress")
    move_slider(browser, "#slider-radius", 1.5)
    browser.press("m")
    click(browser, "#reset")
    wait_for(browser, "chase.play.lab.measured.length && chase.play.lab.map")
    rate = browser.run("chase.play.lab.measured[0].captureRate[0]")
    assert rate == evaluate("pursuit", "evade", None, 10_000)["captured"].mean()


@pytest.mark.parametrize("name", ["pretrained/pursuit/search", "pretrained/evade/mixture"])
def test_networks_play_in_the_laboratory(browser, page, name):
    side = "pursuer" if "pursuit" in name else "evader"
    browser.open(page, f"view=lab&seed=7&{side}={name}")
    players = [name, "evade"] if side == "pursuer" else ["pursuit", name]
    assert browser.run(RESULT) == result_in_python(players, 7)
    move_slider(browser, "#slider-obstacles", 3)
    assert "cannot play here" in text(browser, "#notice")


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


def test_an_embedded_board_has_a_ghost_and_one_slider(browser, page):
    players = "pursuer=pretrained/pursuit/search&evader=evade&ghost=pursuit"
    browser.open(page, f"view=arena&seed=7&{players}&slider=evaderSpeed", (600, 620))
    assert browser.run("document.documentElement.scrollHeight <= innerHeight")
    for name, seconds in (
        ("pretrained/pursuit/search", "episode"),
        ("pursuit", "ghosts[0].episode"),
    ):
        expected = result_in_python([name, "evade"], 7)
        assert browser.run(f"chase.play.lab.{seconds}.result") == expected
    ends = "chase.play.lab.banner.lines"
    before = browser.run(ends)
    assert [line.split()[0] for line in before] == ["Learner", "pursuit"]
    move_slider(browser, "#stage #slider-evaderSpeed", 2)
    assert browser.run(ends) != before
    assert browser.run(
        "chase.play.lastStep === Math.max(...chase.play.others.map((one) => "
        "one.steps), chase.play.episode.steps)"
    )


@pytest.mark.parametrize("game", ["guard", "race"])
def test_races_for_a_target_end_as_in_python(browser, page, game):
    ends = set()
    for seed in (1, 2, 3, 4):
        browser.open(page, f"view=lab&game={game}&seed={seed}", (1000, 800))
        force = "/full_force" if game == "guard" else ""
        expected = result_in_python((f"block{force}", f"reach{force}"), seed, **GAMES[game][1])
        assert browser.run(RESULT) == expected
        assert browser.run("document.getElementById('barrier-legend').hidden") == (
            game == "guard"
        )
        ends.add(expected.split()[0])
    assert ends == {"caught", "reached"}


def test_a_person_who_gets_into_the_target_has_won(browser, page):
    browser.open(page, "game=race&as=evader&level=easy&seed=2", (1000, 800))
    browser.run("localStorage.clear()")
    assert text(browser, "#round h2") == "Get into the gray disc."
    browser.run("chase.play.rounds.begin()")
    # Without waiting for frames: straight for the middle, at full speed.
    place = "chase.play.rounds.episode.engine.pair('position', 1)"
    push = f"() => {{ const [x, y] = {place}; return [-x, -y]; }}"
    browser.run(f"chase.play.rounds.advance(30, {push})")
    assert browser.run("chase.play.rounds.outcomes[0][1]").startswith("got there in")
    assert browser.run("chase.play.rounds.isBest")


def test_the_published_pictures_of_the_page_name_no_version(browser, page):
    browser.open(page)
    assert __version__ in browser.run("document.body.innerText")
    assert page_pictures.take(browser, page, "light").startswith(b"\x89PNG")
    assert __version__ not in browser.run("document.body.innerText")
