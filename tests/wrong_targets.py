"""The public API, and for every parameter of it a value that fits."""

from __future__ import annotations

import importlib
import inspect
import tempfile
import typing
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import steer_env
from steer_env import steering
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


CONFIGURED: dict[str, dict[str, Callable[[], Any]]] = {
    "VehicleConfig": {
        "max_speed": lambda: 3.0,
        "max_force": lambda: 9.0,
        "mass": lambda: 2.0,
        "radius": lambda: 0.2,
        "model": lambda: "car",
    },
    "ArenaConfig": {
        "kind": lambda: "torus",
        "size": lambda: 18.0,
        "obstacles": lambda: ((1.0, 2.0, 0.5),),
        "obstacle_radius": lambda: (0.5, 1.0),
    },
    "RewardConfig": {
        "capture": lambda: 2.0,
        "time": lambda: 0.5,
        "closing": lambda: 0.1,
        "discount": lambda: 0.99,
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
    "weight": lambda: 2.0,
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
    "combination": lambda: "dithered",
    "priorities": lambda: _script().PRIORITIES,
    "chances": lambda: {"walls": 0.5},
    "description": lambda: "chases",
}


def _script() -> Any:
    try:
        return importlib.import_module("steer_env.scripts.script")
    except ImportError:  # in version 0.2.0
        return importlib.import_module("steer_env.game.scripts")


def _first(*names: str) -> Any:
    """The first of several names, module:attribute, that exists in this version."""
    for name in names:
        module, attribute = name.split(":")
        try:
            return getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError):
            continue
    return None


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
        hints |= hints_of(_first("steer_env.game.config:game_config") or dict)

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


def method_targets() -> Iterator[Target]:
    """Methods of environments that run, have not begun, or are closed."""

    def running() -> Any:
        env = gym.make("Pursuit-v0", obstacles=1, opponent=["evade", "flee"], **SMALL)
        env.reset(seed=0)
        return env

    def running_many() -> Any:
        envs = gym.make_vec("Pursuit-v0", num_envs=3, opponent=["evade", "flee"], **SMALL)
        envs.reset(seed=0)
        return envs

    def fresh() -> Any:
        return gym.make("Pursuit-v0", opponent=["evade", "flee"], **SMALL)

    def closed() -> Any:
        env = running()
        env.close()
        return env

    def sb3() -> Any:
        make = _first("steer_env.envs.sb3:make_vec_env")
        env = make("Evade-v0", 3, monitor=False, **SMALL)
        env.reset()
        return env

    def on(make: Callable[[], Any], method: str) -> Callable[..., Any]:
        def call(**arguments: Any) -> Any:
            env = make()
            try:
                found = env if hasattr(type(env), method) else env.unwrapped
                return getattr(found, method)(**arguments)
            finally:
                env.close()

        return call

    def set_weights(weights: Any) -> Any:
        env = running().unwrapped
        env.opponent_weights = weights
        return env.opponent_weights

    one = {"action": lambda: np.zeros(2, np.float32)}
    three = {"actions": lambda: np.zeros((3, 2), np.float32)}
    begin = {"seed": lambda: 4, "options": dict}
    many = {
        "seed": lambda: [1, None, 3],
        "options": lambda: {"reset_mask": np.array([True, False, True])},
    }
    places: list[tuple[str, Callable[[], Any], str, dict[str, Callable[[], Any]]]] = [
        ("env.reset", running, "reset", begin),
        ("env.step", running, "step", one),
        (
            "env.set_state",
            running,
            "set_state",
            {"state": lambda: running().unwrapped.get_state()},
        ),
        ("envs.reset", running_many, "reset", many),
        ("envs.step", running_many, "step", three),
        (
            "envs.set_state",
            running_many,
            "set_state",
            {"state": lambda: running_many().get_state()},
        ),
        ("fresh.reset", fresh, "reset", begin),
        ("fresh.step", fresh, "step", one),
        ("closed.reset", closed, "reset", begin),
        ("closed.step", closed, "step", one),
        (
            "closed.set_state",
            closed,
            "set_state",
            {"state": lambda: running().unwrapped.get_state()},
        ),
    ]
    for name, make, method, valid in places:
        yield Target(name, on(make, method), valid, {}, weight=2)
    weights = {"weights": lambda: [1.0, 3.0]}
    yield Target("env.opponent_weights", set_weights, weights, {}, weight=2)
    if _first("steer_env.envs.sb3:make_vec_env") is not None:
        make_vec_env = _first("steer_env.envs.sb3:make_vec_env")
        arguments = {
            "env_id": lambda: "Evade-v0",
            "num_envs": lambda: 2,
            "seed": lambda: 1,
            "monitor": lambda: True,
            "horizon": lambda: 20,
            "opponent": lambda: "seek",
        }
        yield Target(
            "make_vec_env",
            make_vec_env,
            arguments,
            hints_of(make_vec_env),
            weight=3,
            needed=("env_id", "opponent"),
        )
        for method, valid in (
            ("step", {"actions": three["actions"]}),
            ("seed", {"seed": lambda: 3}),
            ("get_attr", {"attr_name": lambda: "side", "indices": lambda: [0]}),
            ("env_method", {"method_name": lambda: "get_state", "indices": lambda: [0]}),
        ):
            yield Target(f"vec_env.{method}", on(sb3, method), valid, {}, needed=tuple(valid))


