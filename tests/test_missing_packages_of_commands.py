"""Without an optional package, each command says in one line what to install."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from test_missing_packages import LINES, ROOT, extras

from steer_env.errors import EXTRAS

pytestmark = pytest.mark.weekly

# Each command runs in a child of its own, which saves importing the rest again.
RUN_ALL = """
import json, os, runpy, signal, sys, traceback
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
    status = 0
    try:
        runpy.run_module("steer_env", run_name="__main__", alter_sys=True)
    except SystemExit as stop:
        status = stop.code or 0
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    os._exit(status)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What each of the commands has printed, in files."""
    folder = tmp_path_factory.mktemp("missing")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SDL_VIDEODRIVER": "dummy"}
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN_ALL, json.dumps(LINES)],
        cwd=folder,
        env=environment,
        check=True,
    )
    return folder


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
