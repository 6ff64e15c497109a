"""A network as an ONNX file, by torch's exporter."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from steer_env.errors import to_install

try:
    import onnx
    from onnx.reference import ReferenceEvaluator
except ImportError as error:
    raise DependencyNotInstalled(f"onnx is not installed; {to_install('agents')}") from error

import torch

from agents.export.torch_network import example_of, module_of
from baselines import NetworkPolicy

INPUT, OUTPUT = "observation", "action"

OPSET = 17
"""The version of the operators: sufficient, and supported by runtimes since 2022."""


def to_bytes(network: NetworkPolicy, metadata: Mapping[str, str]) -> bytes:
    """Returns the network as an ONNX file for any batch size, with the metadata."""
    content = io.BytesIO()
    with warnings.catch_warnings():
        # torch's newer exporter needs another package, and writes newer operators only.
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            module_of(network),
            (example_of(network),),
            content,
            dynamo=False,
            opset_version=OPSET,
            input_names=[INPUT],
            output_names=[OUTPUT],
            dynamic_axes={INPUT: {0: "N"}, OUTPUT: {0: "N"}},
        )
    model = onnx.load_from_string(content.getvalue())
    onnx.helper.set_model_props(model, dict(metadata))
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def from_bytes(content: bytes) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Returns the function from observations to actions in an ONNX file, run by numpy."""
    evaluator = ReferenceEvaluator(onnx.load_from_string(content))

    def act(observation: NDArray[Any]) -> NDArray[Any]:
        (actions,) = evaluator.run([OUTPUT], {INPUT: observation})
        return actions

    return act
