"""Fixtures of several folders."""

import os
import tempfile

# Two workers of pytest share the processors, and networks this small only wait for threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from unittest.mock import patch

import gymnasium as gym
import pytest
from hypothesis import settings
from players.networks import make_network
from rendering.browser import Browser

from steer_env.players import pretrained
from steer_env.scenarios import registry

# The suite of every change gives the same result each time; the thorough one draws anew, and
# replays in later runs what it found.
settings.register_profile(
    "quick", max_examples=25, deadline=None, derandomize=True, database=None
)
settings.register_profile("thorough", max_examples=500, deadline=None, print_blob=True)
settings.load_profile("quick")

PRETRAINED = (
    ("Evade-v0", "selfplay", 1),
    ("Pursuit-v0", "ppo", 10),
    ("Pursuit-v0", "ppo", 2),
    ("Pursuit-v0", "sac", 0),
)


@pytest.fixture(autouse=True, scope="session")
def _temporary_files(tmp_path_factory):
    """Puts what libraries leave in the temporary folder where pytest removes it.

    Ray stays: its sockets need short paths.
    """
    folder = str(tmp_path_factory.mktemp("t"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", tempfile.gettempdir())
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield


@pytest.fixture
def pretrained_folder(tmp_path, monkeypatch):
    """Small pretrained networks of the default game, in place of the real ones."""
    folder = tmp_path / "pretrained"
    for number, (environment, algorithm, seed) in enumerate(PRETRAINED):
        path = folder / environment / algorithm / f"seed_{seed}.npz"
        path.parent.mkdir(parents=True, exist_ok=True)
        make_network(features=21, seed=number).save(path)
    monkeypatch.setattr(pretrained, "folder", lambda: folder)
    return folder


@pytest.fixture
def forgotten():
    """Forgets the games that a test registers."""
    known = registry._games, registry._environments_by_id, gym.registry
    with patch.dict(known[0]), patch.dict(known[1]), patch.dict(known[2]):
        yield


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium, for tests with the mark `NEEDS_BROWSER`."""
    browser = Browser()
    yield browser
    browser.close()
