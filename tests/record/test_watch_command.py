"""The commands `watch` and `play` open pages."""

from __future__ import annotations

import sys

import pytest

from steer_env.__main__ import main

OWN = """
def straight(me, other):
    offset = other.position - me.position
    return me.max_force * offset / abs(offset)
"""


@pytest.mark.parametrize("is_found", [True, False])
def test_a_page_with_all_games_opens(is_found, monkeypatch, capsys, tmp_path):
    opened = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or is_found)
    monkeypatch.setitem(sys.modules, "pygame", None)
    players = ["--pursuer", "seek", "random", "--evader", "flee", "--theme", "dark"]
    main(["watch", *players, "--horizon", "5", "--episodes", "2"])
    (path,) = tmp_path.glob("steer-env-*/chases.html")
    assert opened == [path.as_uri()]
    page = path.read_text(encoding="utf-8")
    assert '<html lang="en" data-theme="dark"' in page
    assert "<title>4 chases</title>" in page
    *lines, last = capsys.readouterr().out.splitlines()
    assert lines == [
        "seed 0: flee got away from seek (0.2 s)",
        "seed 0: flee got away from random (0.2 s)",
        "seed 1: flee got away from seek (0.2 s)",
        "seed 1: flee got away from random (0.2 s)",
    ]
    assert str(path) in last


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--pursuer pursit", "'pursuit'"),
        ("--annotations aim,trial", "'trail'"),
        ("--episodes 0", "episodes"),
        ("--size small", "--size"),
        ("--pursuer nothing.py:one", "nothing.py"),
        ("--pursuer own.py:strait", "'straight'"),
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


@pytest.mark.parametrize("is_found", [True, False])
def test_the_page_opens_in_the_browser(is_found, monkeypatch, capsys, tmp_path):
    opened = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or is_found)
    main(["play", "--as", "evader", "--level", "hard", "--theme", "dark"])
    (url,) = opened
    (path,) = tmp_path.glob("steer-env-*/play.html")
    assert url == path.as_uri()
    assert '<html lang="en" data-theme="dark"' in path.read_text(encoding="utf-8")
    assert str(path) in capsys.readouterr().out
