"""Every code block of the README runs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from agents.training.runs import begin_run
from agents.training.training import Training
from steer_env.scripts.roster import SHORTER_NAMES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
PYTHON_BLOCKS = [code for language, code in BLOCKS if language == "python"]
SHELL_LINES = [
    line
    for language, code in BLOCKS
    if language == "bash"
    for line in code.splitlines()
    if line and not line.startswith("#")
]

SHORT_TRAINING = [
    *("--steps", "5000", "--num-envs", "16", "--episodes", "20"),
    *("--validations", "1", "--validation-episodes", "2"),
]

# What is added to a command so that it shows in seconds that it works.
SHORTER = {
    "python -m baselines list": [],
    "python -m baselines evaluate": ["--episodes", "50"],
    "python -m baselines compare": ["--episodes", "50"],
    "python -m baselines crossplay": ["--episodes", "50"],
    "python -m baselines trajectories": [],
    "python -m baselines starts": [],
    "python -m baselines collect": ["--episodes", "20"],
    "python -m baselines gap": ["--starts", "5"],
    "python -m baselines optimality": ["--starts", "2"],
    "python -m baselines solution": [],
    "python -m baselines benchmark": ["--episodes", "50"],
    "python -m baselines tune": [
        *("--trials", "20", "--generations", "1", "--children", "8", "--episodes", "20"),
        *("--choice-episodes", "64"),
    ],
    "python -m baselines suite": ["--games", "obstacles", "--episodes", "10"],
    "python -m agents train --resume": [],
    "python -m agents train --scenario pursuer/pack_obstacles": [
        *SHORT_TRAINING,
        *("--params", "imitate="),  # it takes minutes, whatever the steps
    ],
    "python -m agents train": [*SHORT_TRAINING],
    "python -m agents selfplay": [
        *("--generations", "1", "--steps", "5000", "--exploiter-steps", "0"),
        *("--num-envs", "16", "--episodes", "20"),
    ],
    "python -m agents export": [],
    "python -m agents speed": ["--seconds", "0.2", "--repeats", "1"],
    "python -m steer_env bench": ["--quick", "--games", "64"],
    "python -m steer_env info": [],
    "python -m steer_env watch": ["--episodes", "1", "--horizon", "20"],
    "python -m steer_env play --html": [],
    "python -m steer_env play": ["--rounds", "1", "--horizon", "20"],
    "python -m steer_env record": [],
}

FILES = ("--out", "--html", "--gif", "--mp4", "--png", "--svg")


def test_the_readme_has_blocks_of_both_kinds_and_no_other():
    assert len(PYTHON_BLOCKS) >= 4
    assert len(SHELL_LINES) >= 4
    assert {language for language, _ in BLOCKS} == {"python", "bash"}


def test_every_test_and_file_that_the_readme_names_is_there():
    names = re.findall(r"`(?:tests/)?(?:(\w+)/)?(test_\w+\.py)(?:::(test_\w+))?`", README)
    assert len(names) > 20
    for folder, file, test in names:
        places = [ROOT / "tests" / (folder or "steering") / file, ROOT / "tests" / file]
        found = [place for place in places if place.exists()]
        assert found, file
        assert not test or f"def {test}(" in found[0].read_text(encoding="utf-8"), test
    for path in re.findall(r"`(game/\w+\.py)`", README):
        assert (ROOT / "steer_env" / path).exists(), path


def test_the_readme_counts_the_opponents():
    assert f"There are {len(SHORTER_NAMES)} named ones" in README


@pytest.mark.parametrize("code", PYTHON_BLOCKS, ids=lambda code: code.splitlines()[0])
def test_python_block_runs(code, tmp_path):
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def begun_run(path):
    """The folder of a training run that has not got anywhere yet."""
    short = {"steps": 5000, "num_envs": 16, "validations": 1, "validation_episodes": 2}
    training = Training(**short, params=("batch_size=256",))
    return begin_run(training, path, episodes=20).path


@pytest.mark.parametrize("line", SHELL_LINES)
def test_shell_line_runs(line, tmp_path):
    words = shlex.split(line, comments=True)
    if words[0] == "make":
        command = ["make", "--dry-run", *words[1:]]
    elif words[:2] == ["pip", "install"]:
        extras = re.fullmatch(r"\.\[(.*)\]", words[-1])
        assert extras, f"not an installation of this checkout: {line}"
        known = re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
        assert set(extras[1].split(",")) <= set(known)
        return
    else:
        shorter = next(SHORTER[key] for key in SHORTER if line.startswith(key))
        command = [sys.executable, *words[1:], *shorter]
        if "--resume" in words:
            command[command.index("--resume") + 1] = str(begun_run(tmp_path))
        elif any(option in words for option in FILES):
            for option in FILES:
                if option in words:
                    place = command.index(option) + 1
                    command[place] = str(tmp_path / command[place])
        elif words[2:4] in (["agents", "train"], ["agents", "selfplay"]):
            command += ["--out", str(tmp_path)]
    run = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "SDL_VIDEODRIVER": "dummy", "STEER_ENV_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
