"""Data sets are written and read whole, as .npz files and as Minari's."""

from __future__ import annotations

import json

import numpy as np
import pytest

from baselines import Dataset, collect


@pytest.fixture(scope="module")
def data():
    game = {"horizon": 40, "obstacles": 1, "reward": {"time": 0.5}}
    return collect("pursuit", "evade", game, episodes=4, seed=7, epsilon=0.2)


def test_a_saved_data_set_is_the_same(data, tmp_path):
    path = tmp_path / "data.npz"
    data.save(path)
    found = Dataset.load(path)
    for name, value in vars(data).items():
        np.testing.assert_array_equal(getattr(found, name), value)
    assert len(found) == 4
    assert repr(found) == f"Dataset('Pursuit-v0', 4 episodes, {len(data.rewards)} steps)"


def altered(path, data, changes):
    data.save(path)
    with np.load(path) as found:
        arrays = {**found, **changes}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


@pytest.mark.parametrize(
    "changes",
    [
        {"rewards": None},
        {"rewards": np.zeros(3)},
        {"seeds": np.zeros(4)},
        {"lengths": np.array([1, 1, 1, 1])},
        {"starts": np.array([0, 1, 2, 3])},
        {"actions": np.zeros((4, 2), complex)},
        {"description": np.array("{}")},
        {"description": np.array(json.dumps({"format": "other"}))},
        {"more": np.zeros(2)},
    ],
    ids=str,
)
def test_damaged_files_are_refused(changes, data, tmp_path):
    path = tmp_path / "data.npz"
    altered(path, data, changes)
    with pytest.raises(ValueError, match=r"data\.npz is not a data set that Dataset\.save"):
        Dataset.load(path)


@pytest.mark.filterwarnings("ignore:.*is set to None:UserWarning")
def test_a_minari_data_set_holds_the_same_and_recovers_its_environment(
    data, tmp_path, monkeypatch
):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    data.to_minari("steer/noisy-v0", author="nobody")
    with pytest.raises(ValueError, match="there is a Minari data set 'steer/noisy-v0' already"):
        data.to_minari("steer/noisy-v0")
    found = minari.load_dataset("steer/noisy-v0")
    assert (found.total_episodes, found.total_steps) == (4, len(data.rewards))
    env = found.recover_environment()
    assert env.spec.kwargs["opponent"] == "evade"
    for index, episode in enumerate(found.iterate_episodes()):
        rows = data.episode(index)
        np.testing.assert_array_equal(episode.observations[:-1], data.observations[rows])
        np.testing.assert_array_equal(episode.actions, data.actions[rows])
        np.testing.assert_array_equal(episode.rewards, data.rewards[rows])
        np.testing.assert_array_equal(episode.terminations, data.terminations[rows])
        observation, _ = env.reset(seed=int(data.seeds[index]))
        for action in episode.actions:
            observation, *_ = env.step(action)
        np.testing.assert_array_equal(episode.observations[-1], observation)
    with pytest.raises(ValueError, match=r"'noisy\.h5' is neither an"):
        data.to_minari("noisy.h5")
