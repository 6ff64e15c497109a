"""Describes games, levels, scripts and policies for a page, as data with numbers only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.browser.entrances import LISTED
from steer_env.browser.levels import LEVELS, Level
from steer_env.envs.specification import json_keywords
from steer_env.episodes.round_file import script_entry
from steer_env.errors import InvalidValue
from steer_env.game.config import LIMITS, GameConfig
from steer_env.game.features import observation_layout
from steer_env.game.neighbors import FEWEST
from steer_env.game.rules import game_rules
from steer_env.game.runner import fill_of
from steer_env.game.scales import scales_of_features
from steer_env.policies.layers import ACTIVATIONS, HEADS, Dense
from steer_env.policies.network import VARIANCE_FLOOR, NetworkPolicy
from steer_env.scripts.own_behavior import OWN_KINDS
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import PREDICTING, Script
from steer_env.scripts.table import script_row
from steer_env.sides import Side

GAMES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "walls": ("Between walls", {}),
    "torus": ("On a torus", {"arena": "torus"}),
    "open": ("In the open", {"arena": "open"}),
    "obstacles": ("Among obstacles", {"obstacles": 5}),
    "pack": ("Three pursuers", {"pursuers": 3}),
}
"""The titles of a page's games, and the keywords of their environments."""

POLICIES = tuple(
    f"pretrained/{side}/{run}"
    for side in ("pursuit", "evade")
    for run in ("ppo", "mixture", "selfplay")
)
"""The trained networks that a page has unless others are given."""

_CHANGEABLE = (
    *("pursuers", "evaders", "pursuer", "evader", "capture_radius", "captors_needed"),
    *("horizon", "solid", "start_distance", "start_speed", "reward"),
)
_OF_ARENA = ("kind", "size", "obstacles", "obstacle_radius")
_LONGEST = 3600  # steps: two minutes
_PERFECT = "optimal/"
_OF_BOTH_SIDES = ("rest", "wander")
_ADDRESSES = ("routine", "solution", "drawn_below")  # and those of a user's own functions


def describe_game(name: str, title: str, config: GameConfig) -> dict[str, Any]:
    """A game for a page.

    Args:
        name: of the game, in links.
        title: for people.
        config: the game.

    Raises:
        InvalidValue: for a game that a page cannot play.
    """
    _check_game(config)
    rules = game_rules(config, (1, 1))[0]
    players = config.pursuers + config.evaders
    levels = {
        side.name: [_describe_level(side, level, config) for level in LEVELS[side]]
        for side in Side
        if config.count(side.name) == 1  # a person steers one vehicle
    }
    return {
        "name": name,
        "title": title,
        "keywords": json_keywords(config),
        "pursuers": config.pursuers,
        "evaders": config.evaders,
        "obstacles": config.arena.num_obstacles,
        "arena": {"kind": config.arena.kind, "size": config.arena.size},
        "captureRadius": config.capture_radius,
        "dt": config.dt,
        "horizon": config.horizon,
        "features": len(observation_layout(players, config.arena.num_obstacles)),
        "rules": _fields(rules),
        "limits": {
            side.name: [getattr(config.vehicles(side.name)[0], limit) for limit in LIMITS]
            for side in Side
        },
        "startShare": config.start_distance,
        "accelerationUnit": scales_of_features(config)["acceleration"],
        "levels": levels,
    }


def _check_game(config: GameConfig) -> None:
    """Raises an InvalidValue for what the module, or `entrances.fit_rules`, does not know."""
    default = GameConfig()
    arena = replace(config.arena, **{name: getattr(default.arena, name) for name in _OF_ARENA})
    fixed = {field.name for field in fields(GameConfig)} - {*_CHANGEABLE, "arena"}
    problems = [
        name for name in sorted(fixed) if getattr(config, name) != getattr(default, name)
    ]
    for side in Side:
        vehicle = config.vehicles(side.name)[0]
        is_plain = vehicle.model == "point_mass" and vehicle.drag == 0.0
        if not is_plain or isinstance(getattr(config, side.name), tuple):
            problems.append(side.name)
    if arena != default.arena or not isinstance(config.arena.obstacles, int):
        problems.append("arena")
    if max(config.pursuers, config.evaders) >= FEWEST:
        problems.append(f"{FEWEST} vehicles or more on a side")
    if config.horizon > _LONGEST:
        problems.append(f"a horizon above {_LONGEST}")
    if problems:
        raise InvalidValue(
            f"a page cannot play this game, because of its {', '.join(problems)}: a page has "
            "captures of point masses without drag, all of a side alike, that start at random "
            f"places; what can change is {', '.join(_CHANGEABLE)}, and of the arena "
            f"{', '.join(_OF_ARENA)}"
        )


