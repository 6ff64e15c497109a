"""Writes files whole or not at all, and reads none that is larger than it can be.

Every file that a user can lose is written here: into a fragment, a hidden file in the same
folder, which takes the file's place once it is complete and on the disk. A fragment that a
killed process left is removed by the next file that is written there after an hour.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from steer_env.errors import InvalidValue, shown, unknown

LARGEST_JSON = 16 * 2**20
"""Bytes of the largest JSON document that is read (it may take 20 times as much memory)."""

_ABANDONED = 3600.0  # seconds since a fragment changed, after which nothing writes it any more


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields the path of an empty file that takes the place of another once it is complete.

    The new file has the old one's mode. A read-only file is replaced as well, if its folder can
    be written, and of a symbolic link the file that it points to.

    Raises:
        OSError: if the file cannot be written, or is a folder, a device or a pipe; it names the
            given path. The old file is unchanged then.
    """
    target = _target_of(path)
    # Not with the file's name, which may be as long as the disk allows.
    beside = target.with_name(f".steer_env-{uuid.uuid4().hex}.part")
    mode = 0o666
    with suppress(OSError):  # as private as the old one
        mode = stat.S_IMODE(target.stat().st_mode) & 0o777 | 0o600
    try:
        for fragment in target.parent.glob(".steer_env-*.part"):  # of killed processes
            with suppress(OSError):
                if time.time() - fragment.stat().st_mtime > _ABANDONED:
                    fragment.unlink()
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield beside
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        with suppress(OSError):  # there may be no old file, or no modes on this disk
            shutil.copymode(target, beside)
        os.replace(beside, target)
    except OSError as error:
        is_ours = error.filename is None or str(error.filename) == str(beside)
        if error.errno is not None and is_ours:  # the fragment's name means nothing to users
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        beside.unlink(missing_ok=True)
    with suppress(OSError):  # the file is whole, whenever its name gets onto the disk
        descriptor = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _target_of(path: Path) -> Path:
    """Returns the file to replace, at the end of all links."""
    target = Path(os.path.realpath(path))
    try:
        kind = os.stat(path).st_mode
    except FileNotFoundError:
        folder = target.parent if path.is_symlink() else path.parent
        if not folder.is_dir():
            problem = f"there is no folder {str(folder)!r} to write {path.name} to"
            raise FileNotFoundError(errno.ENOENT, problem, str(path)) from None
        return target
    if not stat.S_ISREG(kind):
        is_a = "a folder" if stat.S_ISDIR(kind) else "a device, a pipe or a socket"
        problem = f"not a regular file but {is_a}, so it is not replaced"
        raise OSError(errno.EINVAL, problem, str(path))
    return target


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file by `replacing`."""
    with replacing(path) as beside:
        beside.write_bytes(content)


def write_json(path: Path, content: Any, indent: int | None = 2) -> None:
    """Writes a JSON document by `replacing`, or raises a ValueError for numbers like nan."""
    write_text(path, json.dumps(content, indent=indent, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Writes a text file in UTF-8 by `replacing`."""
    write_bytes(path, text.encode())


def check_target(path: Path) -> None:
    """Raises an error if a file cannot be written, as far as this can be known in advance.

    Raises:
        InvalidValue: if its folder does not exist, or it is a folder, a device or a pipe.
        PermissionError: if its folder is not writable.
    """
    try:
        target = _target_of(path)
    except OSError as error:
        raise InvalidValue(f"{path}: {error.strerror}") from error
    if not os.access(target.parent, os.W_OK | os.X_OK):
        problem = f"{os.strerror(errno.EACCES)}: {path.name} cannot be written here"
        raise PermissionError(errno.EACCES, problem, str(target.parent))


def check_endings(paths: Sequence[Path], endings: Sequence[str]) -> None:
    """Raises an error for a file with another ending, or as `check_target` does."""
    for path in paths:
        if path.suffix not in endings:
            name = str(path) if len(str(path)) < 200 else shown(str(path))
            raise InvalidValue(f"{name}: {unknown('ending', path.suffix, endings)}")
        check_target(path)


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """Returns the content of a file.

    Raises:
        InvalidValue: if it is larger, or no file; the message begins with "it".
        OSError: if it cannot be read, or there is no such file.
    """
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe or a device may never end
        raise InvalidValue("it is not a file")
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > max_bytes:
            raise InvalidValue(f"it has {size:,} bytes, and at most {max_bytes:,} are read")
        return file.read(size)  # of more, Python would ask for the memory at once


def read_json(path: Path) -> Any:
    """Returns what a JSON document of at most `LARGEST_JSON` bytes holds.

    Raises:
        InvalidValue: if it is damaged, too large or too deep, or has numbers that JSON lacks
            (NaN, Infinity); the message names it.
        OSError: if it cannot be read, or there is no such file.
    """
    try:
        content = read_bytes(path, LARGEST_JSON)
    except InvalidValue as error:
        raise InvalidValue(f"{path}: {error}") from error

    def refuse(name: str) -> None:  # a number that Python reads, and JSON lacks
        raise ValueError(f"the numbers of JSON are finite, got {name}")

    try:
        return json.loads(content, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise InvalidValue(f"{path} is damaged: {error}") from error
