"""Evaluations survive the disk, have the right metrics, and hostile files do nothing."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import numpy as np
import pytest
from test_evaluation import (
    about,
    found,  # noqa: F401
    refused,
)

from steer_env.baselines import EPISODE, Evaluation, evaluate

pytestmark = pytest.mark.weekly

# To the disk and back.


# Damaged and hostile files.


class Hostile:
    """Unpickling it creates a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_a_file_cut_anywhere_is_refused(found, tmp_path):
    found.save(tmp_path / "whole.npz")
    content = (tmp_path / "whole.npz").read_bytes()
    cut = tmp_path / "cut.npz"
    for length in (0, 1, 4, 30, len(content) // 2, len(content) - 30, len(content) - 1):
        cut.write_bytes(content[:length])
        refused(cut)


def test_a_file_with_one_wrong_byte_is_refused_or_the_same(found, tmp_path):
    found.save(tmp_path / "whole.npz")
    content = bytearray((tmp_path / "whole.npz").read_bytes())
    damaged = tmp_path / "damaged.npz"
    for place in np.random.default_rng(0).integers(0, len(content), 100):
        changed = bytearray(content)
        changed[place] ^= 0xFF
        damaged.write_bytes(changed)
        try:
            loaded = Evaluation.load(damaged)
        except ValueError:
            refused(damaged)
        else:  # in what a reader of zip archives ignores, such as dates
            assert loaded.episodes.tobytes() == found.episodes.tobytes()


def test_a_pickle_is_not_executed(tmp_path):
    trace = tmp_path / "was_here"
    hostile = np.array([Hostile(trace)], dtype=object)
    np.savez(tmp_path / "one.npz", episodes=hostile, about=about())
    refused(tmp_path / "one.npz", "got dtype '|O'")
    np.savez(tmp_path / "two.npz", episodes=np.zeros(5, EPISODE), about=hostile)
    refused(tmp_path / "two.npz", "got dtype '|O'")
    assert not trace.exists()
    np.load(tmp_path / "one.npz", allow_pickle=True)["episodes"][0].close()
    assert trace.exists()  # so the files were hostile


def bomb(path, zeros):
    """An archive of a few kB that claims an array of zeros, whose size its header says."""
    header = io.BytesIO()
    head = {"descr": EPISODE.descr, "fortran_order": False, "shape": (zeros // 73,)}
    np.lib.format.write_array_header_1_0(header, head)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("episodes.npy", "w", force_zip64=True) as member:
            member.write(header.getvalue())
            for _ in range(zeros // 73 * 73 // 73000):
                member.write(bytes(73000))
        with archive.open("about.npy", "w") as member:
            np.save(member, about())


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "bomb.npz"
    bomb(path, 73_000_000)
    tracemalloc.start()
    try:
        refused(path, "claims a size that it cannot have")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * path.stat().st_size + 2**20


def test_what_compresses_best_is_read(tmp_path):
    still = evaluate("idle", "idle", episodes=2000)
    still.save(tmp_path / "still.npz")
    loaded = Evaluation.load(tmp_path / "still.npz")
    np.testing.assert_array_equal(loaded.episodes, still.episodes)


# Metrics.
