"""Checkpoints that a crash cannot damage unnoticed: replaced as a whole, and checksummed."""

from __future__ import annotations

import hashlib
import warnings
from contextlib import suppress
from pathlib import Path

from steer_env.errors import InvalidValue
from steer_env.files import write_bytes

KEPT = 2
"""Checkpoints in a folder: if the newest is damaged, there is the one before."""

_MAGIC = b"steer_env checkpoint 1 "
_LONGEST_HEADER = len(_MAGIC) + 2 * hashlib.sha256().digest_size + 1


def write_checkpoint(folder: Path, steps: int, content: bytes) -> Path:
    """Writes a checkpoint with its checksum, and removes all but the newest ones.

    It also removes those of more steps: a run that gets here again found them damaged. Makes
    the folder if it does not exist, and returns the path of the checkpoint.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"checkpoint_{steps:012}.bin"
    checksum = hashlib.sha256(content).hexdigest().encode()
    write_bytes(path, _MAGIC + checksum + b"\n" + content)
    found = checkpoints(folder)
    written = found.index(path)
    for other in (*found[:written], *found[written + KEPT :]):
        with suppress(OSError):  # it does no harm
            other.unlink()
    return path


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in a folder, the newest first."""
    return sorted(folder.glob(f"checkpoint_{'[0-9]' * 12}.bin"), reverse=True)


def checkpoint_steps(path: Path) -> int:
    """The steps of training after which a checkpoint was written."""
    return int(path.stem.rpartition("_")[2])


def read_checkpoint(path: Path) -> bytes:
    """Returns the content of a checkpoint.

    Raises:
        ValueError: if it is damaged.
        OSError: if it cannot be read.
    """
    if not path.is_file():
        raise InvalidValue(f"{path} is not a file")
    with path.open("rb") as file:
        header = file.readline(_LONGEST_HEADER).removesuffix(b"\n")
        if not header.startswith(_MAGIC):  # whatever it is, it may be too large to read
            raise InvalidValue(f"{path} does not begin as a checkpoint does")
        try:
            content = file.read()
        except MemoryError:
            raise InvalidValue(f"{path} is larger than the memory") from None
    if hashlib.sha256(content).hexdigest().encode() != header[len(_MAGIC) :]:
        raise InvalidValue(f"{path} is damaged: its checksum differs")
    return content


def newest_checkpoint(folder: Path) -> bytes | None:
    """Returns the content of the newest undamaged checkpoint, or None if there are none.

    Warns of each damaged one that it skips.

    Raises:
        ValueError: if all checkpoints are damaged.
    """
    paths = checkpoints(folder)
    for path in paths:
        try:
            return read_checkpoint(path)
        except (InvalidValue, OSError) as error:
            warnings.warn(f"{error}; going on from the one before", stacklevel=2)
    if paths:
        raise InvalidValue(
            f"all {len(paths)} checkpoints in {folder} are damaged; start a new run"
        )
    return None
