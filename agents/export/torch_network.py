"""Networks in torch: the features extractor for teams, and what becomes an ONNX file."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import needing

with needing("agents"):
    import torch
    from gymnasium import spaces
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from torch import Tensor, nn

from steer_env.baselines import NetworkPolicy
from steer_env.game.config.features import OWN_SIZE
from steer_env.players.blocks import (
    BLOCK_SIZES,
    EXTENDED_OWN_SIZE,
    KINDS,
    POOLED,
    BlockCounts,
    are_present,
    columns_of,
    extended_blocks,
    with_position,
)
from steer_env.players.network import VARIANCE_FLOOR

INPUT, OUTPUT = "observation", "action"
ACTIVATIONS: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}


class BlockFeatures(BaseFeaturesExtractor):
    """Encodes an observation's blocks, and pools those of a kind, as a `BlockEncoder` does.

    The layer of each kind has `width` outputs. With `allots` it takes each opponent's
    allotment, too: see `blocks.allotted`.
    """

    def __init__(
        self,
        observation_space: spaces.Box,
        counts: tuple[int, int, int],
        width: int,
        allots: bool,
    ) -> None:
        self.allots = allots
        self.counts = BlockCounts(*counts)
        kinds = [kind for kind in KINDS if getattr(self.counts, kind) > 0]
        super().__init__(observation_space, EXTENDED_OWN_SIZE + POOLED * width * len(kinds))
        self.encoders = nn.ModuleDict(
            {kind: nn.Linear(columns_of(kind, allots), width) for kind in kinds}
        )

    def forward(self, observations: Tensor) -> Tensor:
        """The inputs of the network's layers, (N, inputs), from (N, features)."""
        return pooled_features(self.encoders, self.counts, observations, self.allots)


def pooled_features(
    encoders: nn.ModuleDict, counts: BlockCounts, observations: Tensor, allots: bool
) -> Tensor:
    """`BlockEncoder.encode` in torch, with a linear layer for each kind of blocks."""
    all_blocks = counts.split(observations)
    found = [own := with_position(torch, observations[:, :OWN_SIZE])]
    for kind, layer in encoders.items():
        # The own features' part of the layer is the same for all blocks.
        own_part, part = layer.weight.tensor_split((EXTENDED_OWN_SIZE,), dim=1)
        base = nn.functional.linear(own, own_part, layer.bias)
        extended = extended_blocks(torch, kind, all_blocks, allots)
        present = are_present(all_blocks, kind)[..., None]
        encoded = (nn.functional.linear(extended, part) + base[:, None]).relu() * present
        number = present.sum(dim=1).clamp(min=1)
        found += [encoded.sum(dim=1) / number, encoded.amax(dim=1)]
    return torch.cat(found, dim=1)


class TorchNetwork(nn.Module):
    """Computes the deterministic actions of a network with torch, in a given precision."""

    def __init__(self, network: NetworkPolicy, precision: str) -> None:
        super().__init__()
        self._head, self._dtype = network.head, getattr(torch, precision)
        self._counts: BlockCounts | None = None
        self.encoders = nn.ModuleDict()
        if (encoder := network.encoder) is not None:
            self._counts, self._allots = encoder.counts, encoder.allots
            for kind in encoder.kinds:
                self.encoders[kind] = _linear(encoder.weights[kind], encoder.biases[kind])
        self._clip = network.observation_clip
        mean: Any = network.observation_mean
        if mean is not None:
            # If the variance is tiny, the quotient magnifies the rounding of the mean by up to
            # 10,000. So the mean has two parts; to subtract the first is exact near it.
            rounded = mean.astype(np.float32)
            scale = np.sqrt(network.observation_variance + VARIANCE_FLOOR)
            parts = {"mean": rounded, "mean_rest": mean - rounded, "scale": scale}
            for name, part in parts.items():
                self.register_buffer(name, torch.tensor(part, dtype=self._dtype))
        linear = map(_linear, network.weights, network.biases)
        layers = [one for layer in linear for one in (layer, ACTIVATIONS[network.activation]())]
        self.layers = nn.Sequential(*layers[:-1])
        self.to(self._dtype)

    def forward(self, observation: Tensor) -> Tensor:
        """Returns the actions, (N, 2) or (N,) if discrete, for observations (N, features)."""
        observation = observation.to(self._dtype)
        if self._clip is not None:
            centered = observation - self.mean - self.mean_rest
            observation = (centered / self.scale).clamp(-self._clip, self._clip)
        if self._counts is not None:
            observation, counts = _with_every_kind(observation, self._counts)
            observation = pooled_features(self.encoders, counts, observation, self._allots)
        outputs = self.layers(observation)
        if self._head in ("categorical", "greedy"):
            return outputs.argmax(dim=1)
        bounded = outputs.clamp(-1.0, 1.0) if self._head == "box" else outputs.tanh()
        return bounded.float()


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


def to_onnx(network: NetworkPolicy, metadata: Mapping[str, str], precision: str) -> bytes:
    """Returns an ONNX file for any batch size that computes in "float32" or "float64"."""
    with needing("agents"):
        import onnx
    content = io.BytesIO()
    module = TorchNetwork(network, precision).eval().requires_grad_(False)
    with warnings.catch_warnings():
        # It recommends its newer exporter, which needs another package, and writes newer
        # operators only.
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            module,
            (torch.zeros(2, network.observation_space.shape[0]),),  # no branch depends on them
            content,
            dynamo=False,
            opset_version=17,  # sufficient, and supported by runtimes since 2022
            input_names=[INPUT],
            output_names=[OUTPUT],
            dynamic_axes={INPUT: {0: "N"}, OUTPUT: {0: "N"}},
        )
    model = onnx.load_from_string(content.getvalue())
    onnx.helper.set_model_props(model, dict(metadata))
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def from_onnx(content: bytes) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Returns the function from observations to actions in an ONNX file, run by numpy."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(onnx.load_from_string(content))
    return lambda observation: evaluator.run([OUTPUT], {INPUT: observation})[0]
