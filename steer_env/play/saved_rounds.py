"""Keeps the rounds that a person plays as files, which replay bit for bit."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from pathlib import Path

from steer_env.episodes.recording import Recording
from steer_env.episodes.round_file import write_round


def save_round(folder: Path, recording: Recording) -> Path:
    """Writes a round to a folder as ``round-SEED.json``; a name that exists gets a number.

    Returns:
        The path of the file.

    Raises:
        InvalidType, InvalidValue, OSError: as `write_round`.
    """
    for number in count(1):
        ending = "" if number == 1 else f"-{number}"
        path = folder / f"round-{recording.seed}{ending}.json"
        with suppress(FileExistsError):
            write_round(recording, path, is_new=True)
            break
    return path
