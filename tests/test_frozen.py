"""Results, formats of files, public names and commands do not move by accident."""

import json
from pathlib import Path

import frozen
import numpy as np
import pytest
from players.networks import random_observations

from steer_env.baselines.episodes import Episodes
from steer_env.players.network import NetworkPolicy

SAMPLES = Path(__file__).parent / "data" / "frozen"
"""Files of formats that stay."""

ACTIONS = (
    (0.6071465611457825, -0.6994470357894897),
    (-0.9892346262931824, -1.0),
    (-0.5715683102607727, 0.8177425861358643),
)
"""Of the policy in the samples, for three random observations."""

ADVICE = """was that change deliberate? If so, run PYTHONPATH=. python tests/by_hand/frozen.py
--write and add a line to the CHANGELOG"""


@pytest.mark.compiled
@pytest.mark.parametrize("part", frozen.PARTS)
def test_nothing_moves_by_accident(part):
    expected = json.loads(frozen.FILE.read_text(encoding="utf-8"))[part]
    assert frozen.PARTS[part]() == expected, ADVICE


def test_a_policy_is_read_and_written_as_before(tmp_path):
    policy = NetworkPolicy.load(SAMPLES / "policy.npz")
    policy.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (SAMPLES / "policy.npz").read_bytes()
    actions, _ = policy.predict(random_observations(3, features=21), deterministic=True)
    np.testing.assert_array_equal(actions, np.float32(ACTIONS))


def test_an_evaluation_is_read_and_written_as_before(tmp_path):
    evaluation = Episodes.load(SAMPLES / "evaluation.npz")
    evaluation.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (SAMPLES / "evaluation.npz").read_bytes()
