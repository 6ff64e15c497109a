"""The callables of the API, with an example of what fits each of their parameters.

Parameters come from signatures. What fits one is found by its name in the examples below, else
it is its default, else an example of its type. So a new function or parameter is called wrongly
without a change here, unless nothing says what fits.
"""

from __future__ import annotations

import collections.abc
import inspect
import math
import numbers
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from copy import deepcopy
from dataclasses import dataclass, field, is_dataclass, replace
from decimal import Decimal
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import steer_env
from steer_env import baselines, drawing, record, steering, watch
from steer_env.browser.page import save_play_page
from steer_env.envs.sb3 import make_vec_env
from steer_env.envs.single import PursuitEnv
from steer_env.envs.vector import PursuitVectorEnv
from steer_env.game import config
from steer_env.players.resolver import resolve, resolve_all
from steer_env.steering import OBSTACLE, VEHICLE, Obstacle, Vehicle
from steer_env.steering.vehicle import Vehicles

SMALL = {"horizon": 20}
"""The keywords of a game that is soon over."""

SHORT = {
    *("config", "game", "starts", "budget", "episodes", "side", "horizon", "steps", "games"),
    *("svg", "html", "path", "drawing"),
}
"""Parameters that are always given: they keep calls short, or say where to write."""

APART = {
    *("progress", "report", "workers", "keep", "encoder", "gif", "mp4", "png", "fps"),
    *("seconds", "link", "trust"),
}
"""Parameters that are left out, since right values are slow or print."""


@dataclass(frozen=True)
class Target:
    """A callable of the API."""

    name: str
    function: Callable[..., Any]
    valid: Mapping[str, Any]  # an example for each parameter, as `made` takes it
    required: tuple[str, ...] = ()
    hints: Mapping[str, Any] = field(default_factory=dict)  # none if it computes with anything


def hints_of(function: Any) -> dict[str, Any]:
    """The annotations of a function's or a class's parameters, as far as they evaluate."""
    found: dict[str, Any] = {}
    for one in (function, function.__init__):  # fields, or parameters
        with suppress(Exception):
            found |= typing.get_type_hints(one)
    return found


def target(function: Any, examples: Mapping[str, Any], name: str = "") -> Target:
    """A function or a class as a target."""
    parameters = [
        one
        for one in inspect.signature(function).parameters.values()
        if one.name in examples or (one.name not in APART and one.kind is not one.VAR_KEYWORD)
    ]
    required = tuple(one.name for one in parameters if one.default is one.empty)
    hints, valid = hints_of(function), {one.name: one.default for one in parameters}
    valid |= {name: TYPES.get(hints.get(name)) for name in required}
    valid |= {name: examples[name] for name in valid if name in examples}
    return Target(name or function.__name__, function, valid, required, hints)


# ---- Steering ------------------------------------------------------------------------------

OTHER = Vehicle(-2 + 2j, 1j, 1j, 1.5, 2.0)
ME = Vehicle(3 + 1j, 0.5 + 0.5j, (1 + 1j) / abs(1 + 1j), 2.0, 3.0, 1.5, 0.5, 0.1j)
TYPES: dict[Any, Any] = {
    **{complex: 3 + 4j, float: 0.7, int: 1, bool: True, str: "budget", Any: 0.3},
    **{Vehicle: ME, Obstacle: Obstacle(1 + 2j, 0.5), Vehicles: [OTHER, ME]},
}
STEERING = {
    **dict.fromkeys(("other", "quarry", "menace"), OTHER),
    **dict.fromkeys(("quarries", "vehicles", "hunters"), np.zeros(3, VEHICLE)),
    "points": [0j, 3 + 0j, 3 + 4j],
    "obstacles": np.array([(1 + 2j, 0.5), (4j, 1.0)], OBSTACLE),
    "chances": [0.5, 0.25],
    "body": ME,
    "parts": [(steering.evade, 1.0), (steering.avoid_walls, 3.0, 0.5)],
    "half_size": 10.0,
}


def steering_targets() -> Iterator[Target]:
    for name in steering.__all__:
        function = getattr(steering, name)
        if callable(function) and name not in ("compiled", "Obstacle"):  # a plain record
            found = target(function, STEERING, f"steering.{name}")
            yield found if name == "Blend" else replace(found, hints={})
    blend = steering.Blend("budget", [(steering.evade, 1), (steering.avoid_walls, 10)])
    valid = {"me": ME, "menace": OTHER, "half_size": 10.0}
    yield Target("Blend.__call__", blend, valid, tuple(valid))


