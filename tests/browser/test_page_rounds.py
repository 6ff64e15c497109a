"""The page plays what Python plays, to the bit; links keep rounds, which Python replays."""

import shlex

import numpy as np
import pytest
from driving import (
    bytes_of,
    choose,
    click,
    finish_round,
    phase,
    play,
    play_round,
    replayed,
    text,
    wait_for,
)
from players.networks import make_network
from rendering.browser import NEEDS_BROWSER

from steer_env.__main__ import main
from steer_env.browser.games import GAMES
from steer_env.browser.levels import LEVELS
from steer_env.browser.page import save_play_page
from steer_env.game.config import make_game
from steer_env.game.engine import Engine
from steer_env.scripts.roster import named_script
from steer_env.scripts.script import Script
from steer_env.sides import Side
from tests.by_hand import browser_speed

pytestmark = NEEDS_BROWSER

SAMPLE = (
    ("walls", "navigation/full_force", "escape"),
    ("torus", "pursuit/intercept", "evade/dithered"),
    ("obstacles", "pursuit/searching", "evade/among_obstacles"),
    ("pack", "voronoi", "evade"),
)
RESULT = "chase.play.rounds.episode.result"


def test_the_browser_plays_to_the_bit(browser, page):
    browser.open(page, "view=lab&seed=1")
    for game, *names in SAMPLE:
        browser.run(
            "globalThis.engine = new chase.Engine(chase.play.machine, "
            f"chase.library.games.{game}, {names}.map((name) => chase.playerNamed(name)), 60);"
            "engine.start(Array.from({length: 60}, (_, k) => BigInt(k))); engine.step(250);"
        )
        scripts = [[named_script(name)] for name in names]
        engine = Engine(make_game(**GAMES[game][1]), *scripts, 60, num_threads=1)
        engine.seed(range(60))
        engine.start()
        play(engine, 250)
        for name in ("position", "velocity", "wander_point", "draws", "steps", "captured"):
            found = bytes_of(browser, f"engine.column('{name}')")
            assert found == getattr(engine.state, name).tobytes(), (game, name)


def test_a_round_of_the_page_replays_in_python(browser, page):
    play_round(browser, page, "seed=2&level=expert")
    opponent = "pretrained/evade/selfplay"
    assert browser.run("chase.play.rounds.opponent") == opponent
    game = LEVELS[Side.PURSUER][-1].game(Side.PURSUER, make_game())
    recording = replayed(browser, game, None, opponent, 2)
    body = recording.states[-1]["players"]["body"]
    for column in ("position", "velocity"):
        found = bytes_of(browser, f"chase.play.rounds.episode.engine.column('{column}')")
        assert found == np.ascontiguousarray(body[column]).tobytes()
    assert recording.status.result == browser.run(RESULT)


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("game", "opponent"),
    [
        ({"solid": "everyone", "capture_radius": 0.8, "obstacles": 3}, None),
        ({"evader": {"max_force": 3.0, "mass": 0.5}, "arena": "torus"}, "flee"),
        ({}, Script(behavior="evade", wander=2.0, lookahead="constant", threat_range=5.0)),
        ({}, {"behavior": "flee", "walls": 0.0, "description": "runs into walls"}),
    ],
)
def test_rounds_of_own_games_and_scripts_replay_in_python(browser, tmp_path, game, opponent):
    path = tmp_path / "own.html"
    save_play_page(path, game=game, level="easy", seed=3, opponent=opponent)
    browser.open(path)
    finish_round(browser)
    level = LEVELS[Side.PURSUER][0]
    config, script = level.game(Side.PURSUER, make_game(**game)), opponent or level.opponent
    recording = replayed(browser, config, None, script, 3)
    assert recording.status.result == browser.run(RESULT)


DAMAGED = (
    "seed=abc&level=impossible&as=nobody&game=moon&opponent=%3Cscript%3Ealert(1)%3C/script%3E",
    "view=lab&pursuer=%E2%80%AE%22%27%3E%3Cimg%20src=x%20onerror=alert(1)%3E&radius=1e99",
    "seed=99999999999999999999&obstacles=-1&pursuer.lookahead=__proto__&opponent=constructor",
)


def test_a_damaged_link_gives_the_default_and_says_so(browser, page):
    for link in DAMAGED:
        browser.open(page, link)
        assert text(browser, "#notice").startswith("The link is damaged")
        assert browser.run("document.querySelectorAll('#notice *').length") == 0
        assert browser.run("[chase.play.link.game, chase.play.link.level]") == ["walls", "easy"]


COPIED = "navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }"


@pytest.mark.weekly
def test_a_copied_round_is_played_beside_whoever_opens_it(browser, page, tmp_path):
    play_round(browser, page, "level=normal&seed=7")
    ends = "chase.play.rounds.episode.engine.column('position').join()"
    seconds, end = browser.run("chase.play.rounds.episode.seconds"), browser.run(ends)
    browser.run(COPIED)
    click(browser, "#share")
    assert text(browser, "#notice") == "Command copied"
    command = shlex.split(browser.run("copied"))
    assert command[:3] == ["steer-env", "play", "--link"]
    main([*command[1:], "--out", str(tmp_path / "sent.html")])
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


@pytest.mark.weekly
def test_an_own_game_is_not_copied_as_a_command(browser, tmp_path):
    path = tmp_path / "own.html"
    save_play_page(path, game={"obstacles": 2}, seed=3)
    browser.open(path, size=(1000, 800))
    browser.run(COPIED)
    click(browser, "#share")
    assert text(browser, "#notice") == "Link copied"
    assert browser.run("copied").startswith("file:")
    assert "game=own" in browser.run("copied")


@pytest.mark.weekly
def test_a_challenge_fits_the_outcome_and_a_cut_one_is_reported(browser, page):
    link = "seed=7&as=evader&opponent=pursuit"
    browser.open(page, link, (1000, 800))
    finish_round(browser, "() => [0, 0]")
    pushes = browser.run("chase.play.rounds.pushes")
    browser.open(page, f"{link}&round={pushes}")
    hint = browser.run("chase.play.hint.lines[0]")
    assert hint.startswith("Caught after")
    assert hint.endswith("Can you do better?")
    browser.open(page, f"{link}&round={pushes[:4]}")
    assert text(browser, "#notice") == "The round in the link is damaged."


@pytest.mark.weekly
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


@pytest.mark.weekly
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


@pytest.mark.weekly
def test_the_speeds_of_both_loops_are_compared(browser, page, monkeypatch, capsys):
    monkeypatch.setattr(browser_speed, "GAMES", 64)
    monkeypatch.setattr(browser_speed, "STEPS", 20)
    browser_speed.report(browser, page, 1)
    start, _, *rows = capsys.readouterr().out.splitlines()
    assert "playable after" in start
    assert [row.split()[0] for row in rows] == ["walls", "torus", "obstacles", "pack"]
    assert all(float(row.split()[-1]) > 0 for row in rows)
