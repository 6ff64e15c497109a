"""Files are refused before the work, and replaced only by complete ones."""

import os
from pathlib import Path

import pytest

from steer_env.record.files import ENDINGS, check_files, replacing, size_text


def test_a_file_takes_the_place_of_the_old_one_when_it_is_complete(tmp_path):
    path = tmp_path / "chase.gif"
    path.write_text("old")
    with replacing(path) as beside:
        beside.write_text("new")
        assert path.read_text() == "old"
        assert beside.parent == path.parent
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["chase.gif"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "chase.gif"
    path.write_text("old")

    def fail():
        with replacing(path) as beside:
            beside.write_text("half of it")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["chase.gif"]


def test_a_link_goes_on_to_point_where_it_did(tmp_path):
    (tmp_path / "real.gif").write_text("old")
    (tmp_path / "link.gif").symlink_to("real.gif")
    with replacing(tmp_path / "link.gif") as beside:
        beside.write_text("new")
    assert (tmp_path / "link.gif").is_symlink()
    assert (tmp_path / "real.gif").read_text() == "new"


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
        ("svg", "folder.svg", "stands for something else"),
    ],
)
def test_files_that_cannot_be_written_are_told(tmp_path, kind, name, message):
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(ValueError, match=message):
        check_files({kind: tmp_path / name})


def test_at_least_one_file_is_needed():
    with pytest.raises(ValueError, match=r"at least one file.*gif, mp4, png, svg, html"):
        check_files({})


@pytest.mark.parametrize(
    ("size", "text"),
    [(12, "12 bytes"), (512_300, "512 kB"), (999_600, "1.0 MB"), (2e6, "2.0 MB")],
)
def test_sizes_are_told_in_round_numbers(tmp_path, size, text):
    path = tmp_path / "file"
    path.write_bytes(bytes(int(size)))
    assert size_text(path) == text
