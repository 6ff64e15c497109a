"""What is called wrongly: the environments and what they are made of.

For every parameter there is a value that fits.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from steer_env import steering
from steer_env.drawing import DrawingConfig
from steer_env.game.config import (
    ArenaConfig,
    GameConfig,
    ObservationConfig,
    RewardConfig,
    VehicleConfig,
    game_config,
)
from steer_env.policies.players import controller_of, named_players
from steer_env.scripts.script import PRIORITIES, Script
from steer_env.steering import OBSTACLE, VEHICLE, Obstacle, Vehicle

SMALL = {"horizon": 20}
"""The keywords of a game that is soon over."""


@dataclass(frozen=True)
class Target:
    """A callable of the API.

    Attributes:
        name: in reports.
        function: what is called, with a dict of arguments.
        valid: for each parameter, what makes a value that fits.
        hints: for each parameter, its annotation, if there is one to evaluate.
        is_formula: whether it does plain arithmetic, on whatever numbers it is given.
        weight: how often it is called, beside the others.
        needed: parameters that are always given: the others depend on them.
    """

    name: str
    function: Callable[..., Any]
    valid: dict[str, Callable[[], Any]]
    hints: dict[str, Any]
    is_formula: bool = False
    weight: float = 1.0
    needed: tuple[str, ...] = ()


def vehicle() -> Vehicle:
    return Vehicle(3 + 1j, 0.5 + 0.5j, (1 + 1j) / abs(1 + 1j), 2.0, 3.0, 1.5, 0.5, 0.1j)


def other_vehicle() -> Vehicle:
    return Vehicle(-2 + 2j, 1j, 1j, 1.5, 2.0)


def crowd() -> np.ndarray:
    found = np.zeros(3, VEHICLE)
    found["position"], found["radius"], found["heading"] = (0, 1, 5), 1.0, 1.0
    return found


_BY_HINT: dict[Any, Callable[[], Any]] = {
    complex: lambda: 3 + 4j,
    float: lambda: 0.7,
    int: lambda: 1,
    bool: lambda: True,
    str: lambda: "budget",
    Vehicle: vehicle,
    Obstacle: lambda: Obstacle(1 + 2j, 0.5),
}
_BY_NAME: dict[str, Callable[[], Any]] = {
    "other": other_vehicle,
    "quarry": other_vehicle,
    "menace": other_vehicle,
    "points": lambda: [0j, 3 + 0j, 3 + 4j],
    "neighbors": lambda: [other_vehicle(), vehicle()],
    "mates": lambda: [other_vehicle(), vehicle()],
    "others": lambda: [other_vehicle(), vehicle()],
    "menaces": lambda: [other_vehicle(), vehicle()],
    "hunters": lambda: [other_vehicle(), vehicle()],
    "quarries": crowd,
    "obstacles": lambda: np.array([(1 + 2j, 0.5), (4j, 1.0)], OBSTACLE),
    "lookahead": lambda: steering.intercept,
    "predict": lambda: steering.turning,
    "chances": lambda: [0.5, 0.25],
    "vehicles": crowd,
    "fixed": lambda: np.array([True, False, False]),
    "facing_test": lambda: True,
    "body": vehicle,
    "parts": lambda: [(steering.evade, 1.0), (steering.avoid_walls, 3.0, 0.5)],
    "seed": lambda: 3,
    "function": lambda: steering.seek,
}


def hints_of(function: Any) -> dict[str, Any]:
    """The annotations of a function's or a class's parameters, as far as they evaluate."""
    sources = [function]
    if inspect.isclass(function):  # a NamedTuple has its annotations, another its __init__'s
        sources = [function, function.__new__, function.__init__]
    found: dict[str, Any] = {}
    for source in sources:
        with suppress(Exception):
            found |= typing.get_type_hints(source)
    return found


def steering_targets() -> Iterator[Target]:
    for name in steering.__all__:
        function = getattr(steering, name)
        if not callable(function) or name in ("compiled", "Obstacle"):  # a plain record
            continue
        hints = hints_of(function)
        valid = {
            parameter: _BY_NAME.get(parameter) or _BY_HINT[hints[parameter]]
            for parameter in inspect.signature(function).parameters
        }
        is_formula = not inspect.isclass(function)
        yield Target(f"steering.{name}", function, valid, hints, is_formula, weight=0.35)
    wall_blend = steering.Blend("budget", [(steering.evade, 1), (steering.avoid_walls, 10)])
    valid = {"me": vehicle, "menace": other_vehicle, "half_size": lambda: 10.0}
    yield Target("Blend.__call__", wall_blend, valid, {}, True, needed=tuple(valid))


CONFIGURED: dict[type, dict[str, Callable[[], Any]]] = {
    VehicleConfig: {
        "max_speed": lambda: 3.0,
        "max_force": lambda: 9.0,
        "mass": lambda: 2.0,
        "radius": lambda: 0.2,
        "model": lambda: "car",
    },
    ArenaConfig: {
        "kind": lambda: "torus",
        "size": lambda: 18.0,
        "obstacles": lambda: ((1.0, 2.0, 0.5),),
        "obstacle_radius": lambda: (0.5, 1.0),
    },
    RewardConfig: {
        "capture": lambda: 2.0,
        "time": lambda: 0.5,
        "closing": lambda: 0.1,
        "discount": lambda: 0.99,
    },
    ObservationConfig: {
        "scales": lambda: {"speed": 8.0},
        "features": lambda: ["own.speed", "other.distance"],
        "noise": lambda: 0.1,
        "delay": lambda: 2,
        "range": lambda: 6.0,
        "field_of_view": lambda: 1.0,
        "occlusion": lambda: True,
        "nearest": lambda: 3,
    },
}

GAME: dict[str, Callable[[], Any]] = {
    "pursuers": lambda: 1,
    "evaders": lambda: 1,
    "pursuer": lambda: {"max_speed": 3.0, "model": "car"},
    "evader": lambda: {"mass": 2.0},
    "arena": lambda: "torus",
    "arena_size": lambda: 15.0,
    "obstacles": lambda: [(1.0, 2.0, 0.5)],
    "capture_radius": lambda: 0.4,
    "dt": lambda: 0.05,
    "horizon": lambda: 20,
    "solid": lambda: "teammates",
    "reward": lambda: {"closing": 0.5},
    "randomize": lambda: {"evader": {"max_speed": (2.0, 4.0)}},
    "observation": lambda: {"range": 6.0, "field_of_view": 1.0, "occlusion": True},
    "observe_nearest": lambda: 2,
}

_ENVIRONMENT = GAME | {
    "opponent": lambda: ["evade", "flee"],
    "opponent_weights": lambda: [1.0, 2.0],
    "action_type": lambda: "discrete",
    "render_mode": lambda: "rgb_array",
    "drawing": lambda: {"size": 200, "theme": "dark"},
}

_VECTOR = _ENVIRONMENT | {
    "num_envs": lambda: 2,
    "max_episode_steps": lambda: 10,
    "autoreset_mode": lambda: "SameStep",
    "num_threads": lambda: 1,
}

SCRIPT: dict[str, Callable[[], Any]] = {
    "behavior": lambda: "pursuit",
    "response_time": lambda: 0.5,
    "lookahead": lambda: "intercept",
    "predictor": lambda: "turning",
    "lookahead_cap": lambda: 9.0,
    "facing_test": lambda: False,
    "threat_range": lambda: 5.0,
    "offset": lambda: 1 + 1j,
    "lead_angle": lambda: 0.3,
    "wander": lambda: 0.5,
    "walls": lambda: 3.0,
    "field_of_view": lambda: 2.0,
    "sees": lambda: "observed",
    "memory_seconds": lambda: 2.0,
    "combination": lambda: "dithered",
    "priorities": lambda: PRIORITIES,
    "chances": lambda: {"walls": 0.5},
    "description": lambda: "chases",
}


def step_and_close(make: Callable[..., Any], **arguments: Any) -> Any:
    """Makes an environment, resets and steps it; the last result."""
    env = make(**arguments)
    try:
        env.reset(seed=1)
        result = env.step(env.action_space.sample())
        if env.render_mode is not None:
            env.render()
        return result
    finally:
        env.close()


def environment_targets() -> Iterator[Target]:
    for name in ("Pursuit-v0", "Evade-v0"):
        theirs = ["evade", "flee"] if name == "Pursuit-v0" else ["seek", "pursuit"]
        valid = {"opponent": lambda theirs=theirs: list(theirs)}
        together = ("opponent", "opponent_weights")
        kind: Any = gym.spec(name).entry_point
        hints = hints_of(gym.envs.registration.load_env_creator(kind))
        hints |= hints_of(game_config)

        def make(name: str = name, **arguments: Any) -> Any:
            return step_and_close(lambda **given: gym.make(name, **given), **arguments)

        def make_vec(name: str = name, **arguments: Any) -> Any:
            return step_and_close(lambda **given: gym.make_vec(name, **given), **arguments)

        yield Target(
            f"make({name})", make, _ENVIRONMENT | valid, hints, weight=9, needed=together
        )
        yield Target(
            f"make_vec({name})", make_vec, _VECTOR | valid, hints, weight=9, needed=together
        )


def class_targets() -> Iterator[Target]:
    for kind, valid in CONFIGURED.items():
        yield Target(kind.__name__, kind, valid, hints_of(kind), weight=1.5)
    whole = {
        name: make
        for name, make in GAME.items()
        if name not in ("arena_size", "obstacles", "observe_nearest")
    }
    whole["arena"] = lambda: {"kind": "open"}
    yield Target("GameConfig", GameConfig, whole, hints_of(GameConfig), weight=3)
    yield Target("game_config", game_config, GAME, hints_of(game_config), weight=4)
    yield Target("Script", Script, SCRIPT, hints_of(Script), weight=5)
    valid = {
        "size": lambda: (200, 100),
        "theme": lambda: "dark",
        "annotations": lambda: ("aim", "trail"),
    }
    yield Target("DrawingConfig", DrawingConfig, valid, {}, weight=1.5)
    valid = {
        "player": lambda: "pursuit",
        "side": lambda: 0,
        "trust": lambda: False,
        "seed": lambda: 1,
        "what": lambda: "opponent",
    }
    yield Target("controller_of", controller_of, valid, hints_of(controller_of), weight=3)
    valid = {"players": lambda: ["pursuit", "seek"], "side": lambda: 0}
    yield Target("named_players", named_players, valid, hints_of(named_players), weight=2)
