"""Files are there whole or not at all, and a damaged checkpoint is noticed."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.durable import (
    KEPT,
    DamagedCheckpointError,
    checkpoints,
    newest_checkpoint,
    read_checkpoint,
    write_checkpoint,
    write_durably,
    write_json,
)

CONTENT = bytes(range(256)) * 3 + b"\n\n\x00"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def flip(path, bit):
    damaged = bytearray(path.read_bytes())
    damaged[bit // 8] ^= 1 << bit % 8
    path.write_bytes(damaged)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_crash_leaves_the_file_as_it_was(step, tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_durably(path, b"old")

    def crash(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(*((os, "fsync") if step == "fsync" else (Path, "replace")), crash)
        with pytest.raises(KeyboardInterrupt):
            write_durably(path, b"new")
    assert path.read_bytes() == b"old"
    write_durably(path, b"new")
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["file"]


def test_the_content_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    seen, fsync = [], os.fsync

    def noted(descriptor):
        seen.append((tmp_path / "file").exists())
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    write_durably(tmp_path / "file", b"content")
    assert seen[0] is False
    assert os.name != "posix" or seen[1:] == [True]  # the folder, with the name in it


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_json_has_no_word_for_what_is_not_finite(number, tmp_path):
    path = tmp_path / "file.json"
    write_json(path, {"number": 1.5})
    with pytest.raises(ValueError, match="JSON"):
        write_json(path, {"number": number})
    assert json.loads(path.read_text()) == {"number": 1.5}


def test_a_checkpoint_holds_what_was_written(tmp_path):
    for content in (CONTENT, b""):
        assert read_checkpoint(write_checkpoint(tmp_path / "folder", 5, content)) == content
    assert newest_checkpoint(tmp_path) is None
    assert newest_checkpoint(tmp_path / "nowhere") is None


def test_only_the_newest_are_kept_and_leftovers_go(tmp_path):
    (tmp_path / ".checkpoint_000000000001.bin.part").write_bytes(b"half of it")
    (tmp_path / "checkpoint_of_mine.bin").write_bytes(b"no name of ours")
    for steps in (999, 1000, 99_999, 100_000, 10_000_000_000):
        write_checkpoint(tmp_path, steps, str(steps).encode())
        assert newest_checkpoint(tmp_path) == str(steps).encode()
    kept = ["checkpoint_000000100000.bin", "checkpoint_010000000000.bin"]
    assert len(kept) == KEPT
    assert names(tmp_path) == [*kept, "checkpoint_of_mine.bin"]


@settings(deadline=None, max_examples=50)  # disks take their time
@given(st.data())
def test_every_flipped_bit_is_noticed(data):
    with tempfile.TemporaryDirectory() as folder:
        path = write_checkpoint(Path(folder), 1, CONTENT)
        flip(path, data.draw(st.integers(0, 8 * path.stat().st_size - 1)))
        with pytest.raises(DamagedCheckpointError, match="checkpoint_000000000001"):
            read_checkpoint(path)


@settings(deadline=None, max_examples=50)  # disks take their time
@given(st.data())
def test_every_truncation_is_noticed(data):
    with tempfile.TemporaryDirectory() as folder:
        path = write_checkpoint(Path(folder), 1, CONTENT)
        whole = path.read_bytes()
        path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
        with pytest.raises(DamagedCheckpointError):
            read_checkpoint(path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 something else", CONTENT])
def test_what_is_no_checkpoint_is_told(content, tmp_path):
    path = tmp_path / "checkpoint_000000000001.bin"
    path.write_bytes(content)
    with pytest.raises(DamagedCheckpointError, match="does not begin as a checkpoint"):
        read_checkpoint(path)


def test_the_one_before_a_damaged_one_is_used_and_the_damaged_one_goes(tmp_path):
    write_checkpoint(tmp_path, 100, b"sound")
    flip(write_checkpoint(tmp_path, 200, b"damaged"), 640)
    with pytest.warns(UserWarning, match="checkpoint_000000000200.bin is damaged"):
        assert newest_checkpoint(tmp_path) == b"sound"
    write_checkpoint(tmp_path, 150, b"on from there")
    assert newest_checkpoint(tmp_path) == b"on from there"
    assert [path.name[-7:] for path in checkpoints(tmp_path)] == ["150.bin", "100.bin"]


def test_if_all_are_damaged_nobody_goes_on(tmp_path):
    for steps in (100, 200):
        write_checkpoint(tmp_path, steps, CONTENT)
    for path in checkpoints(tmp_path):
        path.write_bytes(b"")
    with (
        pytest.warns(UserWarning, match="does not begin"),
        pytest.raises(DamagedCheckpointError, match="all 2 checkpoints"),
    ):
        newest_checkpoint(tmp_path)
