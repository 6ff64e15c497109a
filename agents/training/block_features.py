"""The features extractor for teams: torch's form of `steer_env.policies.pooling`."""

from __future__ import annotations

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from steer_env.game.config import GameConfig
from steer_env.game.features import OWN_SIZE
from steer_env.policies.pooling import (
    BLOCK_SIZES,
    EXTENDED_OWN_SIZE,
    HEADING,
    KINDS,
    NEAR,
    OFFSET,
    POOLED,
    POSITION,
    PRESENCE,
    TINY,
    BlockCounts,
    columns_of,
)
from steer_env.sides import Side


class BlockFeatures(BaseFeaturesExtractor):
    """Encodes an observation's blocks, and pools those of a kind, as a `BlockEncoder` does.

    Args:
        observation_space: of one player.
        counts: the numbers of opponents, mates and obstacles in it.
        width: of each kind's layer.
    """

    def __init__(
        self, observation_space: spaces.Box, counts: tuple[int, int, int], width: int = 32
    ) -> None:
        self.counts = BlockCounts(*counts)
        kinds = [kind for kind in KINDS if getattr(self.counts, kind) > 0]
        super().__init__(observation_space, EXTENDED_OWN_SIZE + POOLED * width * len(kinds))
        self.encoders = nn.ModuleDict(
            {kind: nn.Linear(columns_of(kind), width) for kind in kinds}
        )

    def forward(self, observations: Tensor) -> Tensor:
        """What the network's layers take, (N, inputs), from observations (N, features)."""
        return pooled_features(self.encoders, self.counts, observations)


def pooled_features(
    encoders: nn.ModuleDict, counts: BlockCounts, observations: Tensor
) -> Tensor:
    """`BlockEncoder.encode` in torch, with a linear layer for each kind of blocks."""
    own, first = _with_position(observations[:, :OWN_SIZE]), OWN_SIZE
    found = [own]
    for kind, count in zip(KINDS, counts):
        if count == 0:
            continue
        size, layer = BLOCK_SIZES[kind], encoders[kind]
        blocks = observations[:, first : first + count * size].unflatten(1, (count, size))
        first += count * size
        # The own features' part of the layer is the same for all blocks.
        own_part, part = layer.weight.tensor_split((EXTENDED_OWN_SIZE,), dim=1)
        base = nn.functional.linear(own, own_part, layer.bias)
        encoded = nn.functional.linear(_with_direction(blocks), part) + base[:, None]
        present = blocks[:, :, PRESENCE[kind], None] > 0.5
        encoded = encoded.relu() * present
        number = present.sum(dim=1).clamp(min=1)
        found += [encoded.sum(dim=1) / number, encoded.amax(dim=1)]
    return torch.cat(found, dim=1)


def _with_position(own: Tensor) -> Tensor:
    """`steer_env.policies.pooling.with_position`."""
    (x, y), (ahead_x, ahead_y) = (own[:, at : at + 2].unbind(1) for at in (POSITION, HEADING))
    position = torch.stack([x * ahead_x + y * ahead_y, y * ahead_x - x * ahead_y], dim=1)
    return torch.cat([own, position], dim=1)


def _with_direction(blocks: Tensor) -> Tensor:
    """`steer_env.policies.pooling.with_direction`, of (N, blocks, features)."""
    offset = blocks[..., OFFSET : OFFSET + 2]
    distance = (offset * offset).sum(dim=-1, keepdim=True).sqrt()
    near = [distance / (distance + near) for near in NEAR]
    return torch.cat([blocks, offset / (distance + TINY), *near], dim=-1)


def block_counts(config: GameConfig, side: int) -> BlockCounts:
    """The blocks that a player of a side observes in a game."""
    teams = config.pursuers, config.evaders
    return BlockCounts(teams[Side(side).other], teams[side] - 1, config.arena.num_obstacles)
