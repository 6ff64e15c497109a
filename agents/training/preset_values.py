"""Values in presets: Python literals in strings, read without executing them, and schedules."""

from __future__ import annotations

import ast
import typing
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from steer_env.errors import InvalidType, InvalidValue, check_choice, check_number, shown


@dataclass(frozen=True)
class LinearSchedule:
    """Falls from an initial value to zero during the training.

    rl-zoo writes ``lin_1e-3``. It is a class rather than a lambda, since it is pickled with the
    model.
    """

    initial: float

    def __call__(self, remaining: float) -> float:
        """The value when this share of the training remains."""
        return self.initial * max(remaining, 0.0)  # it is below 0 in the last rollout


def argument(name: str, value: Any, annotation: Any) -> Any:
    """Returns a value of a preset as a constructor takes it.

    Strings are read as Python values or schedules. By the annotation, an integer may be written
    as ``1e6``, and a tuple as a list.

    Raises:
        TypeError: if it must be a number or a flag, and is not.
    """
    if isinstance(value, str):
        word, _, initial = value.partition("_")
        if word == "lin" and isinstance(plain(initial), int | float):
            return LinearSchedule(check_number(f"the start of {name}", plain(initial), 0.0))
        value = plain(value)
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
    """Reads a string as a Python value if possible."""
    if isinstance(value, str):
        with suppress(InvalidValue):
            return parse_value(value)
    return value


def parse_value(text: str) -> Any:
    """Reads a Python value from a string without executing it.

    Valid are numbers, strings, True, False, None, lists, tuples, ``{...}``, ``dict(...)`` and
    the module classes of torch.nn, as in ``nn.ReLU``.

    Raises:
        ValueError: for everything else.
    """
    try:
        return _value_of(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidValue(
            f"cannot read {shown(text)}: {error}; valid are numbers, strings, True, False, "
            "None, [...], (...), {...}, dict(...) and nn.<class>, as in nn.ReLU"
        ) from error


def _value_of(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None):
            return node.value
        case ast.Name(id="true" | "false" as word):
            return word == "true"
        case ast.UnaryOp(operand=ast.Constant(value=int() | float())):
            return ast.literal_eval(node)  # refuses other operators than signs
        case ast.List(elts=elements):
            return [_value_of(element) for element in elements]
        case ast.Tuple(elts=elements):
            return tuple(_value_of(element) for element in elements)
        case ast.Dict(keys=keys, values=values):
            names = [key.value for key in keys if isinstance(key, ast.Constant)]
            if len(names) != len(keys) or not all(isinstance(name, str) for name in names):
                raise InvalidValue("the keys of {...} must be strings")
            return dict(zip(names, map(_value_of, values)))
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            if any(keyword.arg is None for keyword in keywords):
                raise InvalidValue("dict(...) takes name=value only")
            return {keyword.arg: _value_of(keyword.value) for keyword in keywords}
        case ast.Attribute(value=ast.Name(id="nn"), attr=name):
            return _module_class(name)
    raise InvalidValue(f"{shown(ast.unparse(node))} is not allowed")


def _module_class(name: str) -> type:
    from torch import nn

    found = {
        key: value
        for key, value in vars(nn).items()
        if isinstance(value, type) and issubclass(value, nn.Module)
    }
    check_choice("module class of torch.nn", name, found)
    return found[name]
