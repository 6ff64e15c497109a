"""The command ``python -m steer_env record``."""

import os
import sys

import pytest

from steer_env.__main__ import main

pytest.importorskip("imageio.v3")

SHORT = ["--horizon", "10", "--size", "100"]


def test_a_file_is_all_that_has_to_be_named(tmp_path, capsys):
    path = tmp_path / "chase.html"
    main(["record", "--html", str(path)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("seed 0: pursuit v evade: ")
    assert lines[1].startswith(f"wrote {path}: ")
    assert "data-theme" not in path.read_text("utf-8").split("<body")[0].split("<style")[0]


def test_everything_at_once(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"chase.{kind}" for kind in ("gif", "mp4", "png", "svg", "html")]
    files = [part for name in names for part in (f"--{name.split('.')[1]}", name)]
    players = ["--pursuer", "pursuit", "random", "--evader", "evade", "--seed", "4"]
    others = ["--theme", "dark", "--annotations", "all", "--fps", "10", "--episodes", "2"]
    game = ["--arena", "torus", "--obstacles", "2", "--seconds", "0.2"]
    main(["record", *files, *players, *others, *game, *SHORT])
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 4 + 5
    assert printed.out.startswith("seed 4: pursuit v evade: ")
    assert printed.err == ""
    assert sorted(os.listdir()) == sorted(names)
    assert "#10" in (tmp_path / "chase.svg").read_text()  # the dark background, 16 18 22
    assert 'data-theme="dark"' in (tmp_path / "chase.html").read_text("utf-8")


def test_runs_on_one_board_have_labels(tmp_path, capsys):
    path = tmp_path / "board.svg"
    runs = ["--pursuer", "pursuit", "seek", "--ghosts", "--labels", "fox", "dog"]
    main(["record", "--svg", str(path), *runs, *SHORT])
    assert capsys.readouterr().out.startswith("seed 0: pursuit v evade: ")
    drawn = path.read_text("utf-8")
    assert ">fox, not within 0.33 s<" in drawn
    assert ">dog, not within 0.33 s<" in drawn


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "at least one file"),
        (["--gif", "chase.mp4"], "'.gif'"),
        (["--png", "nowhere/chase.png"], "nowhere"),
        (["--gif", "a.gif", "--pursuer", "pursiut"], "Did you mean 'pursuit'"),
        (["--gif", "a.gif", "--theme", "drak"], "Did you mean 'dark'"),
        (["--gif", "a.gif", "--annotations", "trial"], "Did you mean 'trail'"),
        (["--gif", "a.gif", "--fps", "0"], "fps"),
        (["--gif", "a.gif", "--labels", "fox"], "give ghosts"),
        (["--round", "a.json", "--gif", "a.gif", "--ghosts"], "omit --ghosts"),
        (["--round", "a.json", "--gif", "a.gif", "--labels", "a"], "omit --labels"),
        (["--gif", "a.gif", "--pursuer", "model.zip"], "model.zip"),
    ],
)
def test_invalid_options_are_one_line_and_status_2(
    tmp_path, capsys, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["record", *arguments])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("steer-env: ")
    assert message in error
    assert not os.listdir()


def test_a_terminal_shows_how_far_it_is_and_is_left_clean(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    main(["record", "--gif", str(tmp_path / "chase.gif"), *SHORT])
    error = capsys.readouterr().err
    assert "playing seed 0" in error
    assert "gif: frame" in error
    assert "\x1b" not in error  # which not every terminal knows
    last = error.rstrip("\r").rpartition("\r")[2]
    assert error.endswith("\r")
    assert not last.strip()
    assert len(last) == len("gif: frame 21 of 21")
