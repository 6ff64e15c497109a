"""Reads and writes .npz archives of plain arrays, and does not trust what it reads.

Nothing is decompressed, and no array is allocated that the archive does not really hold, so a
hostile file can only be refused.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.files import write_bytes


def write_archive(path: Path, arrays: Mapping[str, NDArray[Any]], max_bytes: int) -> None:
    """Writes arrays into a file, see `replacing`; the same arrays give the same bytes.

    Raises:
        OSError: if the file cannot be written.
        ValueError: if it would be larger than max_bytes.
    """
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]
    if content.tell() > max_bytes:
        raise InvalidValue(f"a file has at most {max_bytes} bytes, got {content.tell()}")
    write_bytes(path, content.getvalue())


def read_archive(path: Path, max_bytes: int, max_members: int) -> dict[str, NDArray[Any]]:
    """Returns the arrays in a file by name: numbers in float32 or float64, or strings.

    Args:
        path: of the file.
        max_bytes: of the file, and of its arrays together.
        max_members: the largest number of arrays.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is not such an archive, or a damaged one; the message says why.
    """
    size = path.stat().st_size
    if not path.is_file():
        raise InvalidValue("it is not a file; expected an .npz file")
    if size > max_bytes:
        raise InvalidValue(f"it has {size} bytes, at most {max_bytes} are read")
    content = path.read_bytes()
    # Each entry of the table of contents begins like this; millions would take much memory.
    if content.count(b"PK\x01\x02") > max_members:
        raise InvalidValue(f"it has more than the {max_members} arrays that it may have")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _check_members(archive.infolist(), max_bytes)
            return {
                info.filename.removesuffix(".npy"): _read_array(info, archive.read(info))
                for info in archive.infolist()
            }
    except InvalidValue:
        raise
    except Exception as error:  # zipfile and numpy fail in many ways on damaged files
        raise InvalidValue(f"it is damaged, or not an .npz archive: {error}") from error


def _check_members(members: list[zipfile.ZipInfo], max_bytes: int) -> None:
    """Raises a ValueError for members that cannot be those of `write_archive`."""
    names = [info.filename for info in members]
    if "episodes.npy" in names:
        raise InvalidValue(
            "it holds the episodes of an Evaluation; read it with Evaluation.load"
        )
    for info in members:
        name = info.filename.removesuffix(".npy")
        if info.flag_bits & 1:
            raise InvalidValue(f"the array {name!r} is encrypted")
        if info.compress_type != zipfile.ZIP_STORED:  # it may be a decompression bomb
            raise InvalidValue(f"the array {name!r} is compressed, expected it stored")
        if info.file_size != info.compress_size:
            raise InvalidValue(f"the array {name!r} claims a size that it cannot have")
        if names.count(info.filename) > 1 or name == info.filename:
            raise InvalidValue(f"its member {info.filename!r} is there twice, or not an .npy")
    if sum(info.file_size for info in members) > max_bytes:
        raise InvalidValue("its arrays claim a size that they cannot have")


def _read_array(info: zipfile.ZipInfo, member: bytes) -> NDArray[Any]:
    """Returns the array in an .npy member, after checking that it fits what its header says."""
    name, stream = info.filename.removesuffix(".npy"), io.BytesIO(member)
    try:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("expected version 1.0")
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    except Exception as error:  # numpy reads the header as a Python literal, of any length
        raise InvalidValue(f"the array {name!r} does not begin as a plain .npy does") from error
    if dtype.kind != "U" and dtype not in (np.float32, np.float64):
        raise InvalidValue(f"{name} must be float32 or float64, got dtype {dtype.str!r}")
    size = len(member) - stream.tell()
    if any(length < 1 for length in shape) or math.prod(shape) * dtype.itemsize != size:
        raise InvalidValue(f"{name} has {size} bytes, which its shape {shape} does not fit")
    stream.seek(0)
    return np.load(stream, allow_pickle=False)
