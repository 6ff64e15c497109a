"""A network in TorchScript runs in a process that cannot even import this project."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from steer_env.agents.export.export import export, largest_difference, likely_observations

from baselines import load

NAMES = ("pretrained/pursuit/ppo", "pretrained/pack/pursuit/benchmark")
PROGRAM = """
import sys, numpy, torch
script = torch.jit.load("policy.pt")
numpy.save("action.npy", script(torch.tensor(numpy.load("observation.npy"))).numpy())
assert not {"steer_env", "agents", "baselines"} & sys.modules.keys()
"""


@pytest.mark.parametrize("name", NAMES)
def test_torchscript_runs_without_this_project(name, tmp_path):
    network = load(name)
    observation = likely_observations(network)
    np.save(tmp_path / "observation.npy", observation)
    export(name, "torchscript", tmp_path / "policy.pt")
    subprocess.run([sys.executable, "-I", "-c", PROGRAM], cwd=tmp_path, check=True)
    actions = np.load(tmp_path / "action.npy")
    assert largest_difference(network, lambda _: actions, observation) <= 1e-5
