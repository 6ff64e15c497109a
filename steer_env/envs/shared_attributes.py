"""Attributes and methods of many games behind one object, as vector environments have them."""

from __future__ import annotations

import inspect
from typing import Any

from steer_env.errors import (
    InvalidAttribute,
    InvalidType,
    InvalidValue,
    check_text,
    unknown,
)

_OF_EACH_GAME = ("opponent_index", "set_state", "state", "render")
"""Attributes and methods whose results have an entry for each game."""


class SharedAttributes:
    """`call`, `get_attr` and `set_attr` of Gymnasium's vector environments."""

    num_envs: int

    def call(self, name: str, *args: Any, **keywords: Any) -> tuple[Any, ...]:
        """Calls a method, or gets an attribute, as SyncVectorEnv's method of this name does.

        Returns:
            A result for each game: its own of what belongs to the games, such as `get_state`;
            otherwise one that they share.

        Raises:
            InvalidAttribute: if there is none of this name.
            InvalidType: for arguments that the method does not take.
        """
        found = attribute_of(self, name)
        result = found
        if callable(found):
            try:
                inspect.signature(found).bind(*args, **keywords)
            except TypeError as error:
                raise InvalidType(f"{name} cannot be called like this: {error}") from None
            result = found(*args, **keywords)
        if name == "get_state":
            return tuple(result[game : game + 1] for game in range(self.num_envs))
        if name in _OF_EACH_GAME and isinstance(result, dict):  # with an array a side
            return tuple(
                {side: rows[game] for side, rows in result.items()}
                for game in range(self.num_envs)
            )
        if name in _OF_EACH_GAME and result is not None:
            return tuple(result)
        return (result,) * self.num_envs

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute, for each game; see `call`."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute that all games share, such as ``opponent``.

        Args:
            name: of the attribute.
            values: its value; a list or a tuple of N has one for each game, all equal.

        Raises:
            InvalidAttribute: if there is none of this name, or it cannot change.
            InvalidValue: if the values differ.
        """
        if isinstance(values, list | tuple):
            if len(values) != self.num_envs or any(value != values[0] for value in values):
                raise InvalidValue(
                    f"a list of values for {name} must hold the same one num_envs="
                    f"{self.num_envs} times, since the games share it; for a mixture of "
                    "opponents use call('set_opponent', [...])"
                )
            values = values[0]
        setattr(self, name, values)


def attribute_of(envs: object, name: str) -> Any:
    """A method or another attribute of a vector environment.

    Raises:
        InvalidAttribute: if there is none of this name; the message has the nearest.
    """
    check_text("name", name)
    if not hasattr(envs, name):
        valid = [known for known in dir(envs) if not known.startswith("_")]
        raise InvalidAttribute(unknown("attribute", name, valid))
    return getattr(envs, name)
