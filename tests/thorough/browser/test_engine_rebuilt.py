"""The module that is shipped is the one that the sources make."""

import platform
import subprocess
import sys

import pytest
from steer_env.browser.__main__ import versions

from steer_env.browser import module

_BUILD = """
import json, sys
from steer_env.browser.building import build
from steer_env.browser.layout import layout
open(sys.argv[1], "wb").write(build())
open(sys.argv[2], "w").write(json.dumps(layout()))
"""


@pytest.mark.compiled
def test_the_module_is_not_stale(tmp_path):
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("numba compiles for this machine's kind of processor first")
    kept = module.layout()
    if kept.pop("built_by") != versions():
        pytest.skip("other versions of numba, llvmlite or ziglang may make other code")
    made = [tmp_path / name for name in ("engine.wasm", "engine.json")]
    command = [sys.executable, "-c", _BUILD, *map(str, made)]
    subprocess.run(command, check=True, timeout=900)
    hint = "the module is stale: make it anew with `python -m steer_env.browser`"
    assert module.json.loads(made[1].read_text()) == kept, hint
    assert made[0].read_bytes() == module.code(), hint
