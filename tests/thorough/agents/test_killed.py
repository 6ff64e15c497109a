"""A run whose process is killed goes on from its checkpoint, to the same bits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from short_trainings import QUIET, assert_same_run, short_training, trained

from steer_env.agents.training.checkpoints import checkpoints
from steer_env.agents.training.train import begin_run, train

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("algo", ["ppo", "sac"])
def test_a_killed_process_is_resumed_bit_for_bit(algo, tmp_path):
    training = short_training(algo, seed=4)
    folder = begin_run(training, tmp_path / "killed", 5)
    process = subprocess.Popen(
        [sys.executable, "-m", "steer_env", "train", "--resume", str(folder.path)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not checkpoints(folder.checkpoints) and process.poll() is None:
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == -signal.SIGKILL, errors
    assert not folder.results.exists()
    assert len(train(folder, QUIET).resumed_at) == 1
    assert_same_run(trained(training, tmp_path / "undisturbed"), folder, algo)
