"""The features extractor for teams: torch's form of `steer_env.players.blocks`."""

from __future__ import annotations

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from steer_env.game.config import Game
from steer_env.game.config.observation import OWN_SIZE
from steer_env.players.blocks import (
    EXTENDED_OWN_SIZE,
    KINDS,
    POOLED,
    BlockCounts,
    are_present,
    columns_of,
    extended_blocks,
    with_position,
)
from steer_env.sides import Side


class BlockFeatures(BaseFeaturesExtractor):
    """Encodes an observation's blocks, and pools those of a kind, as a `BlockEncoder` does.

    The layer of each kind has `width` outputs. With `allots` it takes each opponent's
    allotment, too: see `policies.blocks.allotted`.
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


def block_counts(config: Game, side: int) -> BlockCounts:
    """The blocks that a player of a side observes in a game."""
    teams = config.pursuers, config.evaders
    return BlockCounts(teams[Side(side).other], teams[side] - 1, config.num_obstacles)
