"""Plays very many games of every kind, and looks for states that must not be.

    python tests/by_hand/soak.py --steps 1e9 --seed 0

Batches of games on the engine take turns with environments that are made, used in every way
and closed. The exit status is 1 if there was a violation, or if the memory grew.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from steer_env.game.arena import ARENAS
from steer_env.game.config import GameConfig, game_config
from steer_env.game.config.observation import observation_layout
from steer_env.game.dynamics import FORCED, MODELS
from steer_env.game.engine import Engine
from steer_env.game.rules import observed_features
from steer_env.players.network import NetworkPolicy
from steer_env.players.random_policy import RandomPolicy
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.scripts.script import (
    GENERAL_BEHAVIORS,
    LOOKAHEADS,
    PREDICTORS,
    PRIORITIES,
    Script,
)
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import METHODS, evade, pursuit

CHECK_EVERY = 50  # steps
MEMORY_LIMIT = 32.0  # megabytes that the second half may need more than the first
NAMES = [name for name, found in ENVIRONMENTS.items() if not found.game.is_solved]

LIMITS = (
    {"max_speed": (2.0, 6.0), "max_force": (4.0, 20.0), "mass": (0.5, 2.0)},
    {"max_speed": (50.0, 200.0), "max_force": (100.0, 5000.0)},
    {"mass": (1e-3, 1e-2), "max_speed": (1.0, 200.0)},
    {"mass": (1e2, 1e4), "max_force": (1.0, 1e5)},
    {"max_speed": (1e-3, 0.1), "max_force": (1e-3, 1.0)},
    {"max_speed": (0.1, 200.0), "max_force": (0.1, 1e4), "mass": (1e-2, 1e2)},
)
"""Ranges that a batch of games draws its limits from: ordinary, and extreme."""


@dataclass
class Report:
    """The results of a soak."""

    steps: int = 0  # of games
    environments: int = 0
    violations: list[str] = field(default_factory=list)
    memory_growth: float = 0.0  # megabytes, from the first half to the second

    def __str__(self) -> str:
        return (
            f"steps {self.steps:.3g}, environments {self.environments}, violations "
            f"{len(self.violations)}, memory growth {self.memory_growth:+.1f} MB"
        )


# ---- Valid games and players, drawn at random ----------------------------------------------


def draw_script(generator: np.random.Generator) -> Script:
    """Any script there can be."""
    parts = [part for part in PRIORITIES if part != "behavior"]
    weights = generator.choice([0.0, 0.0, 0.3, 8.0], len(parts))
    return Script(
        behavior=str(generator.choice(GENERAL_BEHAVIORS)),
        response_time=float(generator.choice([0.1, 1.0])),
        lookahead=str(generator.choice(LOOKAHEADS)),
        predictor=str(generator.choice(PREDICTORS)),
        facing_test=bool(generator.integers(2)),
        threat_range=float(generator.choice([np.inf, 5.0])),
        offset=complex(*generator.uniform(-3, 3, 2)),
        navigation_gain=float(generator.uniform(0, 6)),
        lead_angle=float(generator.uniform(0, np.pi)),
        field_of_view=float(generator.uniform(0, np.pi)),
        combination=str(generator.choice(METHODS)),
        priorities=tuple(str(part) for part in generator.permutation(PRIORITIES)),
        chances={part: float(generator.uniform()) for part in PRIORITIES},
        **{part: float(weight) for part, weight in zip(parts, weights)},
    )


def draw_keywords(number: int, generator: np.random.Generator) -> dict[str, Any]:
    """Keywords of `game_config`; arenas and obstacles take turns by the number."""
    pursuers, evaders = [(1, 1), (1, 1), (2, 1), (1, 3), (3, 2)][generator.integers(5)]
    sides = "pursuer", "evader"
    limits = [LIMITS[generator.integers(len(LIMITS))] for _ in sides]
    size, vehicles = float(generator.choice([10.0, 20.0, 100.0])), {}
    for side in sides:
        model = MODELS[generator.integers(3)]
        drag = float(generator.choice([0.0, 0.0, 1.0])) if model in FORCED else 0.0
        vehicles[side] = {"model": model, "drag": drag}
    most = 5 if size == 10.0 else 9
    return {
        **vehicles,
        "pursuers": pursuers,
        "evaders": evaders,
        "arena": ARENAS[number % 3],
        "solid": str(generator.choice(["nobody", "teammates"])),
        "arena_size": size,
        "obstacles": int(generator.integers(1, most)) if number // 3 % 2 else 0,
        "capture_radius": float(generator.choice([0.05, 0.5, 2.0])),
        "dt": float(generator.choice([1 / 100, 1 / 30, 1 / 10])),
        "horizon": int(generator.integers(40, 200)),
        "randomize": {s: {**one, "radius": (0.0, 0.5)} for s, one in zip(sides, limits)},
    }


def swap(me, other):
    """Pursues from afar, and evades when it is near."""
    near = abs(me.position - other.position) < 3.0
    return evade(me, other) if near else pursuit(me, other)


def draw_opponent(features: int, generator: np.random.Generator) -> Any:
    """A script, a user-defined behavior or a policy for a game with this many features."""
    kind = generator.integers(5)
    if kind == 2:
        layers = [generator.normal(size=(8, features)), generator.normal(size=(2, 8))]
        return NetworkPolicy(layers, [np.zeros(8), np.zeros(2)], activation="tanh", head="box")
    return (swap, RandomPolicy(seed=None))[kind] if kind < 2 else draw_script(generator)


def draw_actions(
    generator: np.random.Generator, shape: tuple[int, int]
) -> Iterator[np.ndarray]:
    """Endless actions, (games, players, 2): noise, or bang-bang ones held for a while."""
    change = generator.choice([1.0, 1 / 3, 1 / 15, 1 / 60])  # in a step, the chance of it
    corners = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 0)], "f4")
    held = generator.uniform(-1, 1, (*shape, 2)).astype(np.float32)
    while True:
        if change == 1.0:
            held = 2 * generator.random((*shape, 2), np.float32) - 1
        else:
            changed = generator.random(shape, np.float32) < change
            held[changed] = corners[generator.integers(len(corners), size=changed.sum())]
        yield held


# ---- The faults of states and observations -------------------------------------------------


def nearest_offsets(config: GameConfig, offset: np.ndarray) -> np.ndarray:
    """Offsets to the nearest image."""
    if config.arena.kind != "torus":
        return offset
    size = config.arena.size
    return offset - size * (np.round(offset.real / size) + 1j * np.round(offset.imag / size))


def of_players(config: GameConfig, name: str) -> np.ndarray:
    """A field of the vehicles' configurations for each player, (players,)."""
    pursuer, evader = (getattr(one, name) for one in (config.pursuer, config.evader))
    return np.array([pursuer] * config.pursuers + [evader] * config.evaders)


