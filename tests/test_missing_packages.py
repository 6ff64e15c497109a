"""Without an optional package, each program and command says in one line what to install."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from steer_env.errors import EXTRAS

ROOT = Path(__file__).parents[1]
MODULES = {"pygame-ce": "pygame", "imageio": "imageio_ffmpeg"}
"""Packages whose modules have other names."""

LINES = {
    "pygame": "watch",
    "imageio_ffmpeg": "record --out a.gif --seconds 0.1",
    "scipy": "evaluate --episodes 4",
    "rich": "evaluate --episodes 4",
    "matplotlib": "evaluate --episodes 4 --out a.png",
    "stable_baselines3": "train",
    "torch": "train",
    "tensorboard": "train",
    "threadpoolctl": "train",
    "filelock": "train",
    "onnx": "export pretrained/pursuit/ppo --to onnx --out a.onnx",
}
"""For each optional module, a command that needs it."""

IN_PYTHON = {
    "pettingzoo": "steer_env.parallel_env",
    "numba": "gymnasium.make('Pursuit-v0', opponent=lambda me, other: 0j)",
    "scipy": "from steer_env.baselines import evaluate",
    "stable_baselines3": "from steer_env.agents.training import hyperparameters as h; "
    "h.read_preset('ppo', 'Tag-v0')",
    "onnx": "from steer_env.agents.export.export import export as e; "
    "e('pretrained/pursuit/ppo', 'onnx', 'a.onnx')",
}
"""Code that needs a module; no command needs the first two."""


def extras():
    """The optional modules, and the names of the extras that install them."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = project.partition("[project.optional-dependencies]\n")[2].partition("\n[")[0]
    found = {}
    for name, packages in re.findall(r"^(\w+) = \[(.*?)\]$", table, re.MULTILINE | re.DOTALL):
        if name in ("dev", "all"):
            continue
        for package in re.findall(r'"([\w-]+)', packages):
            if package not in ("steer-env", "gymnasium"):  # which are always there
                module = MODULES.get(package, package.replace("-", "_"))
                found.setdefault(module, []).append(name)
    return found


def test_every_extra_for_users_is_explained_in_messages():
    assert {name for names in extras().values() for name in names} == EXTRAS.keys()


def test_every_optional_package_has_a_command_or_code_that_needs_it():
    assert extras().keys() == LINES.keys() | IN_PYTHON.keys() | {"ray"}  # of examples alone


@pytest.mark.parametrize("module", IN_PYTHON)
def test_what_needs_a_missing_package_names_its_extra(module):
    code = IN_PYTHON[module]
    program = f"import gymnasium, sys, steer_env; sys.modules[{module!r}] = None; {code}"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.returncode == 1
    last = found.stderr.splitlines()[-1]
    (extra,) = extras()[module]
    assert last.endswith(f'run: pip install "steer-env[{extra}]" ({EXTRAS[extra]})')
    assert "DependencyNotInstalled" in last


# Each command runs in a child of its own, which saves importing the rest again.
RUN_ALL = """
import json, os, runpy, signal, sys
import gymnasium, numba, matplotlib.figure, scipy.stats, stable_baselines3, torch, tyro

for module, line in json.loads(sys.argv[1]).items():
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=open(f"{module}.status", "w"))
        continue
    signal.alarm(60)
    os.dup2(os.open(f"{module}.out", os.O_CREAT | os.O_WRONLY), 1)
    os.dup2(os.open(f"{module}.err", os.O_CREAT | os.O_WRONLY), 2)
    for name in list(sys.modules):
        if name.partition(".")[0] == module:
            del sys.modules[name]
    sys.modules[module] = None  # so importing it fails
    sys.argv[:] = ["-m", *line.split()]
    runpy.run_module("steer_env", run_name="__main__", alter_sys=True)
    sys.exit()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the output of each command."""
    folder = tmp_path_factory.mktemp("missing")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SDL_VIDEODRIVER": "dummy"}
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN_ALL, json.dumps(LINES)],
        cwd=folder,
        env=environment,
        check=True,
    )
    return folder


@pytest.mark.weekly
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("module", LINES)
def test_a_missing_package_is_one_line_that_names_its_extra(module, folder):
    printed = (folder / f"{module}.err").read_text()
    assert (folder / f"{module}.status").read_text().strip() == "2", printed
    (line,) = printed.splitlines()
    assert module.split("_")[0] in line.lower()
    (extra,) = re.findall(r"steer-env\[(\w+)\]", line)
    assert extra in extras()[module]
    assert f"({EXTRAS[extra]})" in line
    assert not list(folder.glob("a.*"))
    assert not (folder / "runs").exists()
