"""Whatever is wrong with a file of a round, an error names the file and says what it is."""

from __future__ import annotations

import base64
import copy
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from episodes.rounds import played
from hypothesis import given, settings
from hypothesis import strategies as st

from steer_env.episodes import round_file
from steer_env.episodes.recording import Recording
from steer_env.episodes.round_file import read_round, write_round
from steer_env.errors import InvalidType, InvalidValue, UsageError
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
    "format": (["format"], "steer_env round 2", "format must be 'steer_env round 1'"),
    "no format": (["format"], ..., "format must be 'steer_env round 1', got None"),
    "unknown key": (["sed"], "1", "unknown key of the round 'sed'. Did you mean 'seed'"),
    "no seed": (["seed"], ..., "the round lacks 'seed'"),
    "seed a number": (["seed"], 5, "seed must be a string, got 5"),
    "seed negative": (["seed"], "-5", "seed must be decimal digits"),
    "seed with a sign": (["seed"], "+5", "seed must be decimal digits"),
    "seed with zeros": (["seed"], "007", "seed must be decimal digits"),
    "seed of other digits": (["seed"], "\u0663", "seed must be decimal digits"),
    "seed too large": (["seed"], str(2**64), "seed must be decimal digits, from '0' to '1844"),
    "seed endless": (["seed"], "9" * 10**5, "seed must be decimal digits"),
    "other seed": (["seed"], "6", "ends elsewhere than the file says"),
    "game a list": (["game"], [], "the game must be an object of keywords"),
    "unknown keyword": (["game", "arenas"], "torus", "Did you mean 'arena'"),
    "unknown arena": (["game", "arena"], "tours", "Did you mean 'torus'"),
    "other arena": (["game", "arena"], "walls", "ends elsewhere|is over after"),
    "teams too large": (["game", "evaders"], 1025, "evaders must be from 1 to 1024"),
    "team a text": (["game", "evaders"], "2", "evaders must be an integer"),
    "other team": (["game", "evaders"], 2, "end must be 96 bytes in base64"),
    "capture radius": (["game", "capture_radius"], "big", "capture_radius must be a number"),
    "vehicle": (["game", "evader"], {"speed": 4}, "unknown field of evader 'speed'"),
    "player a text": (["pursuer"], "you", "the pursuer must be an object with name"),
    "no name": (["pursuer", "name"], ..., "the pursuer lacks 'name'"),
    "name a list": (["pursuer", "name"], ["you"], "the pursuer's name must be a string"),
    "name of controls": (["pursuer", "name"], "\x1b[2J", "without control characters"),
    "name of lines": (["evader", "name"], "a\nb", "without control characters"),
    "name right to left": (["evader", "name"], "\u202eabc", "without control characters"),
    "name of surrogates": (["evader", "name"], "\ud800", "without control characters"),
    "name endless": (["evader", "name"], "x" * 10**6, "at most 1,000 characters"),
    "unknown key of a player": (["evader", "scirpt"], {}, "Did you mean 'script'"),
    "script a name": ([*SCRIPT], "evade", "the evader's script must be an object with base"),
    "no script": ([*SCRIPT], ..., "actions lacks 'evader'"),
    "script null": ([*SCRIPT], None, "the evader's script must be an object"),
    "a script too many": (["pursuer", "script"], {"base": "seek"}, "unknown key of actions"),
    "no base": ([*SCRIPT, "base"], ..., "the evader's script lacks 'base'"),
    "unknown base": ([*SCRIPT, "base"], "evad", "Did you mean 'evade'"),
    "base a list": ([*SCRIPT, "base"], ["evade"], "unknown base of the evader's script"),
    "other base": ([*SCRIPT, "base"], "flee", "ends elsewhere than the file says"),
    "unknown field": ([*SCRIPT, "wandr"], 1, "Did you mean 'wander'"),
    "field a text": ([*SCRIPT, "wander"], "1", "wander must be a number, got '1'"),
    "field too large": ([*SCRIPT, "wander"], 1e7, "wander must be finite and at least 0 and"),
    "infinite field": ([*SCRIPT, "wander"], "Infinity", "wander must be finite"),
    "infinite text": ([*SCRIPT, "behavior"], "Infinity", "unknown behavior 'Infinity'"),
    "unknown behavior": ([*SCRIPT, "behavior"], "os.system", "unknown behavior"),
    "description": ([*SCRIPT, "description"], "\ud800", "the description of the evader's"),
    "solved script": ([*SCRIPT], {"base": "optimal/drag"}, "round.json"),
    "actions a list": (["actions"], [], "actions must be an object with pursuer"),
    "no actions": (["actions", "pursuer"], ..., "actions lacks 'pursuer'"),
    "actions too many": (["actions", "evader"], "", "unknown key of actions 'evader'"),
    "actions a list of numbers": (["actions", "pursuer"], [1.0], "must be a string"),
    "actions not base64": (["actions", "pursuer"], "(#)!", "must be base64"),
    "actions not ASCII": (["actions", "pursuer"], "\u00fc", "must be base64"),
    "actions without padding": (["actions", "pursuer"], "QUJD=", "must be base64|must be 96"),
    "actions too short": (["actions", "pursuer"], "QUJDRA==", "must be 96 bytes in base64"),
    "actions not finite": (["actions", "pursuer"], NAN, "and those of step 3 are not"),
    "other actions": (
        ["actions", "pursuer"],
        numbers([[0.5, 0.0]] * STEPS, "<f4"),
        "ends elsewhere than the file says",
    ),
    "steps a text": (["steps"], "12", "steps must be an integer, got '12'"),
    "steps a fraction": (["steps"], 12.0, "steps must be an integer, got 12.0"),
    "steps negative": (["steps"], -1, "steps must be from 0 to 40, got -1"),
    "steps beyond the horizon": (["steps"], 41, "steps must be from 0 to 40, got 41"),
    "steps of another round": (["steps"], 11, "must be 88 bytes in base64"),
    "no end": (["end"], ..., "the round lacks 'end'"),
    "end a number": (["end"], 1, "end must be a string"),
    "end too short": (["end"], "", r"end must be 64 bytes .* shape \(2, 4\) in float64, got 0"),
    "other end": (["end"], numbers(np.zeros((2, 4)), "<f8"), "ends elsewhere than the file"),
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "damaged"),
        ("[", "damaged"),
        ("[" * 10**5, "damaged"),
        ('{"format": NaN}', "NaN is not a number in JSON"),
        ('{"format": Infinity}', "Infinity is not a number in JSON"),
        ("[]", "the round must be an object with format, game, seed"),
        ("null", "the round must be an object"),
        ("{}", "format must be"),
        ('"steer_env round 1"', "the round must be an object"),
    ],
)
def test_what_is_not_a_round_is_refused(content, message, tmp_path):
    with pytest.raises((InvalidType, InvalidValue), match=message) as raised:
        load(content, tmp_path)
    assert str(tmp_path / "round.json") in str(raised.value)


