"""Some hundred wrong calls and command lines, as `tests/by_hand/wrong_calls.py` makes them."""

import os
import tempfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.weekly, pytest.mark.compiled]


@pytest.fixture(autouse=True)
def nothing_stays_behind(tmp_path, monkeypatch):
    """No folder, no variable and no other working directory, for the tests that follow."""

    def found():
        return Path.cwd(), os.environ.get("SDL_VIDEODRIVER"), *tmp_path.iterdir()

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = found()
    yield
    assert found() == before


def test_wrong_calls_are_refused_with_the_name_of_what_is_wrong():
    pytest.importorskip("stable_baselines3")
    from wrong_calls import wrong_calls

    report = wrong_calls(250, seed=4)
    assert not report.faults, str(report)
    assert len(report.refused) > 200


def test_wrong_command_lines_end_in_one_line():
    pytest.importorskip("stable_baselines3")
    from wrong_calls import wrong_command_lines

    report = wrong_command_lines(42, seed=1)
    assert not report.faults, str(report)
    assert len(report.refused + report.accepted) == 42
