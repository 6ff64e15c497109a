"""What tests of the game share."""

from __future__ import annotations

import pytest

from steer_env.play.best_times import DATA_VARIABLE


@pytest.fixture
def make(tmp_path, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    from play.games import Game  # which needs pygame

    made = []

    def make(**keywords):
        made.append(Game(tmp_path / "times.json", **keywords))
        return made[-1]

    yield make
    for game in made:
        game.window.close()


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path, monkeypatch):
    """Keeps tests away from the best times of whoever runs them."""
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "data"))
