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
from hypothesis import given, strategies as st

from steer_env.episodes import round_file
from steer_env.episodes.round_file import read_round, write_round
from steer_env.errors import InvalidType, InvalidValue, UsageError
from steer_env.files import LARGEST_JSON
from steer_env.game.config import make_game
from steer_env.rendering.recording import Recording
from steer_env.scripts.roster import ROSTER

STEPS = 12


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The content of the file of a valid round."""
    path = tmp_path_factory.mktemp("sound") / "round.json"
    config = make_game(arena="torus", capture_radius=0.4, horizon=40)
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
ZEROS, NO_NUMBERS = (numbers(np.full((2, 4), value), "<f8") for value in (0.0, np.nan))
PUSHED = numbers([[0.5, 0.0]] * STEPS, "<f4")
NAMES = [["you"], "\x1b[2J", "a\nb", "\u202eabc", "\ud800", "x" * 10**6]
SEEDS = [5, "+5", "007", "\u0663", str(2**64), "9" * 10**5]
DAMAGES = {
    "format": (["steer_env round 2"], "format"),
    "sed": (["1"], "'seed'"),
    "seed": ([..., *SEEDS], "seed"),
    "game": ([[]], "game"),
    "game arenas": (["torus"], "'arena'"),
    "game evaders": ([1025, "2"], "evaders"),
    "game evader": ([{"speed": 4}], "'speed'"),
    "pursuer": (["you"], "pursuer"),
    "pursuer name": ([..., *NAMES], "name"),
    "evader name": (NAMES, "name"),
    "evader scirpt": ([{}], "'script'"),
    "evader script": (["evade", None, {"base": "optimal/drag"}], "script|behavior"),
    "pursuer script": ([{"base": "seek"}], "actions"),
    "evader script base": ([..., "evad", ["evade"]], "base"),
    "evader script wandr": ([1], "'wander'"),
    "evader script wander": (["1", 1e7, "Infinity"], "wander"),
    "evader script behavior": (["os.system", "Infinity"], "behavior"),
    "evader script description": (["\ud800"], "description"),
    "actions": ([[]], "actions"),
    "actions evader": ([""], "'evader'"),
    "actions pursuer": ([..., [1.0], "(#)!", "\u00fc", "QUJDRA==", NAN], "actions"),
    "steps": (["12", 12.0, -1, 41], "steps"),
    "end": ([..., 1, ""], "end"),
}
"""Values by the keys that lead to them, `...` for none; and what the error is about."""

OTHERS = {
    "seed": "6",
    "game arena": "walls",
    "evader script base": "flee",
    "actions pursuer": PUSHED,
    "end": ZEROS,
}
"""Values of another round."""


@pytest.mark.parametrize(("keys", "values", "about"), [(k, *d) for k, d in DAMAGES.items()])
def test_every_damage_is_an_error_that_says_what(whole, keys, values, about, tmp_path):
    for value in values:
        with pytest.raises((InvalidType, InvalidValue)) as raised:
            load(with_value(whole, keys.split(), value), tmp_path)
        text = str(raised.value)
        assert text.startswith(f"{tmp_path / 'round.json'}: ")
        assert re.search(about, text), text
        assert text.isprintable()
        assert len(text) < 4000


@pytest.mark.parametrize(("keys", "value"), [*OTHERS.items(), ("end", NO_NUMBERS)])
def test_a_round_that_is_not_the_one_that_was_played_is_refused(whole, keys, value, tmp_path):
    with pytest.raises(InvalidValue, match="another version"):
        load(with_value(whole, keys.split(), value), tmp_path)
    for keys, value in (("steps", 11), ("game evaders", 2), ("evader script", ...)):
        with pytest.raises((InvalidType, InvalidValue), match=r"bytes in base64|'evader'"):
            load(with_value(whole, keys.split(), value), tmp_path)


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
    found = played(make_game(capture_radius=9.0), None, ROSTER["idle"], steps=600)
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


@pytest.mark.weekly
@given(data=st.data())
def test_no_value_anywhere_is_more_than_an_error(whole, data):
    keys = data.draw(st.sampled_from(sorted(paths_of(whole))))
    game = ("start", "randomize", "obstacles", "reward", "pursuers", "observation", "action")
    extra = [("game", name) for name in (*game, "pursuer", "dt", "game")]
    extra += [("evader", "script", name) for name in ("chances", "priorities", "offset")]
    keys = data.draw(st.sampled_from([keys, *extra]))
    with TemporaryDirectory() as folder, suppress(UsageError):
        found = load(with_value(whole, keys, data.draw(VALUES)), Path(folder))
        assert isinstance(found, Recording)
