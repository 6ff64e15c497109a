"""Small networks, to test what they compute and how they are kept."""

from __future__ import annotations

import itertools
import zipfile

import numpy as np

from steer_env.players.blocks import KINDS, BlockEncoder, columns_of
from steer_env.players.network import NetworkPolicy

FEATURES = 5
WIDTH = 4


def write_zip(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return path


def make_network(head="box", layers=2, seed=0, features=FEATURES, **keywords):
    random = np.random.default_rng(seed)
    sizes = [features] + [WIDTH] * (layers - 1) + [2 if head in ("box", "squashed") else 9]
    weights = [
        random.normal(size=(after, before)) for before, after in itertools.pairwise(sizes)
    ]
    biases = [random.normal(size=after) for after in sizes[1:]]
    keywords = {"activation": "tanh", **keywords}
    return NetworkPolicy(weights, biases, head=head, **keywords)


def full_network(**keywords):
    return make_network(
        log_std=[-1.0, -0.5],
        observation_mean=np.linspace(-0.1, 0.1, FEATURES),
        observation_variance=np.linspace(0.0, 1.0, FEATURES),
        observation_clip=3.0,
        metadata={"algorithm": "PPO", "steps": 1000, "sizes": (64, 64)},
        **keywords,
    )


def random_observations(*shape, features=FEATURES, seed=1):
    values = np.random.default_rng(seed).uniform(-1.0, 1.0, (*shape, features))
    return values.astype(np.float32)


def random_encoder(random, counts, width=6, allots=False):
    """An encoder of blocks with random weights, from a generator."""
    kinds = [kind for kind, count in zip(KINDS, counts) if count > 0]
    return BlockEncoder(
        counts,
        {kind: random.normal(size=(width, columns_of(kind, allots))) / 4.0 for kind in kinds},
        {kind: 0.1 * random.normal(size=width) for kind in kinds},
    )
