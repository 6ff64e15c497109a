"""The command ``steer-env record``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from steer_env.__main__ import main

pytest.importorskip("imageio.v3")

KINDS = ("gif", "mp4", "png", "svg", "html")
SHORT = ["--horizon", "10", "--size", "100"]


def test_everything_at_once(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = "--pursuer pursuit random --evader evade --seed 4 --theme dark --annotations all"
    line = ["record", *line.split(), "--episodes", "2", "--arena", "torus", "--obstacles", "2"]
    files = [f"chase.{kind}" for kind in (*KINDS, "2.svg")]
    main([*line, "--out", *files, "--fps", "10", "--seconds", "0.2", *SHORT])
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 4 + 6
    assert printed.out.startswith("seed 4: evade got away from pursuit (0.3 s)\n")
    assert printed.err == ""
    assert sorted(os.listdir()) == sorted(files)
    assert "#10" in Path("chase.svg").read_text()  # the dark background, 16 18 22
    assert 'data-theme="dark"' in Path("chase.html").read_text("utf-8")
    main([*line, "--out", "again.svg", *SHORT])  # the same command makes the same file
    assert (
        len({Path(f"{name}.svg").read_bytes() for name in ("again", "chase", "chase.2")}) == 1
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out"], "at least one file"),
        (["--out", "a.gif", "b.gift"], "'.gif'"),
        (["--out", "a.gif", "--pursuer", "model.zip"], "PPO:model.zip"),
    ],
)
def test_invalid_options(tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(["record", *arguments])
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith("steer-env: ")
    assert message in error
    assert not os.listdir()


def test_a_terminal_shows_how_far_it_is_and_is_left_clean(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    main(["record", "--out", str(tmp_path / "chase.gif"), *SHORT])
    error = capsys.readouterr().err
    assert "playing seed 0" in error
    assert "gif: frame" in error
    assert "\x1b" not in error  # which not every terminal knows
    last = error.rstrip("\r").rpartition("\r")[2]
    assert error.endswith("\r")
    assert not last.strip()
    assert len(last) == len("gif: frame 21 of 21")
