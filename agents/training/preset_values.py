"""Values of presets and of ``--params``, and schedules."""

from __future__ import annotations

import ast
import typing
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from steer_env.errors import InvalidType, check_choice, check_number, shown


@dataclass(frozen=True)
class LinearSchedule:
    """Falls from an initial value to zero during the training, written ``lin_1e-3``.

    It is a class rather than a lambda, since it is pickled with the model.
    """

    initial: float

    def __call__(self, remaining: float) -> float:
        """The value when this share of the training remains."""
        return self.initial * max(remaining, 0.0)  # it is below 0 in the last rollout


def argument(name: str, value: Any, annotation: Any) -> Any:
    """Returns a value of a preset as a constructor takes it.

    By the annotation, an integer may be written as ``1e6``, and a tuple as a list.

    Raises:
        TypeError: if it must be a number or a flag, and is not.
    """
    value = plain(value)
    if isinstance(value, str):
        word, _, initial = value.partition("_")
        if word == "lin" and isinstance(plain(initial), int | float):
            return LinearSchedule(check_number(f"the start of {name}", plain(initial), 0.0))
        if name == "activation_fn":
            return _activation(value)
    kinds = set(typing.get_args(annotation) or [annotation])
    if isinstance(value, float) and value.is_integer() and float not in kinds:
        value = int(value)
    elif isinstance(value, list) and any(typing.get_origin(one) is tuple for one in kinds):
        value = tuple(value)
    if kinds <= {int, float, bool, type(None)}:
        valid = (*kinds, int) if float in kinds else tuple(kinds)
        if not isinstance(value, valid):
            words = " or ".join(sorted(kind.__name__ for kind in kinds))
            raise InvalidType(f"{name} must be {words}, got {shown(value)}")
    return value


def plain(value: Any) -> Any:
    """Reads a string as a Python literal if it is one, without executing it."""
    if isinstance(value, str):
        with suppress(SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
            return ast.literal_eval(value.strip())
    return value


def _activation(name: str) -> type:
    """The class of torch.nn of an activation function."""
    from torch import nn

    check_choice("activation_fn", name, nn.modules.activation.__all__)
    found: type = getattr(nn, name)
    return found
