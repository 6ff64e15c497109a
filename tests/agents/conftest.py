"""What all tests of trainings share; and it lets their folders import `short_trainings`."""

from __future__ import annotations

import pytest
import torch
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True, scope="session")
def _one_thread():
    """Networks so small only wait for more."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    with threadpool_limits(1):
        yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True, scope="session")
def _no_gif():
    """Leaves out the picture that takes longer than all the rest of a short run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "agents.training.results.save_episode_gif",
            lambda path, *_: path.write_bytes(b"GIF"),
        )
        yield
