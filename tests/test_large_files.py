"""Large files need a reason: whoever clones the repository loads each of their versions."""

from __future__ import annotations

from test_links import ROOT, tracked

MOST = 300_000  # bytes

LARGE = {
    "baselines/results/chase.gif": "the film at the top of the README",
    "constraints.txt": "the hashes of all files of each package that `make` installs",
    "steer_env/machine_code/linux-x86_64.so": "the games, for three levels of processors",
}


def test_only_files_with_a_reason_are_large():
    found = {name for name in tracked() if (ROOT / name).stat().st_size > MOST}
    assert found == LARGE.keys()
