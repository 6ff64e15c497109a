"""What tests of several folders share."""

from __future__ import annotations

import pytest
from policies.networks import make_network

from steer_env.policies import pretrained

PRETRAINED = (
    ("Evade-v0", "selfplay", 1),
    ("Pursuit-v0", "ppo", 10),
    ("Pursuit-v0", "ppo", 2),
    ("Pursuit-v0", "sac", 0),
)


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
