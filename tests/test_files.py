"""Files are replaced only by complete ones."""

import os
import sys
from pathlib import Path

import pytest

from steer_env.files import check_folder, replacing, write_text


def test_a_file_takes_the_place_of_the_old_one_when_it_is_complete(tmp_path):
    path = tmp_path / "chase.txt"
    path.write_text("old")
    with replacing(path) as beside:
        beside.write_text("new")
        assert path.read_text() == "old"
        assert beside.parent == path.parent
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["chase.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "chase.txt"
    path.write_text("old")

    def fail():
        with replacing(path) as beside:
            beside.write_text("half of it")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["chase.txt"]


def test_a_link_goes_on_to_point_where_it_did(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    with replacing(tmp_path / "link.txt") as beside:
        beside.write_text("new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


@pytest.mark.parametrize("name", ["c" * 254, "追" * 85])
def test_a_name_may_be_as_long_as_the_disk_allows(tmp_path, name):
    path = tmp_path / name
    with replacing(path) as beside:
        beside.write_text("new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("problem", ["folder", "replaced", "other"])
def test_errors_tell_of_the_file_that_was_asked_for(tmp_path, problem):
    path = tmp_path / ("nowhere/chase.txt" if problem == "folder" else "chase.txt")
    if problem == "replaced":
        path.mkdir()
    asked = tmp_path / "other" / "file.txt" if problem == "other" else path
    with pytest.raises(OSError, match=str(asked)) as caught:  # noqa: SIM117
        with replacing(path) as beside:
            (asked if problem == "other" else beside).write_text("new")
    assert ".part" not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="there, files have no such modes")
def test_the_mode_stays(tmp_path):
    path = tmp_path / "chase.txt"
    with replacing(path) as beside:
        beside.write_text("new")
    assert path.stat().st_mode & 0o777 == 0o666 & ~_mask()
    path.chmod(0o640)
    with replacing(path) as beside:
        beside.write_text("newer")
    assert path.stat().st_mode & 0o777 == 0o640


def _mask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_text_takes_the_place_of_the_old_one(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("old")
    write_text(path, "± 1\n")
    assert path.read_text(encoding="utf-8") == "± 1\n"
    assert os.listdir(tmp_path) == ["page.md"]


def test_a_folder_to_write_to_must_exist(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_folder(Path("page.md"))
    with pytest.raises(ValueError, match=r"no folder 'nowhere' to write page\.md to"):
        check_folder(Path("nowhere/page.md"))
