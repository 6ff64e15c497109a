"""The nodes and constants of an ONNX graph while it is being written."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper, numpy_helper

_ATTRIBUTES: dict[str, Any] = {"Gemm": {"transB": 1}, "ArgMax": {"axis": 1, "keepdims": 0}}


class Nodes:
    """The nodes and constants of a graph that is being written."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, array: Any, dtype: Any = np.float32) -> str:
        """Adds a constant; returns its name."""
        self.constants.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def add(self, operator: str, inputs: list[str], result: str, **attributes: Any) -> str:
        """Adds a node; returns the name of its result."""
        given = {**_ATTRIBUTES.get(operator, {}), **attributes}
        self.nodes.append(helper.make_node(operator, inputs, [result], **given))
        return result

    def part(self, name: str, first: int, last: int, of: str, axis: int) -> str:
        """Adds a slice of a value along an axis; returns the name of the result."""
        borders = [
            self.constant(f"{name}_{what}", [place], np.int64)
            for what, place in (("first", first), ("last", last), ("axis", axis))
        ]
        return self.add("Slice", [of, *borders], name)

    def with_axes(self, value: str, *axes: int) -> str:
        """Gives a value more axes, of length one; returns the name of the result."""
        name = "_".join([value, "along", *map(str, axes)])
        return self.add(
            "Unsqueeze", [value, self.constant(f"{name}_axes", axes, np.int64)], name
        )