def evaluation(pursuer: str = "pursuit", evader: str = "evade") -> Any:
    from baselines import evaluate, game_config

    return evaluate(pursuer, evader, game_config(**SMALL), episodes=8)


def network() -> dict[str, Any]:
    return {
        "weights": [np.ones((3, 17)), np.ones((2, 3))],
        "biases": [np.zeros(3), np.zeros(2)],
    }


def class_targets() -> Iterator[Target]:
    config = importlib.import_module("steer_env.game.config")
    for name, valid in CONFIGURED.items():
        kind = getattr(config, name)
        yield Target(name, kind, valid, hints_of(kind), weight=1.5)
    whole = {
        name: make for name, make in GAME.items() if name not in ("arena_size", "obstacles")
    }
    whole["arena"] = lambda: {"kind": "open"}
    yield Target("GameConfig", config.GameConfig, whole, hints_of(config.GameConfig), weight=3)
    hints = hints_of(config.game_config) if hasattr(config, "game_config") else {}
    game_config = _first("baselines:game_config")
    yield Target("game_config", game_config, GAME, hints, weight=4)
    script = steer_env.Script
    yield Target("Script", script, SCRIPT, hints_of(script), weight=5)
    drawing = _first(
        "steer_env.drawing:DrawingConfig", "steer_env.rendering.drawing:DrawingConfig"
    )
    if drawing is not None:
        valid = {
            "size": lambda: (200, 100),
            "theme": lambda: "dark",
            "annotations": lambda: ("aim", "trail"),
        }
        yield Target("DrawingConfig", drawing, valid, {}, weight=1.5)
    controller_of = _first("steer_env.players:controller_of")
    if controller_of is not None:
        valid = {
            "player": lambda: "pursuit",
            "side": lambda: 0,
            "trust": lambda: False,
            "seed": lambda: 1,
            "what": lambda: "opponent",
        }
        yield Target("controller_of", controller_of, valid, hints_of(controller_of), weight=3)
        named_players = _first("steer_env.players:named_players")
        valid = {"players": lambda: ["pursuit", "seek"], "side": lambda: 0}
        yield Target("named_players", named_players, valid, hints_of(named_players), weight=2)
    duel = _first("steer_env.episodes.duel:Duel")
    if duel is not None:

        def play(seed: Any, pursuer_action: Any) -> Any:
            game = duel(
                _first("baselines:game_config")(**SMALL),
                None,
                steer_env.Script(behavior="flee"),
            )
            game.start(seed)
            game.step(pursuer_action)
            return game.status.seconds

        valid = {"seed": lambda: 3, "pursuer_action": lambda: np.array([1.0, 0.5])}
        yield Target("Duel.start, step", play, valid, {}, weight=2)


