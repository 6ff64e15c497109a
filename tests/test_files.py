"""Files are replaced only by complete ones."""

import math
import os
import sys
import time
from pathlib import Path

import pytest
from disks import files_of_at_most

from steer_env.files import (
    LARGEST_JSON,
    check_target,
    read_bytes,
    read_json,
    replacing,
    write_bytes,
    write_json,
)


@pytest.fixture
def path(tmp_path):
    """An old file, which is alone in its folder."""
    path = tmp_path / "chase.txt"
    path.write_text("old")
    return path


def test_a_complete_file_replaces_the_old_one(path):
    with replacing(path) as beside:
        beside.write_text("new")
        assert path.read_text() == "old"
        assert beside.parent == path.parent
    assert path.read_text() == "new"
    assert os.listdir(path.parent) == ["chase.txt"]


@pytest.mark.parametrize("step", ["fsync", "replace", "close"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_or_a_crash_there_is_only_the_old_file(path, error, step, monkeypatch):
    def crash(*_):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(os, step, crash)
        with pytest.raises(error):
            write_bytes(path, b"new")
    assert path.read_text() == "old"
    assert os.listdir(path.parent) == ["chase.txt"]
    write_bytes(path, b"new")
    assert path.read_text() == "new"


def test_what_cannot_be_written_to_its_end_leaves_nothing(path):
    with files_of_at_most(1000), pytest.raises(OSError, match="large") as caught:
        write_bytes(path, bytes(2000))
    assert caught.value.filename == str(path)  # not the hidden one
    assert path.read_text() == "old"
    assert os.listdir(path.parent) == ["chase.txt"]


def test_a_symbolic_link_is_kept(path):
    link, lost = path.with_name("link"), path.with_name("lost")
    link.symlink_to(path.name)
    for content in (b"new", b"made again"):
        write_bytes(link, content)
        assert link.is_symlink()
        assert path.read_bytes() == content
        path.unlink()
    lost.symlink_to("nowhere/real")
    with pytest.raises(FileNotFoundError, match=r"no folder '.*nowhere'.*lost"):
        write_bytes(lost, b"new")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there, folders have no such files")
@pytest.mark.parametrize("name", ["pipe", "folder", "link", "/dev/full", "link to device"])
def test_what_is_not_a_file_is_not_replaced(name, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("pipe")
    (tmp_path / "link to device").symlink_to("/dev/full")
    path, kind = tmp_path / name, "but a device" if "dev" in name else "file"
    before, listed = os.lstat(path), sorted(os.listdir(tmp_path))
    with pytest.raises(OSError, match=f"not a regular .*{kind}.*{path.name}"):
        write_bytes(path, b"new")
    with pytest.raises(ValueError, match=f"{path.name}: not a regular file"):
        check_target(path)
    assert os.path.samestat(os.lstat(path), before)
    assert sorted(os.listdir(tmp_path)) == listed


def test_the_content_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    seen, fsync = [], os.fsync

    def noted(descriptor):
        seen.append((tmp_path / "file").exists())
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    write_bytes(tmp_path / "file", b"content")
    assert seen[0] is False
    assert os.name != "posix" or seen[1:] == [True]  # the folder, with the name in it


@pytest.mark.skipif(sys.platform == "win32", reason="there, files have no such modes")
def test_the_mode_is_kept(path):
    write_bytes(made := path.with_name("made"), b"new")
    assert made.stat().st_mode & 0o777 == 0o666 & ~_mask()
    path.chmod(0o640)
    with replacing(path) as beside:  # is as private
        assert beside.stat().st_mode & 0o777 == 0o640
    assert path.stat().st_mode & 0o777 == 0o640


def _mask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_folder_to_write_to_must_exist(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_target(Path("page.md"))
    message = r"no folder 'nowhere' to write page\.md to"
    with pytest.raises(ValueError, match=message):
        check_target(Path("nowhere/page.md"))
    with pytest.raises(FileNotFoundError, match=message):
        write_bytes(Path("nowhere/page.md"), b"new")


def test_only_abandoned_fragments_are_removed(tmp_path):
    path, two_hours_ago = tmp_path / "file", time.time() - 7200.0
    mine = tmp_path / ".mine.part"
    mine.write_text("no name of ours")
    os.utime(mine, (two_hours_ago, two_hours_ago))
    with replacing(path) as beside:
        beside.write_bytes(b"half of it")
        write_bytes(path, b"another writer's")
        assert beside.read_bytes() == b"half of it"
        left = beside.with_name(beside.name.replace(".part", "0.part"))
        left.write_bytes(b"of a killed process")
        os.utime(left, (two_hours_ago, two_hours_ago))
    assert path.read_bytes() == b"half of it"
    assert left.exists()
    write_bytes(tmp_path / "another", b"mine")
    assert sorted(os.listdir(tmp_path)) == [".mine.part", "another", "file"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there, folders have no such files")
def test_only_files_of_a_bounded_size_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")  # reading it would wait for a writer
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(ValueError, match="not a file"):
            read_bytes(path, 10)
    (tmp_path / "file").write_bytes(b"0123456789")
    assert read_bytes(tmp_path / "file", 10) == b"0123456789"
    with pytest.raises(ValueError, match="10 bytes, and at most 9"):
        read_bytes(tmp_path / "file", 9)


HOSTILE_JSON = {
    "half": b'{"a": 1',
    "deep": b"[" * 100_000,
    "long number": b"1" * 100_000,
    "no text": b"\xff\xfe\x00",
    "empty": b"",
    "not a number": b'{"a": NaN}',
    "no end": b"[1, -Infinity]",
}


@pytest.mark.parametrize("content", HOSTILE_JSON.values(), ids=HOSTILE_JSON)
def test_json_that_is_hostile_or_not_finite_is_neither_read_nor_written(content, tmp_path):
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=str(path)):
        read_json(path)
    with pytest.raises(ValueError, match="JSON"):
        write_json(path, {"number": math.nan})
    assert path.read_bytes() == content
    os.truncate(path, 2**40)
    with pytest.raises(ValueError, match=f"at most {LARGEST_JSON:,}"):
        read_json(path)
