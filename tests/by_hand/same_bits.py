"""Plays the games of `trajectories.py` on what looks like other machines.

    python tests/by_hand/same_bits.py

Each run is a process in which the C library, numpy or the compiler takes the processor for
another one, and compares every trajectory with the published hash, to the bit. The exit status
is 1 if one differs. `tests/game/test_reproducibility.py` is a short form.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# The C library and numpy compute as on an old processor, with other last bits.
OLD_LIBRARY = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"}
OLD_NUMPY = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR AVX2 FMA3 AVX512F "
    "AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"
}
GENERIC = {"STEER_ENV_CODE": "jit", "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}

RUNS: dict[str, dict[str, str]] = {
    "this machine": {},
    "C library without AVX2 and FMA": OLD_LIBRARY,
    "numpy without AVX2 and FMA": OLD_NUMPY,
    "library, level v2": {"STEER_ENV_CODE": "v2"},
    "library, level v3": {"STEER_ENV_CODE": "v3"},
    "compiled here": {"STEER_ENV_CODE": "jit"},
    "compiled here for any x86-64 or ARM": GENERIC,
    "the same with old libraries": {**OLD_LIBRARY, **OLD_NUMPY, **GENERIC},
    "plain Python": {"NUMBA_DISABLE_JIT": "1", **OLD_LIBRARY, **OLD_NUMPY},
}


def main() -> int:
    here, differing = Path(__file__), 0
    for name, settings in RUNS.items():
        print(name, end=": ", flush=True)
        variables = {**os.environ, "PYTHONPATH": str(here.parents[2]), **settings}
        # Plain Python is some hundred times slower.
        only = ["--only", "Pursuit-v0 seek"] if name == "plain Python" else []
        command = [sys.executable, str(here.with_name("trajectories.py")), "--compare", *only]
        differing += subprocess.run(command, env=variables).returncode
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
