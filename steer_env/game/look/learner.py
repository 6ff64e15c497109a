"""The side that learns, as arrays for the compiled loop: rewards, sensors and actuators."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.game.config import Game
from steer_env.game.config.features import (
    BLOCKS,
    DERIVED,
    FEATURES,
    NAMED,
    OBSTACLE_SIZE,
    OTHER_SIZE,
    OWN_SIZE,
    PATH_FEATURES,
    Feature,
    place_of,
)
from steer_env.game.config.hooks import rule_addresses
from steer_env.game.config.observation import (
    FeatureFunction,
    ObservationConfig,
    name_of_feature,
)
from steer_env.game.random import LARGEST_NOISE
from steer_env.game.rules import observed_features, scaled
from steer_env.game.run.maps import ray_table
from steer_env.game.state import NO_PAST, Past
from steer_env.game.transition import TERM, term_table
from steer_env.machine_code.addresses import LANES, address_of
from steer_env.machine_code.marking import record_dtype
from steer_env.sides import PURSUER, Side
from steer_env.steering.own_functions import own_address

SENSOR = record_dtype(
    [
        ("length", np.int64),  # numbers in an observation; 0 for the standard one
        ("delay", np.int64),  # steps
        ("rows", np.intp),  # address of the table
        # Of (N, players of the side, seen_length) in float32, and then as many rays' numbers:
        ("standard", np.intp),
        ("seen_length", np.int64),  # numbers in a standard observation, or of one with limits
        # Of (N, players of the side, others) in int64, see `sensors.list_others`; 0 without
        # limits, as the next two:
        ("whose", np.intp),
        ("others", np.int64),  # blocks of other players, and of obstacles, in one with limits
        ("obstacles", np.int64),
        # The rays of a lidar, and the cells of `maps.ray_table`; 0 for none:
        ("rays", np.intp),  # address of unit vectors, repeated up to a multiple of `LANES`
        ("num_rays", np.int64),
        ("numbers_of_ray", np.int64),
        ("ray_range", np.float64),  # meters
        *[(name, np.intp) for name in ("maps", "cells", "cell_walls")],
    ]
)
"""The assembly of one side's observation from the full observation."""

NUMBER = record_dtype(
    [
        ("source", np.int64),  # place in the standard observation; -1 if it is not there
        ("is_of_ray", np.bool_),  # then it is the place among all rays' numbers
        ("run", np.int64),  # how many numbers from here on are copied one after the other
        ("presence", np.int64),  # place of its player's or obstacle's presence; -1 for own
        ("derived", np.int64),  # place in `DERIVED`
        ("address", np.intp),  # of a user-defined function; 0 for none
        ("part", np.int64),  # place in its answer of several numbers; -1 for a number alone
        ("count", np.int64),  # how many
        ("place", np.int64),  # of the other player's block; -1 for own
        ("low", np.float64),
        ("high", np.float64),
        ("noise", np.float64),  # standard deviation
    ]
)
"""One number of an observation."""


def chosen_features(config: Game) -> tuple[Feature, ...]:
    """The features of the learner's observation, one for each number, with their bounds.

    An InvalidValue says if there are none, or one needs walls or a target in a game without.
    """
    names = [name for name, _ in _numbers(config)]
    _check_rays(config)
    if not names:
        raise InvalidValue("all chosen features are of obstacles, and this game has none")
    if "own.wall_distance" in names and not config.region.has_walls:
        raise InvalidValue(
            "the feature 'own.wall_distance' needs a map or arena='walls', got "
            f"{config.arena!r}"
        )
    if not config.map and (ways := [name for name in names if name in PATH_FEATURES]):
        raise InvalidValue(
            f"the feature {ways[0]!r} needs a game with a map, such as map=Map()"
        )
    if config.target is None and any(name.startswith("own.target") for name in names):
        raise InvalidValue("the features of a target need a game with one, such as target={}")
    own = {f.name: f for f in config.observation.features if isinstance(f, FeatureFunction)}
    known = [name for name in dict.fromkeys(names) if name not in own]
    # Once for all other players: their limits are looked through, and they may be many.
    scaled_of = dict(zip(known, scaled([NAMED[name] for name in known], config)))
    found = []
    for name in names:
        if name in own:
            low, high = own[name].low, own[name].high
            feature = Feature(own[name].block, name, low, high, "a user-defined function")
        else:
            feature = scaled_of[name]
        spread = LARGEST_NOISE * config.observation.noise_of(name)
        if spread > 0.0:
            # What is observed is rounded to float32 before there is noise in it.
            low, high = float(np.float32(feature.low)), float(np.float32(feature.high))
            feature = replace(feature, low=low - spread, high=high + spread)
        found.append(feature)
    return tuple(found)


