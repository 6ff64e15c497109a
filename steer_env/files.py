"""Files that are replaced only by complete ones."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from steer_env.errors import InvalidValue

_LONGEST = 48  # letters: at most 192 bytes of the 255 that a name may have


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to write beside another, whose place and mode it takes once it is complete.

    If anything goes wrong before, what was there stays as it was.
    """
    target = path.resolve()  # a link goes on to point there
    # Not with the whole name: it may be as long as a disk allows.
    beside = target.with_name(f".{target.name[:_LONGEST]}.{os.getpid()}.part")
    try:
        yield beside
        with suppress(OSError):  # there may be no old file, or no modes on this disk
            shutil.copymode(target, beside)
        os.replace(beside, target)
    except OSError as error:
        if str(error.filename) == str(beside):  # of which nobody else knows
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        beside.unlink(missing_ok=True)


def check_folder(path: Path) -> None:
    """Raises an error if the folder to write a file to does not exist.

    Raises:
        InvalidValue: if there is no such folder.
    """
    if not path.absolute().parent.is_dir():
        raise InvalidValue(f"there is no folder {str(path.parent)!r} to write {path.name} to")


def write_text(path: Path, text: str) -> None:
    """Writes a text file in UTF-8; see `replacing`."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")
