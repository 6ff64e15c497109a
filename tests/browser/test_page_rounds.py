"""The page plays what Python plays, to the bit, and Python replays its rounds."""

import numpy as np
import pytest
from driving import bytes_of, click, downloaded, finish_round, play, play_round
from rendering.browser import NEEDS_BROWSER

from steer_env.browser.games import GAMES
from steer_env.browser.page import save_play_page
from steer_env.episodes.round_file import read_round
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import named_script
from steer_env.scripts.script import Script

pytestmark = NEEDS_BROWSER

SAVE_ROUND = "#round .buttons button:last-child"
SAMPLE = (
    ("walls", "navigation/full_force", "escape"),
    ("torus", "pursuit/intercept", "evade/dithered"),
    ("obstacles", "pursuit/searching", "evade/among_obstacles"),
    ("pack", "voronoi", "evade"),
)
RESULT = "chase.play.rounds.episode.result"


@pytest.mark.parametrize(("game", "pursuer", "evader"), SAMPLE)
def test_the_browser_plays_to_the_bit(browser, page, game, pursuer, evader):
    browser.open(page, "view=lab&seed=1")
    browser.run(
        f"globalThis.engine = new chase.Engine(chase.play.machine, chase.library.games.{game},"
        f"[chase.playerNamed('{pursuer}'), chase.playerNamed('{evader}')], 60); "
        "engine.start(Array.from({length: 60}, (_, k) => BigInt(k))); engine.step(250);"
    )
    scripts = [[named_script(name)] for name in (pursuer, evader)]
    engine = Engine(game_config(**GAMES[game][1]), *scripts, 60, num_threads=1)
    engine.seed(range(60))
    engine.start()
    play(engine, 250)
    for name in ("position", "velocity", "wander_point", "draws", "steps", "captured"):
        found = bytes_of(browser, f"engine.column('{name}')")
        assert found == getattr(engine.state, name).tobytes(), name


def save_round(browser, folder, seed):
    """Saves the round that has ended; returns what Python makes of the file."""
    click(browser, SAVE_ROUND)
    return read_round(downloaded(browser, folder, f"round-{seed}.json"))


@pytest.mark.parametrize(
    ("link", "seed", "opponent"),
    [("", 7, "wander"), ("&level=expert", 2, "pretrained/evade/mixture")],
)
def test_a_round_of_the_page_replays_in_python(browser, page, downloads, link, seed, opponent):
    play_round(browser, page, f"seed={seed}{link}")
    recording = save_round(browser, downloads, seed)
    assert recording.names == ("you", opponent)
    body = recording.states[-1]["players"]["body"]
    for column in ("position", "velocity"):
        found = bytes_of(browser, f"chase.play.rounds.episode.engine.column('{column}')")
        assert found == np.ascontiguousarray(body[column]).tobytes()
    assert recording.status.result == browser.run(RESULT)


@pytest.mark.parametrize(
    ("game", "opponent"),
    [
        ({"solid": "everyone", "capture_radius": 0.8, "obstacles": 3}, None),
        ({"evader": {"max_force": 3.0, "mass": 0.5}, "arena": "torus"}, "flee"),
        ({}, Script(behavior="evade", wander=2.0, lookahead="constant", threat_range=5.0)),
        ({}, {"behavior": "flee", "walls": 0.0, "description": "runs into walls"}),
    ],
)
def test_rounds_of_own_games_and_scripts_replay_in_python(
    browser, tmp_path, downloads, game, opponent
):
    path = tmp_path / "own.html"
    save_play_page(path, game=game, level="easy", seed=3, opponent=opponent)
    browser.open(path)
    finish_round(browser)
    recording = save_round(browser, downloads, 3)
    assert recording.status.result == browser.run(RESULT)
    if isinstance(opponent, Script):
        assert recording.scripts[1] == opponent
