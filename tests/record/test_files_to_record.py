"""Files are checked before anything is played."""

import os
from pathlib import Path

import pytest

from steer_env.record.files import ENDINGS, check_files, size_text


def test_files_that_can_be_written_pass(tmp_path, monkeypatch):
    for kind, endings in ENDINGS.items():
        for ending in (*endings, endings[0].upper()):
            check_files({kind: tmp_path / f"chase{ending}"})
    monkeypatch.chdir(tmp_path)
    check_files({"gif": Path("chase.gif"), "png": Path("chase.png")})
    (tmp_path / "chase.gif").write_text("old")
    check_files({"gif": Path("chase.gif")})


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("gif", "chase.mp4", "'.gif'"),
        ("mp4", "chase", "'.mp4'"),
        ("html", "chase.htmk", "Did you mean '.htm"),
        ("png", "nowhere/chase.png", "no folder .*nowhere"),
        ("svg", "folder.svg", "not a regular file but a folder"),
    ],
)
def test_files_that_cannot_be_written_are_errors(tmp_path, kind, name, message):
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(ValueError, match=message):
        check_files({kind: tmp_path / name})


@pytest.mark.parametrize("name", ["chase.gif", "link.gif"])
def test_a_folder_without_write_access_is_an_error(tmp_path, monkeypatch, name):
    locked = tmp_path / "locked"
    locked.mkdir()
    link = tmp_path / "link.gif"
    link.symlink_to(locked / "real.gif")
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != locked)
    check_files({"gif": tmp_path / "chase.gif"})
    with pytest.raises(PermissionError, match=f"{name} cannot be written here.*locked"):
        check_files({"gif": {"chase.gif": locked / name, "link.gif": link}[name]})


def test_at_least_one_file_is_needed():
    with pytest.raises(ValueError, match=r"at least one file.*gif, mp4, png, svg, html"):
        check_files({})


@pytest.mark.parametrize(
    ("size", "text"),
    [(12, "12 bytes"), (512_300, "512 kB"), (999_600, "1.0 MB"), (2e6, "2.0 MB")],
)
def test_sizes_are_round_numbers(tmp_path, size, text):
    path = tmp_path / "file"
    path.write_bytes(bytes(int(size)))
    assert size_text(path) == text
