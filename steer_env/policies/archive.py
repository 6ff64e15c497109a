"""An .npz archive of plain arrays that is written whole, and read without trusting it.

`numpy.load` evaluates the headers of arrays, allocates what they claim, and unpacks what is
compressed; here nothing is, so that a hostile file can do no more than be refused.
"""

from __future__ import annotations

import io
import math
import os
import re
import struct
import uuid
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue

_ARRAY_HEADER = re.compile(
    rb"\{'descr': '([^']*)', 'fortran_order': (False|True), 'shape': \(([\d, ]*)\), \} *\n"
)


def write_archive(path: Path, arrays: Mapping[str, NDArray[Any]], max_bytes: int) -> None:
    """Writes arrays into a file, whole or not at all; the same arrays give the same bytes.

    Raises:
        OSError: if the file cannot be written.
        ValueError: if it would be larger than max_bytes.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            little = array.astype(array.dtype.newbyteorder("<"))
            np.lib.format.write_array(member, little, (1, 0), allow_pickle=False)
            # Of a ZipInfo made by hand the date is the same every time.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    if content.tell() > max_bytes:
        raise InvalidValue(f"a file has at most {max_bytes} bytes, got {content.tell()}")
    temporary = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with temporary.open("wb") as file:
            file.write(content.getbuffer())
            file.flush()
            os.fsync(file.fileno())  # else a crash may leave the name without the content
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read_archive(
    path: Path,
    max_bytes: int,
    max_members: int,
    other_kinds: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, bytes]:
    """The members of an archive by name, for `read_text` and `read_numbers`.

    Args:
        path: of the file.
        max_bytes: of the file, and of its members together.
        max_members: how many it may have.
        other_kinds: from the name of an array that tells that a file is of another kind, to
            the message with which such a file is refused.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is no such archive, or a damaged one; it says why.
    """
    size = path.stat().st_size
    if not path.is_file():
        raise InvalidValue("it is not a file; expected an .npz file")
    if size > max_bytes:
        raise InvalidValue(f"it has {size} bytes, at most {max_bytes} are read")
    return _members(path.read_bytes(), max_bytes, max_members, other_kinds)


def _members(
    content: bytes, max_bytes: int, max_members: int, other_kinds: Mapping[str, str]
) -> dict[str, bytes]:
    """The members of a zip archive by name, without .npy; none is compressed or encrypted."""
    # So begins each entry of the table of contents; millions would take far more memory.
    if content.count(b"PK\x01\x02") > max_members:
        raise InvalidValue(f"it has more than the {max_members} arrays that it may have")
    members: dict[str, bytes] = {}
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for telling, message in other_kinds.items():
                if f"{telling}.npy" in archive.namelist():
                    raise InvalidValue(message)
            for info in archive.infolist():
                name = info.filename.removesuffix(".npy")
                total += info.file_size
                if info.flag_bits & 1:
                    raise InvalidValue(f"the array {name!r} is encrypted")
                # `write_archive` compresses nothing, so what is compressed may only be a bomb.
                if info.compress_type != zipfile.ZIP_STORED:
                    raise InvalidValue(f"the array {name!r} is compressed, expected it stored")
                if total > max_bytes or info.file_size != info.compress_size:
                    raise InvalidValue(f"the array {name!r} claims a size that it cannot have")
                if name in members or name == info.filename:
                    raise InvalidValue(
                        f"its member {info.filename!r} is there twice, or no .npy"
                    )
                members[name] = archive.read(info)
    except (zipfile.BadZipFile, RuntimeError, EOFError, OverflowError, struct.error) as error:
        raise InvalidValue(f"it is damaged, or no .npz archive: {error}") from error
    return members


def _array_parts(name: str, member: bytes) -> tuple[str, str, tuple[int, ...], bytes]:
    """The dtype, the order and the shape that an .npy member claims, and its data."""
    start = 10  # bytes of the magic string, the version and the header's length
    end = start + int.from_bytes(member[8:start], "little")
    header = _ARRAY_HEADER.fullmatch(member[start:end])
    if member[:8] != b"\x93NUMPY\x01\x00" or header is None:
        raise InvalidValue(f"the array {name!r} does not begin as a plain .npy array does")
    dtype, order, sizes = (group.decode("latin-1") for group in header.groups())
    shape = tuple(int(size) for size in sizes.replace(",", " ").split())
    return dtype, "F" if order == "True" else "C", shape, member[end:]


def read_text(name: str, member: bytes) -> str:
    """The string in a member."""
    dtype, _, shape, data = _array_parts(name, member)
    if shape != () or dtype != f"<U{len(data) // 4}":
        raise InvalidValue(f"{name} must be one string, got dtype {dtype!r} and shape {shape}")
    return data.decode("utf-32-le")


def read_numbers(name: str, member: bytes) -> NDArray[Any]:
    """The array of float32 or float64 in a member, whose length its shape must give."""
    dtype, order, shape, data = _array_parts(name, member)
    if dtype not in ("<f4", "<f8"):
        raise InvalidValue(f"{name} must be float32 or float64, got dtype {dtype!r}")
    if 0 in shape or math.prod(shape) * int(dtype[-1]) != len(data):
        raise InvalidValue(
            f"{name} has {len(data)} bytes, which its shape {shape} does not fit"
        )
    return np.frombuffer(data, dtype).reshape(shape, order=order)  # type: ignore[call-overload]
