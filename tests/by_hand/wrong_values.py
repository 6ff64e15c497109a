"""Values that do not fit: generated from a parameter's annotation and from one that does."""

from __future__ import annotations

import collections.abc
import math
import numbers
import types
import typing
from copy import deepcopy
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np


class Hostile:
    """An object that can neither be shown nor made a number."""

    def __repr__(self) -> str:
        raise RuntimeError("this object is hostile")

    __float__ = __complex__ = __int__ = __index__ = __repr__  # type: ignore[assignment]


def anything() -> list[Any]:
    """Values that anybody may pass for anything, made again for each call."""
    endless = list[Any]()
    endless.append({"evader": endless})
    return [
        *(None, True, -1, 0, 0.5, 1e308, 1e-320, 1j, 2**63, 10**400, 10**5000),
        *(float("nan"), float("inf"), Decimal("1.5"), np.float32(2.5), np.int8(3)),
        *(np.bool_(True), object(), dict, Hostile(), Path("no such file.npz"), Path("/")),
        *("", "purs uit", "a\0b", "x" * 100_000, b"pursuit", "pursuit", "evade"),
        *({1, 2}, (number for number in range(3)), [], [[1.0, [2.0]], [3.0]], endless),
        *({}, {"nope": 1}, {"pursuer": []}, {1: 2}, {None: None}),
        *(np.array(1.0), np.zeros(0), np.arange(3.0), np.zeros((2, 3)), np.full(2, np.nan)),
        *(np.array(["a", "b"]), np.array([None, {}], object), np.zeros(2, complex)),
        *(lambda: None, lambda *_, **__: None, lambda *_, **__: "north"),
    ]


def made(example: Any) -> Any:
    """A fitting value from an example of one: a `partial` makes it, and others are copied."""
    return example() if isinstance(example, partial) else deepcopy(example)


def wrong_value(example: Any, generator: np.random.Generator) -> Any:
    """A value for a parameter that an example fits."""
    near = spoiled(made(example), generator) if generator.random() < 0.4 else []
    found = near or anything()
    return found[generator.integers(len(found))]


def spoiled(valid: Any, generator: np.random.Generator) -> list[Any]:
    """Values that are nearly a valid one; a container's may have a wrong one at any depth."""
    if isinstance(valid, str) and valid:
        place = int(generator.integers(len(valid)))
        return [valid[:place] + valid[place + 1 :] + "q", valid.upper(), valid + " ", [valid]]
    if isinstance(valid, bool):
        return [str(valid), 2]
    if isinstance(valid, numbers.Complex):
        return [str(valid), -valid, [valid], 1e6 * float(valid.real), valid + 0.5, math.nan]
    if isinstance(valid, np.ndarray):
        others = valid.astype(object), valid.tolist(), np.full(valid.shape, np.nan)
        return [valid[None], valid[:-1], *others]
    if isinstance(valid, list | tuple) and valid:
        wrong = wrong_value(valid[-1], generator)
        return [[*valid, wrong], [*valid, *valid], valid[:-1], [*valid[:-1], wrong], [valid]]
    if isinstance(valid, dict) and valid:
        key = list(valid)[generator.integers(len(valid))]
        wrong = [{**valid, key: wrong_value(valid[key], generator)} for _ in range(4)]
        return [*wrong, {**valid, f"{key}q": valid[key]}]
    return []


def fits(value: Any, hint: Any) -> bool:
    """Whether a value has the type that an annotation asks for, as far as that can be seen."""
    origin = typing.get_origin(hint) or hint
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in typing.get_args(hint))
    if origin in (int, float, complex):
        kind = {int: numbers.Integral, float: numbers.Real, complex: numbers.Complex}[origin]
        return isinstance(value, kind) and not isinstance(value, bool)
    if origin is bool:
        return isinstance(value, bool | np.bool_)
    if origin is collections.abc.Callable:
        return callable(value)
    seen = str, bytes, Path, dict, list, tuple, np.ndarray, types.NoneType
    return origin not in seen or isinstance(value, origin)  # the others are too special to say
