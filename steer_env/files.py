"""Writes files that a crash cannot damage: each is replaced only by a complete one."""

from __future__ import annotations

import errno
import json
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from steer_env.errors import InvalidValue, unknown


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields the path of a temporary file, which takes the place of a file once it is complete.

    Its content is on the disk before it gets the name, so that whenever the machine stops,
    there is either the old file or the new one. If anything goes wrong, the old file stays.
    The new one has its mode. A symbolic link goes on pointing where it does.

    Args:
        path: of the file to replace; there may be none yet.

    Raises:
        OSError: if the file cannot be written, or is a folder or a device.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "not a regular file, so it is not replaced", str(path))
    beside = target.with_name(f".{uuid.uuid4().hex}.part")  # even where the name is very long
    try:
        yield beside
        with suppress(OSError):  # there may be no old file, or no modes on this disk
            shutil.copymode(target, beside)
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(beside, target)
        _sync_folder(target.parent)
    except OSError as error:
        if str(error.filename) == str(beside):  # a name that means nothing to the user
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        beside.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Forces the names in a folder onto the disk."""
    if os.name != "posix":  # elsewhere a folder cannot be opened, nor does it need to be
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_bytes(path: Path, content: bytes) -> None:
    """Replaces a file; see `replacing`.

    Raises:
        OSError: if it cannot be written.
    """
    with replacing(path) as beside:
        beside.write_bytes(content)


def write_json(path: Path, content: Any) -> None:
    """Replaces a JSON document; see `replacing`.

    Raises:
        OSError: if it cannot be written.
        ValueError: if a number in it is not finite.
    """
    write_text(path, json.dumps(content, indent=2, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Replaces a text file in UTF-8; see `replacing`.

    Raises:
        OSError: if it cannot be written.
    """
    write_bytes(path, text.encode())


def check_folder(path: Path) -> None:
    """Raises an error if the folder to write a file to does not exist.

    Raises:
        InvalidValue: if there is no such folder.
    """
    if not path.absolute().parent.is_dir():
        raise InvalidValue(f"there is no folder {str(path.parent)!r} to write {path.name} to")


def check_endings(paths: Sequence[Path], endings: Sequence[str]) -> None:
    """Raises an error for a file with another ending, or in a folder that does not exist.

    Raises:
        InvalidValue: for such a file.
    """
    for path in paths:
        if path.suffix not in endings:
            raise InvalidValue(f"{path}: {unknown('ending', path.suffix, endings)}")
        check_folder(path)
