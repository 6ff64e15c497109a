"""Describes games, levels, scripts and policies for a page, as data with numbers only."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.browser.entrances import LISTED
from steer_env.browser.levels import levels_of, racer
from steer_env.errors import InvalidValue
from steer_env.game.config import Game
from steer_env.game.rules import game_rules, scales_of_features, unscaled_features
from steer_env.game.run.maps import map_table
from steer_env.game.run.phases import FEWEST
from steer_env.game.run.runner import fill_of
from steer_env.game.run.ways import NUMBERS_OF_TURN, way_table
from steer_env.players.layers import ACTIVATIONS, HEADS, Dense
from steer_env.players.network import VARIANCE_FLOOR, NetworkPolicy
from steer_env.rendering.scene import map_on_page
from steer_env.scripts.behaviors import PREDICTING
from steer_env.scripts.script import OWN_KINDS, Script
from steer_env.scripts.table import script_row
from steer_env.sides import Side

GAMES: Mapping[str, tuple[str, dict[str, Any]]] = {  # titles, keywords of environments
    "walls": ("Between walls", {}),
    "torus": ("On a torus", {"arena": "torus"}),
    "open": ("In the open", {"arena": "open"}),
    "obstacles": ("Among obstacles", {"obstacles": 5}),
    "pack": ("Three pursuers", {"pursuers": 3}),
    "guard": ("Guard a target", {"target": {"radius": 1.5}}),
    "race": (
        "Race, turning on the spot",
        {
            "arena": "open",
            "pursuer": {"model": "simple_motion", "max_speed": 4.0},
            "evader": {"model": "simple_motion", "max_speed": 2.8},
            "target": {"radius": 1.5},
        },
    ),
}

POLICIES = (  # the trained networks that a page has
    *("pretrained/pursuit/search", "pretrained/pursuit/mixture"),
    "pretrained/evade/selfplay",
)

_CHANGEABLE = (
    *("pursuers", "evaders", "pursuer", "evader", "capture_radius", "captors_needed"),
    *("arena", "arena_size", "obstacles", "obstacle_radius", "horizon", "solid"),
    *("start_distance", "start_speed", "reward", "target", "map", "observation"),
)
_MODELS = ("point_mass", "simple_motion")
_LONGEST = 3600  # steps: two minutes
MOST_MAPS = 64
"""Maps of a game on a page: of more, it has the first ones."""

_FASTEST = 8.0  # m/s, of the page's sliders


def describe_game(name: str, title: str, config: Game, content: bytearray) -> dict[str, Any]:
    """A game for a page with its name in links and its title, or an InvalidValue.

    The walls and ways of its maps, of the first `MOST_MAPS`, are appended to ``content``; the
    description has their places.
    """
    if len(config.map) > MOST_MAPS:
        few = config.map[:MOST_MAPS]
        config = replace(config, map=few, arena_size=Game().arena_size)  # or that of the maps
    _check_game(config)
    sees_all = config.observation == Game().observation
    levels = {
        side.name: [level.describe(side, config) for level in levels_of(side, config)]
        for side in Side
        if config.count(side.name) == 1  # a person steers one vehicle
    }
    zones = [[[corner.real, corner.imag] for corner in zone] for zone in config.zones]
    racers = {side.name: racer(side, config) for side in Side}
    return {
        "name": name,
        "title": title,
        "pursuers": config.pursuers,
        "evaders": config.evaders,
        "obstacles": config.num_obstacles,
        "region": config.region.on_page(),
        "arena_size": config.arena_size,
        "capture_radius": config.capture_radius,
        **{side.name: asdict(config.vehicles(side.name)[0]) for side in Side},
        "dt": config.dt,
        "horizon": config.horizon,
        "features": len(unscaled_features(config)) if sees_all else 0,  # then no network plays
        "rules": _fields(game_rules(config, (1, 1))[0]),
        "start_distance": config.start_distance,
        "acceleration_unit": scales_of_features(config)["acceleration"],
        "levels": levels,
        **(_maps(config, content) if config.map else {}),
        **({"zones": zones, "racers": racers} if config.targets else {}),
    }


def _maps(config: Game, content: bytearray) -> dict[str, Any]:
    """The maps of a game, as pictures and as the loop have them, also for faster vehicles."""
    fastest = max(_FASTEST, 2.0 * config.highest("max_speed"))
    limits = {side.name: {"max_speed": (fastest, fastest)} for side in Side}
    walls = map_table(replace(config, randomize=limits))
    first, second = (config.limit_range(side.name, "radius")[1] for side in Side)
    ways = way_table(config.map, (first, second))
    table = {**walls._asdict(), **ways._asdict()}
    return {
        "maps": [map_on_page(world) for world in config.map],
        "table": {name: _put(array, content) for name, array in table.items()},
        "way_numbers": NUMBERS_OF_TURN * ways.most,
    }


def _put(array: NDArray[Any], content: bytearray) -> list[int]:
    """Appends an array to what a page has as bytes, and returns its place and size there."""
    first, size = len(content), array.nbytes
    content.extend(array.tobytes() + bytes(-size % 8))
    return [first, size]


def _check_game(config: Game) -> None:
    """Raises an InvalidValue for what the module, or `entrances.fit_rules`, does not know."""
    default = Game()
    fixed = {field.name for field in fields(Game)} - {*_CHANGEABLE}
    problems = [
        name for name in sorted(fixed) if getattr(config, name) != getattr(default, name)
    ]
    if len(config.targets) > 1:
        problems.append("several targets")
    for side in Side:
        vehicle = config.vehicles(side.name)[0]
        is_plain = vehicle.model in _MODELS and vehicle.drag == 0.0
        if not is_plain or isinstance(getattr(config, side.name), tuple):
            problems.append(side.name)
    if not isinstance(config.obstacles, int):
        problems.append("listed obstacles")
    if max(config.pursuers, config.evaders) >= FEWEST:
        problems.append(f"{FEWEST} vehicles or more on a side")
    if config.horizon > _LONGEST:
        problems.append(f"a horizon above {_LONGEST}")
    if problems:
        raise InvalidValue(
            f"a page cannot play this game, because of its {', '.join(problems)}: a page has "
            "captures of point masses without drag, or of vehicles in simple motion, all of a "
            "side alike, that start at random places; what can change is "
            f"{', '.join(_CHANGEABLE)} (obstacles as their number). `steer-env "
            "watch --steer pursuer` (or evader) opens a window in which you play it"
        )


def describe_script(name: str, script: Script) -> dict[str, Any]:
    """A script for a page, or an InvalidValue that calls it by a name."""
    if any(callable(getattr(script, field)) for field in OWN_KINDS):
        raise InvalidValue(
            f"{name} cannot play on a page, which plays scripts that are data, and it is a "
            "Python function; `steer-env watch --steer pursuer` (or evader) opens a window in "
            "which you play against it"
        )
    row = script_row(script, Game().dt)
    if fill_of(row, False).name not in LISTED:
        raise InvalidValue(
            f"{name} cannot play on a page: it has all scripts but for the perfect players of "
            "solved games"
        )
    side = None if script.behavior in ("idle", "wander") else Side(script.runs_away)
    return {
        "description": script.description,
        "side": None if side is None else side.name,  # None: made for both
        "predicts": script.behavior in PREDICTING,
        "fills": [  # without maps and on maps, and of both one by one and in columns
            [fill_of(row, is_vectorized, has_maps).name for is_vectorized in (False, True)]
            for has_maps in (False, True)
        ],
        "fields": _fields(row),
    }


def describe_policy(name: str, policy: Any, side: Side, content: bytearray) -> dict[str, Any]:
    """A network for a page, or an InvalidValue that calls it by a name.

    Its numbers are appended to ``content``; the description has their places.
    """
    if not isinstance(policy, NetworkPolicy) or policy.encoder is not None:
        raise InvalidValue(
            f"{name} cannot play on a page: it plays networks that take the observation of one "
            "opponent each, as `NetworkPolicy` without an encoder does"
        )

    found: dict[str, Any] = {
        "description": "a trained network",
        "side": side.name,
        "features": policy.observation_space.shape[0],
        "activation": ACTIVATIONS.index(policy.activation),
        "head": HEADS.index(policy.head),
        "layers": [
            {
                "inputs": layer.weights.shape[0],
                "outputs": layer.outputs,
                "width": layer.weights.shape[1],
                "weights": _put(layer.weights.astype("<f4"), content),
                "biases": _put(layer.biases.astype("<f4"), content),
            }
            for layer in map(Dense, policy.weights, policy.biases)
        ],
    }
    if policy.observation_mean is not None and policy.observation_variance is not None:
        deviation = np.sqrt(policy.observation_variance + VARIANCE_FLOOR)
        found["means"] = policy.observation_mean.tolist()
        found["deviations"] = deviation.tolist()
        found["bound"] = policy.observation_clip
    return found


def _fields(record: np.record) -> dict[str, Any]:
    """The fields of a record as numbers and flat lists of them, infinite ones as texts."""
    found = {}
    for name in record.dtype.names or ():
        value = np.asarray(record[name])
        parts = np.stack([value.real, value.imag], -1) if np.iscomplexobj(value) else value
        numbers = [x if math.isfinite(x) else json.dumps(x) for x in parts.ravel().tolist()]
        found[name] = numbers if parts.ndim else numbers[0]
    return found
