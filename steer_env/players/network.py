"""A trained multilayer perceptron as a policy, without torch, and its file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import ArrayLike, NDArray

from steer_env.actions import DIRECTIONS, action_space
from steer_env.errors import (
    FaultyBehavior,
    InvalidType,
    InvalidValue,
    check_array,
    check_choice,
    check_integer,
    check_number,
    check_sequence,
)
from steer_env.players import blocks
from steer_env.players.archive import SavedPolicy, finite_array, json_in, text_in
from steer_env.players.blocks import BlockEncoder
from steer_env.players.layers import ACTIVATIONS, HEADS, Dense, tanh

FORMAT, POOLING_FORMAT = "steer_env network 1", "steer_env network 2"  # 2: with an encoder
MAX_LAYERS = 64
VARIANCE_FLOOR = 1e-8  # added to variances, as stable-baselines3's VecNormalize does

_TEXTS = ("format", "activation", "head", "metadata")
_NORMALIZATION = ("observation_mean", "observation_variance", "observation_clip")


class NetworkPolicy(SavedPolicy):
    """A multilayer perceptron with stable-baselines3's signature.

    The observation is normalized if statistics are given; the head turns the last layer into an
    action:

    - "box": the mean of a Gaussian, clipped to [-1, 1] (PPO, A2C);
    - "squashed": the same, but bounded by tanh (SAC, TD3, DDPG);
    - "categorical": the logits of the discrete actions (PPO, A2C);
    - "greedy": the values of the discrete actions; the best is taken (DQN).

    Args:
        weights: of each layer, (outputs, inputs), as in torch.
        biases: of each layer, (outputs,).
        activation: "tanh" or "relu", after every layer except the last.
        head: "box" or "squashed", with 2 outputs; "categorical" or "greedy", with 9.
        log_std: (outputs,), logarithms of the standard deviations of a "box" or "squashed"
            head; without them the policy is deterministic.
        encoder: of the observation's blocks, which are pooled before the first layer; then
            there is no normalization. None for layers that take the observation itself.
        observation_mean: (features,), subtracted from an observation first.
        observation_variance: (features,), at least 0; the result is divided by its root.
        observation_clip: the bound to which the quotient is clipped; None for 10.
        seed: of the sampled actions.
        metadata: anything that JSON can hold; it goes into the file.

    Attributes:
        observation_space: Box(-1, 1, (features,)); a network with an encoder also takes the
            observations of other numbers of teammates, see `takes`.
        action_space: Box(-1, 1, (2,)), or Discrete(9).
        name: the name or the path from which it was loaded, or None.
    """

    KIND = "network"
    MAX_ARRAYS = 2 * MAX_LAYERS + len(_TEXTS) + len(_NORMALIZATION) + len(blocks.ARRAYS) + 1

    def __init__(
        self,
        weights: Sequence[ArrayLike],
        biases: Sequence[ArrayLike],
        *,
        activation: str,
        head: str,
        log_std: ArrayLike | None = None,
        encoder: BlockEncoder | None = None,
        observation_mean: ArrayLike | None = None,
        observation_variance: ArrayLike | None = None,
        observation_clip: float | None = None,
        seed: int = 0,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        check_choice("activation", activation, ACTIVATIONS)
        check_choice("head", head, HEADS)
        self.activation, self.head = activation, head
        self.weights, self.biases = _checked_layers(weights, biases)
        self._layers = [Dense(*layer) for layer in zip(self.weights, self.biases)]
        self.encoder, inputs = encoder, self.weights[0].shape[1]
        self._features = inputs if encoder is None else encoder.counts.features
        if encoder is not None and inputs != encoder.inputs:
            raise InvalidValue(
                f"the first layer must take the {encoder.inputs} numbers of the encoder, and "
                f"takes {inputs}"
            )
        self._is_discrete = head in ("categorical", "greedy")
        outputs, expected = len(self.biases[-1]), len(DIRECTIONS) if self._is_discrete else 2
        if outputs != expected:
            raise InvalidValue(f"a {head!r} head has {expected} outputs, got {outputs}")
        if log_std is not None and self._is_discrete:
            raise InvalidValue(f"a {head!r} head is not Gaussian: it takes no log_std")
        self.log_std = None if log_std is None else finite_array("log_std", log_std, (outputs,))
        if self.log_std is not None:
            with np.errstate(over="ignore"):
                self._std = finite_array("the exponential of log_std", np.exp(self.log_std))
        if encoder is not None and observation_mean is not None:
            raise InvalidValue("a network with an encoder of blocks takes no normalization")
        self._set_normalization(observation_mean, observation_variance, observation_clip)
        self._size = f"{self._features} features"
        self.metadata = _json_copy({} if metadata is None else metadata)
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (self._features,), np.float32)
        self.action_space = action_space("discrete" if self._is_discrete else "continuous", 1)
        self._generator = np.random.default_rng(check_integer("seed", seed, 0))

    def takes(self, features: int) -> bool:
        """See `SavedPolicy.takes`."""
        if self.encoder is not None:
            return self.encoder.fitting(features) is not None
        return features == self._features

    def predict(
        self,
        observation: NDArray[np.float32],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], Any]:
        """Chooses actions, the most likely or sampled ones.

        Args:
            observation: (features,) or (N, features), or (..., players, features) for a team.
            state: returned unchanged: the network has no memory.
            episode_start: ignored.
            deterministic: True for the most likely action.

        Returns:
            The actions, (2,) or (N, 2) in float32 (discrete: () or (N,) in int64), and state.

        Raises:
            FaultyBehavior: if an output of the network is nan or infinite.
        """
        observation = check_array("observation", observation, np.float32)
        if observation.ndim == 0 or not self.takes(observation.shape[-1]):
            raise InvalidValue(
                f"this network takes {self._features} features an observation, got the shape "
                f"{observation.shape}; was it trained for another configuration?"
            )
        shape = observation.shape[:-1]
        outputs = self.outputs(observation.reshape(-1, observation.shape[-1]))
        if not np.isfinite(outputs).all():
            raise FaultyBehavior(
                "the network's outputs are not all finite: the observation holds nan or "
                "infinity, or the weights are too large for float32"
            )
        if self._is_discrete:
            if self.head == "categorical" and not deterministic:
                # The largest of logits plus Gumbel noise is a draw from their softmax.
                outputs = outputs + self._generator.gumbel(size=outputs.shape)
            return outputs.argmax(axis=-1).astype(np.int64).reshape(shape), state
        if self.log_std is not None and not deterministic:
            noise = self._generator.standard_normal(outputs.shape).astype(np.float32)
            with np.errstate(over="ignore"):  # the head bounds infinity too
                outputs = outputs + self._std * noise
        return self.bounded(outputs).reshape(*shape, 2), state

    def bounded(self, outputs: NDArray[Any]) -> NDArray[Any]:
        """Returns the actions, (N, 2), of a "box" or "squashed" head for its outputs."""
        return tanh(outputs) if self.head == "squashed" else np.clip(outputs, -1.0, 1.0)

    def _set_normalization(
        self, mean: ArrayLike | None, variance: ArrayLike | None, clip: float | None
    ) -> None:
        self.observation_mean = self.observation_variance = self.observation_clip = None
        if mean is None and variance is None and clip is None:
            return
        if mean is None or variance is None:
            raise InvalidValue("observation_mean and observation_variance must both be given")
        # These stay in float64: if the variance is tiny, the quotient magnifies rounding.
        shape = (self._features,)
        self.observation_mean = finite_array("observation_mean", mean, shape, np.float64)
        self.observation_variance = finite_array(
            "observation_variance", variance, shape, np.float64
        )
        if (self.observation_variance < 0.0).any():
            raise InvalidValue("observation_variance must be at least 0 in every feature")
        bound = 10.0 if clip is None else clip  # as VecNormalize's
        self.observation_clip = check_number("observation_clip", bound, 0.0, above=True)
        self._scale = np.sqrt(self.observation_variance + VARIANCE_FLOOR)

    def outputs(self, observation: NDArray[Any]) -> NDArray[Any]:
        """Returns the outputs of the last layer, (N, outputs), of observations (N, features).

        They may be inf or nan. For float64 they are computed in double precision.
        """
        values: NDArray[Any] = observation
        # Overflow and nan show in the outputs, where the caller checks for them.
        with np.errstate(over="ignore", invalid="ignore"):
            if self.encoder is not None:
                values = self.encoder.encode(values)
            if self.observation_mean is not None and self.observation_clip is not None:
                values = (values - self.observation_mean) / self._scale
                bound = self.observation_clip
                values = values.clip(-bound, bound).astype(observation.dtype)
            for layer in self._layers[:-1]:
                values = layer(values)
                is_tanh = self.activation == "tanh"
                values = tanh(values) if is_tanh else np.maximum(values, 0.0, out=values)
            return self._layers[-1](values)

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]], seed: int = 0) -> NetworkPolicy:
        """See `SavedPolicy.from_arrays`."""
        if "format" not in arrays:
            raise InvalidValue(f"it has no array 'format', expected {FORMAT!r} there")
        if (kind := text_in(arrays, "format")) not in (FORMAT, POOLING_FORMAT):
            raise InvalidValue(
                f"its format is {kind!r}, expected {FORMAT!r} or {POOLING_FORMAT!r}"
            )
        encoder = None
        if kind == POOLING_FORMAT:
            if "blocks" not in arrays:
                raise InvalidValue("it lacks the array 'blocks'")
            encoder = BlockEncoder.from_arrays(arrays)
            arrays = {one: arrays[one] for one in arrays.keys() - {*blocks.ARRAYS}}
        layers = max(1, sum(name.startswith("weights_") for name in arrays))
        names = {kind: [f"{kind}_{k}" for k in range(layers)] for kind in ("weights", "biases")}
        expected = {*_TEXTS, *names["weights"], *names["biases"]}
        if missing := expected - arrays.keys():
            raise InvalidValue(f"it lacks the arrays {sorted(missing)}")
        if unknown := arrays.keys() - expected - {"log_std", *_NORMALIZATION}:
            raise InvalidValue(f"it has unknown arrays {sorted(unknown)}")
        arguments: dict[str, Any] = {
            **{kind: [arrays[name] for name in names[kind]] for kind in names},
            **{name: text_in(arrays, name) for name in ("activation", "head")},
            **{name: arrays[name] for name in arrays.keys() - expected},
        }
        if "observation_clip" in arguments:
            if arrays["observation_clip"].shape != ():
                raise InvalidValue("observation_clip must be a single number")
            arguments["observation_clip"] = arrays["observation_clip"].item()
        metadata = json_in(arrays, "metadata")
        return cls(**arguments, encoder=encoder, metadata=metadata, seed=seed)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that its file holds, by name."""
        encoder = self.encoder
        arrays: dict[str, Any] = {
            "format": FORMAT if encoder is None else POOLING_FORMAT,
            "activation": self.activation,
            "head": self.head,
            "metadata": json.dumps(self.metadata, sort_keys=True),
        }
        if encoder is not None:
            arrays |= encoder.arrays()
        for number, (weights, biases) in enumerate(zip(self.weights, self.biases)):
            arrays |= {f"weights_{number}": weights, f"biases_{number}": biases}
        arrays |= {name: getattr(self, name) for name in ("log_std", *_NORMALIZATION)}
        return {name: np.asarray(one) for name, one in arrays.items() if one is not None}