def test_a_large_file_is_not_even_read(tmp_path):
    path = tmp_path / "round.json"
    path.touch()
    os.truncate(path, LARGEST_JSON + 1)
    with pytest.raises(InvalidValue, match="at most 16,777,216 are read"):
        read_round(path)
    with pytest.raises(InvalidValue, match="not a file"):
        read_round(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_round(tmp_path / "nothing.json")
    with pytest.raises(InvalidType, match="path must be a path"):
        read_round(3)


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


def test_a_round_of_another_version_is_refused(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(round_file, "_end_of", lambda state: np.zeros((2, 4)))
    with pytest.raises(InvalidValue, match="another version of the game recorded it"):
        load(whole, tmp_path)


def paths_of(content, here=()):
    """The keys that lead to every entry."""
    for key, value in content.items():
        yield (*here, key)
        if isinstance(value, dict):
            yield from paths_of(value, (*here, key))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2000)
    | st.floats(allow_nan=False)
    | st.text(max_size=6)
    | st.sampled_from(["torus", "evade", "Infinity", "pursuer", "QUJDRA==", "9" * 30]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["pursuer", "kind", "base", "position"]), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_no_value_anywhere_is_more_than_an_error(whole, data):
    keys = data.draw(st.sampled_from(sorted(paths_of(whole))))
    extra = [
        ("game", name) for name in ("start", "randomize", "obstacles", "reward", "pursuers")
    ]
    extra += [
        ("game", name) for name in ("observation", "action", "pursuer", "dt", "game", "nu")
    ]
    extra += [("evader", "script", name) for name in ("chances", "priorities", "offset")]
    keys = data.draw(st.sampled_from([keys, *extra]))
    with TemporaryDirectory() as folder, suppress(UsageError):
        found = load(with_value(whole, keys, data.draw(VALUES)), Path(folder))
        assert isinstance(found, Recording)
