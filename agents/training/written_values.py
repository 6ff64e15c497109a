"""Reads Python values from strings without executing them."""

from __future__ import annotations

import ast
import difflib
from contextlib import suppress
from typing import Any

from steer_env.errors import InvalidValue, shown


def plain(value: Any) -> Any:
    """Reads a string as a Python value if it is one; returns anything else."""
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
        key.lower(): value  # nn.Relu is meant as nn.ReLU
        for key, value in vars(nn).items()
        if isinstance(value, type) and issubclass(value, nn.Module)
    }
    near = difflib.get_close_matches(name.lower(), found, n=1)
    if not near or found[near[0]].__name__ != name:
        hint = f"; did you mean nn.{found[near[0]].__name__}?" if near else ""
        raise InvalidValue(f"nn.{name} is not a module class of torch.nn{hint}")
    return found[near[0]]
