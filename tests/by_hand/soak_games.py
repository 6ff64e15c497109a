"""Valid games, scripts, opponents and environments of every kind, drawn at random."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from steer_env.game.arena import ARENAS
from steer_env.game.config.observation import observation_layout
from steer_env.game.dynamics import FORCED, MODELS
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.random_policy import RandomPolicy
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.scripts.script import (
    GENERAL_BEHAVIORS,
    LOOKAHEADS,
    PREDICTORS,
    PRIORITIES,
    Script,
)
from steer_env.steering import METHODS, evade, pursuit

LIMITS = (
    {"max_speed": (2.0, 6.0), "max_force": (4.0, 20.0), "mass": (0.5, 2.0)},
    {"max_speed": (50.0, 200.0), "max_force": (100.0, 5000.0)},
    {"mass": (1e-3, 1e-2), "max_speed": (1.0, 200.0)},
    {"mass": (1e2, 1e4), "max_force": (1.0, 1e5)},
    {"max_speed": (1e-3, 0.1), "max_force": (1e-3, 1.0)},
    {"max_speed": (0.1, 200.0), "max_force": (0.1, 1e4), "mass": (1e-2, 1e2)},
)
"""Ranges that a batch of games draws its limits from: ordinary, and extreme."""


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


def draw_vehicle(generator: np.random.Generator) -> dict[str, Any]:
    """A model, and a drag where the model has one."""
    model = MODELS[generator.integers(3)]
    drag = float(generator.choice([0.0, 0.0, 1.0])) if model in FORCED else 0.0
    return {"model": model, "drag": drag}


def draw_keywords(number: int, generator: np.random.Generator) -> dict[str, Any]:
    """Keywords of `game_config`; arenas and obstacles take turns by the number."""
    team = [(1, 1), (1, 1), (2, 1), (1, 3), (3, 2)][generator.integers(5)]
    ranges = {
        side: {**LIMITS[generator.integers(len(LIMITS))], "radius": (0.0, 0.5)}
        for side in ("pursuer", "evader")
    }
    size = float(generator.choice([10.0, 20.0, 100.0]))
    most = 5 if size == 10.0 else 9
    return {
        "pursuers": team[0],
        "evaders": team[1],
        "pursuer": draw_vehicle(generator),
        "evader": draw_vehicle(generator),
        "arena": ARENAS[number % 3],
        "solid": str(generator.choice(["nobody", "teammates"])),
        "arena_size": size,
        "obstacles": int(generator.integers(1, most)) if number // 3 % 2 else 0,
        "capture_radius": float(generator.choice([0.05, 0.5, 2.0])),
        "dt": float(generator.choice([1 / 100, 1 / 30, 1 / 10])),
        "horizon": int(generator.integers(40, 200)),
        "randomize": ranges,
    }


def swap(me, other):
    """Pursues from afar, and evades when it is near."""
    near = abs(me.position - other.position) < 3.0
    return evade(me, other) if near else pursuit(me, other)


def draw_opponent(features: int, generator: np.random.Generator) -> Any:
    """A script, a user-defined behavior or a policy for a game with this many features."""
    kind = generator.integers(5)
    if kind == 0:
        return swap
    if kind == 1:
        return RandomPolicy(seed=None)
    if kind == 2:
        layers = [generator.normal(size=(8, features)), generator.normal(size=(2, 8))]
        return NetworkPolicy(layers, [np.zeros(8), np.zeros(2)], activation="tanh", head="box")
    return draw_script(generator)


# ---- Environments -------------------------------------------------------------------------

NAMES = [name for name, found in ENVIRONMENTS.items() if not found.game.is_solved]
STEPS = 80


def play_environment(number: int, generator: np.random.Generator) -> list[str]:
    """Plays an environment whose game, opponents, size and modes are drawn.

    Returns the faults, in words. Arenas and obstacles take turns by the number.
    """
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
        return [*_faults_of_play(env, mode, generator)]


def _faults_of_play(
    env: Any, mode: AutoresetMode | None, generator: np.random.Generator
) -> Iterator[str]:
    game = env.unwrapped
    env.reset(seed=int(generator.integers(2**32)))
    env.action_space.seed(int(generator.integers(2**31)))
    for step in range(STEPS):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        seen = [observation]
        if not np.isfinite(reward).all():
            yield f"step {step}: a reward is not finite"
        over = np.atleast_1d(terminated | truncated)
        if over.any() and mode in (None, AutoresetMode.DISABLED):
            seen.append(env.reset(options={"reset_mask": over} if mode else None)[0])
        if step % 20 == 7:
            seen += _used(game, generator)
        if not all(map(env.observation_space.contains, seen)):
            yield f"step {step}: an observation is not in its space"


def _used(game: Any, generator: np.random.Generator) -> list[Any]:
    """Does what is not a step, and returns observations."""
    if getattr(game, "num_envs", 1) <= 5:  # a picture of each game
        game.render()
    game.opponent_weights = generator.uniform(0.1, 1.0, len(game.opponent_weights))
    with closing(pickle.loads(pickle.dumps(game))) as copy:
        return [game.set_state(game.get_state()), copy.step(copy.action_space.sample())[0]]