# ---- Configurations, environments and their methods ---------------------------------------

START = {"pursuer": {"position": (0.0, 0.0)}, "evader": {"heading": 1.0, "speed": 0.5}}
LIMITS: dict[str, Any] = {"pursuer": {"max_speed": 3.0}, "evader": {"radius": 0.2}}
GAME: dict[str, Any] = {
    "pursuer": {"max_speed": 3.0, "model": "car"},
    "evader": {"mass": 2.0},
    "obstacles": ((1.0, 2.0, 0.5),),
    "horizon": 20,
    "start": START,
    "reward": {"closing": 0.5},
    "randomize": {"evader": {"max_speed": (2.0, 4.0)}},
    "observation": {"range": 6.0, "field_of_view": 1.0, "occlusion": True, "nearest": 2},
    "action": {"noise": 0.1},
}
ENVIRONMENT = GAME | {
    **{"opponent": ["evade", "wander"], "opponent_weights": [1.0, 2.0], "num_threads": 1},
    **{"action_type": "discrete", "render_mode": "rgb_array", "num_envs": 2},
    "drawing": {"size": 200, "theme": "dark"},
    **{"max_episode_steps": 10, "autoreset_mode": "SameStep", "learner": "pursuer"},
}
CONFIGURED = {
    **{"behavior": "pursuit", "chances": {"walls": 0.5}, "scales": {"speed": 8.0}},
    **{"noise": 0.1, "delay": 2, "range": 6.0, "features": ["own.speed", "other.distance"]},
}
SQUARE = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
MAP: dict[str, Any] = {
    **{"outline": SQUARE, "solids": [[(1, 1), (2, 1), (1, 2)]], "walls": [[(3, 1), (3, 3)]]},
    **{"text": "####\n#..#\n####", "data": {"outline": SQUARE}, "count": 2},
}
METHODS: dict[str, dict[str, Any]] = {
    "reset": {"seed": 4, "options": {"opponent": "flee", "start": START, "limits": LIMITS}},
    "set_limits": LIMITS | {"evader": [{"max_force": 9.0}]},
    "set_opponent": {"opponent": ["evade", "flee", "wander"], "weights": [1, 2, 3]},
}


def used(make: Callable[..., Any], **arguments: Any) -> Any:
    """The answers of an environment that is made, reset, stepped and drawn."""
    with closing(make(**arguments)) as env:
        result = env.reset()
        if isinstance(env, gym.Env | gym.vector.VectorEnv):
            result = env.step(env.action_space.sample())[:2]
        if getattr(env, "render_mode", None) is not None:
            env.render()
        return result


def running(count: int) -> Any:
    """A single environment for 0, or a vector one, that has begun."""
    make: Any = partial(gym.make_vec, num_envs=count) if count else gym.make
    env = make("Pursuit-v0", opponent=["evade", "flee"], **SMALL)
    env.reset(seed=0)
    return env


def on(count: int, method: str, **arguments: Any) -> Any:
    """Calls a method of a running environment, and plays on."""
    env = running(count)
    result = getattr(env.unwrapped, method)(**arguments)
    return result if method == "step" else used(lambda: env)


def environment_targets() -> Iterator[Target]:
    kinds = [getattr(config, name) for name in config.__all__ if name.endswith("Config")]
    for kind in (*kinds, drawing.DrawingConfig):
        yield target(kind, GAME | CONFIGURED)
    yield target(steer_env.Script, CONFIGURED)
    yield target(steer_env.Map, MAP)
    for name in ("from_text", "from_dict", "rooms", "maze", "caves", "pillars"):
        yield target(getattr(steer_env.Map, name), MAP, f"Map.{name}")
    yield target(config.make_game, GAME)
    for described, make, opponent in (
        (PursuitEnv, partial(gym.make, "Pursuit-v0"), "evade"),
        (PursuitVectorEnv, partial(gym.make_vec, "Evade-v0"), "seek"),
        (steer_env.parallel_env, steer_env.parallel_env, "evade"),
        (steer_env.parallel_vec_env, steer_env.parallel_vec_env, "evade"),
    ):
        found = target(described, ENVIRONMENT | {"opponent": [opponent, "wander"]})
        yield replace(found, function=partial(used, make))
    yield target(make_vec_env, {"num_envs": 2})
    for count in (0, 3):
        get_state = partial(lambda count: running(count).unwrapped.get_state(), count)
        zeros = np.zeros((count, 2) if count else 2, np.float32)
        step = {"step": {"actions" if count else "action": zeros}}
        methods = {**METHODS, **step, "set_state": {"state": get_state}}
        for method, valid in methods.items():
            name = f"{'envs' if count else 'env'}.{method}"
            yield Target(name, partial(on, count, method), valid, tuple(valid))
    masked = {"seed": [1, None, 3], "options": {"reset_mask": np.array([True, False, True])}}
    yield Target("envs.reset(mask)", partial(on, 3, "reset"), masked)


