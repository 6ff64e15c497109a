"""The file from which an interrupted training goes on.

It has the model with its optimizer, the replay buffer and the history of the run. The games
begin again, from other starts. What is lost is the training since the file was written.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from steer_env.errors import InvalidValue
from steer_env.files import write_bytes


def save_checkpoint(path: Path, content: Any) -> None:
    """Writes a checkpoint whole, in place of the one before."""
    write_bytes(path, pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL))


def load_checkpoint(path: Path) -> Any | None:
    """Returns what was saved last, or None. Unpickling it can run any code."""
    if not path.exists():
        return None
    try:
        with path.open("rb") as file:
            return pickle.load(file)
    except Exception as error:  # a damaged pickle fails in many ways
        raise InvalidValue(
            f"{path} is damaged ({type(error).__name__}): start a new run"
        ) from error
