"""A network as a torch module, and as TorchScript, which C++ can load."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from steer_env.errors import to_install

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:
    raise DependencyNotInstalled(f"torch is not installed; {to_install('agents')}") from error

from agents.training.block_features import pooled_features
from baselines import NetworkPolicy
from steer_env.game.features import OWN_SIZE
from steer_env.policies.blocks import BLOCK_SIZES, KINDS, BlockCounts
from steer_env.policies.network import VARIANCE_FLOOR

METADATA_FILE = "metadata.json"
"""The extra file in a TorchScript archive; `_extra_files` of `torch.jit.load` reads it."""

_ACTIVATIONS: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}


class TorchNetwork(nn.Module):
    """Computes the deterministic actions of a network with torch.

    Args:
        network: the network to copy the weights from.
    """

    def __init__(self, network: NetworkPolicy) -> None:
        super().__init__()
        self._head = network.head
        self._counts: BlockCounts | None = None
        self.encoders = nn.ModuleDict()
        if network.encoder is not None:
            self._counts, self._allots = network.encoder.counts, network.encoder.allots
            weights, biases = network.encoder.weights, network.encoder.biases
            for kind in network.encoder.kinds:
                self.encoders[kind] = _linear(weights[kind], biases[kind])
        self._clip = network.observation_clip
        mean: Any = network.observation_mean
        if mean is not None:
            # If the variance is tiny, the quotient magnifies the rounding of the mean by up to
            # 10,000. So the mean has two parts; to subtract the first is exact near it.
            rounded = mean.astype(np.float32)
            scale = np.sqrt(network.observation_variance + VARIANCE_FLOOR)
            self.register_buffer("mean", torch.tensor(rounded))
            self.register_buffer("mean_rest", torch.tensor((mean - rounded).astype(np.float32)))
            self.register_buffer("scale", torch.tensor(scale.astype(np.float32)))
        layers: list[nn.Module] = []
        for weights, biases in zip(network.weights, network.biases):
            layers += [_linear(weights, biases), _ACTIVATIONS[network.activation]()]
        self.layers = nn.Sequential(*layers[:-1])

    def forward(self, observation: Tensor) -> Tensor:
        """Chooses actions.

        Args:
            observation: (N, features) in float32.

        Returns:
            The actions, (N, 2) in float32, or (N,) in int64 if they are discrete.
        """
        if self._clip is not None:
            centered = observation - self.mean - self.mean_rest
            observation = (centered / self.scale).clamp(-self._clip, self._clip)
        if self._counts is not None:
            observation, counts = _with_every_kind(observation, self._counts)
            observation = pooled_features(self.encoders, counts, observation, self._allots)
        outputs = self.layers(observation)
        if self._head == "box":
            return outputs.clamp(-1.0, 1.0)
        return outputs.tanh() if self._head == "squashed" else outputs.argmax(dim=1)


def _with_every_kind(observation: Tensor, counts: BlockCounts) -> tuple[Tensor, BlockCounts]:
    """Adds an absent block of each kind without blocks: ONNX cannot reshape what is empty."""
    parts, first = [observation[:, :OWN_SIZE]], OWN_SIZE
    for kind, count in zip(KINDS, counts):
        size = count * BLOCK_SIZES[kind]
        blocks = observation[:, first : first + size]
        parts.append(blocks if count else torch.zeros_like(observation[:, : BLOCK_SIZES[kind]]))
        first += size
    return torch.cat(parts, dim=1), BlockCounts(*(max(count, 1) for count in counts))


def _linear(weights: NDArray[Any], biases: NDArray[Any]) -> nn.Linear:
    outputs, inputs = weights.shape
    # Without initial weights, which would draw from torch's random numbers.
    linear = nn.utils.skip_init(nn.Linear, inputs, outputs)
    linear.weight = nn.Parameter(torch.tensor(weights))
    linear.bias = nn.Parameter(torch.tensor(biases))
    return linear


def module_of(network: NetworkPolicy) -> TorchNetwork:
    """Returns a network as a module to export."""
    return TorchNetwork(network).eval().requires_grad_(False)


def example_of(network: NetworkPolicy) -> Tensor:
    """Returns observations to trace a module with: no branch of `forward` depends on them."""
    return torch.zeros(2, network.observation_space.shape[0])


def to_bytes(network: NetworkPolicy, metadata: Mapping[str, str]) -> bytes:
    """Returns the network as TorchScript, with the metadata in an extra file of JSON."""
    content = io.BytesIO()
    with _without_deprecation_warnings():
        script = torch.jit.trace(module_of(network), example_of(network))
        extra_files = {METADATA_FILE: json.dumps(dict(metadata))}
        torch.jit.save(script, content, _extra_files=extra_files)
    return content.getvalue()


def from_bytes(content: bytes) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Returns the function from observations to actions in a TorchScript file."""
    with _without_deprecation_warnings():
        script = torch.jit.load(io.BytesIO(content))

    def act(observation: NDArray[Any]) -> NDArray[Any]:
        with torch.no_grad():
            return script(torch.tensor(observation)).numpy()

    return act


@contextlib.contextmanager
def _without_deprecation_warnings() -> Iterator[None]:
    """Silences torch's warnings about TorchScript.

    The warnings recommend `torch.export`, but `torch::jit::load` in C++ cannot load its files.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"`torch\.jit\.(trace|trace_method|save|load)` is")
        yield
