"""The allotment of opponents as nodes of an ONNX graph: `steer_env.policies.allotment`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from agents.export.onnx_nodes import Nodes
from steer_env.policies.allotment import OUT_OF_REACH, ROUNDS
from steer_env.policies.blocks import OFFSET


def add_allotment(graph: Nodes, blocks: Mapping[str, str], is_there: Mapping[str, str]) -> str:
    """Adds what `allotted` does; returns the name of its result, (N, opponents, 4).

    Args:
        graph: to add to.
        blocks: the names of the kinds' blocks, (N, blocks, features); "mates" may be missing.
        is_there: the names of their flags, (N, blocks, 1).
    """
    one, zero = graph.constant("full", 1.0), graph.constant("empty", 0.0)
    far = graph.constant("out_of_reach", OUT_OF_REACH)
    squared = _distances(graph, blocks, is_there, zero, far)
    own = graph.part("own_squared", 0, 1, squared, 1)
    across = graph.add("Transpose", [own], "own_across", perm=[0, 2, 1])
    orders = []
    for name, pair, axis in (
        ("nearer_hunters", [squared, own], 1),
        ("nearer_quarries", [own, across], 2),
    ):
        is_nearer = graph.add("Less", pair, name)
        ones = graph.add("Where", [is_nearer, one, zero], f"{name}_ones")
        axes = graph.constant(f"{name}_axis", [axis], np.int64)
        number = graph.add("ReduceSum", [ones, axes], f"{name}_number", keepdims=0)
        place = graph.add("Add", [number, one], f"{name}_place")
        orders.append(graph.with_axes(graph.add("Div", [one, place], f"{name}_share"), 2))
    ones = graph.add("Where", [_pairs(graph, squared, zero, one, far), one, zero], "pairs")
    first = graph.part("first_pairs", 0, 1, ones, 1)
    mine = graph.add("Transpose", [first], "mine", perm=[0, 2, 1])
    axis_of_hunters = graph.constant("over_hunters", [1], np.int64)
    in_pairs = graph.add("ReduceSum", [ones, axis_of_hunters], "in_pairs", keepdims=0)
    of_others = graph.add("Sub", [graph.with_axes(in_pairs, 2), mine], "of_others")
    of_mates = graph.add("Min", [of_others, one], "of_mates")
    return graph.add("Concat", [mine, of_mates, *orders], "allotment", axis=2)


def _distances(
    graph: Nodes, blocks: Mapping[str, str], is_there: Mapping[str, str], zero: str, far: str
) -> str:
    """The squared distances, (N, hunters, quarries), from me first and then from the mates."""
    quarries = graph.part("places_of_quarries", OFFSET, OFFSET + 2, blocks["opponents"], 2)
    first = graph.part("first_quarry", 0, 1, quarries, 1)
    hunters = graph.add("Mul", [first, zero], "me")
    sum_of_me = graph.add("ReduceL1", [hunters], "sum_of_me", axes=[2], keepdims=1)
    are_hunters = graph.add("Equal", [sum_of_me, zero], "me_there")
    if "mates" in blocks:
        mates = graph.part("places_of_mates", OFFSET, OFFSET + 2, blocks["mates"], 2)
        hunters = graph.add("Concat", [hunters, mates], "hunters", axis=1)
        flags = [are_hunters, is_there["mates"]]
        are_hunters = graph.add("Concat", flags, "hunters_there", axis=1)
    pair = [graph.with_axes(hunters, 2), graph.with_axes(quarries, 1)]
    difference = graph.add("Sub", pair, "hunt")
    squared = graph.add("ReduceSumSquare", [difference], "hunt_all", axes=[3], keepdims=0)
    flags = [is_there["opponents"]]
    are_quarries = graph.add("Transpose", flags, "quarries_there", perm=[0, 2, 1])
    is_pair = graph.add("And", [are_hunters, are_quarries], "hunt_there")
    return graph.add("Where", [is_pair, squared, far], "hunt_squared")


def _pairs(graph: Nodes, squared: str, zero: str, one: str, far: str) -> str:
    """Flags, (N, hunters, quarries): whether the two are a pair."""

    def in_any(pairs: str, name: str, axis: int) -> str:
        ones = graph.add("Where", [pairs, one, zero], f"{name}_ones")
        most = graph.add("ReduceMax", [ones], f"{name}_most", axes=[axis], keepdims=1)
        return graph.add("Equal", [most, one], name)

    pairs = graph.add("Less", [squared, zero], "no_pairs")
    for number in range(ROUNDS):
        name = f"round_{number}"
        nearest = []
        for axis in (2, 1):
            least = graph.add(
                "ReduceMin", [squared], f"{name}_least_{axis}", axes=[axis], keepdims=1
            )
            nearest.append(graph.add("Equal", [squared, least], f"{name}_nearest_{axis}"))
        mutual = graph.add("And", nearest, f"{name}_mutual")
        reached = graph.add("Less", [squared, far], f"{name}_reached")
        new = graph.add("And", [mutual, reached], f"{name}_new")
        pairs = graph.add("Or", [pairs, new], f"{name}_pairs")
        taken = [in_any(pairs, f"{name}_taken_{axis}", axis) for axis in (2, 1)]
        is_taken = graph.add("Or", taken, f"{name}_taken")
        squared = graph.add("Where", [is_taken, far, squared], f"{name}_squared")
    return pairs
