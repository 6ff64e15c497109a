"""A network as an ONNX graph, written node by node, without torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from onnx.reference import ReferenceEvaluator
except ImportError as error:
    raise DependencyNotInstalled(
        'onnx is not installed; run: pip install "steer-env[agents]"'
    ) from error

from agents.export.normalization import Normalization
from baselines import NetworkPolicy

INPUT, OUTPUT = "observation", "action"

OPSET = 17
"""The version of the operators: sufficient, and supported by runtimes since 2022."""

IR_VERSION = 8
"""The version of the file format from the same time."""

_ACTIVATIONS = {"tanh": "Tanh", "relu": "Relu"}


class _Chain:
    """Nodes in a row, each of which takes the value of the one before."""

    def __init__(self, value: str) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._value = value

    def add(self, operator: str, *constants: tuple[str, Any], **attributes: Any) -> None:
        """Adds a node whose inputs are the last value and the named constants."""
        names = [name for name, _ in constants]
        for name, array in constants:
            self.constants.append(numpy_helper.from_array(np.asarray(array, np.float32), name))
        result = f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(operator, [self._value, *names], [result], **attributes)
        )
        self._value = result

    def end(self, name: str) -> None:
        """Gives the last value its name."""
        self.nodes[-1].output[0] = name


def to_bytes(network: NetworkPolicy, metadata: Mapping[str, str]) -> bytes:
    """Returns the network as an ONNX file for any batch size, with the metadata."""
    chain = _Chain(INPUT)
    normalization = Normalization.of(network)
    if normalization is not None:
        chain.add("Sub", ("mean", normalization.mean))
        chain.add("Sub", ("mean_rest", normalization.mean_rest))
        chain.add("Div", ("scale", normalization.scale))
        chain.add("Clip", ("clip_low", -normalization.clip), ("clip_high", normalization.clip))
    last = len(network.weights) - 1
    for number, (weights, biases) in enumerate(zip(network.weights, network.biases)):
        chain.add(
            "Gemm", (f"weights_{number}", weights), (f"biases_{number}", biases), transB=1
        )
        if number < last:
            chain.add(_ACTIVATIONS[network.activation])
    result = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["N", 2])
    if network.head == "box":
        chain.add("Clip", ("action_low", -1.0), ("action_high", 1.0))
    elif network.head == "squashed":
        chain.add("Tanh")
    else:
        chain.add("ArgMax", axis=1, keepdims=0)
        result = helper.make_tensor_value_info(OUTPUT, TensorProto.INT64, ["N"])
    chain.end(OUTPUT)
    features = network.observation_space.shape[0]
    graph = helper.make_graph(
        chain.nodes,
        "policy",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["N", features])],
        [result],
        chain.constants,
    )
    model = helper.make_model(
        graph,
        producer_name="steer_env",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    helper.set_model_props(model, dict(metadata))
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def from_bytes(content: bytes) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Returns the function from observations to actions in an ONNX file, run by numpy."""
    evaluator = ReferenceEvaluator(onnx.load_from_string(content))

    def act(observation: NDArray[Any]) -> NDArray[Any]:
        (actions,) = evaluator.run([OUTPUT], {INPUT: observation})
        return actions

    return act
