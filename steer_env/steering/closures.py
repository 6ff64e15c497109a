"""The values outside a user's function that it reads: globals, cells and defaults.

They are constants of the copy that is compiled; `Closure.has_changed` says if one has another
value since. Functions that read a clock or random numbers, or set an attribute, are rejected.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Collection
from functools import lru_cache, partial
from itertools import accumulate, takewhile
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from steer_env.errors import InvalidType
from steer_env.steering.compilation import compiled, plain_function

_FIXED = {"steer_env", "numpy", "numba", *sys.stdlib_module_names} - {"__main__"}
"""Packages whose functions and values stay what they are while a program runs."""

_UNSEEDED = ("random", "numpy.random", "secrets", "uuid", "time", "datetime")
"""Modules whose answers do not follow from the seed of a game."""

MISSING = object()
"""Stands for the value of a name that is not defined."""


class Read(NamedTuple):
    """A value that a function reads when it is called."""

    owner: Any  # a namespace, or an object that has the value as an attribute
    key: str
    value: Any  # kept, since `constant` may be its id
    constant: Any  # equal for values that make the same machine code


class Closure:
    """A user's function with the values that it reads, at one moment.

    The function may be one that `compiled`, or numba's ``njit``, has decorated. The attribute
    ``function`` is a copy that reads the values of this moment for ever.

    Raises:
        InvalidType: if the function or a helper reads a clock or random numbers, or sets an
            attribute.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._reads: list[Read] = []
        self._copies: dict[int, Any] = {}
        self.function: Callable[..., Any] = self._copy(function)

    def has_changed(self) -> bool:
        """True if Python would read another value now."""
        return any(_constant(_value_of(r.owner, r.key)) != r.constant for r in self._reads)

    def _copy(self, value: Any) -> Any:
        """A copy of a user's function, or any other value itself."""
        if isinstance(value, tuple):
            entries = [self._copy(entry) for entry in value]
            return type(value)._make(entries) if hasattr(value, "_make") else tuple(entries)
        is_jitted = hasattr(value, "py_func")
        function = plain_function(value.py_func if is_jitted else value)
        if not isinstance(function, FunctionType):
            return value
        if _package(function.__globals__.get("__name__")) in _FIXED:
            return value
        if id(value) not in self._copies:
            namespace: dict[str, Any] = {}
            cells = tuple(CellType() for _ in function.__closure__ or ())
            defaults = self._copy_read("its defaults", function, "__defaults__")
            code, name = function.__code__, function.__name__
            _check_code(code)
            copied: Any = FunctionType(code, namespace, name, defaults, cells)
            decorate: Any = partial(compiled, checks_indices=True)
            if is_jitted:
                from numba import jit

                decorate = jit(**{**value.targetoptions, "boundscheck": True})
            self._copies[id(value)] = copied = decorate(copied)  # now: it may call itself
            self._fill(function, namespace, cells)
            for signature in value.nopython_signatures if is_jitted else ():
                copied.compile(signature)
        return self._copies[id(value)]

    def _fill(
        self, function: FunctionType, namespace: dict[str, Any], cells: tuple[CellType, ...]
    ) -> None:
        """Gives a copy what its function reads now."""
        known, paths = function.__globals__, _paths(function.__code__)
        for name in known.keys() & {"__name__", "__builtins__"}:
            namespace[name] = known[name]
        kept = zip(cells, function.__code__.co_freevars, function.__closure__ or ())
        for cell, name, original in kept:
            cell.cell_contents = self._copy_read(name, original, "cell_contents", paths[name])
        for name in paths.keys() - {*function.__code__.co_freevars}:
            value = self._copy_read(name, known, name, paths[name])
            if value is not MISSING:  # as of builtins
                namespace[name] = value

    def _copy_read(
        self, name: str, owner: Any, key: str, paths: Collection[tuple[str, ...]] = ()
    ) -> Any:
        """The copy of a value that is read, or of a module's values at the paths."""
        value = _value_of(owner, key)
        _check_seeded(name, value, paths)
        self._reads.append(Read(owner, key, value, _constant(value)))
        is_module = isinstance(value, ModuleType) and _package(value.__name__) not in _FIXED
        if not is_module or () in paths:
            return self._copy(value)
        copied, held = ModuleType(value.__name__), vars(value)
        for key, *rest in paths:
            if key in held:
                entry = self._copy_read(f"{name}.{key}", held, key, [tuple(rest)])
                setattr(copied, key, entry)
        return copied


def _value_of(owner: Any, key: str) -> Any:
    if isinstance(owner, dict):
        return owner.get(key, MISSING)
    try:
        return getattr(owner, key)
    except (AttributeError, ValueError):  # of an empty cell
        return MISSING


def _check_seeded(name: str, value: Any, paths: Collection[tuple[str, ...]]) -> None:
    """Raises an InvalidType if a value that is read does not follow from a seed."""
    for path in paths or [()]:
        for found in accumulate(path, lambda one, key: getattr(one, key, None), initial=value):
            owner = getattr(found, "__self__", None)  # of a method
            parts = (found, type(found), owner, type(owner))
            modules = [getattr(part, "__module__", None) for part in parts]
            if isinstance(found, ModuleType):
                modules = [found.__name__]
            _check_modules(".".join((name, *path)), *modules)


def _check_modules(name: str, *modules: str | None) -> None:
    if any(f"{module}.".startswith(f"{one}.") for module in modules for one in _UNSEEDED):
        raise InvalidType(
            f"it uses {name}, which does not follow from the seed of a game; a Script's wander "
            "does, and so does chance in a scenario's start"
        )


def _check_code(code: CodeType) -> None:
    """Raises an InvalidType if code imports what follows no seed, or sets an attribute."""
    for one in dis.get_instructions(code):
        if one.opname == "IMPORT_NAME":
            for name in (one.argval, *(f"{one.argval}.{name}" for name in code.co_names)):
                _check_modules(name, name)
        if one.opname == "STORE_ATTR":
            raise InvalidType(f"it sets the attribute {one.argval}, and vehicles are read-only")


def _package(module: str | None) -> str:
    return str(module).partition(".")[0]


def _is_attribute(instruction: dis.Instruction) -> bool:
    return instruction.opname in ("LOAD_ATTR", "LOAD_METHOD")


@lru_cache(maxsize=256)
def _paths(code: CodeType) -> dict[str, set[tuple[str, ...]]]:
    """The names that code reads from outside, and the chains of attributes after each."""
    found: dict[str, set[tuple[str, ...]]] = {name: set() for name in code.co_freevars}
    instructions = [one for one in dis.get_instructions(code) if one.opname != "EXTENDED_ARG"]
    for place, instruction in enumerate(instructions):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_DEREF"):
            after = takewhile(_is_attribute, instructions[place + 1 :])
            chain = tuple(following.argval for following in after)
            found.setdefault(instruction.argval, set()).add(chain)
    for nested in filter(lambda constant: isinstance(constant, CodeType), code.co_consts):
        for name, chains in _paths(nested).items():
            found.setdefault(name, set()).update(chains)
    return found


def _constant(value: Any) -> Any:
    """Something equal for values that are the same constant in compiled code."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype, value.shape, value.tobytes()
    if isinstance(value, (int, float, complex, str, bytes)) or value is None:
        return type(value), repr(value)  # since True == 1 == 1.0, and -0.0 == 0.0
    if isinstance(value, tuple):
        return type(value), tuple(map(_constant, value))
    return id(value)
