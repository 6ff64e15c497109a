"""Makes an environment of any kind, uses it in every way, and closes it."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from soak_games import draw_keywords, draw_opponent

from steer_env.scenarios.registry import ENVIRONMENTS

NAMES = [name for name, found in ENVIRONMENTS.items() if not found.game.is_solved]

STEPS = 80


def play_environment(number: int, generator: np.random.Generator) -> list[str]:
    """Plays an environment whose game, opponents, size and modes are drawn.

    Args:
        number: makes arenas and obstacles take turns.
        generator: of all chance.

    Returns:
        What was wrong, in words.
    """
    name = str(generator.choice(NAMES))
    keywords = draw_keywords(number, generator)
    given: dict[str, Any] = {
        **keywords,
        "opponent": draw_opponent(keywords, generator),
        "drawing": {"size": int(generator.integers(60, 120)), "annotations": "all"},
        "render_mode": "rgb_array",
    }
    if keywords["evaders"] > 1:
        given["payoff"] = "capture"  # all others are those of one evader
    if generator.random() < 0.3:
        env: Any = gym.make(name, **given)
        mode = AutoresetMode.DISABLED
    else:
        mode = list(AutoresetMode)[generator.integers(3)]
        count = int(generator.choice([1, 5, 64, 200]))
        threads = int(generator.integers(1, 3))
        env = gym.make_vec(
            name, num_envs=count, autoreset_mode=mode, num_threads=threads, **given
        )
    try:
        return _play(env, mode, generator)
    finally:
        env.close()


def _play(env: Any, mode: AutoresetMode, generator: np.random.Generator) -> list[str]:
    faults = []
    env.reset(seed=int(generator.integers(2**32)))
    env.action_space.seed(int(generator.integers(2**31)))
    for step in range(STEPS):
        action = env.action_space.sample()
        observation, reward, terminated, truncated, _ = env.step(action)
        if not env.observation_space.contains(observation):
            faults.append(f"step {step}: the observation is not in its space")
        if not np.isfinite(reward).all():
            faults.append(f"step {step}: a reward is not finite")
        over = np.atleast_1d(terminated | truncated)
        if mode is AutoresetMode.DISABLED and over.any():
            is_single = isinstance(env, gym.Env)
            env.reset(options=None if is_single else {"reset_mask": over})
        if step % 20 == 7:
            faults += _use(env, int(generator.integers(5)), generator)
    return faults


def _use(env: Any, way: int, generator: np.random.Generator) -> list[str]:
    """Does something that is not a step."""
    game = env.unwrapped
    if way == 0 and getattr(game, "num_envs", 1) <= 5:  # a picture of each game
        env.render()
    elif way == 0:
        return []
    elif way == 1:
        copy = pickle.loads(pickle.dumps(game))
        action = copy.action_space.sample()
        seen = copy.step(action)[0]
        copy.close()
        if not copy.observation_space.contains(seen):
            return ["a copy's observation is not in its space"]
    elif way == 2:
        state = game.get_state()
        if not env.observation_space.contains(game.set_state(state)):
            return ["the observation of a state is not in its space"]
    elif way == 3:
        game.opponent_weights = generator.uniform(0.1, 1.0, len(game.opponent_weights))
    else:
        env.reset()
    return []
