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
    from onnx import TensorProto, helper, numpy_helper
    from onnx.reference import ReferenceEvaluator
except ImportError as error:
    raise DependencyNotInstalled(f"onnx is not installed; {to_install('agents')}") from error

from agents.export.normalization import Normalization
from baselines import NetworkPolicy

INPUT, OUTPUT = "observation", "action"

OPSET = 17
"""The version of the operators: sufficient, and supported by runtimes since 2022."""

IR_VERSION = 8
"""The version of the file format from the same time."""

_ACTIVATIONS = {"tanh": "Tanh", "relu": "Relu"}
_ATTRIBUTES: dict[str, Any] = {"Gemm": {"transB": 1}, "ArgMax": {"axis": 1, "keepdims": 0}}


def to_bytes(network: NetworkPolicy, metadata: Mapping[str, str]) -> bytes:
    """Returns the network as an ONNX file for any batch size, with the metadata."""
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
    nodes, constants, value = [], [], INPUT
    for number, (operator, arrays) in enumerate(operators, 1):
        result = OUTPUT if number == len(operators) else f"{operator.lower()}_{number - 1}"
        attributes = _ATTRIBUTES.get(operator, {})
        nodes.append(helper.make_node(operator, [value, *arrays], [result], **attributes))
        for name, array in arrays.items():
            constants.append(numpy_helper.from_array(np.asarray(array, np.float32), name))
        value = result
    features = network.observation_space.shape[0]
    actions: Any = network.action_space
    action_type = helper.np_dtype_to_tensor_dtype(np.dtype(actions.dtype))
    graph = helper.make_graph(
        nodes,
        "policy",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["N", features])],
        [helper.make_tensor_value_info(OUTPUT, action_type, ["N", *actions.shape])],
        constants,
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
