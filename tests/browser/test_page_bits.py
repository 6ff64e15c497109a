"""The page plays what Python plays, to the bit; rounds go from one to the other as files."""

import json

import numpy as np
import pytest
from driving import bytes_of, click, downloaded, open_file, phase, play, play_round, text
from rendering.browser import NEEDS_BROWSER

from steer_env.browser.games import GAMES
from steer_env.browser.levels import LEVELS, challenge
from steer_env.episodes.duel import Duel
from steer_env.episodes.history import History, record_episode
from steer_env.episodes.round_file import read_round, write_round
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.players import controller_of
from steer_env.scripts.roster import named_script
from steer_env.sides import EVADER, PURSUER, Side

pytestmark = NEEDS_BROWSER


SAMPLE = {
    "walls": (["pursuit", "navigation/full_force"], ["evade", "escape"]),
    "torus": (["seek", "pursuit/intercept"], ["evade/dithered"]),
    "open": (["pursuit"], ["flee"]),
    "obstacles": (["pursuit/searching"], ["evade/among_obstacles", "hide"]),
    "pack": (["voronoi", "encircle", "pursuit/pack"], ["evade"]),
}


@pytest.mark.parametrize("game", SAMPLE)
def test_the_browser_plays_to_the_bit(browser, page, game):
    browser.open(page, "view=lab&seed=1")
    for pursuer in SAMPLE[game][0]:
        for evader in SAMPLE[game][1]:
            browser.run(
                f"globalThis.engine = new chase.Engine(chase.app.machine, chase.library"
                f".games.{game}, [chase.playerNamed('{pursuer}'), chase.playerNamed("
                f"'{evader}')], 60); engine.start(Array.from({{length: 60}}, (_, k) => "
                "BigInt(k))); engine.step(250);"
            )
            config = game_config(**GAMES[game][1])
            scripts = [[named_script(name)] for name in (pursuer, evader)]
            engine = Engine(config, *scripts, 60, num_threads=1)
            engine.seed(range(60))
            engine.start()
            play(engine, 250)
            for name in ("position", "velocity", "wander_point", "draws", "steps", "captured"):
                found = bytes_of(browser, f"engine.column('{name}')")
                assert found == getattr(engine.state, name).tobytes(), (pursuer, evader, name)


def test_every_level_is_that_of_the_program(browser, page):
    browser.open(page, "seed=1")
    for side in Side:
        for level in LEVELS[side]:
            wanted = challenge(side, level, game_config())
            browser.open(page, f"as={side.name}&level={level.name}&seed=3")
            assert browser.run("chase.app.rounds.opponent") == wanted.opponent_name
            game = json.loads(browser.run("JSON.stringify(chase.app.rounds.game)"))
            assert game["captureRadius"] == wanted.config.capture_radius
            for each in Side:
                vehicle = wanted.config.vehicles(each.name)[0]
                assert game["limits"][each.name][0] == vehicle.max_speed


def test_a_round_of_the_page_replays_in_python(browser, page, downloads):
    play_round(browser, page)
    click(browser, "#overlay .buttons:last-child button:first-child")
    path = downloaded(browser, downloads, "round-7.json")
    recording = read_round(path)
    assert recording.names == ("you", "wander")
    assert recording.seed == 7
    body = recording.states[-1]["players"]["body"]
    for column in ("position", "velocity"):
        found = bytes_of(browser, f"chase.app.rounds.episode.engine.column('{column}')")
        assert found == np.ascontiguousarray(body[column]).tobytes()
    assert recording.status.result == browser.run("chase.app.rounds.episode.result")
    assert browser.errors == []


def test_a_round_against_a_network_replays_in_python(browser, page, downloads):
    play_round(browser, page, "level=easy&seed=2&opponent=pretrained/evade/ppo&radius=1")
    click(browser, "#overlay .buttons:last-child button:first-child")
    recording = read_round(downloaded(browser, downloads, "round-2.json"))
    assert recording.names == ("you", "pretrained/evade/ppo")
    assert recording.status.result == browser.run("chase.app.rounds.episode.result")


@pytest.mark.parametrize("side", list(Side))
@pytest.mark.parametrize("game", [{}, {"arena": "torus"}, {"obstacles": 5}])
def test_a_round_of_python_replays_in_the_page(browser, page, tmp_path, side, game):
    config = game_config(**game)
    faced = challenge(side, LEVELS[side][1], config)
    players = side.ordered(None, faced.opponent)
    played = History(Duel(faced.config, *players, side.ordered("you", "computer")))
    played.start(11)
    random = np.random.default_rng(0)
    while not played.duel.status.is_over:
        played.step(*side.ordered(random.uniform(-1, 1, 2), None))
    write_round(played.recording(), tmp_path / "round.json")
    browser.open(page, "seed=1")
    open_file(browser, tmp_path / "round.json")
    assert text(browser, "#notice") == ""
    assert phase(browser) == "end"
    body = played.duel.record["players"]["body"]
    found = bytes_of(browser, "chase.app.rounds.episode.engine.column('position')")
    assert found == np.ascontiguousarray(body["position"]).tobytes()
    assert browser.run("chase.app.rounds.episode.result") == played.duel.status.result
    assert browser.errors == []


def test_a_chase_of_scripts_opens_in_the_laboratory(browser, page, tmp_path):
    players = [controller_of(*each) for each in (("pursuit", PURSUER), ("evade", EVADER))]
    duel = Duel(game_config(capture_radius=0.7), *players, ("pursuit", "evade"))
    recording = record_episode(duel, 5)
    write_round(recording, tmp_path / "chase.json")
    browser.open(page, "seed=1")
    open_file(browser, tmp_path / "chase.json")
    assert browser.run("chase.app.link.view") == "lab"
    assert browser.run("chase.app.lab.episode.result") == recording.status.result


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda made: "nonsense", "JSON"),
        (lambda made: {"format": "another"}, "not a round"),
        (lambda made: {**made, "seed": "-1"}, "seed"),
        (lambda made: {**made, "end": made["end"][::-1]}, "does not end as it says"),
        (lambda made: {**made, "actions": {"pursuer": "AAAA"}}, "an action for each step"),
        (lambda made: {**made, "game": {"arena": "moon"}}, "does not have its game"),
        (
            lambda made: {**made, "evader": {"name": "x", "script": {"base": "</script>"}}},
            "is not one that this page has",
        ),
    ],
)
def test_damaged_files_are_refused_in_words(browser, page, tmp_path, damage, words):
    history = History(Duel(game_config(), None, named_script("evade"), ("you", "evade")))
    history.start(1)
    for _ in range(5):
        history.step([0.5, 0.5])
    write_round(history.recording(), tmp_path / "round.json")
    made = damage(json.loads((tmp_path / "round.json").read_text()))
    content = made if isinstance(made, str) else json.dumps(made)
    (tmp_path / "damaged.json").write_text(content)
    browser.open(page, "seed=1")
    open_file(browser, tmp_path / "damaged.json")
    assert words in text(browser, "#notice")
    assert phase(browser) == "ready"
    assert browser.errors == []
