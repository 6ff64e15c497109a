"""What is called wrongly: methods of environments, of single ones, vector ones and VecEnvs.

For every parameter there is a value that fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from wrong_targets import SMALL, Target, hints_of


def method_targets() -> Iterator[Target]:
    """Methods of environments that run, have not begun, or are closed."""
    from steer_env.envs.sb3 import make_vec_env

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
        env = make_vec_env("Evade-v0", 3, monitor=False, **SMALL)
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

    def resetting(make: Callable[[], Any]) -> Callable[..., Any]:
        def call(**options: Any) -> Any:
            env = make()
            try:
                env.reset(seed=1, options=options)
                return env.step(env.action_space.sample())[:2]
            finally:
                env.close()

        return call

    def starting(make: Callable[[], Any]) -> Callable[..., Any]:
        def call(**place: Any) -> Any:
            return resetting(make)(start={"evader": place})

        return call

    def limiting(make: Callable[[], Any], at_reset: bool) -> Callable[..., Any]:
        def call(**limits: Any) -> Any:
            if at_reset:
                return resetting(make)(limits={"evader": limits})
            env = make()
            try:
                env.unwrapped.set_limits(evader=limits)
                env.reset(seed=1)
                return env.step(env.action_space.sample())[:2]
            finally:
                env.close()

        return call

    def replacing(make: Callable[[], Any]) -> Callable[..., Any]:
        def call(**arguments: Any) -> Any:
            env = make()
            try:
                env.unwrapped.set_opponent(**arguments)
                env.reset(seed=1)
                return env.step(env.action_space.sample())[:2]
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
    for kind, make in (("env", running), ("envs", running_many)):
        games = 1 if make is running else 3
        rivals = ["evade", "flee"][:games] + ["evade"] * (games - 2)
        valid = {
            "opponent": lambda rivals=rivals: "flee" if len(rivals) < 3 else list(rivals),
            "start": lambda: {"pursuer": {"position": (0.0, 0.0)}, "evader": {"heading": 1.0}},
            "limits": lambda: {"pursuer": {"max_speed": 3.0}, "evader": {"radius": 0.2}},
        }
        yield Target(f"{kind}.reset(options)", resetting(make), valid, {}, weight=3)
        valid = {
            "position": lambda games=games: np.full((games, 2), 9.0),
            "heading": lambda: 1.5,
            "speed": lambda games=games: np.linspace(0.0, 1.0, games),
        }
        name = f"{kind}.reset(start)"
        yield Target(name, starting(make), valid, {}, weight=3)
        valid = {
            "max_speed": lambda: (2.0, 3.0),
            "max_force": lambda: 9.0,
            "mass": lambda: 1.0,
            "radius": lambda: 0.25,
        }
        name = f"{kind}.reset(limits)"
        yield Target(name, limiting(make, True), valid, {}, weight=3)
        name = f"{kind}.set_limits"
        yield Target(name, limiting(make, False), valid, {}, weight=3)
        valid = {
            "pursuer": lambda: {"max_speed": 3.0, "radius": (0.1, 0.2)},
            "evader": lambda: [{"max_speed": 2.0}],
        }
        name = f"{kind}.set_limits(sides)"
        yield Target(name, on(make, "set_limits"), valid, {}, weight=3)
        valid = {"opponent": lambda: ["evade", "flee", "wander"], "weights": lambda: [1, 2, 3]}
        name, both = f"{kind}.set_opponent", ("opponent", "weights")
        yield Target(name, replacing(make), valid, {}, weight=3, needed=both)
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
        ("set_attr", {"attr_name": lambda: "opponent", "value": lambda: "pursuit"}),
    ):
        yield Target(f"vec_env.{method}", on(sb3, method), valid, {}, needed=tuple(valid))