def _numbers(config: Game) -> list[tuple[str, int]]:
    """The name of each number in the learner's observation, and the place of its block."""
    lidar = config.observation.lidar
    counts = dict(zip(BLOCKS, (1, *blocks_of(config))))
    counts["lidar"] = 0 if lidar is None else lidar.rays
    numbers = []
    for block, group in groupby(config.observation.chosen, key=_block_of):
        members = [name_of_feature(feature) for feature in group]
        numbers += [(name, place) for place in range(counts[block]) for name in members]
    return numbers


def blocks_of(config: Game) -> tuple[int, int]:
    """The numbers of blocks of other players and of obstacles in the learner's observation.

    With ``nearest`` there are as many of opponents, and then of teammates.
    """
    nearest = config.observation.nearest
    if nearest is not None:
        return 2 * nearest, nearest
    return config.pursuers + config.evaders - 1, config.num_obstacles


def numbers_of_rays(config: Game) -> int:
    """The numbers that the rays of the learner's lidar measure, 0 without one."""
    lidar = config.observation.lidar
    return 0 if lidar is None else lidar.rays * len(lidar.features)


def _check_rays(config: Game) -> None:
    """Raises an InvalidValue for a lidar that meets nothing, or reaches beyond a torus."""
    lidar, region = config.observation.lidar, config.region
    if lidar is None:
        return
    if not (region.has_walls or config.has_obstacles or lidar.vehicles):
        raise InvalidValue(
            f"in arena={config.arena!r} without obstacles a lidar meets nothing: add a map, "
            "walls or obstacles, or vehicles=True to the lidar"
        )
    if region.wraps and lidar.range > region.period:
        raise InvalidValue(
            f"the range of a lidar is at most the side of a torus, here {region.period:g} m, "
            f"got {lidar.range:g}"
        )


def standard_places(config: Game, side: Side) -> NDArray[np.int64]:
    """The place in the learner's observation of each number of a standard one.

    It is -1 for those in blocks that ``nearest`` leaves out. Raises an InvalidValue if the
    learner's lacks a feature of the standard one.
    """
    standard = _numbers(replace(config, observation=config.observation.standard))
    places = {number: place for place, number in enumerate(_numbers(config))}
    seen = {name for name, _ in places}
    if missing := [name for name in dict.fromkeys(dict(standard)) if name not in seen]:
        raise InvalidValue(
            "a script acts from all features of the standard observation, and this game's "
            f"learner does not observe {', '.join(missing)}"
        )
    counts, nearest = (config.pursuers, config.evaders), config.observation.nearest
    found = []
    for name, place in standard:
        is_mate = name.startswith("other.") and place >= counts[side.other]
        if nearest is not None and name.split(".")[0] != "own":
            place -= counts[side.other] * is_mate
            place = -1 if place >= nearest else place + nearest * is_mate
        found.append(places.get((name, place), -1))
    return np.array(found)


def _block_of(feature: str | FeatureFunction) -> str:
    return feature.split(".")[0] if isinstance(feature, str) else feature.block


