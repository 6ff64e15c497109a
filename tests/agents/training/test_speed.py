"""Training speed is measured whole; how fast it is, is not judged here."""

from __future__ import annotations

import json

import pytest

from agents.training import speed as speed_module
from agents.training.speed import PARTS, measure_speed, save_untrained_network, speed_table
from agents.training.training import Training
from steer_env.policies.network import NetworkPolicy

SMALL_PPO = Training(num_envs=4, params=("n_steps=16", "batch_size=32"))
SMALL_SAC = Training(algo="sac", num_envs=4, params=("buffer_size=1000",))


@pytest.mark.parametrize("training", [SMALL_PPO, SMALL_SAC])
def test_both_environments_are_measured_and_the_shares_are_the_whole(training):
    found = measure_speed(training, seconds=0.05, repeats=2)
    assert (found.algorithm, found.opponent) == (training.algo, "evade")
    assert found.num_envs == 4
    for speed in (found.native, found.dummy):
        assert len(speed.steps_per_second) == 2
        assert all(steps > 0.0 for steps in speed.steps_per_second)
        assert tuple(speed.shares) == PARTS
        assert sum(speed.shares.values()) == pytest.approx(1.0)
        assert all(share > 0.0 for share in speed.shares.values())
    assert found.native.games is not None
    assert 0.0 < found.native.games < found.native.shares["environment"]
    assert found.dummy.games is None
    native, dummy = found.native.steps_per_second, found.dummy.steps_per_second
    assert found.ratios == (native[0] / dummy[0], native[1] / dummy[1])


def test_a_network_can_be_the_opponent(tmp_path):
    path = tmp_path / "network.npz"
    save_untrained_network(SMALL_PPO, path)
    assert NetworkPolicy.load(path).observation_space.shape == (21,)
    training = Training(
        num_envs=2, opponent=(str(path),), params=("n_steps=8", "batch_size=16")
    )
    found = measure_speed(training, seconds=0.0, repeats=1)
    assert found.opponent == str(path)
    assert len(found.ratios) == 1


def test_a_turn_is_made_of_whole_rollouts(monkeypatch):
    steps = []
    take_turn = speed_module._TimedTraining.take_turn

    def noted(self, seconds):
        take_turn(self, seconds)
        steps.append(self.steps)

    monkeypatch.setattr(speed_module._TimedTraining, "take_turn", noted)
    measure_speed(SMALL_PPO, seconds=0.0, repeats=1)
    assert steps == [4 * 16] * 4


@pytest.mark.parametrize(
    "wrong", [{"seconds": -1.0, "repeats": 1}, {"seconds": 1.0, "repeats": 0}]
)
def test_impossible_turns_are_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        measure_speed(SMALL_PPO, **wrong)


def test_the_command_prints_tables_or_json(monkeypatch, capsys):
    found = measure_speed(SMALL_PPO, seconds=0.0, repeats=1)
    monkeypatch.setattr(speed_module, "measure_speed", lambda *_: found)
    speed_module.speed()
    printed = capsys.readouterr().out
    assert "| PPO against a network | 4 | native |" in printed
    speed_module.speed(json=True)
    report = json.loads(capsys.readouterr().out)
    assert [row["opponent"] for row in report] == ["evade", "a network", "evade"]
    assert report[0]["native"]["shares"] == found.native.shares
    assert report[0]["ratios"] == list(found.ratios)


def test_the_table_has_a_row_for_each_kind_of_environment():
    speed = speed_module.Speed((100.0, 300.0, 200.0), dict.fromkeys(PARTS, 0.25), 0.125)
    slow = speed_module.Speed((50.0, 50.0, 50.0), dict.fromkeys(PARTS, 0.25), None)
    found = speed_module.SpeedComparison("ppo", "evade", 8, speed, slow)
    quarters = ("25.0%",) * 4
    assert speed_table([found]).rows == [
        ("PPO against evade", "8", "native", "200", "4.0 [2.0, 6.0]", *quarters, "12.5%"),
        ("PPO against evade", "8", "DummyVecEnv", "50", "1", *quarters, ""),
    ]