def baseline_targets(folder: Path) -> Iterator[Target]:
    import baselines
    from baselines import NetworkPolicy, ScriptedPolicy

    config = {"config": lambda: baselines.game_config(**SMALL)}
    episodes = {"episodes": lambda: 8, "seed": lambda: 3}
    numbers = {"values": lambda: np.array([1.0, 2.0, 4.0, 8.0]), "confidence": lambda: 0.9}
    bools = {"successes": lambda: np.array([True, False, True]), "confidence": lambda: 0.9}
    pairs = {
        "ours": lambda: np.array([1.0, 2.0, 4.0]),
        "theirs": lambda: np.array([2.0, 2.0, 3.0]),
        "confidence": lambda: 0.9,
    }
    flags = {
        "ours": lambda: np.array([True, False, True]),
        "theirs": lambda: np.array([True, True, False]),
        "confidence": lambda: 0.9,
    }
    matrix = lambda: np.array([[1.0, 2.0, 4.0], [3.0, 2.0, 4.5]])  # noqa: E731
    few = {"resamples": lambda: 50}
    valid: dict[str, dict[str, Callable[[], Any]]] = {
        "evaluate": {
            "pursuer": lambda: "pursuit",
            "evader": lambda: "evade",
            "names": lambda: ("one", "other"),
            **config,
            **episodes,
        },
        "compare": {
            "ours": evaluation,
            "theirs": lambda: evaluation("seek"),
            "side": lambda: "pursuer",
        },
        "crossplay": {
            "pursuers": lambda: ["pursuit", "seek"],
            "evaders": lambda: {"a": "flee"},
            **config,
            **episodes,
        },
        "benchmark": {
            "policies": lambda: "seek",
            "scenario": lambda: "pursuer/walls",
            "episodes": lambda: 4,
            "seed": lambda: 3,
        },
        "load": {"name": lambda: "pursuit", "env": lambda: None, "seed": lambda: 1},
        "FunctionPolicy": {"function": lambda: np.tanh, "batched": lambda: True},
        "RandomPolicy": {"action_space": lambda: gym.spaces.Discrete(9), "seed": lambda: 1},
        "ScriptedPolicy": {
            "script": lambda: "pursuit",
            "action_type": lambda: "discrete",
            "side": lambda: "pursuer",
            "seed": lambda: 3,
            **config,
        },
        "NetworkPolicy": {
            "weights": lambda: network()["weights"],
            "biases": lambda: network()["biases"],
            "activation": lambda: "tanh",
            "head": lambda: "box",
            "log_std": lambda: np.zeros(2),
            "observation_mean": lambda: np.zeros(17),
            "observation_variance": lambda: np.ones(17),
            "observation_clip": lambda: 5.0,
            "seed": lambda: 1,
            "metadata": lambda: {"a": 1},
        },
        "mean_with_interval": numbers | few,
        "median_with_interval": numbers | few,
        "interquartile_mean_with_interval": numbers | few,
        "rate_with_interval": bools,
        "survival_curve": {
            "times": lambda: np.array([1.0, 2.0, 4.0]),
            "captured": lambda: np.array([True, True, False]),
            "confidence": lambda: 0.9,
        },
        "paired_difference": pairs | few,
        "paired_rate_difference": flags,
        "probability_of_improvement": pairs | {"lower_is_better": lambda: True},
        "difference_of_runs": {"ours": matrix, "theirs": matrix, "confidence": lambda: 0.9},
        "mean_of_runs": {"values": matrix, "confidence": lambda: 0.9},
        "rate_of_runs": {"successes": lambda: matrix() > 2.5, "confidence": lambda: 0.9},
    }
    heavy = {
        "evaluate": 4.0,
        "compare": 3.0,
        "crossplay": 2.0,
        "NetworkPolicy": 4.0,
        "load": 2.0,
    }
    for name, arguments in valid.items():
        function = getattr(baselines, name)
        weight = heavy.get(name, 1.0)
        needed = ("observation_mean", "observation_variance") if name == "NetworkPolicy" else ()
        yield Target(name, function, arguments, hints_of(function), False, weight, needed)
    saved = folder / "evaluation.npz"
    evaluation().save(saved)
    makers: dict[str, Callable[[], Any]] = {
        "Evaluation": evaluation,
        "NetworkPolicy": lambda: NetworkPolicy(**network(), activation="tanh", head="box"),
        "ScriptedPolicy": lambda: ScriptedPolicy("pursuit"),
        "CrossPlay": lambda: baselines.crossplay(
            ["pursuit"], ["evade"], baselines.game_config(**SMALL), 8
        ),
    }
    for kind, method, argument in (
        ("Evaluation", "load", lambda: saved),
        ("Evaluation", "save", lambda: folder / "other.csv"),
        ("Evaluation", "__getitem__", lambda: "time"),
        ("NetworkPolicy", "save", lambda: folder / "network.npz"),
        ("NetworkPolicy", "load", lambda: saved),
        ("NetworkPolicy", "predict", lambda: np.zeros(17, np.float32)),
        ("ScriptedPolicy", "predict", lambda: np.zeros((2, 17), np.float32)),
        ("CrossPlay", "ranking", lambda: "pursuer"),
        ("CrossPlay", "__getitem__", lambda: ("pursuit", "evade")),
    ):

        def call(kind: str = kind, method: str = method, **arguments: Any) -> Any:
            return getattr(makers[kind](), method)(**arguments)

        parameters = list(
            inspect.signature(getattr(getattr(baselines, kind), method)).parameters
        )
        named = next(name for name in parameters if name != "self")
        yield Target(f"{kind}.{method}", call, {named: argument}, {}, weight=1)


