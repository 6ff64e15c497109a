"""Every pretrained network plays in ONNX's runtime as it does here."""

from __future__ import annotations

import pytest

from steer_env.agents.export.export import export, largest_difference, likely_observations
from steer_env.baselines import load
from steer_env.policies.pretrained import names
from tests.agents.export.test_export import play_onnx

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize("name", [name for name in names() if not name[-1].isdigit()])
def test_each_plays_as_it_does_here(name, tmp_path):
    network = load(name)
    act = play_onnx(export(name, "onnx", tmp_path / "policy.onnx").path)
    assert largest_difference(network, act, likely_observations(network)) <= 2e-5
