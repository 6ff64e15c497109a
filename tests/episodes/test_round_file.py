"""A round in a file replays bit for bit, whoever played it, and wherever."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from episodes.rounds import assert_same_round, played
from hypothesis import given, strategies as st
from recorded import trajectory

from steer_env import Map
from steer_env.episodes import round_file
from steer_env.episodes.round_file import FORMAT, LONGEST_NAME, read_round, write_round
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import make_game
from steer_env.players import pretrained
from steer_env.scripts.behaviors import PRIORITIES
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script

TEAMS = {"pursuers": 3, "evaders": 2, "obstacles": 2, "capture_radius": 0.8}
STRANGE = Script(
    behavior="evade",
    threat_range=7.5,
    wander=0.1 + 0.2,
    walls=8.0,
    offset=1.5 - 0.25j,
    facing_test=True,
    combination="dithered",
    chances={"walls": 0.5, "behavior": 1 / 3},
    priorities=PRIORITIES[::-1],
    description="ünlike any other",
)


def again(recording, folder):
    """The recording that comes back from a file."""
    path = folder / "round.json"
    write_round(recording, path)
    return read_round(path)


def content_of(recording, folder):
    write_round(recording, folder / "round.json")
    return json.loads((folder / "round.json").read_text())


needs_pretrained = pytest.mark.skipif(
    not pretrained.names(), reason="needs the pretrained policies"
)


@pytest.mark.parametrize(
    ("pursuer", "evader", "game"),
    [
        ("pursuit", "evade", {}),
        ("navigation", "wander", {"arena": "torus"}),
        ("pursuit/among_obstacles", "hide", {"obstacles": 6}),
        ("voronoi", "escape/herd", TEAMS),
        ("random", "random", {"arena": "open", "horizon": 50}),
        ("random", "evade/chaotic", TEAMS),
        ("optimal/simple", "optimal/simple", {"game": "simple_plane"}),
        (STRANGE, "evade/threatened", {"solid": "everyone", "capture_radius": 0.7}),
        (
            "pursuit/searching",
            Script(behavior="evade", sees="observed"),
            {"obstacles": 3, "observation": {"range": 6.0, "occlusion": True}},
        ),
        pytest.param("pretrained/pursuit/ppo", "evade", {}, marks=needs_pretrained),
        pytest.param("pursuit", "pretrained/evade/mixture", {}, marks=needs_pretrained),
        pytest.param(
            "pretrained/team/pursuit/ppo", "escape", {"game": "team"}, marks=needs_pretrained
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_any_player_replays_to_the_same_bits(pursuer, evader, game, tmp_path, monkeypatch):
    found = trajectory(pursuer, evader, make_game(**{"horizon": 200, **game}), seed=5)
    # Networks are not asked again.
    monkeypatch.setattr(pretrained, "folder", lambda: tmp_path / "nowhere")
    assert_same_round(again(found, tmp_path), found)


GAMES = {
    "walls": {},
    "torus": {"arena": "torus"},
    "obstacles": {"obstacles": 8},
    "listed obstacles": {"obstacles": [(1.0, 2.0, 0.7), (-3.1, 0.1, 1.2)]},
    "open": {"arena": "open"},
    "teams": TEAMS,
    "cars": {"game": "two_cars"},
    "unlike": {"pursuers": 2, "pursuer": [{"max_speed": 5.0}, {"mass": 2.0}]},
    "random limits": {"randomize": {"evader": {"max_speed": (2.0, 4.0)}}},
    "starts": {"start": {"pursuer": {"position": [(1.0, 2.0), (3.0, 4.0)], "heading": 0.5}}},
    "weights": {"reward": {"closing": 0.0}, "action": {"delay": 2}},
}


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_people_replay_to_the_same_bits(game, tmp_path):
    scripts = {"pursuer": ROSTER["pursuit"], "evader": ROSTER["evade/threatened"]}
    for playing in (["pursuer"], ["evader"]):
        chosen = {side: scripts[side] for side in playing}
        found = played(make_game(**game), **chosen, steps=40)
        assert_same_round(again(found, tmp_path), found)


@given(data=st.data())
def test_any_actions_come_back(data):
    """Those of people are from -1 to 1, and a policy may return any finite number."""
    draw = data.draw
    counts = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    kind = draw(st.sampled_from(["walls", "torus", "open"]))
    config = make_game(pursuers=counts[0], evaders=counts[1], arena=kind, horizon=30)
    scripts = draw(
        st.sampled_from([(None, None), (None, ROSTER["evade"]), (ROSTER["pursuit"], None)])
    )
    steps = draw(st.integers(0, 8))
    floats = st.floats(-1, 1, width=32) | st.floats(
        width=32, allow_nan=False, allow_infinity=False
    )
    actions = [
        np.array(
            draw(st.lists(floats, min_size=steps * count * 2, max_size=steps * count * 2)),
            np.float32,
        ).reshape(steps, count, 2)
        for count in counts
    ]
    seed = draw(st.integers(0, 2**64 - 1))
    found = played(config, *scripts, seed=seed, steps=steps, actions=actions)
    for side, script in enumerate(scripts):
        if script is None:
            kept = found.actions[side]
            assert kept.tobytes() == actions[side][: len(kept)].tobytes()
    with TemporaryDirectory() as folder:
        assert_same_round(again(found, Path(folder)), found)


def test_the_file_is_small_and_says_what_the_episode_follows_from(tmp_path):
    found = played(make_game(arena="torus"), None, ROSTER["evade/threatened"], steps=300)
    content = content_of(found, tmp_path)
    assert (tmp_path / "round.json").stat().st_size < 5000
    assert {**content, "actions": None, "end": None} == {
        "format": FORMAT,
        "game": {"arena": "torus"},
        "seed": "5",
        "pursuer": {"name": "you"},
        "evader": {"name": "another", "script": {"base": "evade/threatened"}},
        "actions": None,
        "steps": 300,
        "end": None,
    }
    assert list(content["actions"]) == ["pursuer"]


def test_other_scripts_are_written_as_what_differs(tmp_path):
    base = ROSTER["evade/threatened"]
    script = Script(
        **{**base.changes, "behavior": "evade", "threat_range": math.inf, "offset": 1 + 2j}
    )
    content = content_of(played(make_game(), None, script, steps=2), tmp_path)
    assert content["evader"]["script"] == {
        "base": "evade/threatened",
        "threat_range": "Infinity",
        "offset": [1.0, 2.0],
    }
    assert read_round(tmp_path / "round.json").scripts[1] == script


def test_what_a_browser_leaves_out_or_writes_otherwise_is_read(tmp_path):
    config = make_game(evader={"max_speed": 4.0})
    content = content_of(played(config, None, ROSTER["evade"], steps=5), tmp_path)
    content["game"] = {"evader": {"max_speed": 4}, "horizon": 600}
    content["evader"]["script"]["wander"] = 0.3
    path = tmp_path / "other.json"
    path.write_text(json.dumps(content, separators=(",", ":")))
    found = read_round(path)
    assert found.config == config
    assert found.scripts[1] == ROSTER["evade"]


def own_force(me, other):
    return other.position - me.position


def test_functions_of_your_own_cannot_be_written(tmp_path):
    found = played(make_game(), None, Script(behavior=own_force), steps=2)
    with pytest.raises(InvalidType, match="own_force"):
        write_round(found, tmp_path / "round.json")
    rewarded = make_game(reward={"terms": [lambda transition: 1.0]})
    with pytest.raises(InvalidType, match="reward"):
        write_round(played(rewarded, None, ROSTER["evade"], steps=2), tmp_path / "round.json")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["a\nb", "\ud800", "x" * 10**6])
def test_names_that_cannot_be_read_are_not_written(name, tmp_path):
    found = played(make_game(), None, ROSTER["evade"], steps=2)
    object.__setattr__(found, "names", (name, "evade"))
    with pytest.raises(InvalidValue, match="name") as raised:
        write_round(found, tmp_path / "round.json")
    assert len(str(raised.value)) < 500
    object.__setattr__(found, "names", ("ü" * LONGEST_NAME, "</script>"))
    assert_same_round(again(found, tmp_path), found)


def test_a_file_that_would_be_too_large_is_not_written(tmp_path, monkeypatch):
    found = played(make_game(), None, ROSTER["evade"], steps=50)
    for limit, value, message in (
        ("LARGEST_JSON", 500, "500"),
        ("MOST_STEPS", 49, "steps"),
        ("MOST_MEMORY", 10**4, "10,000"),
    ):
        monkeypatch.setattr(round_file, limit, value)
        with pytest.raises(InvalidValue, match=message):
            write_round(found, tmp_path / "round.json")
        monkeypatch.undo()
    assert os.listdir(tmp_path) == []


def test_a_round_on_maps_keeps_the_ones_that_it_needs(tmp_path):
    maps = [*Map.pillars(3, number=4), Map([(-12, -3), (12, -3), (12, 3), (-12, 3)])]
    for game in ({"map": maps[0]}, {"map": maps}):
        recording = played(make_game(**game, horizon=40), ROSTER["pursuit"])
        found = again(recording, tmp_path)
        assert found.states.tobytes() == recording.states.tobytes()
        written = json.loads((tmp_path / "round.json").read_text())
        number = int(recording.states[0]["map"][0])
        if game["map"] is maps:
            assert [Map.from_dict(one) for one in written["game"]["map"]] == [
                maps[3],
                maps[number],
            ]
            assert written["maps"] == [int(place == number) for place in range(4)]
            assert found.config.map[number] == maps[number]
        else:
            assert "maps" not in written
            assert found.config == recording.config
    for wrong, words in (
        ([0, 2], "from 0 to 1"),
        (3, "list"),
        ([], "empty"),
        ([0.5], "integer"),
    ):
        damaged = {**written, "maps": wrong}
        (tmp_path / "round.json").write_text(json.dumps(damaged))
        with pytest.raises((InvalidType, InvalidValue), match=words):
            read_round(tmp_path / "round.json")
