"""What all tests of trainings share; and it lets their folders import `short_trainings`."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="session")
def _no_gif():
    """Leaves out the picture that takes longer than all the rest of a short run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "steer_env.agents.training.run_report.save_episode_gif",
            lambda path, *_: path.write_bytes(b"GIF"),
        )
        yield
