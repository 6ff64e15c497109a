"""A network as an ONNX graph, written node by node, without torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from steer_env.errors import to_install

try:
    import onnx
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator
except ImportError as error:
    raise DependencyNotInstalled(f"onnx is not installed; {to_install('agents')}") from error

from agents.export.normalization import Normalization
from agents.export.onnx_allotment import add_allotment
from agents.export.onnx_nodes import Nodes
from baselines import NetworkPolicy
from steer_env.game.features import OWN_SIZE
from steer_env.policies.blocks import (
    BLOCK_SIZES,
    COUNTERPARTS,
    EXTENDED_OWN_SIZE,
    FAR,
    HEADING,
    KINDS,
    NEAR,
    OFFSET,
    POSITION,
    PRESENCE,
    TINY,
)
from steer_env.policies.pooling import BlockEncoder

INPUT, OUTPUT = "observation", "action"

OPSET = 17
"""The version of the operators: sufficient, and supported by runtimes since 2022."""

IR_VERSION = 8
"""The version of the file format from the same time."""

_ACTIVATIONS = {"tanh": "Tanh", "relu": "Relu"}


def to_bytes(network: NetworkPolicy, metadata: Mapping[str, str]) -> bytes:
    """Returns the network as an ONNX file for any batch size, with the metadata."""
    graph = Nodes()
    value = INPUT
    if network.encoder is not None:
        value = _add_encoder(graph, network.encoder)
    # Each operator takes the value of the one before, and the named constants.
    operators: list[tuple[str, dict[str, Any]]] = []
    normalization = Normalization.of(network)
    if normalization is not None:
        clip = normalization.clip
        operators += [
            ("Sub", {"mean": normalization.mean}),
            ("Sub", {"mean_rest": normalization.mean_rest}),
            ("Div", {"scale": normalization.scale}),
            ("Clip", {"clip_low": -clip, "clip_high": clip}),
        ]
    for number, (weights, biases) in enumerate(zip(network.weights, network.biases)):
        if number > 0:
            operators.append((_ACTIVATIONS[network.activation], {}))
        operators.append(("Gemm", {f"weights_{number}": weights, f"biases_{number}": biases}))
    bounds = {"action_low": -1.0, "action_high": 1.0}
    heads = {"box": ("Clip", bounds), "squashed": ("Tanh", {})}
    operators.append(heads.get(network.head, ("ArgMax", {})))
    for number, (operator, arrays) in enumerate(operators, 1):
        result = OUTPUT if number == len(operators) else f"{operator.lower()}_{number - 1}"
        names = [graph.constant(name, array) for name, array in arrays.items()]
        value = graph.add(operator, [value, *names], result)
    features = network.observation_space.shape[0]
    actions: Any = network.action_space
    action_type = helper.np_dtype_to_tensor_dtype(np.dtype(actions.dtype))
    written = helper.make_graph(
        graph.nodes,
        "policy",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["N", features])],
        [helper.make_tensor_value_info(OUTPUT, action_type, ["N", *actions.shape])],
        graph.constants,
    )
    model = helper.make_model(
        written,
        producer_name="steer_env",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    helper.set_model_props(model, dict(metadata))
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def _add_encoder(graph: Nodes, encoder: BlockEncoder) -> str:
    """Adds what `BlockEncoder.encode` does; returns the name of the layers' input."""

    def part(name: str, first: int, last: int, of: str = INPUT, axis: int = 1) -> str:
        return graph.part(name, first, last, of, axis)

    def with_position(own: str) -> str:
        names = {"x": POSITION, "y": POSITION + 1, "ahead_x": HEADING, "ahead_y": HEADING + 1}
        for name, place in names.items():
            part(name, place, place + 1)
        products = {
            f"{a}_{b}": graph.add("Mul", [a, b], f"{a}_{b}")
            for a in ("x", "y")
            for b in ("ahead_x", "ahead_y")
        }
        forward = graph.add("Add", [products["x_ahead_x"], products["y_ahead_y"]], "forward")
        left = graph.add("Sub", [products["y_ahead_x"], products["x_ahead_y"]], "left")
        return graph.add("Concat", [own, forward, left], "own_with_position", axis=1)

    def direction_to(name: str, offset: str, distance: str) -> list[str]:
        parts = []
        for number, near in enumerate((TINY, *NEAR)):
            constant = graph.constant(f"{name}_near_{number}", near)
            total = graph.add("Add", [distance, constant], f"{name}_far_{number}")
            above = distance if number else offset
            parts.append(graph.add("Div", [above, total], f"{name}_share_{number}"))
        return parts

    def to_nearest(kind: str, places: str) -> tuple[str, str]:
        """The offset from each place to the nearest block of a kind that is present."""
        name = f"to_{kind}"
        others = part(f"{name}_offset", OFFSET, OFFSET + 2, blocks[kind], 2)
        pair = [
            graph.add(
                "Unsqueeze",
                [value, graph.constant(f"{name}_axis_{axis}", [axis], np.int64)],
                f"{name}_along_{axis}",
            )
            for axis, value in ((1, others), (2, places))
        ]
        difference = graph.add("Sub", pair, f"{name}_difference")
        squared = graph.add(
            "ReduceSumSquare", [difference], f"{name}_squared", axes=[3], keepdims=0
        )
        flags = graph.add("Transpose", [is_there[kind]], f"{name}_flags", perm=[0, 2, 1])
        farthest = graph.constant(f"{name}_farthest", FAR**2)
        squared = graph.add("Where", [flags, squared, farthest], f"{name}_of_present")
        least = graph.add("ReduceMin", [squared], f"{name}_least", axes=[2], keepdims=1)
        index = graph.add("ArgMin", [squared], f"{name}_nearest", axis=2, keepdims=1)
        last = graph.constant(f"{name}_last", [3], np.int64)
        index = graph.add("Unsqueeze", [index, last], f"{name}_index")
        index = graph.add("Concat", [index, index], f"{name}_indices", axis=3)
        offset = graph.add("GatherElements", [difference, index], f"{name}_gathered", axis=2)
        middle = graph.constant(f"{name}_middle", [2], np.int64)
        offset = graph.add("Squeeze", [offset, middle], f"{name}_squeezed")
        found = graph.add("Less", [least, farthest], f"{name}_found")
        offset = graph.add("Where", [found, offset, zero], f"{name}_vector")
        return offset, graph.add("Sqrt", [least], f"{name}_distance")

    def to_nothing(name: str, places: str, distance: str) -> tuple[str, str]:
        """What stands for no counterpart; the products give the constants their shapes."""
        offset = graph.add("Mul", [places, zero], f"{name}_vector")
        none = graph.add("Mul", [distance, zero], f"{name}_none")
        far = graph.constant(f"{name}_far", FAR)
        return offset, graph.add("Add", [none, far], f"{name}_distance")

    def with_directions(kind: str) -> str:
        offset = part(f"{kind}_offset", OFFSET, OFFSET + 2, blocks[kind], 2)
        distance = graph.add("ReduceL2", [offset], f"{kind}_distance", axes=[2], keepdims=1)
        parts = [blocks[kind], *direction_to(kind, offset, distance)]
        if kind in COUNTERPARTS:
            other, name = COUNTERPARTS[kind], f"from_{kind}"
            on = (
                to_nearest(other, offset)
                if other in blocks
                else to_nothing(name, offset, distance)
            )
            parts += direction_to(name, *on)
        if kind == "opponents" and encoder.allots:
            parts.append(add_allotment(graph, blocks, is_there))
        return graph.add("Concat", parts, f"{kind}_with_directions", axis=2)

    own, first = with_position(part("own", 0, OWN_SIZE)), OWN_SIZE
    one, half = graph.constant("one_block", 1.0), graph.constant("half", 0.5)
    zero = graph.constant("none", 0.0)
    over_blocks = graph.constant("over_blocks", [1], np.int64)
    blocks: dict[str, str] = {}
    is_there: dict[str, str] = {}
    for kind, count in zip(KINDS, encoder.counts):
        if count > 0:
            size = BLOCK_SIZES[kind]
            flat = part(f"{kind}_flat", first, first + count * size)
            first += count * size
            shape = graph.constant(f"{kind}_shape", [-1, count, size], np.int64)
            blocks[kind] = graph.add("Reshape", [flat, shape], f"{kind}_blocks")
            flag = part(f"{kind}_flag", PRESENCE[kind], PRESENCE[kind] + 1, blocks[kind], 2)
            is_there[kind] = graph.add("Greater", [flag, half], f"{kind}_is_there")
    found = [own]
    for kind in blocks:
        weights = encoder.weights[kind]
        own_part = graph.constant(f"{kind}_own_weights", weights[:, :EXTENDED_OWN_SIZE])
        biases = graph.constant(f"{kind}_biases", encoder.biases[kind])
        base = graph.add("Gemm", [own, own_part, biases], f"{kind}_base")
        base = graph.add("Unsqueeze", [base, over_blocks], f"{kind}_base_of_each")
        block_part = graph.constant(f"{kind}_block_weights", weights[:, EXTENDED_OWN_SIZE:].T)
        encoded = graph.add("MatMul", [with_directions(kind), block_part], f"{kind}_product")
        encoded = graph.add("Relu", [graph.add("Add", [encoded, base], f"{kind}_sum")], kind)
        encoded = graph.add("Where", [is_there[kind], encoded, zero], f"{kind}_present")
        ones = graph.add("Where", [is_there[kind], one, zero], f"{kind}_ones")
        number = graph.add("ReduceSum", [ones, over_blocks], f"{kind}_number", keepdims=0)
        number = graph.add("Max", [number, one], f"{kind}_divisor")
        total = graph.add("ReduceSum", [encoded, over_blocks], f"{kind}_total", keepdims=0)
        found.append(graph.add("Div", [total, number], f"{kind}_mean"))
        most = graph.add("ReduceMax", [encoded], f"{kind}_most", axes=[1], keepdims=0)
        found.append(most)
    return graph.add("Concat", found, "pooled", axis=1)


def from_bytes(content: bytes) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Returns the function from observations to actions in an ONNX file, run by numpy."""
    evaluator = ReferenceEvaluator(onnx.load_from_string(content))

    def act(observation: NDArray[Any]) -> NDArray[Any]:
        (actions,) = evaluator.run([OUTPUT], {INPUT: observation})
        return actions

    return act
