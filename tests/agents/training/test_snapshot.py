"""A training that was stopped goes on as if nothing had happened, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from short_trainings import (
    PARAMS,
    QUIET,
    assert_identical,
    assert_same_run,
    crash,
    last_snapshot,
    parameters,
    short_training,
    trained,
)

from agents.training.hyperparameters import algorithm_class
from agents.training.runs import begin_run, train
from agents.training.snapshot import restore_snapshot, take_snapshot
from agents.training.start import make_training_env, new_model

NORMALIZED = "normalize=True"
KINDS = {
    "ppo normalized, on a torus, against a changing mixture": (
        "ppo",
        {
            "params": (*PARAMS["ppo"], NORMALIZED),
            "scenario": "pursuer/agile_torus",
            "hardness": 2.0,
        },
    ),
    "a team": ("ppo", {"scenario": "evader/team", "params": (*PARAMS["ppo"], "imitate=")}),
    "sac normalized": ("sac", {"params": (*PARAMS["sac"], NORMALIZED)}),
    "td3": ("td3", {}),
    "dqn": ("dqn", {}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_crashed_twice_ends_as_an_undisturbed_one(kind, tmp_path):
    algo, changes = KINDS[kind]
    training = short_training(algo, **changes)
    undisturbed = trained(training, tmp_path / "undisturbed")
    disturbed = begin_run(training, tmp_path / "disturbed")
    for step in (600, 1100):
        with crash(at_step=step):
            train(disturbed, QUIET)
    progress = train(disturbed, QUIET)
    assert len(progress.resumed_at) == 2
    assert 0 < progress.resumed_at[0] < 600 < progress.resumed_at[1] < 1100
    assert_same_run(undisturbed, disturbed, algo)


def test_a_restored_team_has_a_state_for_every_player():
    """Some evaders are caught, and their rows stand still, when the snapshot is taken."""
    training = short_training(scenario="evader/team", num_envs=4)
    venv, new_venv = make_training_env(training), make_training_env(training)
    model, rows = new_model(training, venv), venv.unwrapped
    actions = np.zeros((rows.num_envs, 2), np.float32)
    venv.reset()
    while not 0 < rows.alive.sum() < rows.num_envs:
        venv.step(actions)
    restore_snapshot(take_snapshot(model, None), algorithm_class("ppo"), new_venv)
    for _ in range(250):  # beyond the end of every episode
        found, expected = new_venv.step(actions), venv.step(actions)
        assert_identical(found[:3], expected[:3])
        np.testing.assert_array_equal(new_venv.unwrapped.alive, rows.alive)
        for one, other in zip(found[3], expected[3]):
            lengths = [
                info.get("episode", {}).get(key) for info in (one, other) for key in "rl"
            ]
            assert lengths[:2] == lengths[2:]
    venv.close()
    new_venv.close()


def test_taking_a_snapshot_changes_nothing(tmp_path):
    often = trained(short_training("ppo"), tmp_path / "often")
    never = trained(short_training("ppo", checkpoint_seconds=1e6), tmp_path / "never")
    assert_same_run(often, never, "ppo")
    assert_identical(
        parameters(last_snapshot(often)["model"], "ppo"), parameters(often.last_model, "ppo")
    )
