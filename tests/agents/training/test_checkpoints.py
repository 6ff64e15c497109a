"""Snapshots continue a training bit for bit, and damaged files of them are noticed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from short_trainings import (
    PARAMS,
    QUIET,
    assert_identical,
    assert_same_run,
    crash,
    last_snapshot,
    parameters,
    short_training,
    trained,
)

from steer_env.agents.training.checkpoints import (
    KEPT,
    checkpoints,
    newest_checkpoint,
    read_checkpoint,
    restore_snapshot,
    take_snapshot,
    write_checkpoint,
)
from steer_env.agents.training.hyperparameters import algorithm_class
from steer_env.agents.training.learning_model import make_training_env, new_model
from steer_env.agents.training.train import begin_run, train
from steer_env.errors import InvalidValue

CONTENT = bytes(range(256)) * 3 + b"\n\n\x00"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def flip(path, bit):
    damaged = bytearray(path.read_bytes())
    damaged[bit // 8] ^= 1 << bit % 8
    path.write_bytes(damaged)


def test_a_checkpoint_holds_what_was_written(tmp_path):
    for content in (CONTENT, b""):
        assert read_checkpoint(write_checkpoint(tmp_path / "folder", 5, content)) == content
    assert newest_checkpoint(tmp_path) is None
    assert newest_checkpoint(tmp_path / "nowhere") is None


def test_only_the_newest_are_kept_and_leftovers_go(tmp_path):
    left = tmp_path / f".steer_env-{'0' * 32}.part"
    left.write_bytes(b"half of it")
    os.utime(left, (0, 0))  # long ago
    (tmp_path / "checkpoint_of_mine.bin").write_bytes(b"no name of ours")
    for steps in (999, 1000, 99_999, 100_000, 10_000_000_000):
        write_checkpoint(tmp_path, steps, str(steps).encode())
        assert newest_checkpoint(tmp_path) == str(steps).encode()
    kept = ["checkpoint_000000100000.bin", "checkpoint_010000000000.bin"]
    assert len(kept) == KEPT
    assert names(tmp_path) == [*kept, "checkpoint_of_mine.bin"]


@given(st.data())
def test_every_flipped_bit_and_every_truncation_is_noticed(data):
    with tempfile.TemporaryDirectory() as folder:
        path = write_checkpoint(Path(folder), 1, CONTENT)
        whole = path.read_bytes()
        flip(path, data.draw(st.integers(0, 8 * len(whole) - 1)))
        with pytest.raises(InvalidValue, match="checkpoint_000000000001"):
            read_checkpoint(path)
        path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
        with pytest.raises(InvalidValue):
            read_checkpoint(path)


def test_what_is_no_checkpoint_is_refused_however_large_it_is(tmp_path):
    path = tmp_path / "checkpoint_000000000001.bin"
    path.touch()
    os.truncate(path, 2**42)
    with pytest.raises(InvalidValue, match="does not begin as a checkpoint"):
        read_checkpoint(path)


def test_a_damaged_checkpoint_is_skipped_and_removed(tmp_path):
    write_checkpoint(tmp_path, 100, b"sound")
    flip(write_checkpoint(tmp_path, 200, b"damaged"), 640)
    with pytest.warns(UserWarning, match="checkpoint_000000000200.bin is damaged"):
        assert newest_checkpoint(tmp_path) == b"sound"
    write_checkpoint(tmp_path, 150, b"on from there")
    assert newest_checkpoint(tmp_path) == b"on from there"
    assert [path.name[-7:] for path in checkpoints(tmp_path)] == ["150.bin", "100.bin"]


def test_if_all_checkpoints_are_damaged_none_is_used(tmp_path):
    for steps in (100, 200):
        write_checkpoint(tmp_path, steps, CONTENT)
    for path in checkpoints(tmp_path):
        path.write_bytes(b"")
    with (
        pytest.warns(UserWarning, match="does not begin"),
        pytest.raises(InvalidValue, match="all 2 checkpoints"),
    ):
        newest_checkpoint(tmp_path)


NORMALIZED = "normalize=True"
KINDS = {
    "ppo normalized, on a torus, against a changing mixture": (
        "ppo",
        {
            "params": (*PARAMS["ppo"], NORMALIZED),
            "task": "pursuer/agile_torus",
            "hardness": 2.0,
        },
    ),
    "a team": ("ppo", {"task": "evader/team", "params": (*PARAMS["ppo"], "imitate=")}),
    "sac normalized": ("sac", {"params": (*PARAMS["sac"], NORMALIZED)}),
    "a2c": ("a2c", {}),
    "td3": ("td3", {}),
    "dqn": ("dqn", {}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_crashed_twice_ends_as_an_undisturbed_one(kind, tmp_path):
    algo, changes = KINDS[kind]
    training = short_training(algo, **changes)
    undisturbed = trained(training, tmp_path / "undisturbed")
    disturbed = begin_run(training, tmp_path / "disturbed")
    for step in (600, 1100):
        with crash(at_step=step):
            train(disturbed, QUIET)
    progress = train(disturbed, QUIET)
    assert len(progress.resumed_at) == 2
    assert 0 < progress.resumed_at[0] < 600 < progress.resumed_at[1] < 1100
    assert_same_run(undisturbed, disturbed, algo)


def test_a_restored_team_has_a_state_for_every_player():
    """Some evaders are caught, and their rows stand still, when the snapshot is taken."""
    training = short_training(task="evader/team", num_envs=4)
    venv, new_venv = make_training_env(training), make_training_env(training)
    model, rows = new_model(training, venv), venv.unwrapped
    actions = np.zeros((rows.num_envs, 2), np.float32)
    venv.reset()
    while not 0 < rows.alive.sum() < rows.num_envs:
        venv.step(actions)
    restore_snapshot(take_snapshot(model, None), algorithm_class("ppo"), new_venv)
    for _ in range(250):  # beyond the end of every episode
        found, expected = new_venv.step(actions), venv.step(actions)
        assert_identical(found[:3], expected[:3])
        np.testing.assert_array_equal(new_venv.unwrapped.alive, rows.alive)
        for one, other in zip(found[3], expected[3]):
            lengths = [
                info.get("episode", {}).get(key) for info in (one, other) for key in "rl"
            ]
            assert lengths[:2] == lengths[2:]
    venv.close()
    new_venv.close()


def test_taking_a_snapshot_changes_nothing(tmp_path):
    often = trained(short_training("ppo"), tmp_path / "often")
    never = trained(short_training("ppo", checkpoint_seconds=1e6), tmp_path / "never")
    assert_same_run(often, never, "ppo")
    assert_identical(
        parameters(last_snapshot(often)["model"], "ppo"), parameters(often.last_model, "ppo")
    )