def faults_of_state(engine: Engine) -> dict[str, np.ndarray]:
    """For each thing that must hold, where it does not."""
    config, state = engine.config, engine.get_state()
    game, body = state["game"], state["players"]["body"]
    half_size, model = config.arena.half_size, of_players(config, "model")
    speed, position, distance = np.abs(body["velocity"]), body["position"], game["distance"]
    along = (body["velocity"] * body["heading"].conj()).real
    points, steps = state["players"]["wander_point"], game["steps"]
    free = state["players"]["active"][:, config.pursuers :].sum(axis=1)
    holds = {
        **{f"{name} is finite": np.isfinite(body[name]) for name in body.dtype.names},
        "distance is one": np.isfinite(distance) & (distance >= 0),
        "speed is below max_speed": speed <= body["max_speed"] * (1 + 1e-9),
        "heading is a unit vector": np.abs(np.abs(body["heading"]) - 1) <= 1e-9,
        "velocity is along heading": np.abs(along - speed) <= 1e-9 * (1 + speed),
        "wander_point is a unit vector": np.abs(np.abs(points) - 1) <= 0.01,
        "steps are in range": (steps >= 0) & (steps <= config.horizon),
        "captured is right": game["captured"] == config.evaders - free,
    }
    farthest = np.maximum(np.abs(position.real), np.abs(position.imag))
    touches = np.zeros(position.shape, bool)
    if config.arena.kind == "walls":
        room = half_size - body["radius"]
        holds["body is between walls"] = farthest <= room + 1e-9
        # A car that leaves a wall is at full speed at once, and a step away from it.
        leeway = np.where(model == "car", body["max_speed"] * config.dt, 0.0)
        touches |= farthest >= room - leeway * 1.001 - 1e-9
    if config.arena.kind == "torus":
        holds["body is on the torus"] = farthest <= half_size * (1 + 1e-12)
    if config.arena.num_obstacles:
        obstacles = state["obstacles"]
        offset = position[:, :, None] - obstacles["center"][:, None]
        gap = np.abs(nearest_offsets(config, offset)) - obstacles["radius"][:, None]
        gap[np.broadcast_to(obstacles["radius"][:, None] <= 0, gap.shape)] = np.inf
        nearest = gap.min(axis=2) - body["radius"]
        holds["body is off obstacles"] = nearest >= -1e-6
        touches |= nearest <= 2.001 * body["max_speed"] * config.dt + 1e-6
    if config.solid != "nobody":  # whom a wall has stopped may have been pushed off it since
        touches[...] = True
    turned = 2 * body["max_speed"] / config.dt  # without inertia
    limit = np.where(model == "simple_motion", turned, body["max_force"] / body["mass"])
    limit += of_players(config, "drag") * body["max_speed"]
    slow = np.abs(body["acceleration"]) <= limit * (1 + 1e-6) + 1e-8
    return {name: ~there for name, there in {**holds, "acceleration": slow | touches}.items()}


