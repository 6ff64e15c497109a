"""Files are replaced only by complete ones."""

import errno
import json
import os
import sys
from pathlib import Path

import pytest

from steer_env.files import check_folder, replacing, write_bytes, write_json, write_text


def test_a_complete_file_replaces_the_old_one(tmp_path):
    path = tmp_path / "chase.txt"
    path.write_text("old")
    with replacing(path) as beside:
        beside.write_text("new")
        assert path.read_text() == "old"
        assert beside.parent == path.parent
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["chase.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_there_is_only_the_old_file(tmp_path, error):
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


def test_a_symbolic_link_is_kept(tmp_path):
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
def test_errors_name_the_given_file(tmp_path, problem):
    path = tmp_path / ("nowhere/chase.txt" if problem == "folder" else "chase.txt")
    if problem == "replaced":
        path.mkdir()
    asked = tmp_path / "other" / "file.txt" if problem == "other" else path
    with pytest.raises(OSError, match=str(asked)) as caught:  # noqa: SIM117
        with replacing(path) as beside:
            (asked if problem == "other" else beside).write_text("new")
    assert ".part" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there, folders have no such files")
def test_a_pipe_or_a_folder_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "folder", "link"):
        with pytest.raises(OSError, match=f"not a regular file.*{name}"):
            write_bytes(tmp_path / name, b"new")
    assert sorted(os.listdir(tmp_path)) == ["folder", "link", "pipe"]


def test_the_content_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    seen, fsync = [], os.fsync

    def noted(descriptor):
        seen.append((tmp_path / "file").exists())
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    write_bytes(tmp_path / "file", b"content")
    assert seen[0] is False
    assert os.name != "posix" or seen[1:] == [True]  # the folder, with the name in it


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_crash_leaves_the_file_unchanged(step, tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_bytes(path, b"old")

    def crash(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, step, crash)
        with pytest.raises(KeyboardInterrupt):
            write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    write_bytes(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["file"]


def test_a_full_disk_leaves_the_file_unchanged(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_bytes(path, b"old")

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_json_cannot_hold_numbers_that_are_not_finite(number, tmp_path):
    path = tmp_path / "file.json"
    write_json(path, {"number": 1.5})
    with pytest.raises(ValueError, match="JSON"):
        write_json(path, {"number": number})
    assert json.loads(path.read_text()) == {"number": 1.5}


@pytest.mark.skipif(sys.platform == "win32", reason="there, files have no such modes")
def test_the_mode_is_kept(tmp_path):
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
