"""Keeps machine code on disk, so that it is compiled once for a machine.

numba writes and reads the files (``cache=True``). But it looks for changes in a function's own
file only, takes what it finds for whole, and stops where a disk is full. So here

- every state of what machine code depends on has a folder of its own: the package's source
  files, the versions of numba, llvmlite, numpy and Python, the processor, and numba's settings;
- every function has a folder in there, with a checksum of each file: a list that is written
  last, when all is on the disk. Files that it does not vouch for are removed and made anew;
- one process compiles at a time, and the others wait for its result;
- where the cache cannot be used, the game is compiled without it, and one line says why.
"""

from __future__ import annotations

import errno
import gc
import hashlib
import os
import platform
import re
import shutil
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import llvmlite  # type: ignore[import-untyped]
import llvmlite.binding as llvm  # type: ignore[import-untyped]
import numba
import numpy as np
from numba import NumbaError

from steer_env.files import write_text

Compiled = TypeVar("Compiled")

_numba: Any = numba  # its type stubs lag behind

COMPILED_FROM = (
    "steering/*.py",
    "scripts/*.py",
    "solved/*.py",
    "game/*.py",
    "sides.py",
    "actions.py",
    "bounds.py",
    "policies/layers.py",
    "rendering/pixels.py",
    "browser/entrances.py",
)
"""The files of the package that compiled functions come from."""

_CHECKSUMS = "checksums.sha256"  # in the form that sha256sum reads and writes
_KEY = re.compile(r"[0-9a-f]{20}")
_KEPT = 8  # versions of the package, of numba and so on
_ROOM = 16 * 2**20  # bytes: more than the machine code of any function
_PATIENCE = 300.0  # seconds to wait for another process that compiles
_NOTICE_AFTER = 1.5  # seconds; loading machine code takes less

_SETTINGS = (
    "CPU_NAME",
    "CPU_FEATURES",
    "ENABLE_AVX",
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
    "DISABLE_INTEL_SVML",
    "ENABLE_PROFILING",
    "LLVM_REFPRUNE_PASS",
    "LLVM_REFPRUNE_FLAGS",
    "EXTEND_VARIABLE_LIFETIMES",
)
"""Of `numba.config`: those that change machine code."""

_one_at_a_time = threading.RLock()  # numba has one setting for where its cache is
_has_failed = threading.Event()  # then this process does without


class CacheReport(NamedTuple):
    """Where machine code is kept, and how much of it."""

    folder: str
    """Of all versions; the environment variable ``NUMBA_CACHE_DIR`` moves it."""
    functions: int
    """How many are kept for this version and machine."""
    kilobytes: int
    """Of all versions together."""