def faults_of_observations(engine: Engine) -> dict[str, np.ndarray]:
    """Where a side's observations are nan or leave their bounds."""
    layout = observed_features(engine.config)
    low, high = np.array([(one.low, one.high) for one in layout], np.float32).T
    seen = {side: engine.observe(side) for side in (PURSUER, EVADER)}
    return {
        f"observation of the {side.name}": ~((low <= found) & (found <= high))
        for side, found in seen.items()
    }


# ---- Play ------------------------------------------------------------------------------------


def play_batch(batch: int, seed: int, num_games: int, batch_steps: int) -> Iterator[str]:
    """Plays games on the engine, and yields the faults."""
    generator = np.random.default_rng([seed, batch])
    config = game_config(**draw_keywords(batch, generator))
    sides: list[list[Script | None]] = []
    for _ in (PURSUER, EVADER):
        kind = generator.integers(4)  # from outside twice as often
        scripts: list[Script | None] = [draw_script(generator) for _ in range(3)]
        sides.append([[None], [None], [None, *scripts], scripts][kind])
    engine = Engine(config, *sides, num_games, num_threads=1)
    engine.seed(generator.integers(2**63, size=num_games).tolist())
    engine.start()
    side = int(generator.integers(2))
    shapes = [(num_games, engine.side_size(one)) for one in (PURSUER, EVADER)]
    pursuers, evaders = (draw_actions(generator, shape) for shape in shapes)
    for step in range(1, batch_steps + 1):
        outcome = engine.step(next(pursuers), next(evaders), side, True)
        if step % CHECK_EVERY:
            continue
        faults = {
            **faults_of_state(engine),
            **faults_of_observations(engine),
            "reward": ~np.isfinite(outcome.rewards),
            "ends": outcome.terminated & (engine.state.captured != config.evaders),
        }
        engine.set_state(engine.get_state())  # an error if it is damaged
        for name, fault in faults.items():
            if fault.any():
                game = int(np.argwhere(fault)[0][0])
                where = f"game {game} of {int(fault.sum())}, step {step}"
                yield f"not so: {name}: {where}; {config}; {engine.get_state()[game]}"
    engine.close()