def sensor_table(config: Game) -> NDArray[np.void]:
    """A `NUMBER` row for each number of the learner's observation, see `own_address`."""
    features, numbers = chosen_features(config), _numbers(config)
    own = {f.name: f for f in config.observation.features if isinstance(f, FeatureFunction)}
    others, _ = blocks_of(config)
    of_ray = () if config.observation.lidar is None else config.observation.lidar.features
    table = np.zeros(len(numbers), NUMBER)
    for row, feature, (name, place) in zip(table, features, numbers, strict=True):
        first = {
            "own": 0,
            "other": OWN_SIZE + place * OTHER_SIZE,
            "obstacle": OWN_SIZE + others * OTHER_SIZE + place * OBSTACLE_SIZE,
            "lidar": place * len(of_ray),
        }[feature.block]
        row.low, row.high = feature.low, feature.high
        row.noise = config.observation.noise_of(name)
        row.place = place if feature.block == "other" else -1
        row.source = row.presence = -1
        row.is_of_ray = name in of_ray
        if feature.block in ("other", "obstacle"):
            row.presence = first + place_of(feature.block, "presence")
        if name in own:
            row.low, row.high = own[name].low, own[name].high
            row.part = getattr(own[name], "part", -1)
            row.count = getattr(own[name], "count", 0)
            row.address = own_address(own[name].kind, own[name].function)
        elif name in of_ray:
            row.source = first + of_ray.index(name)
        elif NAMED[name] in FEATURES:
            row.source = first + place_of(feature.block, feature.name)
        else:
            row.derived = DERIVED.index(NAMED[name])
    following = None
    for row in table[::-1]:
        if row.source >= 0 and row.noise == 0.0:
            goes_on = (
                following is not None
                and following.source == row.source + 1
                and following.is_of_ray == row.is_of_ray
            )
            row.run = 1 + (following.run if goes_on and following is not None else 0)
        following = row
    return table