def _describe_level(side: Side, level: Level, config: GameConfig) -> dict[str, Any]:
    game = level.game(side, config)
    return {
        "name": level.name,
        "text": level.text,
        "opponent": level.opponent,
        "maxSpeed": game.vehicles(side.other.name)[0].max_speed,
        "captureRadius": game.capture_radius,
        "rival": level.rival(side, config),
    }


def default_keywords() -> dict[str, Any]:
    """The keywords that `describe_game` leaves out of a game, and vehicles in full."""
    config = GameConfig()
    return {
        "pursuers": config.pursuers,
        "evaders": config.evaders,
        "arena": config.arena.kind,
        "arena_size": config.arena.size,
        "obstacles": config.arena.num_obstacles,
        "capture_radius": config.capture_radius,
        **{side.name: asdict(config.vehicles(side.name)[0]) for side in Side},
    }


def describe_scripts() -> dict[str, Any]:
    """The scripts of the roster by their names, but for those of solved games."""
    return {
        name: describe_script(name, script)
        for name, script in ROSTER.items()
        if not name.startswith(_PERFECT)
    }


def describe_script(name: str, script: Script) -> dict[str, Any]:
    """A script for a page.

    Args:
        name: of the script, for messages.
        script: the script.

    Raises:
        InvalidValue: for a script with a function of your own, and for a perfect player of a
            solved game.
    """
    if any(callable(getattr(script, kind.field)) for kind in OWN_KINDS):
        raise InvalidValue(
            f"{name} cannot play on a page, which plays scripts that are data, and it is a "
            "Python function; `steer-env watch --steer pursuer` (or evader) opens a window in "
            "which you play against it"
        )
    row = script_row(script, GameConfig().dt)
    fill = fill_of(row)
    if fill.name not in LISTED:
        raise InvalidValue(
            f"{name} cannot play on a page: it has all scripts but for the perfect players of "
            "solved games"
        )
    side = None if script.behavior in _OF_BOTH_SIDES else Side(script.runs_away)
    fields = {
        name: value
        for name, value in _fields(row).items()
        if name not in _ADDRESSES and not name.endswith("_address")
    }
    found = {
        "description": script.description,
        "side": side and side.name,
        "predicts": script.behavior in PREDICTING,
        "fill": fill.name,
        "fields": fields,
    }
    if script not in ROSTER.values():  # what a saved round says of it
        found["entry"] = script_entry(side or Side.PURSUER, script)
    return found


def describe_policy(name: str, policy: Any, weights: Pool) -> dict[str, Any]:
    """A network for a page.

    Args:
        name: of the policy, for messages.
        policy: a `NetworkPolicy` that takes whole observations.
        weights: where its numbers go.

    Raises:
        InvalidValue: for a policy of another kind.
    """
    if not isinstance(policy, NetworkPolicy) or policy.encoder is not None:
        raise InvalidValue(
            f"{name} cannot play on a page: it plays networks that take the observation of one "
            "opponent each, as `NetworkPolicy` without an encoder does"
        )
    found: dict[str, Any] = {
        "features": policy.observation_space.shape[0],
        "activation": ACTIVATIONS.index(policy.activation),
        "head": HEADS.index(policy.head),
        "layers": [
            _describe_layer(Dense(*layer), weights)
            for layer in zip(policy.weights, policy.biases)
        ],
    }
    if policy.observation_mean is not None and policy.observation_variance is not None:
        deviation = np.sqrt(policy.observation_variance + VARIANCE_FLOOR)
        found["mean"] = policy.observation_mean.tolist()
        found["deviation"] = deviation.tolist()
        found["clip"] = policy.observation_clip
    return found


def _describe_layer(layer: Dense, weights: Pool) -> dict[str, Any]:
    inputs, width = layer.weights.shape
    return {
        "inputs": inputs,
        "outputs": layer.outputs,
        "width": width,
        "weights": weights.put(layer.weights),
        "biases": weights.put(layer.biases),
    }


class Pool:
    """The numbers of networks in float32, one array after the other."""

    def __init__(self) -> None:
        self._arrays: list[NDArray[np.float32]] = []
        self._count = 0

    def put(self, array: NDArray[np.float32]) -> list[int]:
        """Adds an array; returns where it begins, and how many numbers it has."""
        self._arrays.append(array.ravel())
        self._count += array.size
        return [self._count - array.size, array.size]

    def tobytes(self) -> bytes:
        """All of them, little-endian."""
        return np.concatenate([np.zeros(0, np.float32), *self._arrays]).astype("<f4").tobytes()


def _fields(record: np.record) -> dict[str, Any]:
    """The fields of a record as numbers and lists of them, in a form that JSON can hold."""
    return {name: _plain(record[name].tolist()) for name in record.dtype.names or ()}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [part for each in value for part in _as_list(_plain(each))]
    if isinstance(value, complex):
        return [_plain(value.real), _plain(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return "Infinity" if value > 0 else "-Infinity" if value < 0 else "NaN"
    return value


def _as_list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else [value]
