"""The command, as people run it."""

from __future__ import annotations

import sys

import pytest
from screens import wait_until

from steer_env.__main__ import main
from steer_env.policies.random import RandomPolicy
from steer_env.rendering.window import NoDisplayError
from steer_env.scripts.script import Script
from steer_env.watch import watch

pytest.importorskip("pygame")

QUICK = ["--horizon", "5", "--episodes", "1"]


@pytest.fixture
def unseen(monkeypatch):
    """Windows that nobody sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.mark.usefixtures("unseen")
def test_results_are_printed(capsys):
    main(["watch", "--pursuer", "seek", "random", "--evader", "flee", "--games", "2", *QUICK])
    assert capsys.readouterr().out.splitlines() == [
        "seed 0: seek v flee: got away for 0.2 s",
        "seed 1: seek v flee: got away for 0.2 s",
        "seed 0: random v flee: got away for 0.2 s",
        "seed 1: random v flee: got away for 0.2 s",
    ]


@pytest.mark.usefixtures("unseen", "pretrained_folder")
def test_every_kind_of_player_can_be_watched(tmp_path):
    from policies.networks import make_network

    make_network(features=21).save(tmp_path / "mine.npz")
    own = Script(behavior="seek", wander=0.5)
    lines = watch(
        [own, RandomPolicy(seed=1), tmp_path / "mine.npz", "pretrained/pursuit/ppo"],
        "evade",
        game={"horizon": 5},
        episodes=1,
        drawing={"theme": "dark"},
    )
    names = [line.split(": ")[1] for line in lines]
    assert names == [
        "Script(seek, wander=0.5) v evade",
        "RandomPolicy v evade",
        f"{tmp_path.name}/mine v evade",
        "pretrained/pursuit/ppo v evade",
    ]


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--pursuer pursit", "Did you mean 'pursuit'"),
        ("--pursuer pursuit seek evad", "unknown pursuer 'evad'"),
        ("--evader evade/hrd", "Did you mean 'evade/herd'"),
        ("--evader pursuit", "made for the pursuer"),
        ("--arena wals", "Did you mean 'walls'"),
        ("--theme drk", "Did you mean 'dark'"),
        ("--annotations aim,trial", "Did you mean 'trail'"),
        ("--games 40", "40 panels; at most 36"),
        ("--games 0", "games must be at least 1"),
        ("--episodes 0", "episodes must be at least 1"),
        ("--seed -3", "seed must be from 0"),
        ("--size 9x99999", "at most 8192 pixels"),
        ("--size small", "must be pixels such as"),
        ("--pursuer nothing.npz", "nothing.npz"),
        ("--pursuer", "name at least one pursuer"),
        ("--gif game.gif", "Unrecognized options"),
    ],
)
def test_invalid_options_are_rejected_in_one_line(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["watch", *arguments.split()])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"drawing": "dark"}, TypeError, "drawing must be a DrawingConfig or a dict"),
        ({"seed": 2**64 - 3, "games": 2, "episodes": 2}, ValueError, f"0 to {2**64 - 4}"),
    ],
)
def test_invalid_arguments_are_rejected_in_python(keywords, error, message):
    with pytest.raises(error, match=message):
        watch(**keywords)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_without_a_display_it_says_so(monkeypatch, capsys):
    for variable in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(NoDisplayError):
        watch(game={"horizon": 5})
    with pytest.raises(SystemExit) as stop:
        main(["watch"])
    assert stop.value.code == 2
    assert "there is no display" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["watch", "play"])
def test_without_pygame_nothing_is_compiled(command, monkeypatch, capsys):
    def refuse(*_):
        raise AssertionError("the game is compiled here")

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(sys.modules, "pygame", None)
    monkeypatch.setattr("steer_env.game.engine.Engine.__init__", refuse)
    with pytest.raises(SystemExit, match="2"):
        main([command])
    assert 'pip install "steer-env[render]"' in capsys.readouterr().err


def test_a_person_can_look_and_leave(sit_down, tmp_path):
    """The real program on a screen, with real keys and clicks."""
    desk = sit_down("watch", "--seed", "5", "--horizon", "3000")
    picture = tmp_path / "watch-5-1.png"
    desk.do("mousemove", "--window", desk.window, "300", "300", "click", "1")
    desk.do("key", "h", "key", "h", "key", "s")
    wait_until(lambda: picture.exists() and picture.stat().st_size, "a screenshot")
    desk.do("key", "End")
    wait_until(lambda: "seed 5: pursuit v evade: " in desk.output, "the end of the game")
    assert desk.output.startswith(f"wrote {picture}\n")
    desk.do("key", "q")
    assert desk.end() == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
