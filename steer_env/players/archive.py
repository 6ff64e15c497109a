"""Reads .npz archives of plain arrays, after a check of all sizes, and writes them."""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steer_env.errors import InvalidType, InvalidValue, check_array, check_integer, check_path
from steer_env.files import read_bytes, write_bytes

_Policy = TypeVar("_Policy", bound="SavedPolicy")

PLAIN = (np.dtype(np.float32), np.dtype(np.float64))  # of the numbers in an archive
MAX_BYTES = 256 * 2**20  # of a policy's file
_SMALL = 2**16  # bytes that an array may have, however small it is compressed


def write_archive(
    path: Path, arrays: Mapping[str, NDArray[Any]], max_bytes: int, *, compressed: bool = False
) -> None:
    """Writes at most max_bytes of arrays into a file. The same arrays give the same bytes."""
    content = io.BytesIO()
    write: Any = np.savez_compressed if compressed else np.savez
    write(content, **arrays)
    with zipfile.ZipFile(content) as archive:
        size = sum(info.file_size for info in archive.infolist())
    if max(size, len(content.getbuffer())) > max_bytes:
        raise InvalidValue(f"a file has at most {max_bytes:,} bytes of arrays, got {size:,}")
    write_bytes(path, content.getvalue())


@contextmanager
def refusing_damage(path: Path, what: str) -> Iterator[None]:
    """Raises an InvalidValue that names the file: a damaged one may raise any error."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise InvalidValue(f"{path} is not {what}: {error}") from error


def read_archive(
    path: Path,
    max_bytes: int,
    max_members: int,
    *,
    dtypes: Collection[np.dtype[Any]] = PLAIN,
    max_ratio: float = 1.0,
) -> dict[str, NDArray[Any]]:
    """Returns the arrays in a file by name, or raises an InvalidValue that says what is wrong.

    Args:
        path: of the file.
        max_bytes: of the file, and of its arrays together.
        max_members: the most arrays that it may have.
        dtypes: of its arrays, besides strings.
        max_ratio: the largest size of an array over its compressed one; 1 for stored ones.
    """
    content = read_bytes(path, max_bytes)
    too_many = InvalidValue(f"it has more than the {max_members} arrays that it may have")
    # Each entry of the table of contents begins like this, and by chance a few of its numbers.
    if content.count(b"PK\x01\x02") > max_members + 1000:
        raise too_many
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            names = [info.filename for info in members]
            if len(members) > max_members:
                raise too_many
            if sum(info.file_size for info in members) > max_bytes:
                raise InvalidValue("its arrays claim a size that they cannot have")
            for info in members:
                name = info.filename.removesuffix(".npy")
                if names.count(info.filename) > 1 or name == info.filename:
                    raise InvalidValue(f"its member {name!r} is there twice, or not an .npy")
                if info.file_size > max(info.compress_size * max_ratio, _SMALL):
                    raise InvalidValue(f"the array {name!r} claims a size that it cannot have")
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise InvalidValue(f"the array {name!r} is neither stored nor deflated")
                with archive.open(info) as stream:
                    _check_header(name, info.file_size, stream, dtypes)
        return dict(np.load(io.BytesIO(content), allow_pickle=False))
    except InvalidValue:
        raise
    except Exception as error:  # zipfile and numpy fail in many ways on damaged files
        raise InvalidValue(f"it is damaged, or not an .npz archive: {error}") from error


def _check_header(
    name: str, size: int, stream: IO[bytes], dtypes: Collection[np.dtype[Any]]
) -> None:
    """Raises an error if an .npy of some bytes does not have the size that its header says."""
    try:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("expected version 1.0")
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    except Exception as error:  # numpy reads the header as a Python literal, of any length
        raise InvalidValue(
            f"it is damaged: the array {name!r} does not begin as a plain .npy does"
        ) from error
    if dtype.kind != "U" and dtype not in dtypes:
        valid = " or ".join("its own records" if one.names else str(one) for one in dtypes)
        raise InvalidValue(f"{name} must be {valid}, got dtype {dtype.str!r}")
    size -= stream.tell()
    if any(length < 1 for length in shape) or math.prod(shape) * dtype.itemsize != size:
        raise InvalidValue(
            f"it is damaged: {name} has {size} bytes, which its shape {shape} does not fit"
        )


def finite_array(
    what: str, given: ArrayLike, shape: tuple[int, ...] | None = None, dtype: Any = np.float32
) -> NDArray[Any]:
    """Returns a read-only copy of real numbers, finite in the dtype, of a shape or of any."""
    array = check_array(what, given, None)
    if array.dtype.kind not in "fiu":
        raise InvalidType(f"{what} must be real numbers, got dtype {array.dtype}")
    if shape is not None and array.shape != shape:
        raise InvalidValue(f"{what} must have the shape {shape}, got {array.shape}")
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
        array = np.array(array, dtype, order="C")
    if not np.isfinite(array).all():
        raise InvalidValue(f"{what} must be finite in {np.dtype(dtype)}")
    array.flags.writeable = False
    return array


class SavedPolicy(ABC):
    """A policy that an .npz archive holds whole."""

    KIND: ClassVar[str]  # in messages
    MAX_ARRAYS: ClassVar[int]  # in a file
    name: str | None = None  # or the path from which it was loaded
    _size: str

    def __repr__(self) -> str:
        """Its name, or else its size."""
        about = f" of {self._size}" if self.name is None else f"({self.name!r})"
        return f"{type(self).__name__}{about}"

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that its file holds, by name."""

    @classmethod
    @abstractmethod
    def from_arrays(cls: type[_Policy], arrays: dict[str, NDArray[Any]], seed: int) -> _Policy:
        """Rebuilds a policy from the output of `arrays`, or raises an error for others."""

    @abstractmethod
    def takes(self, features: int) -> bool:
        """True if it takes one player's observations of this size."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the policy, without the state of its generator, into an .npz of this name.

        Raises an InvalidValue if it would be larger than 256 MiB.
        """
        write_archive(check_path("path", path), self.arrays(), MAX_BYTES)

    @classmethod
    def load(cls: type[_Policy], path: str | os.PathLike[str], seed: int = 0) -> _Policy:
        """Reads a policy that `save` wrote, and executes nothing in the file.

        Raises an InvalidValue for another file or a damaged one.
        """
        check_integer("seed", seed, 0)
        path = check_path("path", path)
        with refusing_damage(path, f"a valid {cls.KIND} file"):
            return cls.from_arrays(read_archive(path, MAX_BYTES, cls.MAX_ARRAYS), seed)

    def is_equal(self, other: object) -> bool:
        """True for a policy of this kind with the same numbers."""
        if not isinstance(other, type(self)):
            return False
        ours, theirs = self.arrays(), other.arrays()
        return ours.keys() == theirs.keys() and all(
            np.array_equal(array, theirs[name]) for name, array in ours.items()
        )


def json_in(arrays: dict[str, NDArray[Any]], name: str) -> Any:
    """The content of the JSON that an archive holds under a name."""
    try:
        return json.loads(text_in(arrays, name))
    except (ValueError, RecursionError) as error:
        raise InvalidValue(f"the {name} are not JSON: {error}") from error


def text_in(arrays: dict[str, NDArray[Any]], name: str) -> str:
    """The text that an archive holds under a name."""
    array = arrays[name]
    if array.shape != () or array.dtype.kind != "U":
        raise InvalidValue(
            f"{name} must be one string, got dtype {array.dtype.str!r} and shape {array.shape}"
        )
    # Not item(), which makes broken strings of numbers that are not characters.
    return array.tobytes().decode("utf-32-le")
