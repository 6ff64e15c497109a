"""Values that do not fit: generated from a parameter's annotation and from one that does."""

from __future__ import annotations

import collections.abc
import decimal
import numbers
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


class HostileRepr:
    """An object that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("this object cannot be shown")


class HostileFloat:
    """An object that looks like a number until it is used."""

    def __float__(self) -> float:
        raise RuntimeError("this object is not a number after all")

    __complex__ = __int__ = __index__ = __float__  # type: ignore[assignment]


def endless_list() -> list[Any]:
    """A list that contains itself."""
    found: list[Any] = []
    found.append(found)
    return found


def endless_dict() -> dict[str, Any]:
    """A dict that contains itself."""
    found: dict[str, Any] = {}
    found["evader"] = found
    return found


ANYTHING: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-1": lambda: -1,
    "0": lambda: 0,
    "0.5": lambda: 0.5,
    "10**400": lambda: 10**400,
    "10**5000": lambda: 10**5000,
    "2**63": lambda: 2**63,
    "1e308": lambda: 1e308,
    "1e-320": lambda: 1e-320,
    "1j": lambda: 1j,
    "Decimal": lambda: decimal.Decimal("1.5"),
    "empty text": lambda: "",
    "a text": lambda: "purs uit",
    "a NUL in a text": lambda: "a\0b",
    "a long text": lambda: "x" * 100_000,
    "bytes": lambda: b"pursuit",
    "[]": list,
    "[[]]": lambda: [[]],
    "nested lists": lambda: [[1.0, [2.0]], [3.0]],
    "{}": dict,
    "{'nope': 1}": lambda: {"nope": 1},
    "{'pursuer': []}": lambda: {"pursuer": []},
    "{1: 2}": lambda: {1: 2},
    "{None: None}": lambda: {None: None},
    "endless list": endless_list,
    "endless dict": endless_dict,
    "a set": lambda: {1, 2},
    "a generator": lambda: (number for number in range(3)),
    "array ()": lambda: np.array(1.0),
    "array (0,)": lambda: np.zeros(0),
    "array (3,)": lambda: np.arange(3.0),
    "array (2, 3)": lambda: np.zeros((2, 3)),
    "array of nan": lambda: np.full(2, np.nan),
    "array of texts": lambda: np.array(["a", "b"]),
    "array of objects": lambda: np.array([None, {}], object),
    "array of uint8": lambda: np.zeros(2, np.uint8),
    "array of complex": lambda: np.zeros(2, complex),
    "np.float32": lambda: np.float32(2.5),
    "np.int8": lambda: np.int8(3),
    "np.bool_": lambda: np.bool_(True),
    "an object": object,
    "a class": lambda: dict,
    "a function of nothing": lambda: lambda: None,
    "a function to None": lambda: lambda *arguments, **named: None,
    "a function to text": lambda: lambda *arguments, **named: "north",
    "hostile __repr__": HostileRepr,
    "hostile __float__": HostileFloat,
    "a path": lambda: Path("no such file.npz"),
    "a folder": lambda: Path("/"),
    "'pursuit'": lambda: "pursuit",
    "'evade'": lambda: "evade",
}
"""What anybody may pass for anything, each made anew, by a name for reports."""


def spoiled(valid: Any, generator: np.random.Generator) -> list[tuple[str, Any]]:
    """Values that are nearly a valid one."""
    found: list[tuple[str, Any]] = []
    if isinstance(valid, str) and valid:
        place = int(generator.integers(len(valid)))
        found += [
            ("misspelled", valid[:place] + valid[place + 1 :] + "q"),
            ("a letter twice", valid[:place] + valid[place] + valid[place:]),
            ("in capitals", valid.upper()),
            ("with a blank", valid + " "),
            ("in a list", [valid]),
            ("its letters", list(valid)),
        ]
    elif isinstance(valid, bool):
        found += [("as text", str(valid)), ("an integer", 2)]
    elif isinstance(valid, numbers.Number):
        found += [
            ("as text", str(valid)),
            ("negative", -valid),  # type: ignore[operator]
            ("in a list", [valid]),
            ("a million times", float(valid.real) * 1e6),  # type: ignore[attr-defined]
            ("and a half", valid + 0.5),  # type: ignore[operator]
        ]
    elif isinstance(valid, np.ndarray):
        found += [
            ("one axis more", valid[None]),
            ("one entry less", valid[:-1]),
            ("as float16", valid.astype(np.float16) if valid.dtype.kind in "fiu" else None),
            ("as objects", valid.astype(object)),
            ("as a list", valid.tolist()),
        ]
        if valid.dtype.kind == "f":
            found += [("all nan", np.full_like(valid, np.nan))]
            found += [("all huge", np.full_like(valid, np.finfo(valid.dtype).max))]
    elif isinstance(valid, (list, tuple)):
        found += [
            ("twice as long", valid + valid),
            ("one less", valid[:-1]),
            ("None in it", [*valid[:-1], None]),
            ("itself in it", [*valid, valid]),
            ("one deeper", [valid]),
            ("a generator of it", (entry for entry in valid)),
        ]
    elif isinstance(valid, dict):
        for key in valid:
            for name in ("None", "nan", "-1", "[]", "endless dict", "hostile __repr__"):
                found.append((f"{name} at {key!r}", {**valid, key: ANYTHING[name]()}))
            found.append((f"{key!r} misspelled", {key + "q": valid[key]}))
    return found


def wrong_value(valid: Any, generator: np.random.Generator) -> tuple[str, Any]:
    """A value for a parameter that `valid` fits, and its name in reports."""
    near = spoiled(valid, generator)
    if near and generator.random() < 0.4:
        return near[generator.integers(len(near))]
    name = str(generator.choice(list(ANYTHING)))
    return name, ANYTHING[name]()


def fits(value: Any, hint: Any) -> bool:
    """Whether a value has the type that an annotation asks for, as far as that can be seen."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in arguments)
    if origin is typing.Annotated:
        return fits(value, arguments[0])
    if origin is typing.Literal:
        return value in arguments
    if hint is None or hint is type(None):
        return value is None
    if hint in (int, float, complex):
        kind = {int: numbers.Integral, float: numbers.Real, complex: numbers.Complex}[hint]
        return isinstance(value, kind) and not isinstance(value, bool)
    if hint is bool:
        return isinstance(value, (bool, np.bool_))
    if hint in (str, bytes, Path, dict, list, tuple, np.ndarray):
        return isinstance(value, hint)
    if origin in (list, tuple, collections.abc.Sequence):
        return isinstance(value, collections.abc.Sequence) and not isinstance(value, str)
    if origin in (dict, collections.abc.Mapping):
        return isinstance(value, collections.abc.Mapping)
    if origin is collections.abc.Callable:
        return callable(value)
    if origin is np.ndarray:
        return isinstance(value, np.ndarray)
    return True  # anything else is too special to say
