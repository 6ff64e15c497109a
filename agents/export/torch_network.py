"""A network as a torch module, and in TorchScript, which C++ loads with `torch::jit::load`."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:
    raise DependencyNotInstalled(
        'torch is not installed; run: pip install "steer-env[agents]"'
    ) from error

from agents.export.normalization import Normalization
from baselines import NetworkPolicy

METADATA_FILE = "metadata.json"
"""The extra file in a TorchScript archive; `_extra_files` of `torch.jit.load` reads it."""

_ACTIVATIONS: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}


class TorchNetwork(nn.Module):
    """The deterministic actions of a network, computed by torch.

    Args:
        network: whose weights it copies.
    """

    def __init__(self, network: NetworkPolicy) -> None:
        super().__init__()
        self._head = network.head
        normalization = Normalization.of(network)
        self._is_normalized = normalization is not None
        if normalization is not None:
            self._clip = normalization.clip
            for name in ("mean", "mean_rest", "scale"):
                self.register_buffer(name, torch.tensor(getattr(normalization, name)))
        layers: list[nn.Module] = []
        for weights, biases in zip(network.weights, network.biases):
            outputs, inputs = weights.shape
            # Without the usual first weights, which would draw from torch's random numbers.
            linear = nn.utils.skip_init(nn.Linear, inputs, outputs)
            linear.weight = nn.Parameter(torch.tensor(weights))
            linear.bias = nn.Parameter(torch.tensor(biases))
            layers += [linear, _ACTIVATIONS[network.activation]()]
        self.layers = nn.Sequential(*layers[:-1])

    def forward(self, observation: Tensor) -> Tensor:
        """Chooses actions.

        Args:
            observation: (N, features) in float32.

        Returns:
            The actions, (N, 2) in float32, or (N,) in int64 if they are discrete.
        """
        if self._is_normalized:
            centered = observation - self.mean - self.mean_rest
            observation = (centered / self.scale).clamp(-self._clip, self._clip)
        outputs = self.layers(observation)
        if self._head == "box":
            return outputs.clamp(-1.0, 1.0)
        return outputs.tanh() if self._head == "squashed" else outputs.argmax(dim=1)


def to_bytes(network: NetworkPolicy, metadata: Mapping[str, str]) -> bytes:
    """The network in TorchScript, with the metadata in an extra file of JSON."""
    module = TorchNetwork(network).eval().requires_grad_(False)
    # Tracing suits it: whatever it decides, it decides by the network, not by an observation.
    example = torch.zeros(2, network.observation_space.shape[0])
    content = io.BytesIO()
    with _no_word_of_deprecation():
        script = torch.jit.trace(module, example)
        extra_files = {METADATA_FILE: json.dumps(dict(metadata))}
        torch.jit.save(script, content, _extra_files=extra_files)
    return content.getvalue()


def from_bytes(content: bytes) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """The function from observations to actions that is in a TorchScript file."""
    with _no_word_of_deprecation():
        script = torch.jit.load(io.BytesIO(content))

    def act(observation: NDArray[Any]) -> NDArray[Any]:
        with torch.no_grad():
            return script(torch.tensor(observation)).numpy()

    return act


@contextlib.contextmanager
def _no_word_of_deprecation() -> Iterator[None]:
    """Silences what torch says of TorchScript.

    It recommends `torch.export`, whose files cannot be loaded where `torch::jit::load` is all
    there is. Whoever asks for TorchScript knows what for.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"`torch\.jit\.(trace|trace_method|save|load)` is")
        yield