def program_targets(folder: Path) -> Iterator[Target]:
    """The functions that write files, and those that open windows."""
    record, watch = _first("steer_env.record:record"), _first("steer_env.watch:watch")
    players: dict[str, Callable[[], Any]] = {
        "pursuers": lambda: ["pursuit", "seek"],
        "evaders": lambda: "evade",
        "game": lambda: dict(SMALL),
        "seed": lambda: 3,
        "drawing": lambda: {"size": 120},
        "episodes": lambda: 1,
        "trust": lambda: False,
    }
    if record is not None:
        files = {
            "svg": lambda: folder / "chase.svg",
            "moment": lambda: 0.2,
            "page_theme": lambda: "dark",
            "html": lambda: folder / "chase.html",
        }
        needed = ("svg", "html", "game", "drawing")
        yield Target(
            "record", record, players | files, hints_of(record), weight=5, needed=needed
        )
    if watch is not None:
        games = {"games": lambda: 1}
        yield Target(
            "watch", watch, players | games, hints_of(watch), weight=2, needed=("game",)
        )
    check = _first("steer_env:check_vector_env")
    modes = tuple(gym.vector.AutoresetMode)[:1]
    valid: dict[str, Callable[[], Any]] = {
        "make_single": lambda: lambda: gym.make("Pursuit-v0", **SMALL),
        "make_vector": lambda: (
            lambda n, mode: gym.make_vec("Pursuit-v0", num_envs=n, autoreset_mode=mode, **SMALL)
        ),
        "num_envs": lambda: 2,
        "steps": lambda: 30,
        "seed": lambda: 1,
        "modes": lambda: modes,
    }
    yield Target("check_vector_env", check, valid, hints_of(check), weight=2)


def all_targets() -> list[Target]:
    folder = Path(tempfile.mkdtemp(prefix="wrong_calls"))
    return [
        *steering_targets(),
        *class_targets(),
        *environment_targets(),
        *method_targets(),
        *baseline_targets(folder),
        *program_targets(folder),
    ]