def cache_folder() -> Path:
    """The folder where the package's machine code is kept."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given).absolute() / "steer-env"
    from platformdirs import user_cache_path

    return user_cache_path("steer-env", appauthor=False)


def report() -> CacheReport:
    """Returns what is in the cache; reads nothing but names and sizes."""
    folder, key = cache_folder(), _key()
    functions = sum(1 for _ in (folder / key).glob(f"*/{_CHECKSUMS}")) if key else 0
    sizes = (
        path.stat().st_size
        for version in _versions(folder)
        for path in version.rglob("*")
        if path.is_file()
    )
    return CacheReport(str(folder), functions, round(sum(sizes) / 1e3))


def clear() -> None:
    """Removes the machine code of all versions. Processes that use it keep theirs.

    Raises:
        OSError: if it cannot be removed.
    """
    for version in _versions(cache_folder()):
        shutil.rmtree(version)


def load_or_compile(name: str, compile_function: Callable[[bool], Compiled]) -> Compiled:
    """Returns what a function that compiles returns, from the cache if it is there.

    Args:
        name: of what is compiled; it names its folder.
        compile_function: takes whether to compile with numba's ``cache=True``.
    """
    with _one_at_a_time, _garbage_put_off():
        if not _has_failed.is_set():
            try:
                return _load_or_store(name, compile_function)
            except NumbaError:
                raise  # it is not the cache's fault
            except Exception as error:  # of the disk, the lock, or numba at a damaged file
                _do_without(error)
        return compile_function(False)


def _do_without(error: Exception) -> None:
    """Says why this process uses no cache from now on."""
    _has_failed.set()
    lines = str(error).splitlines() or [type(error).__name__]
    _say(f"compiling without a cache, which takes each process 15 s: {lines[0]}")


def compile_once(compile_function: Callable[[], Compiled]) -> Compiled:
    """Returns what a function that compiles returns; nothing is kept on disk."""
    with _one_at_a_time, _garbage_put_off(), _notice("compiling a behavior"):
        return compile_function()


def _load_or_store(name: str, compile_function: Callable[[bool], Compiled]) -> Compiled:
    from filelock import FileLock  # a program that compiles nothing does not need it

    version = _version_folder()
    folder = version / name
    if _is_whole(folder):  # loading needs no lock, so any number of processes do it at once
        return _cached_in(folder, compile_function)
    lock = FileLock(version / "lock", timeout=_PATIENCE)
    with _notice("waiting for another process, which compiles the game"):
        lock.acquire()
    try:
        if not _is_whole(folder):
            _make_room(folder)
        with _notice("compiling the games, once on this machine: about 12 s in all"):
            return _cached_in(folder, compile_function)
    finally:
        lock.release()


def _version_folder() -> Path:
    """The folder for this version and machine, which is made if it does not exist.

    Raises:
        OSError: if it cannot be used.
    """
    key = _key()
    if not key:
        raise FileNotFoundError("the package's source files are not there")
    version = cache_folder() / key
    if not version.is_absolute():
        raise FileNotFoundError("there is no home folder; set NUMBA_CACHE_DIR")
    if not version.is_dir():
        version.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove_oldest(version.parent)
    if os.name == "posix":
        _check_private(version)
    os.utime(version)  # it is in use
    return version


def _check_private(version: Path) -> None:
    """Raises a PermissionError if another user may have put any code there."""
    trusted = (os.geteuid(), 0)
    for path in (version, *version.parents):
        found = path.lstat()
        is_link = stat.S_ISLNK(found.st_mode)
        if (is_link or path == version) and found.st_uid not in trusted:
            message = "it belongs to another user"
        elif path == version and (is_link or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
            message = "others can write to it; set NUMBA_CACHE_DIR to a private folder"
        else:
            continue
        raise PermissionError(errno.EPERM, message, str(path))


def _make_room(folder: Path) -> None:
    """Makes the empty folder of a function.

    Raises:
        OSError: if it cannot be made, or if the disk is full.
    """
    if os.path.lexists(folder):
        if not folder.is_dir() or _times(folder):
            _say(f"compiled code in {folder.parent} is not whole: compiling it again")
        _remove(folder)
    if shutil.disk_usage(folder.parent).free < _ROOM:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder.parent))
    folder.mkdir()


def _cached_in(folder: Path, compile_function: Callable[[bool], Compiled]) -> Compiled:
    """Has numba look for its files in a folder, and vouches for those that it writes there."""
    before, elsewhere = _times(folder), _numba.config.CACHE_DIR
    _numba.config.CACHE_DIR = str(folder)
    try:
        compiled = compile_function(True)
    except BaseException:
        if _times(folder) != before:
            shutil.rmtree(folder, ignore_errors=True)  # a full disk needs the room
        raise
    finally:
        _numba.config.CACHE_DIR = elsewhere
    if _times(folder) != before:
        try:
            if _sources() != _SOURCES:
                raise ValueError("the source files have changed since they were imported")
            write_text(folder / _CHECKSUMS, _checksums(folder))
        except (OSError, ValueError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            _do_without(error)
    return compiled


def _is_whole(folder: Path) -> bool:
    try:
        return (folder / _CHECKSUMS).read_bytes() == _checksums(folder).encode()
    except OSError:
        return False


def _checksums(folder: Path) -> str:
    """A line for each file in a folder: its SHA-256, and its name."""
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n"
        for path in sorted(folder.rglob("*"))
        if path.name != _CHECKSUMS and not path.is_dir()
    )


def _times(folder: Path) -> dict[Path, int]:
    """When each file in a folder was last written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _remove_oldest(folder: Path) -> None:
    """Removes the versions that have not been used for longest, apart from some."""
    newest_first = sorted(_versions(folder), key=lambda path: -path.stat().st_mtime)
    for version in newest_first[_KEPT:]:
        shutil.rmtree(version, ignore_errors=True)


def _versions(folder: Path) -> list[Path]:
    """The folders of all versions of the package, numba and so on."""
    found = folder.iterdir() if folder.is_dir() else ()
    return [path for path in found if _KEY.fullmatch(path.name) and path.is_dir()]


def _sources() -> str:
    """A digest of the source files on the disk; "" if they are not there."""
    package = Path(__file__).parent.parent
    files = [sorted(package.glob(pattern)) for pattern in COMPILED_FROM]
    if not all(files):
        return ""
    contents = (path.read_bytes() for path in chain.from_iterable(files))
    digests = (hashlib.sha256(content).digest() for content in contents)
    return hashlib.sha256(b"".join(digests)).hexdigest()


_SOURCES = _sources()  # now, since what is imported now is what will be compiled


@cache
def _key() -> str:
    """The name of this version's folder; "" if the source files are not there."""
    settings = [(name, str(getattr(_numba.config, name, ""))) for name in _SETTINGS]
    processor = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    versions = (_numba.__version__, llvmlite.__version__, np.__version__, sys.version)
    known = (_SOURCES, settings, processor, versions, platform.machine())
    return hashlib.sha256(repr(known).encode()).hexdigest()[:20] if _SOURCES else ""


@cache  # so that it is said once
def _say(message: str) -> None:
    line = f"steer_env: {message}"
    if sys.stderr is not None and sys.stderr.isatty():
        line = f"\r{line:79}"  # over what a program shows there about its progress
    print(line, file=sys.stderr)


@contextmanager
def _notice(message: str) -> Iterator[None]:
    """Says on stderr what is going on, if it takes long enough to wonder."""
    notice = threading.Timer(_NOTICE_AFTER, _say, (message,))
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()


@contextmanager
def _garbage_put_off() -> Iterator[None]:
    """Puts off garbage collection, which takes a tenth of the time that the compiler needs."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
