"""A program that PyInstaller has frozen, without options, plays with the machine code in it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from compat_wheels import build

pytestmark = pytest.mark.weekly

PROGRAM = """
import sys

import gymnasium as gym
import steer_env
from steer_env.baselines import evaluate

env = gym.make("Pursuit-v0", opponent=sys.argv[1])
env.reset(seed=0)
envs = gym.make_vec("Evade-v0", num_envs=3)
envs.reset(seed=0)
envs.step(envs.action_space.sample())
print(evaluate("pursuit", sys.argv[1], episodes=8).mean_capture_time)
print(env.step([1.0, 0.0])[0].tolist())
print(steer_env.__file__)
"""


@pytest.mark.compiled
def test_a_frozen_program_plays(tmp_path):
    wheel = build(tmp_path / "wheel")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}

    def run(*words):
        done = subprocess.run(
            list(map(str, words)), cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert not done.returncode, done.stderr
        return done

    python, program = tmp_path / "venv" / "bin" / "python", tmp_path / "chase.py"
    program.write_text(PROGRAM)
    run(sys.executable, "-m", "venv", python.parents[1])
    run(python, "-m", "pip", "install", "--quiet", "pyinstaller", f"{wheel}[baselines]")
    run(python, "-m", "PyInstaller", "--log-level", "ERROR", program)
    opponents = "evade", "pretrained/evade/ppo"
    expected = [run(python, program, opponent).stdout.splitlines() for opponent in opponents]
    python.parents[1].rename(tmp_path / "no longer there")
    for opponent, (*played, _) in zip(opponents, expected):
        frozen = run(tmp_path / "dist" / "chase" / "chase", opponent)
        assert frozen.stderr == ""  # no library was missed, and nothing compiled
        *found, where = frozen.stdout.splitlines()
        assert where.startswith(str(tmp_path / "dist"))
        assert found == played
