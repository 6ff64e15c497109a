"""Files that a crash cannot damage: written whole or not at all, and checked when read."""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from steer_env.errors import InvalidValue

KEPT = 2
"""Checkpoints in a folder: if the newest turns out to be damaged, there is the one before."""

_MAGIC = b"steer_env checkpoint 1 "
_NAME = re.compile(r"checkpoint_(\d{12})\.bin")
_PART = ".part"


class DamagedCheckpointError(InvalidValue):
    """A checkpoint is not what was written."""


def write_durably(path: Path, content: bytes) -> None:
    """Writes a file so that it is there whole, or not at all, whenever the machine stops.

    The content goes into a file of a temporary name, is forced onto the disk, and gets its name
    then.

    Raises:
        OSError: if it cannot be written.
    """
    temporary = path.with_name(f".{path.name}{_PART}")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    if os.name == "posix":  # elsewhere a folder cannot be opened, nor need it be
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_json(path: Path, content: Any) -> None:
    """Writes a JSON document durably.

    Raises:
        OSError: if it cannot be written.
        ValueError: if a number in it is not finite.
    """
    write_durably(path, (json.dumps(content, indent=2, allow_nan=False) + "\n").encode())


def read_json(path: Path, what: str, key: str) -> dict[str, Any]:
    """Reads a JSON object.

    Args:
        path: of the file.
        what: its folder holds if the file is there, for the message.
        key: that such an object has, and others have not.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is damaged, or of another kind.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path.parent} holds no {what}: there is no {path.name} in it")
    try:
        content = json.loads(path.read_text())
    except ValueError as error:
        raise InvalidValue(f"{path} is damaged: {error}") from error
    if not isinstance(content, dict):
        raise InvalidValue(f"{path} is damaged: it holds no JSON object")
    if key not in content:
        raise InvalidValue(f"{path.parent} holds no {what} but something else: see {path.name}")
    return content


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps other processes out of a folder; the lock of a process that was killed is gone.

    Raises:
        ValueError: if another process is at work there.
    """
    try:
        with FileLock(folder / ".lock", timeout=0):
            yield
    except Timeout as error:
        raise InvalidValue(f"another process is at work in {folder}") from error


def write_checkpoint(folder: Path, steps: int, content: bytes) -> Path:
    """Writes a checkpoint with its checksum, and removes all but the newest ones.

    Those of more steps go too: a run that is here again passed them over as damaged.

    Args:
        folder: of the checkpoints; made if it is not there.
        steps: of training so far.
        content: to restore it from.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"checkpoint_{steps:012}.bin"
    checksum = hashlib.sha256(content).hexdigest().encode()
    write_durably(path, _MAGIC + checksum + b"\n" + content)
    found = checkpoints(folder)
    written = found.index(path)
    for other in (*found[:written], *found[written + KEPT :]):
        other.unlink(missing_ok=True)
    for unfinished in folder.glob(f".*{_PART}"):  # a crash left it
        unfinished.unlink(missing_ok=True)
    return path


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in a folder, the newest first."""
    found = [path for path in folder.glob("checkpoint_*.bin") if _NAME.fullmatch(path.name)]
    return sorted(found, reverse=True)


def read_checkpoint(path: Path) -> bytes:
    """The content of a checkpoint.

    Raises:
        DamagedCheckpointError: if it is not what was written.
        OSError: if it cannot be read.
    """
    whole = path.read_bytes()
    header, _, content = whole.partition(b"\n")
    if not header.startswith(_MAGIC):
        raise DamagedCheckpointError(f"{path} does not begin as a checkpoint does")
    if hashlib.sha256(content).hexdigest().encode() != header[len(_MAGIC) :]:
        raise DamagedCheckpointError(f"{path} is damaged: its checksum differs")
    return content


def newest_checkpoint(folder: Path) -> bytes | None:
    """The content of the newest sound checkpoint, or None if there is none at all.

    A damaged one is passed over with a warning.

    Raises:
        DamagedCheckpointError: if all that there are are damaged.
    """
    paths = checkpoints(folder)
    for path in paths:
        try:
            return read_checkpoint(path)
        except (DamagedCheckpointError, OSError) as error:
            warnings.warn(f"{error}; going on from the one before", stacklevel=2)
    if paths:
        raise DamagedCheckpointError(
            f"all {len(paths)} checkpoints in {folder} are damaged; train anew"
        )
    return None