# ---- Measurements, and the functions that write files or open windows ---------------------

PLAYERS: dict[str, Any] = {
    **{"pursuer": "pursuit", "evader": "evade", "script": "pursuit", "policy": "flee"},
    **{"pursuers": ["pursuit", "seek"], "evaders": {"a": "flee"}, "policies": "seek"},
    **{"opponent": "pursuit", "player": "pursuit", "players": ["pursuit", "seek"]},
    **{"config": SMALL, "game": SMALL, "side": "evader", "task": "pursuer/walls"},
    **{"episodes": 4, "starts": 2, "budget": 4, "seed": 3, "known": ["flee", "evade"]},
    **{"names": ("one", "other"), "action_type": "discrete", "name": "pursuit", "games": 1},
    **{"resamples": 50, "limit": 20.0, "steps": 30, "num_envs": 2, "failed": [True, False]},
    **{"times": np.array([1.0, 2.0, 4.0]), "captured": np.array([True, True, False])},
    **{"function": np.tanh, "action_space": gym.spaces.Discrete(9), "drawing": {"size": 120}},
}
RUNS = np.array([[1.0, 2.0, 4.0, 2.0], [3.0, 2.0, 4.5, 1.0]])
NETWORK: dict[str, Any] = {
    **{"weights": [np.ones((3, 17)), np.ones((2, 3))], "biases": [np.zeros(3), np.zeros(2)]},
    **{"activation": "tanh", "head": "box", "log_std": np.zeros(2), "metadata": {"a": 1}},
    **{"observation_mean": np.zeros(17), "observation_variance": np.ones(17)},
    "observation_clip": 5.0,
}


@cache
def evaluation(pursuer: str = "pursuit") -> Any:
    return baselines.evaluate(pursuer, "evade", SMALL, episodes=8)


def measuring_targets(folder: Path) -> Iterator[Target]:
    """The functions and classes of the baselines; records of results are no targets."""
    network, solved = (
        baselines.NetworkPolicy(**NETWORK),
        baselines.gap("idle", "drag", starts=4),
    )
    network.save(folder / "network.npz")
    apart: dict[str, dict[str, Any]] = {
        "compare": {"ours": evaluation(), "theirs": evaluation("seek"), "side": "pursuer"},
        "NetworkPolicy": NETWORK,
        "MixturePolicy": {"members": [network], "chances": [2.0], "names": ["one"]},
        "table_of": {"evaluations": [evaluation()], "metrics": ["capture_rate"]},
        **{name: {"found": evaluation()} for name in ("ranking", "equilibrium", "game_value")},
        **{name: {"found": solved} for name in ("by_region", "gap_metrics")},
    }
    for name in baselines.__all__:
        function: Any = getattr(baselines, name)
        is_record = is_dataclass(function) or hasattr(function, "_fields")
        if not callable(function) or is_record or name == "make_game":  # called above
            continue
        values = RUNS if name.startswith("paired_") else RUNS[0]
        values = values > 2.5 if "rate_" in name else values
        given = dict.fromkeys(("ours", "theirs", "values", "successes"), values)
        of_game = {"game": "drag"} if name in ("gap", "balanced_starts") else {}
        yield target(function, {**PLAYERS, **given, **of_game, **apart.get(name, {})})
    for method in ("save", "load"):
        path = {"path": folder / "network.npz"}
        yield target(getattr(network, method), path, f"network.{method}")


def program_targets(folder: Path) -> Iterator[Target]:
    shown = {
        **{"out": folder / "a.svg", "path": folder / "a.html"},
        **{**PLAYERS, "evaders": "evade", "opponent": "seek", "episodes": 1, "moment": 0.2},
        **{"page_theme": "dark", "ghosts": True, "labels": ["fox", "dog"]},
    }
    yield target(record.record, shown)
    yield target(watch.watch, shown | {"pursuers": "seek", "steer": None})
    yield target(save_play_page, shown | {"game": {"arena": "torus"}, "theme": "dark"})
    yield target(steer_env.FeatureFunction, {"function": lambda me, other: 0.5})
    for function in (resolve, resolve_all):
        yield target(function, PLAYERS | {"side": 0, "what": "opponent"})


