"""The numbers of the learner's observation, and the table of how to get them."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.game.config import GameConfig
from steer_env.game.features import (
    DERIVED,
    FEATURES,
    NAMED,
    OBSTACLE_SIZE,
    OTHER_SIZE,
    OWN_SIZE,
    Feature,
    place_of,
)
from steer_env.game.observation_config import (
    BLOCKS,
    FeatureFunction,
    ObservationConfig,
    name_of_feature,
)
from steer_env.game.random import LARGEST_NOISE
from steer_env.game.scales import scaled
from steer_env.machine_code.marking import record_dtype
from steer_env.steering.own_functions import number_routine, own_address

SENSOR = record_dtype(
    [
        ("length", np.int64),  # numbers in an observation; 0 for the standard one
        ("delay", np.int64),  # steps
        ("rows", np.intp),  # address of the table
        ("standard", np.intp),  # of (N, players of the side, seen_length) in float32
        ("seen_length", np.int64),  # numbers in a standard observation, or of one with limits
        ("whose", np.intp),  # of (N, players of the side, others) in int64: see `partial_view`;
        # 0 without limits, as the next two
        ("others", np.int64),  # blocks of other players, and of obstacles, in one with limits
        ("obstacles", np.int64),
    ]
)
"""How one side's observations are made of the standard ones, or of those with limits."""

NUMBER = record_dtype(
    [
        ("source", np.int64),  # place in the standard observation; -1 if it is not there
        ("presence", np.int64),  # place of its player's or obstacle's presence; -1 for own
        ("derived", np.int64),  # place in `DERIVED`
        ("address", np.intp),  # of a user's own function; 0 for none
        ("place", np.int64),  # of the other player's block; -1 for own
        ("low", np.float64),
        ("high", np.float64),
        ("noise", np.float64),  # standard deviation
    ]
)
"""One number of an observation."""


def chosen_features(config: GameConfig) -> tuple[Feature, ...]:
    """The features of the learner's observation, one for each number, with their bounds.

    Raises:
        InvalidValue: if there are none, or one needs walls in an arena without.
    """
    names = [name for name, _ in _numbers(config)]
    if not names:
        raise InvalidValue("all chosen features are of obstacles, and this game has none")
    if "own.wall_distance" in names and config.arena.kind != "walls":
        raise InvalidValue(
            f"the feature 'own.wall_distance' needs arena='walls', got {config.arena.kind!r}"
        )
    own = {f.name: f for f in config.observation.features if isinstance(f, FeatureFunction)}
    known = [name for name in dict.fromkeys(names) if name not in own]
    # Once for all other players: their limits are looked through, and they may be many.
    scaled_of = dict(zip(known, scaled([NAMED[name] for name in known], config)))
    found = []
    for name in names:
        if name in own:
            low, high = own[name].low, own[name].high
            feature = Feature("other", name, low, high, "your own function of (me, other)")
        else:
            feature = scaled_of[name]
        spread = LARGEST_NOISE * config.observation.noise_of(name)
        if spread > 0.0:
            # What is observed is rounded to float32 before there is noise in it.
            low, high = float(np.float32(feature.low)), float(np.float32(feature.high))
            feature = replace(feature, low=low - spread, high=high + spread)
        found.append(feature)
    return tuple(found)


def _numbers(config: GameConfig) -> list[tuple[str, int]]:
    """The name of each number in the learner's observation, and its place in its block.

    The place is that of the other player or the obstacle that the number describes.
    """
    counts = dict(zip(BLOCKS, (1, *blocks_of(config))))
    names = config.observation.features or ObservationConfig(features=BLOCKS).features
    numbers = []
    for block, group in groupby(names, key=_block_of):
        members = [name_of_feature(feature) for feature in group]
        numbers += [(name, place) for place in range(counts[block]) for name in members]
    return numbers


def blocks_of(config: GameConfig) -> tuple[int, int]:
    """How many blocks of other players, and of obstacles, the learner's observation is made of.

    With ``nearest`` there are first the opponents' and then the teammates', so many of each.
    """
    nearest = config.observation.nearest
    if nearest is not None:
        return 2 * nearest, nearest
    return config.pursuers + config.evaders - 1, config.arena.num_obstacles


def size_of_view(config: GameConfig) -> int:
    """How many numbers those blocks and the own one have with all of `FEATURES`."""
    others, obstacles = blocks_of(config)
    return OWN_SIZE + others * OTHER_SIZE + obstacles * OBSTACLE_SIZE


def _block_of(feature: str | FeatureFunction) -> str:
    return feature.split(".")[0] if isinstance(feature, str) else "other"


def sensor_table(config: GameConfig) -> NDArray[np.void]:
    """A `NUMBER` row for each number of the learner's observation.

    Raises:
        InvalidType: if a user's own function cannot be compiled.
        InvalidValue: as `chosen_features`.
    """
    features, numbers = chosen_features(config), _numbers(config)
    own = {f.name: f for f in config.observation.features if isinstance(f, FeatureFunction)}
    others, _ = blocks_of(config)
    table = np.zeros(len(numbers), NUMBER)
    for row, feature, (name, place) in zip(table, features, numbers, strict=True):
        first = {
            "own": 0,
            "other": OWN_SIZE + place * OTHER_SIZE,
            "obstacle": OWN_SIZE + others * OTHER_SIZE + place * OBSTACLE_SIZE,
        }[feature.block]
        row.low, row.high = feature.low, feature.high
        row.noise = config.observation.noise_of(name)
        row.place = place if feature.block == "other" else -1
        row.source = row.presence = -1
        if feature.block != "own":
            row.presence = first + place_of(feature.block, "presence")
        if name in own:
            row.low, row.high = own[name].low, own[name].high
            row.address = feature_address(own[name])
        elif NAMED[name] in FEATURES:
            row.source = first + place_of(feature.block, feature.name)
        else:
            row.derived = DERIVED.index(NAMED[name])
    return table


def feature_address(feature: FeatureFunction) -> int:
    """The address of a routine that calls a feature's function; compiled at the first call.

    See `steer_env.steering.own_functions.number_routine`.

    Raises:
        InvalidType: if the function cannot be compiled, or does not return a number.
    """
    contract = "a feature is a function of (me, other), two Vehicles, that returns a number"
    what = f"the feature {feature.name!r}"
    return own_address(number_routine, feature.function, what, contract)
