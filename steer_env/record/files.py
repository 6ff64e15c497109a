"""Checks the files to write before anything is played."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from steer_env.errors import InvalidValue, unknown
from steer_env.files import check_target

ENDINGS: Mapping[str, tuple[str, ...]] = {
    "gif": (".gif",),
    "mp4": (".mp4",),
    "png": (".png",),
    "svg": (".svg",),
    "html": (".html", ".htm"),
}
"""The valid endings of file names, by kind of file."""


def check_files(files: Mapping[str, Path]) -> None:
    """Makes sure that all files can be written, as far as this can be known in advance.

    Args:
        files: paths by kind; the kinds are the keys of `ENDINGS`.

    Raises:
        ValueError: without a file, for a wrong ending, if a folder does not exist, or if a path
            is not that of a file.
        PermissionError: if a folder is not writable.
    """
    if not files:
        raise InvalidValue(f"name at least one file to write: {', '.join(ENDINGS)}")
    for kind, path in files.items():
        if path.suffix.lower() not in ENDINGS[kind]:
            problem = unknown(f"ending of the {kind} file", path.suffix, ENDINGS[kind])
            raise InvalidValue(f"{path}: {problem}")
        check_target(path)