def all_targets(folder: Path) -> list[Target]:
    """Everything that is called; the files of valid calls are in the folder."""
    groups = measuring_targets(folder), program_targets(folder)
    return [*steering_targets(), *environment_targets(), *chain(*groups)]


# ---- Values that do not fit, from one that does ---------------------------------------------


class Hostile:
    """An object that can neither be shown nor made a number."""

    def __repr__(self) -> str:
        raise RuntimeError("this object is hostile")

    __float__ = __complex__ = __int__ = __index__ = __repr__  # type: ignore[assignment]


def anything() -> list[Any]:
    """Values that anybody may pass for anything, made again for each call."""
    endless = list[Any]()
    endless.append({"evader": endless})
    return [
        *(None, True, -1, 0, 0.5, 1e308, 1e-320, 1j, 2**63, 10**400, 10**5000),
        *(float("nan"), float("inf"), Decimal("1.5"), np.float32(2.5), np.int8(3)),
        *(np.bool_(True), object(), dict, Hostile(), Path("no such file.npz"), Path("/")),
        *("", "purs uit", "a\0b", "x" * 100_000, b"pursuit", "pursuit", "evade"),
        *({1, 2}, (number for number in range(3)), [], [[1.0, [2.0]], [3.0]], endless),
        *({}, {"nope": 1}, {"pursuer": []}, {1: 2}, {None: None}),
        *(np.array(1.0), np.zeros(0), np.arange(3.0), np.zeros((2, 3)), np.full(2, np.nan)),
        *(np.array(["a", "b"]), np.array([None, {}], object), np.zeros(2, complex)),
        *(lambda: None, lambda *_, **__: None, lambda *_, **__: "north"),
    ]


def made(example: Any) -> Any:
    """A fitting value from an example of one: a `partial` makes it, and others are copied."""
    return example() if isinstance(example, partial) else deepcopy(example)


def wrong_value(example: Any, generator: np.random.Generator) -> Any:
    """A value for a parameter that an example fits."""
    near = spoiled(made(example), generator) if generator.random() < 0.4 else []
    found = near or anything()
    return found[generator.integers(len(found))]


def spoiled(valid: Any, generator: np.random.Generator) -> list[Any]:
    """Values that are nearly a valid one; a container's may have a wrong one at any depth."""
    if isinstance(valid, str) and valid:
        place = int(generator.integers(len(valid)))
        return [valid[:place] + valid[place + 1 :] + "q", valid.upper(), valid + " ", [valid]]
    if isinstance(valid, bool):
        return [str(valid), 2]
    if isinstance(valid, numbers.Complex):
        return [str(valid), -valid, [valid], 1e6 * float(valid.real), valid + 0.5, math.nan]
    if isinstance(valid, np.ndarray):
        others = valid.astype(object), valid.tolist(), np.full(valid.shape, np.nan)
        return [valid[None], valid[:-1], *others]
    if isinstance(valid, list | tuple) and valid:
        wrong = wrong_value(valid[-1], generator)
        return [[*valid, wrong], [*valid, *valid], valid[:-1], [*valid[:-1], wrong], [valid]]
    if isinstance(valid, dict) and valid:
        key = list(valid)[generator.integers(len(valid))]
        wrong = [{**valid, key: wrong_value(valid[key], generator)} for _ in range(4)]
        return [*wrong, {**valid, f"{key}q": valid[key]}]
    return []


def fits(value: Any, hint: Any) -> bool:
    """True if a value has the type that an annotation asks for, as far as that can be seen."""
    origin = typing.get_origin(hint) or hint
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in typing.get_args(hint))
    if origin in (int, float, complex):
        kind = {int: numbers.Integral, float: numbers.Real, complex: numbers.Complex}[origin]
        return isinstance(value, kind) and not isinstance(value, bool)
    if origin is bool:
        return isinstance(value, bool | np.bool_)
    if origin in (list, tuple, collections.abc.Sequence):
        return isinstance(value, collections.abc.Sequence) and not isinstance(value, str)
    if origin is collections.abc.Callable:
        return callable(value)
    seen = str, bytes, Path, dict, np.ndarray, types.NoneType
    return origin not in seen or isinstance(value, origin)  # the others are too special to say
