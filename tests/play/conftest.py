"""What tests of the game share."""

from __future__ import annotations

import pytest

from steer_env.play.best_times import DATA_VARIABLE


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path, monkeypatch):
    """Keeps tests away from the best times of whoever runs them."""
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "data"))
