"""The file of the page to play on, for which no browser is needed."""

import base64
import json
import re
import zlib
from inspect import signature

import pytest

from steer_env.__main__ import main
from steer_env.browser.games import describe_game
from steer_env.browser.levels import LEVEL_NAMES
from steer_env.browser.page import save_play_page
from steer_env.commands import play
from steer_env.errors import UsageError
from steer_env.game.config import make_game
from steer_env.scripts.script import Script
from steer_env.sides import Side


def test_the_file_is_small_and_loads_nothing(page):
    content = page.read_text("utf-8")
    assert len(content.encode()) < 500_000
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', content)[1]
    assert "default-src &#x27;none&#x27;" in policy
    assert "unsafe-inline" not in policy
    assert "unsafe-eval" not in policy.replace("wasm-unsafe-eval", "")
    assert not re.findall(r"""(?:src|href)=["'](?!data:|#)""", content.split("<script")[0])


def chase_after(me, other):
    return other.position - me.position


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ({"payoff": "time"}, "because of its payoff"),
        ({"pursuer": {"model": "car"}}, "of its pursuer"),
        ({"evaders": 64}, "48 vehicles or more"),
        ({"obstacles": [(0.0, 0.0, 1.0)]}, "listed obstacles"),
        ({"action": {"noise": 0.1}}, "of its action"),
        ({"dt": 0.1}, "of its dt"),
        ({"pursuer": [{"max_speed": 5.0}, {}], "pursuers": 2}, "of its pursuer:"),
        ({"horizon": 10**9}, "horizon above"),
    ],
)
def test_games_that_a_page_cannot_play_are_refused(game, words):
    with pytest.raises(UsageError, match=words):
        describe_game("own", "Your game", make_game(**game), bytearray())


def test_what_a_page_cannot_play_is_refused(tmp_path):
    path = tmp_path / "play.html"
    for given, words in (
        ({"opponent": "optimal/drag"}, "perfect players"),
        ({"opponent": chase_after}, "steer-env watch"),
        ({"opponent": Script(behavior=chase_after)}, "steer-env watch"),
        ({"opponent": "pursiut"}, "Did you mean"),
        ({"game": {"obstacles": 2}, "opponent": "pretrained/evade/ppo"}, "features"),
        ({"opponent": "pretrained/pack/evade/benchmark"}, "features"),
        ({"game": {"pursuers": 2}}, "a person steers one vehicle"),
        ({"game": 5}, "Game"),
        ({"level": "nromal"}, "normal"),
        ({"side": "pursuers"}, "pursuer"),
        ({"seed": -1}, "seed"),
    ):
        with pytest.raises(UsageError, match=words):
            save_play_page(path, **given)
        assert not path.exists()


def test_the_command_writes_the_page(tmp_path, capsys):
    path, own = tmp_path / "own.html", tmp_path / "own.py"
    own.write_text("from steer_env import Script\nMINE = Script(behavior='seek', walls=2.0)\n")
    options = ["--arena", "torus", "--capture-radius", "0.7", "--as", "evader", "--seed", "5"]
    main(["play", "--out", str(path), "--opponent", f"{own}:MINE", *options])
    assert f"wrote {path}" in capsys.readouterr().out
    assert path.stat().st_size > 400_000


@pytest.mark.parametrize("side", Side)
def test_networks_are_the_experts_of_the_game_that_they_know(side):
    for keywords in ({}, {"arena": "torus"}, {f"{side.other.name}s": 3}):
        *others, expert = describe_game("game", "Game", make_game(**keywords), bytearray())[
            "levels"
        ].get(side.name, [{}, {"opponent": "none: nobody steers a team"}])
        assert expert["opponent"].startswith("pretrained/") == (not keywords)
        assert not any(one["opponent"].startswith("pretrained/") for one in others)


def test_the_first_level_is_that_of_the_command_and_of_the_function():
    for function in (play, save_play_page):
        assert signature(function).parameters["level"].default == LEVEL_NAMES[0]


def test_the_page_opens_with_a_link_and_is_otherwise_the_same_to_the_byte(page, tmp_path):
    save_play_page(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == page.read_bytes()
    save_play_page(tmp_path / "linked.html", link="#as=evader&seed=5")
    content = (tmp_path / "linked.html").read_text("utf-8")
    packed = re.search(r'id="data" type="application/octet-stream">([^<]*)<', content)[1]
    data = json.loads(zlib.decompress(base64.b64decode(packed)))
    assert data["opening"] == "as=evader&seed=5"
    assert data["players"]["pursuit/braking"]["title"] == "Pursuit, braking"
