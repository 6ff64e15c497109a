"""The commands `watch` and `play`, and their functions."""

from __future__ import annotations

import sys

import pytest

from steer_env.__main__ import main
from steer_env.rendering.window import NoDisplayError
from steer_env.watch import watch

pytest.importorskip("pygame")

QUICK = ["--horizon", "5", "--episodes", "1"]
OWN = """
def straight(me, other):
    offset = other.position - me.position
    return me.max_force * offset / abs(offset)
"""


@pytest.fixture
def unseen(monkeypatch):
    """Windows that nobody sees, and that do not show an end for long."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("steer_env.watch.screening.STILL_SECONDS", 0.05)


@pytest.mark.usefixtures("unseen")
def test_results_are_printed(capsys):
    main(["watch", "--pursuer", "seek", "random", "--evader", "flee", *QUICK])
    assert capsys.readouterr().out.splitlines() == [
        "seed 0: flee got away from seek (0.2 s)",
        "seed 0: flee got away from random (0.2 s)",
    ]


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ("--game guard", ("reach/full_force", "block/full_force")),
        ("--game guard --pursuer seek", ("reach/full_force", "seek")),
        ("--game guard --steer evader", ("you", "block/full_force")),
        ("--game guard --steer pursuer", ("reach/full_force", "you")),
    ],
)
def test_without_names_the_games_own_players_play(capsys, arguments, names):
    main(["watch", *arguments.split(), *QUICK])
    evader, pursuer = names
    assert f"{evader} got away from {pursuer}" in capsys.readouterr().out


@pytest.mark.usefixtures("unseen")
def test_players_of_a_python_file_are_named_on_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    main(["watch", "--steer", "evader", "--pursuer", "own.py:straight", *QUICK])
    assert capsys.readouterr().out == "seed 0: you got away from own.straight (0.2 s)\n"


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--pursuer pursit", "'pursuit'"),
        ("--annotations aim,trial", "'trail'"),
        (f"--pursuer {'seek ' * 7}--evader {'flee ' * 6}", "42 panels"),
        ("--episodes 0", "episodes"),
        ("--size small", "--size"),
        ("--pursuer nothing.py:one", "nothing.py"),
        ("--pursuer own.py:strait", "'straight'"),
        ("--steer pursuers", "'pursuer'"),
        ("--steer pursuer --pursuer seek", "name no other pursuer"),
        ("--steer pursuer --evader flee idle", "evaders: 2"),
        ("--steer pursuer --pursuers 2", "pursuers"),
    ],
)
def test_invalid_options_are_rejected_in_one_line(
    arguments, message, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    with pytest.raises(SystemExit) as stop:
        main(["watch", *arguments.split()])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_invalid_arguments_are_rejected_in_python():
    for keywords, message in (
        ({"seed": 2**64 - 1, "episodes": 2}, "seed"),
        ({"seed": -1}, "seed"),
        ({"pursuers": ["seek"] * 7, "evaders": ["flee"] * 6}, "42 panels"),
        ({"steer": "pursuer", "episodes": 0}, "episodes"),
        ({"steer": "pursuer", "episodes": 2**20_000}, "episodes"),
        ({"steer": "pursuer", "evaders": "pursuit"}, "made for the pursuer"),
    ):
        with pytest.raises(ValueError, match=message):
            watch(**keywords)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_without_a_display_it_says_so(monkeypatch, capsys, tmp_path):
    for variable in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    for steer in (None, "pursuer"):
        with pytest.raises(NoDisplayError):
            watch(game={"horizon": 5}, steer=steer)
    with pytest.raises(SystemExit, match="2"):
        main(["watch"])
    assert "there is no display" in capsys.readouterr().err


def test_without_pygame_nothing_is_compiled(monkeypatch, capsys):
    def refuse(*_):
        raise AssertionError("the game is compiled here")

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(sys.modules, "pygame", None)
    monkeypatch.setattr("steer_env.game.engine.Engine.__init__", refuse)
    with pytest.raises(SystemExit, match="2"):
        main(["watch"])
    assert 'pip install "steer-env[render]"' in capsys.readouterr().err


@pytest.mark.parametrize("is_found", [True, False])
def test_the_page_opens_in_the_browser(is_found, monkeypatch, capsys, tmp_path):
    opened = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or is_found)
    main(["play", "--as", "evader", "--level", "hard"])
    (url,) = opened
    (path,) = tmp_path.glob("steer-env-*/play.html")
    assert url == path.as_uri()
    assert '<html lang="en">' in path.read_text(encoding="utf-8")
    assert str(path) in capsys.readouterr().out