def _checked_layers(
    weights: Sequence[ArrayLike], biases: Sequence[ArrayLike]
) -> tuple[tuple[NDArray[np.float32], ...], tuple[NDArray[np.float32], ...]]:
    """Returns read-only copies of weights and biases that fit each other."""
    weights, biases = check_sequence("weights", weights), check_sequence("biases", biases)
    if not 1 <= len(weights) <= MAX_LAYERS or len(biases) != len(weights):
        raise InvalidValue(
            f"a network has 1 to {MAX_LAYERS} layers, each with weights and biases, got "
            f"{len(weights)} weights and {len(biases)} biases"
        )
    matrices, vectors, inputs = [], [], None
    for number, (weight, bias) in enumerate(zip(weights, biases)):
        matrix = finite_array(f"weights {number}", weight)
        fits = inputs is None or matrix.shape[1:] == (inputs,)
        if matrix.ndim != 2 or 0 in matrix.shape or not fits:
            raise InvalidValue(
                f"weights {number} must have the shape (outputs, {inputs or 'inputs'}), each "
                f"at least 1, got {matrix.shape}"
            )
        inputs = len(matrix)
        matrices.append(matrix)
        vectors.append(finite_array(f"biases {number}", bias, (inputs,)))
    return tuple(matrices), tuple(vectors)


def _json_copy(metadata: dict[str, Any]) -> dict[str, Any]:
    """The metadata as a file will give them: tuples are lists, keys are strings."""
    if not isinstance(metadata, dict):
        raise InvalidType(f"metadata must be a dict, got {type(metadata).__name__}")
    try:
        return json.loads(json.dumps(metadata, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidValue(f"metadata must be what JSON can hold: {error}") from error