class Learner:
    """The side that learns (or none does) as arrays for the compiled loop.

    It has the ``sizes`` of both sides' observations.
    """

    def __init__(
        self, config: Game, side: int | None, num_games: int, num_features: int
    ) -> None:
        self._config, self._num_games = config, num_games
        self.side, self._learns = side, side is not None
        self.has_terms = self._learns and bool(config.reward.terms)
        self.is_actuated = self._learns and not config.action.is_standard
        self._seen_by: dict[int, Game] = {}
        if side is not None and not config.observation.is_standard:
            self._seen_by[side] = config
        self.sizes = [num_features, num_features]
        for each in self._seen_by:
            self.sizes[each] = len(self.features(each))

    def sense(self, side: int, observation: ObservationConfig | None = None) -> None:
        """Gives a side the configured features, or others, without noise or delay."""
        if observation is not None or side not in self._seen_by:
            exact = (observation or self._config.observation).exact
            self._seen_by[side] = replace(self._config, observation=exact)
            self.sizes[side] = len(self.features(side))

    def features(self, side: int) -> tuple[Feature, ...]:
        """The features of a player's observation on a side."""
        config = self._seen_by.get(side)
        return observed_features(self._config) if config is None else chosen_features(config)

    @property
    def has_sensors(self) -> bool:
        """Returns whether a side observes something else than the standard features."""
        return bool(self._seen_by)

    @property
    def has_lidar(self) -> bool:
        """Returns whether a side has rays that measure distances."""
        return any(seen.observation.lidar is not None for seen in self._seen_by.values())

    @property
    def sees_ways(self) -> bool:
        """Returns whether a side observes the shortest ways on a map."""
        names = [
            feature for seen in self._seen_by.values() for feature in seen.observation.features
        ]
        return not {*names}.isdisjoint(PATH_FEATURES)

    @property
    def past(self) -> Past:
        """The numbers of its past that a game keeps."""
        if not self._learns:
            return NO_PAST
        players = self._config.pursuers + self._config.evaders
        delay, numbers = self._config.observation.delay, len(chosen_features(self._config))
        observations = (delay + 1) * players * numbers if delay > 0 else 0
        return Past(observations, self._config.action.delay * players * 2)

    def memory_of_game(self, past: Past, is_observed: bool) -> dict[str, int]:
        """The bytes of one game's observations and past, by purpose."""
        observed = 0
        for side in (0, 1) if self.side is None else (self.side,):
            numbers = self.sizes[side]
            if side in self._seen_by:  # what they are made of
                others, discs = blocks_of(self._seen_by[side])
                numbers += OWN_SIZE + others * (OTHER_SIZE + 2) + discs * OBSTACLE_SIZE
                numbers += numbers_of_rays(self._seen_by[side])
            observed += 4 * self._team(side) * numbers * is_observed
        return {
            "observations": observed,
            "the delay of observations": 4 * past.observations,
            "the delay of actions": 4 * past.actions,
            "what scripts remember": 8 * past.sightings,
            "own numbers": 8 * past.own,
        }

    def lay_out(self, memory: NDArray[np.void]) -> None:
        """Makes the arrays, with addresses of this process, and enters them into a `MEMORY`."""
        config, games = self._config, self._num_games
        self._terms = term_table(config.reward.terms if self._learns else ())
        self._sensors = np.zeros(2, SENSOR)
        self._tables: list[NDArray[Any]] = []
        for side, seen in self._seen_by.items():
            table, team, (others, discs) = sensor_table(seen), self._team(side), blocks_of(seen)
            size = OWN_SIZE + others * OTHER_SIZE + discs * OBSTACLE_SIZE
            standard = np.zeros(games * team * (size + numbers_of_rays(seen)), np.float32)
            whose = np.zeros((games, team, others), np.int64)
            self._tables += [table, standard, whose]
            sensor = self._sensors[side]
            sensor["length"], sensor["delay"] = len(table), seen.observation.delay
            sensor["rows"], sensor["standard"] = address_of(table), address_of(standard)
            sensor["seen_length"] = size
            if seen.observation.lidar is not None:
                self._lay_out_rays(sensor, seen)
            if seen.observation.is_partial:
                sensor["whose"], sensor["others"] = address_of(whose), others
                sensor["obstacles"] = discs
        team = max(self._team(side) for side in (0, 1)) if self.is_actuated else 0
        self._executed = np.zeros((games, team, 2), np.float32)
        shared, addresses = np.zeros(1, TERM), dict(rule_addresses(config.scenario))
        shared["address"], shared["weight"] = addresses.pop("reward", 0), 1.0
        self._shared_terms = shared
        memory["num_shared_terms"] = 1 if config.has_rule("reward") else 0
        memory["shared_terms"] = address_of(shared)
        for name, address in addresses.items():
            memory[f"scenario_{name}"] = address
        self._own = np.array([*config.own.values(), 0.0])
        memory["own_numbers"], memory["own_starts"] = len(config.own), address_of(self._own)
        memory["num_terms"], memory["terms"] = len(self._terms), address_of(self._terms)
        memory["sensors"] = address_of(self._sensors)
        memory["executed"] = address_of(self._executed) if self.is_actuated else 0
        memory["action_delay"] = config.action.delay
        memory["action_noise"] = config.action.noise

    def _lay_out_rays(self, sensor: np.void, seen: Game) -> None:
        lidar = seen.observation.lidar
        assert lidar is not None
        rays = lidar.directions
        rays = rays[np.minimum(np.arange(-len(rays) % LANES + len(rays)), len(rays) - 1)]
        cells = ray_table(seen.map, lidar.range)
        self._tables += [rays, *cells]
        sensor["rays"], sensor["num_rays"] = address_of(rays), lidar.rays
        sensor["numbers_of_ray"], sensor["ray_range"] = len(lidar.features), lidar.range
        for name, table in cells._asdict().items():
            sensor[name] = address_of(table)

    def _team(self, side: int) -> int:
        return self._config.pursuers if side == PURSUER else self._config.evaders

    def __getstate__(self) -> dict[str, Any]:
        """All but what holds addresses."""
        held = {"_terms", "_shared_terms", "_sensors", "_tables", "_executed", "_own"}
        return {name: value for name, value in vars(self).items() if name not in held}
