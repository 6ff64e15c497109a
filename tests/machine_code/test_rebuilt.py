"""The machine code that is kept is what the sources make, and edited sources are compiled."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from compat_wheels import copy_tree
from machines import NATIVE

from steer_env.machine_code.library import FOLDER, MANIFEST

pytestmark = pytest.mark.weekly

ROOT = Path(__file__).parents[2]
GAME = """
import gymnasium as gym, steer_env
env = gym.make("Pursuit-v0")
env.reset(seed=0)
print(steer_env.__file__)
print(*(env.step([1.0, 0.0])[0].tolist() for _ in range(30)))
"""


@pytest.mark.compiled
def test_what_is_kept_is_what_the_sources_make(tmp_path):
    kept = json.loads(MANIFEST.read_text())
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("numba compiles for this machine's kind of processor first")
    if any(version(name) != built for name, built in kept["built_by"].items()):
        pytest.skip("other versions of numba, llvmlite or ziglang may make other code")
    folders = tmp_path / "once", tmp_path / "again in another folder"
    for folder in folders:
        command = [sys.executable, "tools/build_engine.py", "--all", "--out", str(folder)]
        subprocess.run(command, check=True, timeout=1800, cwd=ROOT)
    built, again = (json.loads((folder / "built.json").read_text()) for folder in folders)
    assert {target.file for target in NATIVE} < built["files"].keys()
    for name in built["files"]:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name
    assert built == again
    hint = "it is stale: make it anew with `make engine`"
    files = {name: built["files"][name] for name in kept["files"]}
    assert {**built, "files": files, "texts": kept["texts"]} == kept, hint
    for name in files:
        assert (folders[0] / name).read_bytes() == (FOLDER / name).read_bytes(), hint


def play(folder):
    """The result of a game in a copy of the package, and its stderr."""
    done = subprocess.run(
        [sys.executable, "-c", GAME],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    where, observations = done.stdout.splitlines()
    assert where.startswith(str(folder))
    return observations, done.stderr


@pytest.mark.compiled
def test_edited_sources_are_compiled_and_one_line_says_so(tmp_path):
    folder = copy_tree(tmp_path, "steer_env")
    before, said = play(folder)
    assert said == ""
    path = folder / "steer_env" / "steering" / "vectors.py"
    source = path.read_text()
    path.write_text("# nothing that matters\n" + source)
    assert play(folder) == (before, "")
    path.write_text(source + "\nNOT_USED = 0\n")
    same, said = play(folder)
    assert same == before
    assert "make engine" in said
    assert len(said.splitlines()) == 1
    # numba itself looks at the file of the loop only, which stays as it is.
    path.write_text(source.replace("* factor", "* (0.5 * factor)"))
    changed, _ = play(folder)
    assert changed != before
    path.write_text(source)
    assert play(folder) == (before, "")
