"""Plays very many games of every kind, and looks for states that must not be.

    python tests/by_hand/soak.py --steps 1e9 --seed 0

Batches of games on the engine take turns with environments that are made, used in every way
and closed (`soak_games.play_environment`). The exit status is 1 if there was a violation, or if
the memory grew.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from soak_games import draw_keywords, draw_script, play_environment

from steer_env.game.config import GameConfig, game_config
from steer_env.game.engine import Engine
from steer_env.game.rules import observed_features
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER

CHECK_EVERY = 50  # steps
MEMORY_LIMIT = 32.0  # megabytes that the second half may need more than the first


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


def draw_engine(batch: int, generator: np.random.Generator, num_games: int) -> Engine:
    """The games of a batch: arenas and obstacles take turns, the rest is drawn."""
    config = game_config(**draw_keywords(batch, generator))
    sides: list[list[Script | None]] = []
    for _ in (PURSUER, EVADER):
        kind = generator.integers(4)  # from outside twice as often
        scripts: list[Script | None] = [draw_script(generator) for _ in range(3)]
        sides.append([[None], [None], [None, *scripts], scripts][kind])
    engine = Engine(config, *sides, num_games, num_threads=1)
    engine.seed(generator.integers(2**63, size=num_games).tolist())
    engine.start()
    return engine


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
    speed, position = np.abs(body["velocity"]), body["position"]
    faults = {f"{name} is not finite": ~np.isfinite(body[name]) for name in body.dtype.names}
    distance = game["distance"]
    faults["distance is no distance"] = ~(np.isfinite(distance) & (distance >= 0))
    faults["speed is above max_speed"] = ~(speed <= body["max_speed"] * (1 + 1e-9))
    faults["heading is no unit vector"] = ~(np.abs(np.abs(body["heading"]) - 1) <= 1e-9)
    along = (body["velocity"] * body["heading"].conj()).real
    faults["velocity is not along heading"] = ~(np.abs(along - speed) <= 1e-9 * (1 + speed))
    wander_point = state["players"]["wander_point"]
    faults["wander_point is no unit vector"] = ~(np.abs(np.abs(wander_point) - 1) <= 0.01)
    faults["steps are out of range"] = ~(
        (game["steps"] >= 0) & (game["steps"] <= config.horizon)
    )
    free = state["players"]["active"][:, config.pursuers :].sum(axis=1)
    faults["captured is wrong"] = game["captured"] != config.evaders - free
    farthest = np.maximum(np.abs(position.real), np.abs(position.imag))
    touches = np.zeros(position.shape, bool)
    if config.arena.kind == "walls":
        room = half_size - body["radius"]
        faults["body is in a wall"] = ~(farthest <= room + 1e-9)
        # A car that leaves a wall is at full speed at once, and a step away from it.
        leeway = np.where(model == "car", body["max_speed"] * config.dt, 0.0)
        touches |= farthest >= room - leeway * 1.001 - 1e-9
    if config.arena.kind == "torus":
        faults["body is off the torus"] = ~(farthest <= half_size * (1 + 1e-12))
    if config.arena.num_obstacles:
        obstacles = state["obstacles"]
        offset = position[:, :, None] - obstacles["center"][:, None]
        gap = np.abs(nearest_offsets(config, offset)) - obstacles["radius"][:, None]
        gap[np.broadcast_to(obstacles["radius"][:, None] <= 0, gap.shape)] = np.inf
        nearest = gap.min(axis=2) - body["radius"]
        faults["body is in an obstacle"] = ~(nearest >= -1e-6)
        touches |= nearest <= 2.001 * body["max_speed"] * config.dt + 1e-6
    if config.solid != "nobody":  # whom a wall has stopped may have been pushed off it since
        touches[...] = True
    turned = 2 * body["max_speed"] / config.dt  # without inertia
    limit = np.where(model == "simple_motion", turned, body["max_force"] / body["mass"])
    limit += of_players(config, "drag") * body["max_speed"]
    too_fast = ~(np.abs(body["acceleration"]) <= limit * (1 + 1e-6) + 1e-8)
    faults["acceleration is above the limit"] = too_fast & ~touches
    return faults


def faults_of_observations(engine: Engine) -> dict[str, np.ndarray]:
    """Where a side's observations are nan or leave their bounds."""
    config = engine.config
    layout = observed_features(config)
    low = np.array([feature.low for feature in layout], np.float32)
    high = np.array([feature.high for feature in layout], np.float32)
    faults = {}
    for side, name in ((PURSUER, "pursuers"), (EVADER, "evaders")):
        seen = engine.observe(side)
        faults[f"observation of the {name}"] = ~((seen >= low) & (seen <= high))
    return faults


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
        generator = np.random.default_rng([seed, batch])
        engine = draw_engine(batch, generator, num_games)
        side = int(generator.integers(2))
        drivers = [
            draw_actions(generator, (num_games, engine.side_size(s))) for s in (PURSUER, EVADER)
        ]
        for step in range(1, batch_steps + 1):
            outcome = engine.step(next(drivers[0]), next(drivers[1]), side, True)
            if step % CHECK_EVERY == 0:
                free = engine.state.captured != engine.config.evaders
                faults = {
                    **faults_of_state(engine),
                    **faults_of_observations(engine),
                    "reward": ~np.isfinite(outcome.rewards),
                    "ends": outcome.terminated & free,
                }
                engine.set_state(engine.get_state())  # an error if it is damaged
                for name, fault in faults.items():
                    if fault.any():
                        game = int(np.argwhere(fault)[0][0])
                        report.violations.append(
                            f"{name}: game {game} of {int(fault.sum())}, batch {batch}, step "
                            f"{step}, seed {seed}; {engine.config}; {engine.get_state()[game]}"
                        )
        engine.close()
        report.steps += num_games * batch_steps
        if batch % batches_per_environment == 0:
            found = play_environment(batch, np.random.default_rng([seed, batch, 1]))
            report.violations += [f"{fault}, batch {batch}, seed {seed}" for fault in found]
            report.environments += 1
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
    parser.add_argument("--games", type=int, default=4096, help="side by side")
    arguments = parser.parse_args()
    report = soak(arguments.steps, arguments.seed, arguments.games)
    for violation in report.violations[:20]:
        print(violation, file=sys.stderr)
    print(report)
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
