"""The command ``steer-env record``."""

import os
import sys

import pytest

from steer_env.__main__ import main

pytest.importorskip("imageio.v3")

SHORT = ["--horizon", "10", "--size", "100"]


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
    assert printed.out.startswith("seed 4: evade got away from pursuit (0.3 s)\n")
    assert printed.err == ""
    assert sorted(os.listdir()) == sorted(names)
    assert "#10" in (tmp_path / "chase.svg").read_text()  # the dark background, 16 18 22
    assert 'data-theme="dark"' in (tmp_path / "chase.html").read_text("utf-8")
    again = tmp_path / "again.svg"  # the same command makes the same file
    main(["record", "--svg", str(again), *players, *others[:4], *others[6:], *game[:4], *SHORT])
    assert again.read_bytes() == (tmp_path / "chase.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "at least one file"),
        (["--gif", "a.gif", "--labels", "fox"], "ghosts"),
        (["--gif", "a.gif", "--pursuer", "model.zip"], "PPO:model.zip"),
        (["--gif", "a.gif", "--round", "nothing.json"], "nothing.json"),
    ],
)
def test_invalid_options_are_one_line_and_status_2(
    tmp_path, capsys, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(["record", *arguments])
    (error,) = capsys.readouterr().err.splitlines()
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
