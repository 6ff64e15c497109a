"""Reads YAML documents of a bounded size, also after all their aliases are replaced."""

from __future__ import annotations

import copy
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from steer_env.errors import InvalidValue
from steer_env.files import read_bytes

LARGEST = 2**17
"""Bytes of the largest document that is read."""

MOST_VALUES = 100_000
"""In a document, with those of an alias counted wherever it stands."""


def read_yaml(path: Path) -> Any:
    """Returns what a YAML document holds.

    Raises:
        FileNotFoundError: if there is no such file.
        InvalidValue: if it is not YAML, too large, or too deep; the message does not name it.
        OSError: if it cannot be read.
    """
    # A command asks for the presets of many games, and a file takes some 40 ms.
    return copy.deepcopy(_parsed(read_bytes(path, LARGEST)))


@lru_cache(maxsize=16)
def _parsed(content: bytes) -> Any:
    try:
        _check_size(yaml.compose(content, yaml.SafeLoader))
        return yaml.safe_load(content)
    except RecursionError:
        raise InvalidValue("it is nested too deeply, or within itself") from None
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidValue(" ".join(str(error).split())) from error  # it has several lines


def _check_size(document: yaml.Node | None) -> None:
    """Raises an error for aliases of aliases of aliases, which a few lines can make endless."""
    sizes: dict[int, int] = {}

    def size(node: Any) -> int:
        if id(node) not in sizes:
            parts = node.value if isinstance(node, yaml.CollectionNode) else []
            if isinstance(node, yaml.MappingNode):
                parts = [part for pair in parts for part in pair]
            sizes[id(node)] = 1 + sum(map(size, parts))
        return sizes[id(node)]

    if size(document) > MOST_VALUES:
        raise InvalidValue(f"its aliases stand for more than {MOST_VALUES:,} values")
