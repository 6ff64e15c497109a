"""Measures the environments' speed beside Gymnasium's CartPole.

The load of a machine varies, so they take turns, and the table has medians and the ratio.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from timeit import repeat, timeit
from typing import Any, NamedTuple

import gymnasium as gym
from gymnasium.error import DependencyNotInstalled

from steer_env.errors import check_integer
from steer_env.information import processor, versions
from steer_env.machine_code.library import in_use

GAMES = (64, 1024, 4096, 65536)
"""The default numbers of games to measure."""

_REPEAT_SECONDS = 0.06


class Speed(NamedTuple):
    """One row of the table."""

    environment: str  # its id, and the picture in each step, if any
    games: int  # at once; 1 for a single environment
    threads: int  # that the loop may use
    microseconds: float  # of one call of step, with the picture
    million_steps: float  # game steps a second, in millions
    ratio: float  # our steps a second over those of CartPole, with as many games and pictures


def alternate(calls: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """Measures calls in turns, some times for 60 ms each, and returns their median seconds."""
    counts = []
    for call in calls:
        timeit(call, number=3)  # compiles, fills the caches
        counts.append(max(1, int(_REPEAT_SECONDS / max(timeit(call, number=1), 1e-7))))
    rounds = [
        [timeit(call, number=count) / count for call, count in zip(calls, counts)]
        for _ in range(repeats)
    ]
    return [*map(statistics.median, zip(*rounds))]


def single_step(env_id: str, **keywords: Any) -> Callable[[], None]:
    """Returns a call that steps an environment, and draws it if it has a render_mode."""
    env = gym.make(env_id, **keywords)
    if env_id == "CartPole-v1" and env.render_mode == "rgb_array":
        # It would open a display to make a surface of its own to draw on.
        from steer_env.rendering.backend import import_pygame

        cartpole: Any = env.unwrapped
        size = cartpole.screen_width, cartpole.screen_height
        cartpole.screen = import_pygame().Surface(size)
    env.reset(seed=0)
    env.action_space.seed(0)
    action, is_drawn = env.action_space.sample(), env.render_mode is not None

    def step() -> None:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
        if is_drawn:
            env.render()

    return step


def vector_step(env_id: str, games: int, **keywords: Any) -> Callable[[], object]:
    """Returns a call that steps a vector environment of `gymnasium.make_vec`."""
    import steer_env.envs.vector  # noqa: F401  (raises an error with an older Gymnasium)

    envs = gym.make_vec(env_id, num_envs=games, **keywords)
    envs.reset(seed=0)
    envs.action_space.seed(0)
    actions = envs.action_space.sample()
    return lambda: envs.step(actions)


def measure_steps(games: Sequence[int] = GAMES, repeats: int = 15) -> list[Speed]:
    """Measures steps per second of Pursuit-v0 and CartPole-v1, single and vector."""
    ours, theirs = "Pursuit-v0", "CartPole-v1"
    rows = _speeds(1, [(name, 1, single_step(name)) for name in (ours, theirs)], repeats)
    for count in games:
        threads = (1, 2) if count >= 16384 and (os.cpu_count() or 1) >= 2 else (1,)
        vectors = [(ours, one, vector_step(ours, count, num_threads=one)) for one in threads]
        vectors.append((theirs, 1, vector_step(theirs, count)))
        rows += _speeds(count, vectors, repeats)
    return rows


def _speeds(
    games: int, measured: Sequence[tuple[str, int, Callable[[], object]]], repeats: int
) -> list[Speed]:
    """Measures calls (the last is CartPole's), each with its environment and threads."""
    seconds = alternate([call for _, _, call in measured], repeats)
    return [
        Speed(name, games, threads, 1e6 * found, games / found / 1e6, seconds[-1] / found)
        for (name, threads, _), found in zip(measured, seconds, strict=True)
    ]


def measure_maps(repeats: int = 15, games: int = 1024) -> list[Speed]:
    """Measures steps on 64 maps of some 75 walls: plain, with sight, rays, and ways."""
    from steer_env.maps.map import Map

    on: dict[str, Any] = {"map": Map.rooms(64, across=5, size=25.0), "num_threads": 1}
    made: dict[str, dict[str, Any]] = {
        "Pursuit-v0": {"num_threads": 1},
        "Pursuit-v0, rooms": on,
        "Pursuit-v0, rooms, sight of 8 m": {**on, "observation": {"range": 8.0}},
        "Pursuit-v0, rooms, 16 rays": {**on, "observation": {"lidar": {"range": 8.0}}},
        "Evade-v0, rooms, pursuit/paths": {**on, "opponent": "pursuit/paths"},
        "CartPole-v1": {},
    }
    calls = [
        (name, 1, vector_step(name.split(",")[0], games, **more)) for name, more in made.items()
    ]
    return _speeds(games, calls, repeats)


def measure_drawings(repeats: int = 15) -> list[Speed]:
    """Measures steps with a picture: Pursuit-v0's, 600 x 600, and CartPole-v1's, 600 x 400."""
    drawn: dict[str, dict[str, Any]] = {
        "Pursuit-v0, rgb_array": {},
        "Pursuit-v0, all annotations": {"drawing": {"annotations": "all"}},
        "CartPole-v1, rgb_array": {},
    }
    make = partial(single_step, render_mode="rgb_array")
    with suppress(DependencyNotInstalled):  # nothing can be drawn without pygame
        calls = [(name, 1, make(name.split(",")[0], **more)) for name, more in drawn.items()]
        return _speeds(1, calls, repeats)
    return []


def measure_starts(repeats: int = 5) -> dict[str, float]:
    """Measures the seconds of the import, and of a new process until its first step."""

    def seconds(code: str) -> float:
        command = [sys.executable, "-c", code]
        run = partial(subprocess.run, command, check=True)
        return statistics.median(repeat(run, number=1, repeat=repeats))

    both, make = "import gymnasium, steer_env", "env = gymnasium.make('Pursuit-v0')"
    step = f"{both}; {make}; env.reset(); env.step(env.action_space.sample())"
    return {
        "import steer_env, beyond gymnasium": seconds(both) - seconds("import gymnasium"),
        "first step in a new process": seconds(step) - seconds("pass"),
    }


def measure(games: Sequence[int] = GAMES, repeats: int = 15) -> dict[str, Any]:
    """Returns everything that `steer-env bench` prints, ready for JSON."""
    for count in games:
        check_integer("games", count, 1)
    check_integer("repeats", repeats, 1)
    rows = [*measure_steps(games, repeats), *measure_maps(repeats), *measure_drawings(repeats)]
    return {
        "machine": {"processor": processor(), "cores": os.cpu_count(), "code": in_use()},
        "versions": versions("gymnasium", "numpy"),
        "steps": [row._asdict() for row in rows],
        "seconds": measure_starts(min(repeats, 5)),
    }


def table(report: dict[str, Any]) -> str:
    """Formats a report as text, with a Markdown table of the steps."""
    lines = [
        "{processor}, {cores} cores, machine code: {code}".format(**report["machine"]),
        "",
        "| environment | games | threads | a call [µs] | million steps/s | CartPole = 1 |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    speed = (
        "| {environment} | {games} | {threads} "
        "| {microseconds:.1f} | {million_steps:.4g} | {ratio:.2f} |"
    )
    lines += [speed.format(**row) for row in report["steps"]]
    lines += ["", *(f"{what}: {value:.3f} s" for what, value in report["seconds"].items())]
    return "\n".join(lines)
