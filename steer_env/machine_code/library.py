"""Loads the library that the package ships: the games' machine code for this kind of machine.

``built.json`` says from which code the libraries were made. The games are compiled here if the
code has been edited, or if this machine has no library, or another one than was built. The
variable ``STEER_ENV_CODE`` chooses: "jit" to compile, or a processor's level, such as "v2".
"""

from __future__ import annotations

import ast
import ctypes
import hashlib
import json
import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any

from steer_env.errors import check_choice, printable
from steer_env.machine_code.marking import IS_PLAIN

FOLDER = Path(__file__).parent
MANIFEST = FOLDER / "built.json"

SOURCES = (
    *(f"machine_code/{name}.py" for name in ("addresses", "jit", "marking", "routines")),
    "steering/*.py",
    *(
        f"scripts/{name}.py"
        for name in ("behaviors", "force", "path_force", "script", "table", "team_force")
    ),
    "solved/*.py",
    "game/**/*.py",
    "sides.py",
    "actions.py",
    "fields.py",
    "players/layers.py",
    "rendering/pixels.py",
    "browser/entrances.py",
)
"""The files of the package that the libraries are made from."""

LIBRARIES = {
    ("linux", "x86_64"): "linux-x86_64.so",
    ("linux", "aarch64"): "linux-aarch64.so",
    ("win32", "AMD64"): "windows-x86_64.dll",
    ("darwin", "arm64"): "macos-arm64.dylib",
}
"""The library's file for each ``sys.platform`` and ``platform.machine()``."""

LEVELS = ("", "v2", "v3", "v4")
"""The levels of x86-64 processors, from `processor_level` of their library."""


class Library:
    """The routines of a library that fit a processor best.

    The level is that of the processor; one above it is an OSError.
    """

    def __init__(self, path: Path, level: str | None = None) -> None:
        self._code, self._name = ctypes.CDLL(str(path)), path.name
        chosen = self._fitting(level)
        self._suffixes = [f"_{name}" for name in LEVELS[chosen:1:-1]] + [""]

    def _fitting(self, level: str | None) -> int:
        """The place in `LEVELS` of the code to use, or 0 in a library without levels."""
        if not hasattr(self._code, "processor_level"):
            if level is not None:
                raise OSError(f"{self._name} has no {level}")
            return 0
        own: int = self._code.processor_level()
        chosen = own if level is None else LEVELS.index(level)
        if own < max(chosen, 1):
            raise OSError(f"this processor is below {LEVELS[max(chosen, 1)]} of x86-64")
        return chosen

    def __str__(self) -> str:
        """The file, and the level if it is not the lowest."""
        return f"{self._name} {self._suffixes[0].strip('_')}".strip()

    def address(self, name: str) -> int:
        """The address of a routine, or a LookupError."""
        for suffix in self._suffixes:
            found = getattr(self._code, name + suffix, None)
            if found is not None:
                return ctypes.cast(found, ctypes.c_void_p).value or 0
        raise LookupError(f"{self._name} has no routine {name}")


@cache
def library() -> Library | None:
    """The library for this machine, or None and a line on stderr if the games are compiled."""
    chosen = os.environ.get("STEER_ENV_CODE") or None
    if chosen is not None:
        check_choice("STEER_ENV_CODE", chosen, ("jit", *LEVELS[1:]))
    if chosen == "jit":
        return None
    kind = sys.platform, platform.machine()
    try:
        if kind not in LIBRARIES:
            raise OSError(f"there is no machine code for {' '.join(kind)}")
        content_of(LIBRARIES[kind])
        return Library(FOLDER / LIBRARIES[kind], chosen)
    except (OSError, ValueError) as error:
        say(f"{error}; the games are compiled here, some seconds for each at first")
        return None


def in_use() -> str:
    """The source of the games' machine code, in a few words."""
    return "none: NUMBA_DISABLE_JIT is set" if IS_PLAIN else str(library() or "compiled here")


def content_of(name: str) -> bytes:
    """The content of a file that was built from this code, or an OSError or ValueError."""
    built = manifest()
    if built["code"] != code_at_hand():
        raise ValueError("the games' code has changed since `make engine` (2 minutes)")
    content = (FOLDER / name).read_bytes()
    if hashlib.sha256(content).hexdigest() != built["files"].get(name):
        raise ValueError(f"{name} is not the file that was built")
    return content


def manifest() -> dict[str, dict[str, str]]:
    """Digests of texts, their code, and built files, or a ValueError or OSError."""
    built: Any = json.loads(MANIFEST.read_text("utf-8"))
    parts = ("texts", "code", "files")
    if not isinstance(built, dict) or not all(isinstance(built.get(p), dict) for p in parts):
        raise ValueError(f"{MANIFEST.name} does not say what was built")
    return built


@cache
def code_at_hand() -> dict[str, str]:
    """The digest of each source's code, parsed if its text is not the built one."""
    try:
        built = manifest()
    except (OSError, ValueError):
        built = {"texts": {}, "code": {}}
    return {
        name: built["code"].get(name, "")
        if digest_of(text) == built["texts"].get(name)
        else digest_of_code(text)
        for name, text in source_texts().items()
    }


def source_texts() -> dict[str, bytes]:
    """The texts of `SOURCES` by their paths in the package, with the same ends of lines."""
    start = len(FOLDER.parent.as_posix()) + 1
    return {
        path.as_posix()[start:]: path.read_bytes().replace(b"\r\n", b"\n")
        for path in source_files()
    }


def digest_of(text: bytes) -> str:
    """A digest to notice edits by."""
    return hashlib.sha256(text).hexdigest()[:16]


def digest_of_code(text: bytes) -> str:
    """A digest of a source without docstrings, comments and layout, for any Python."""
    return digest_of(ascii(_shape(ast.parse(text))).encode())


def _shape(node: Any) -> Any:
    """A syntax tree as lists, without texts that stand alone and fields without a content."""
    if isinstance(node, list):
        return [_shape(one) for one in node if not _is_docstring(one)]
    if not isinstance(node, ast.AST):
        return node
    if isinstance(node, ast.JoinedStr):  # at whose end Python 3.12 may see an empty text
        node.values = [one for one in node.values if getattr(one, "value", None) != ""]
    fields = [[name, _shape(value)] for name, value in ast.iter_fields(node)]
    return [type(node).__name__, *(field for field in fields if field[1] not in (None, []))]


def _is_docstring(node: Any) -> bool:
    """True for a statement that is nothing but a text, as those below constants, too."""
    content = node.value if isinstance(node, ast.Expr) else None
    return isinstance(content, ast.Constant) and isinstance(content.value, str)


def source_files() -> list[Path]:
    """The files of `SOURCES`, in order."""
    package = FOLDER.parent
    return [path for pattern in SOURCES for path in sorted(package.glob(pattern))]


def say(message: str) -> None:
    """Writes a line to stderr."""
    if sys.stderr is not None:
        print(f"steer_env: {printable(message)}", file=sys.stderr)
