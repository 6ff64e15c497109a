"""Lets tests here import `short_trainings`, and trains on one thread."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

sys.path.append(str(Path(__file__).parents[2] / "agents"))


@pytest.fixture(autouse=True, scope="session")
def _one_thread():
    """Networks so small only wait for more."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
