"""Whatever is wrong with a file of a round, an error names the file and says what it is."""

from __future__ import annotations

import base64
import copy
import json
import os
import re

import numpy as np
import pytest
from episodes.rounds import played

from steer_env.episodes import round_file
from steer_env.episodes.round_file import read_round, write_round
from steer_env.errors import InvalidType, InvalidValue
from steer_env.files import LARGEST_JSON
from steer_env.game.config import game_config
from steer_env.scripts.roster import ROSTER

STEPS = 12


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What the file of a sound round holds."""
    path = tmp_path_factory.mktemp("sound") / "round.json"
    config = game_config(arena="torus", capture_radius=0.4, horizon=40)
    write_round(played(config, None, ROSTER["evade/threatened"], steps=STEPS), path)
    return json.loads(path.read_text())


def load(content, folder):
    path = folder / "round.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_round(path)


def with_value(content, keys, value):
    """A copy in which one entry is another; without it, if the value is `...`."""
    content = copy.deepcopy(content)
    place = content
    for key in keys[:-1]:
        place = place[key]
    if value is ...:
        del place[keys[-1]]
    else:
        place[keys[-1]] = value
    return content


def numbers(values, kind):
    return base64.b64encode(np.array(values, kind).tobytes()).decode()


NAN = numbers([[0.0, 0.0]] * 3 + [[np.nan, 0.0]] + [[0.0, 0.0]] * (STEPS - 4), "<f4")
SCRIPT = ("evader", "script")
DAMAGES = {
    "format": (["format"], "steer_env round 2", "format"),
    "unknown key": (["sed"], "1", "'seed'"),
    "no seed": (["seed"], ..., "'seed'"),
    "seed a number": (["seed"], 5, "seed"),
    "seed with a sign": (["seed"], "+5", "seed"),
    "seed with zeros": (["seed"], "007", "seed"),
    "seed of other digits": (["seed"], "\u0663", "seed"),
    "seed too large": (["seed"], str(2**64), "seed"),
    "seed endless": (["seed"], "9" * 10**5, "seed"),
    "other seed": (["seed"], "6", "ends elsewhere"),
    "game a list": (["game"], [], "game"),
    "unknown keyword": (["game", "arenas"], "torus", "'arena'"),
    "other arena": (["game", "arena"], "walls", "ends elsewhere|is over after"),
    "teams too large": (["game", "evaders"], 1025, "evaders"),
    "other team": (["game", "evaders"], 2, "end must be 96 bytes"),
    "vehicle": (["game", "evader"], {"speed": 4}, "'speed'"),
    "player a text": (["pursuer"], "you", "pursuer"),
    "name a list": (["pursuer", "name"], ["you"], "name"),
    "name of controls": (["pursuer", "name"], "\x1b[2J", "name"),
    "name of lines": (["evader", "name"], "a\nb", "name"),
    "name right to left": (["evader", "name"], "\u202eabc", "name"),
    "name of surrogates": (["evader", "name"], "\ud800", "name"),
    "name endless": (["evader", "name"], "x" * 10**6, "1,000"),
    "unknown key of a player": (["evader", "scirpt"], {}, "'script'"),
    "script a name": ([*SCRIPT], "evade", "script"),
    "no script": ([*SCRIPT], ..., "actions lacks 'evader'"),
    "a script too many": (["pursuer", "script"], {"base": "seek"}, "actions"),
    "no base": ([*SCRIPT, "base"], ..., "'base'"),
    "unknown base": ([*SCRIPT, "base"], "evad", "'evade'"),
    "other base": ([*SCRIPT, "base"], "flee", "ends elsewhere"),
    "unknown field": ([*SCRIPT, "wandr"], 1, "'wander'"),
    "field a text": ([*SCRIPT, "wander"], "1", "wander"),
    "infinite field": ([*SCRIPT, "wander"], "Infinity", "wander"),
    "unknown behavior": ([*SCRIPT, "behavior"], "os.system", "behavior"),
    "description": ([*SCRIPT, "description"], "\ud800", "description"),
    "solved script": ([*SCRIPT], {"base": "optimal/drag"}, "round.json"),
    "actions a list": (["actions"], [], "actions"),
    "actions too many": (["actions", "evader"], "", "'evader'"),
    "actions not base64": (["actions", "pursuer"], "(#)!", "base64"),
    "actions not ASCII": (["actions", "pursuer"], "\u00fc", "base64"),
    "actions too short": (["actions", "pursuer"], "QUJDRA==", "96 bytes"),
    "actions not finite": (["actions", "pursuer"], NAN, "step 3"),
    "other actions": (
        ["actions", "pursuer"],
        numbers([[0.5, 0.0]] * STEPS, "<f4"),
        "ends elsewhere",
    ),
    "steps a fraction": (["steps"], 12.0, "steps"),
    "steps negative": (["steps"], -1, "steps"),
    "steps beyond the horizon": (["steps"], 41, "steps must be from 0 to 40"),
    "steps of another round": (["steps"], 11, "88 bytes"),
    "end too short": (["end"], "", "end must be 64 bytes"),
    "other end": (["end"], numbers(np.zeros((2, 4)), "<f8"), "ends elsewhere"),
    "end not a number": (["end"], numbers(np.full((2, 4), np.nan), "<f8"), "ends elsewhere"),
}


@pytest.mark.parametrize(("keys", "value", "message"), DAMAGES.values(), ids=DAMAGES)
def test_every_damage_is_an_error_that_says_what(whole, keys, value, message, tmp_path):
    with pytest.raises((InvalidType, InvalidValue)) as raised:
        load(with_value(whole, keys, value), tmp_path)
    text = str(raised.value)
    assert text.startswith(f"{tmp_path / 'round.json'}: ")
    assert re.search(message, text), text
    assert text.isprintable()
    assert len(text) < 4000


@pytest.mark.parametrize("content", ["", "[" * 10**5, '{"format": NaN}', "[]", "null", "{}"])
def test_what_is_not_a_round_is_refused(content, tmp_path):
    with pytest.raises((InvalidType, InvalidValue), match=r"round\.json"):
        load(content, tmp_path)


def test_a_large_file_is_not_even_read(tmp_path):
    path = tmp_path / "round.json"
    path.touch()
    os.truncate(path, LARGEST_JSON + 1)
    with pytest.raises(InvalidValue, match="16,777,216"):
        read_round(path)
    with pytest.raises(InvalidValue, match="not a file"):
        read_round(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_round(tmp_path / "nothing.json")


def test_a_round_that_is_over_has_no_more_steps(tmp_path):
    found = played(game_config(capture_radius=9.0), None, ROSTER["rest"], steps=600)
    assert found.status.is_captured
    steps = len(found.states) - 1
    write_round(found, tmp_path / "round.json")
    content = json.loads((tmp_path / "round.json").read_text())
    content["steps"] = steps + 1
    more = np.append(found.actions[0], np.zeros((1, 1, 2), np.float32), axis=0)
    content["actions"]["pursuer"] = numbers(more, "<f4")
    with pytest.raises(InvalidValue, match=f"over after {steps} steps, and the file has"):
        load(content, tmp_path)


def test_steps_and_memory_are_bounded(whole, tmp_path, monkeypatch):
    crowd = {
        **with_value(whole, ["game"], {"evaders": 1024, "horizon": 10**9}),
        "pursuer": {"name": "seek", "script": {"base": "seek"}},
        "actions": {},
        "end": numbers(np.zeros((1025, 4)), "<f8"),
    }
    for steps, message in (
        (10**6 + 1, "steps must be from 0 to 1000000"),
        (10**6, "1,000,000 steps of this game take .* bytes of memory"),
    ):
        with pytest.raises(InvalidValue, match=message):
            load({**crowd, "steps": steps}, tmp_path)
    monkeypatch.setattr(round_file, "MOST_MEMORY", 1000)
    with pytest.raises(InvalidValue, match="the limit is 1,000"):
        load(whole, tmp_path)
