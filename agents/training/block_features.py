"""The features extractor for teams: torch's form of `steer_env.policies.pooling`."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from steer_env.game.config import GameConfig
from steer_env.game.features import OWN_SIZE
from steer_env.policies.pooling import (
    COUNTERPARTS,
    EXTENDED_OWN_SIZE,
    FAR,
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
    own, all_blocks = _with_position(observations[:, :OWN_SIZE]), counts.split(observations)
    found = [own]
    for kind, layer in encoders.items():
        # The own features' part of the layer is the same for all blocks.
        own_part, part = layer.weight.tensor_split((EXTENDED_OWN_SIZE,), dim=1)
        base = nn.functional.linear(own, own_part, layer.bias)
        encoded = nn.functional.linear(_with_directions(kind, all_blocks), part)
        encoded = encoded + base[:, None]
        present = all_blocks[kind][:, :, PRESENCE[kind], None] > 0.5
        encoded = encoded.relu() * present
        number = present.sum(dim=1).clamp(min=1)
        found += [encoded.sum(dim=1) / number, encoded.amax(dim=1)]
    return torch.cat(found, dim=1)


def _with_position(own: Tensor) -> Tensor:
    """`steer_env.policies.pooling.with_position`."""
    (x, y), (ahead_x, ahead_y) = (own[:, at : at + 2].unbind(1) for at in (POSITION, HEADING))
    position = torch.stack([x * ahead_x + y * ahead_y, y * ahead_x - x * ahead_y], dim=1)
    return torch.cat([own, position], dim=1)


def _with_directions(kind: str, all_blocks: Mapping[str, Tensor]) -> Tensor:
    """`steer_env.policies.pooling.with_directions`."""
    blocks = all_blocks[kind]
    places = blocks[..., OFFSET : OFFSET + 2]
    distance = (places * places).sum(dim=-1, keepdim=True).sqrt()
    parts = [blocks, *_direction_to(places, distance)]
    if kind in COUNTERPARTS:
        other = COUNTERPARTS[kind]
        parts += _direction_to(*_to_nearest(places, other, all_blocks[other]))
    return torch.cat(parts, dim=-1)


def _direction_to(offset: Tensor, distance: Tensor) -> list[Tensor]:
    near = [distance / (distance + near) for near in NEAR]
    return [offset / (distance + TINY), *near]


def _to_nearest(places: Tensor, kind: str, others: Tensor) -> tuple[Tensor, Tensor]:
    """The same as in numpy; all pairs at once, for speed, so it takes more memory."""
    is_present = others[:, None, :, PRESENCE[kind]] > 0.5
    difference = others[:, None, :, OFFSET : OFFSET + 2] - places[:, :, None]
    squared = torch.where(is_present, (difference * difference).sum(dim=-1), FAR**2)
    difference = difference * is_present[..., None]
    # Behind the others stands one more, far away: the nearest where there is no other.
    squared = torch.cat([squared, torch.full_like(places[..., :1], FAR**2)], dim=-1)
    difference = torch.cat([difference, torch.zeros_like(places)[:, :, None]], dim=2)
    least, nearest = squared.min(dim=-1, keepdim=True)
    index = nearest[..., None].expand(-1, -1, 1, 2)
    return difference.gather(2, index)[:, :, 0], least.sqrt()


def block_counts(config: GameConfig, side: int) -> BlockCounts:
    """The blocks that a player of a side observes in a game."""
    teams = config.pursuers, config.evaders
    return BlockCounts(teams[Side(side).other], teams[side] - 1, config.arena.num_obstacles)
