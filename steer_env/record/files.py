"""Files to write: looked at before anything is played."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path

from steer_env.errors import InvalidValue, unknown
from steer_env.files import check_folder

ENDINGS: Mapping[str, tuple[str, ...]] = {
    "gif": (".gif",),
    "mp4": (".mp4",),
    "png": (".png",),
    "svg": (".svg",),
    "html": (".html", ".htm"),
}
"""What the names of files of each kind end with."""


def check_files(files: Mapping[str, Path]) -> None:
    """Makes sure that all files can be written, as far as can be told.

    Args:
        files: the path by kind, out of `ENDINGS`.

    Raises:
        ValueError: without a file, or for one whose ending is another kind's, whose folder
            does not exist, or in whose place something else stands.
        PermissionError: if its folder may not be written to.
    """
    if not files:
        raise InvalidValue(f"name at least one file to write: {', '.join(ENDINGS)}")
    for kind, path in files.items():
        if path.suffix.lower() not in ENDINGS[kind]:
            problem = unknown(f"ending of the {kind} file", path.suffix, ENDINGS[kind])
            raise InvalidValue(f"{path}: {problem}")
        check_folder(path)
        if path.exists() and not path.is_file():
            raise InvalidValue(f"{path} stands for something else than a file")
        folder = path.resolve().parent  # of what a link points to
        if not os.access(folder, os.W_OK | os.X_OK):
            message = (
                f"{os.strerror(errno.EACCES)}: {path.name} cannot be written to this folder"
            )
            raise PermissionError(errno.EACCES, message, str(folder))


def size_text(path: Path) -> str:
    """How large a file is: "512 kB"."""
    size = path.stat().st_size
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1000:.0f} kB" if size < 999_500 else f"{size / 1e6:.1f} MB"