def play_environment(number: int, generator: np.random.Generator) -> Iterator[str]:
    """Plays an environment whose game, opponents, size and modes are drawn; yields faults."""
    keywords = draw_keywords(number, generator)
    players, obstacles = keywords["pursuers"] + keywords["evaders"], keywords["obstacles"]
    features = len(observation_layout(players, obstacles))
    given: dict[str, Any] = {
        **keywords,
        "id": str(generator.choice(NAMES)),
        "opponent": [
            draw_opponent(features, generator) for _ in range(generator.integers(1, 4))
        ],
        "drawing": {"size": int(generator.integers(60, 120)), "annotations": "all"},
        "render_mode": "rgb_array",
    }
    if keywords["evaders"] > 1:
        given["payoff"] = "capture"  # all others are those of one evader
    mode = [None, *AutoresetMode][generator.integers(4)]
    if mode is None:
        env: Any = gym.make(**given)
    else:
        given |= {"autoreset_mode": mode, "num_threads": int(generator.integers(1, 3))}
        env = gym.make_vec(num_envs=int(generator.choice([1, 5, 64, 200])), **given)
    with closing(env):
        env.reset(seed=int(generator.integers(2**32)))
        env.action_space.seed(int(generator.integers(2**31)))
        for step in range(80):
            observation, reward, ended, truncated, _ = env.step(env.action_space.sample())
            seen, over = [observation], np.atleast_1d(ended | truncated)
            if not np.isfinite(reward).all():
                yield f"step {step}: a reward is not finite"
            if over.any() and mode in (None, AutoresetMode.DISABLED):
                seen.append(env.reset(options={"reset_mask": over} if mode else None)[0])
            if step % 20 == 7:
                seen += use(env.unwrapped, generator)
            if not all(map(env.observation_space.contains, seen)):
                yield f"step {step}: an observation is not in its space"


def use(game: Any, generator: np.random.Generator) -> list[Any]:
    """Does what is not a step, and returns observations."""
    if getattr(game, "num_envs", 1) <= 5:  # a picture of each game
        game.render()
    game.opponent_weights = generator.uniform(0.1, 1.0, len(game.opponent_weights))
    with closing(pickle.loads(pickle.dumps(game))) as copy:
        return [game.set_state(game.get_state()), copy.step(copy.action_space.sample())[0]]


def soak(
    steps: float,
    seed: int = 0,
    num_games: int = 4096,
    batch_steps: int = 250,
    batches_per_environment: int = 1,
) -> Report:
    """Plays this number of game steps of all games together, in batches of ``num_games``.

    After each ``batches_per_environment`` of them, an environment is played.
    """
    report, memory = Report(), []
    batches = max(2, round(steps / (num_games * batch_steps)))
    for batch in range(batches):
        found = [*play_batch(batch, seed, num_games, batch_steps)]
        report.steps += num_games * batch_steps
        if batch % batches_per_environment == 0:
            found += play_environment(batch, np.random.default_rng([seed, batch, 1]))
            report.environments += 1
        report.violations += [f"{fault}, batch {batch}, seed {seed}" for fault in found]
        memory.append(resident_megabytes())
        if (batch + 1) % max(1, batches // 10) == 0:
            print(f"batch {batch + 1} of {batches}: {memory[-1]:.1f} MB", flush=True)
    half = len(memory) // 2
    report.memory_growth = max(memory[half:]) - max(memory[:half])
    if report.memory_growth > MEMORY_LIMIT and half >= 3:
        report.violations.append(f"the memory grew by {report.memory_growth:.1f} MB")
    return report


def resident_megabytes() -> float:
    """The memory that this process holds, on Linux."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=float, default=1e8, help="game steps in all")
    parser.add_argument("--seed", type=int, default=0)
    report = soak(**vars(parser.parse_args()))
    print(*report.violations[:20], sep="\n", file=sys.stderr)
    print(report)
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
