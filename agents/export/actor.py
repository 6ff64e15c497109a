"""Extracts the actor of a stable-baselines3 model as a network that needs only numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, needing

with needing("agents"):
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.policies import ActorCriticPolicy
    from stable_baselines3.common.torch_layers import FlattenExtractor
    from stable_baselines3.common.vec_env import VecNormalize
    from stable_baselines3.dqn.policies import DQNPolicy
    from stable_baselines3.sac.policies import SACPolicy
    from stable_baselines3.td3.policies import TD3Policy
    from torch import Tensor, nn

from steer_env.actions import action_space
from steer_env.game.config.keywords import plain
from steer_env.players.blocks import BlockEncoder
from steer_env.players.network import VARIANCE_FLOOR, NetworkPolicy
from steer_env.players.observed import observation_of
from steer_env.players.stable_baselines import NormalizedModel, with_normalization

from .torch_network import ACTIVATIONS, BlockFeatures

_NAMES = {layer: name for name, layer in ACTIVATIONS.items()}


def actor_of(
    model: BaseAlgorithm | NormalizedModel, metadata: dict[str, Any] | None = None
) -> NetworkPolicy:
    """Copies the actor of a model.

    Its deterministic actions are the model's. The sampled actions of PPO and A2C have the same
    distribution; those of SAC, TD3, DDPG, DQN and of gSDE (`use_sde=True`) are for exploration
    only, and left out.

    Args:
        model: PPO, A2C, SAC, TD3, DDPG or DQN with an MlpPolicy of Tanh or ReLU layers, for
            one player: its actions are Box(-1, 1, (2,)) or Discrete(9). With a VecNormalize,
            the network takes raw observations.
        metadata: of the network, anything that JSON can hold; the observation that the model
            brings is added.

    Raises a ValueError if a NetworkPolicy cannot represent it.
    """
    normalization: VecNormalize | None = None
    player = with_normalization(model)
    if (observation := observation_of(player)) is not None:
        metadata = {**(metadata or {}), "observation": plain(observation)}
    if isinstance(player, NormalizedModel):
        model, normalization = player.model, player.normalization
    if not isinstance(model, BaseAlgorithm):
        raise InvalidType(f"model must be stable-baselines3's, got {type(model).__name__}")
    if len(model.observation_space.shape or ()) != 1:
        raise InvalidValue(
            "the observations must be those of one player, of shape (features,), got "
            f"{model.observation_space}"
        )
    valid = [action_space(kind, players=1) for kind in ("continuous", "discrete")]
    if model.action_space not in valid:
        raise InvalidValue(
            f"the actions must be {valid[0]} or {valid[1]}, got {model.action_space}"
        )
    head, extractor, layers, log_std = _parts(model.policy)
    encoder = None
    if isinstance(extractor, BlockFeatures):
        layers_of = extractor.encoders.items()
        weights = {kind: _array(layer.weight) for kind, layer in layers_of}
        biases = {kind: _array(layer.bias) for kind, layer in layers_of}
        encoder = BlockEncoder(extractor.counts, weights, biases)
    elif type(extractor) is not FlattenExtractor:
        raise InvalidValue(
            "the features extractor must be FlattenExtractor or BlockFeatures, got "
            f"{type(extractor).__name__}"
        )
    statistics: dict[str, Any] = {}
    if normalization is not None and normalization.norm_obs:
        seen: Any = normalization.obs_rms
        variance = seen.var + (normalization.epsilon - VARIANCE_FLOOR)
        if (variance < 0.0).any():
            raise InvalidValue(
                f"VecNormalize's epsilon must be at least {VARIANCE_FLOOR} if a feature does "
                f"not vary, got {normalization.epsilon}"
            )
        statistics = {"observation_mean": seen.mean, "observation_variance": variance}
        statistics["observation_clip"] = normalization.clip_obs
    linear, activation = _read_layers(layers)
    return NetworkPolicy(
        [_array(layer.weight) for layer in linear],
        [_array(layer.bias) for layer in linear],
        activation=activation,
        head=head,
        log_std=None if log_std is None else _array(log_std),
        encoder=encoder,
        metadata=metadata,
        **statistics,
    )


def _parts(policy: Any) -> tuple[str, nn.Module, list[nn.Module], Tensor | None]:
    """The head, features extractor, layers and log_std (or None) of an actor."""
    # Exactly of a known class: a derived one may compute anything.
    kind, actor = type(policy), getattr(policy, "actor", None)
    if kind is ActorCriticPolicy:
        layers = [*policy.mlp_extractor.policy_net, policy.action_net]
        log_std = getattr(policy, "log_std", None)  # which a discrete policy lacks
        if policy.use_sde:  # the noise depends on the state
            head, log_std = "squashed" if policy.squash_output else "box", None
        else:
            head = "categorical" if log_std is None else "box"
        return head, policy.pi_features_extractor, layers, log_std
    if kind is SACPolicy:
        if actor.use_sde:  # which bounds the means once more
            raise InvalidValue("a NetworkPolicy cannot represent SAC with gSDE (use_sde=True)")
        return "squashed", actor.features_extractor, [*actor.latent_pi, actor.mu], None
    if kind is TD3Policy:  # DDPG's too; its last layer is the tanh of the head
        return "squashed", actor.features_extractor, [*actor.mu][:-1], None
    if kind is DQNPolicy:
        return "greedy", policy.q_net.features_extractor, [*policy.q_net.q_net], None
    raise InvalidValue(
        "the policy must be the MlpPolicy of PPO, A2C, SAC, TD3, DDPG or DQN, got "
        f"{kind.__name__}"
    )


def _read_layers(layers: Sequence[nn.Module]) -> tuple[Sequence[nn.Module], str]:
    """Returns the linear layers, and the name of the activation between them."""
    kinds = [type(layer) for layer in layers]
    activations = set(kinds[1::2]) or {nn.Tanh}  # any will do
    if len(activations) > 1 or activations - _NAMES.keys() or set(kinds[::2]) != {nn.Linear}:
        raise InvalidValue(
            "the actor must be linear layers with either Tanh or ReLU between them, got "
            + ", ".join(kind.__name__ for kind in kinds)
        )
    return layers[::2], _NAMES[activations.pop()]


def _array(tensor: Any) -> NDArray[Any]:
    return tensor.detach().cpu().numpy()
