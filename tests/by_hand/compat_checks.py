"""Checks of `tests/by_hand/compat.py` in each environment, with that environment's Python.

    python tests/by_hand/compat_checks.py NAME

Prints what it found: the same text in every environment, where results must be the same.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import check_env

import steer_env  # noqa: F401  registers the environments


def digest(parts: Iterable[bytes]) -> str:
    """The first characters of a hash."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.hexdigest()[:12]


def play(envs, steps: int) -> Iterable[bytes]:
    """The observations and rewards of games that are played by a seeded random learner."""
    envs.action_space.seed(0)
    observation, _ = envs.reset(seed=0)
    yield observation.tobytes()
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = envs.step(envs.action_space.sample())
        yield observation.tobytes()
        yield np.float64(reward).tobytes()
        if np.ndim(reward) == 0 and (terminated or truncated):
            yield envs.reset()[0].tobytes()
    envs.close()


def one() -> str:
    """A thousand steps of one game."""
    return digest(play(gym.make("Pursuit-v0"), 1000))


def many() -> str:
    """A thousand steps of several games, against scripts that look around."""
    keywords = {"opponent": ["evade/among_obstacles", "wander"], "obstacles": 3}
    return digest(play(gym.make_vec("Pursuit-v0", 16, **keywords), 1000))


def own() -> str:
    """An opponent that is a function of the user's."""
    from steer_env.steering import flee

    def zigzag(me, other):
        return 0.5 * flee(me, other.position)

    return digest(play(gym.make("Pursuit-v0", opponent=zigzag), 300))


def policy() -> str:
    """A pretrained policy that is in the package."""
    assert all(play(gym.make("Evade-v0", opponent="pretrained/pursuit/ppo"), 100))
    return "ok"  # a network's last bits may differ


def window() -> str:
    """A window, on a screen that SDL makes up."""
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    assert all(play(gym.make("Pursuit-v0", render_mode="human"), 10))
    return "ok"


def wrappers() -> str:
    """Gymnasium's checker, wrappers and vector environments, which vary with its version."""
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    has_pygame = find_spec("pygame") is not None
    check_env(gym.make("steer_env:Pursuit-v0").unwrapped, skip_render_check=not has_pygame)
    names = ("ClipAction", "NormalizeObservation", "NormalizeReward", "RecordEpisodeStatistics")

    def wrapped():
        env = gym.make("Pursuit-v0", max_episode_steps=20)
        for name in names:
            env = getattr(gym.wrappers, name)(env)
        return env

    for kind in (gym.vector.SyncVectorEnv, gym.vector.AsyncVectorEnv):
        assert all(play(kind([wrapped] * 2), 50))
    spec = wrapped().unwrapped.spec
    assert gym.make(type(spec).from_json(spec.to_json())).unwrapped.spec == spec
    assert np.isfinite(pickle.loads(pickle.dumps(gym.make("Pursuit-v0"))).reset()[0]).all()
    return "ok"


def refusal(make: Callable[[], Any], needed: str) -> str:
    """Checks that something names what has to be installed for it."""
    try:
        make()
    except gym.error.DependencyNotInstalled as error:
        return "ok" if needed in str(error) else str(error)
    raise AssertionError(f"it works: gymnasium {gym.__version__}, numba")


def refused() -> str:
    """Native vector environments need a newer Gymnasium."""
    return refusal(lambda: import_module("steer_env.envs.vector"), "gymnasium>=1.1")


def no_own() -> str:
    """A function of the user's needs numba."""
    make = partial(gym.make, "Pursuit-v0", opponent=lambda me, other: 0j)
    return refusal(make, "steer-env[own]")


def evaluate() -> str:
    """An evaluation of two scripts, its table and its figure."""
    from steer_env.baselines import evaluate
    from steer_env.baselines.plots import save, survival_figure

    found = evaluate("pursuit", "evade", episodes=200)
    assert "capture rate" in str(found)
    save("survival.png", lambda: survival_figure([found]))
    return digest([found.episodes.tobytes()])


COMMANDS = {
    "gif": ("record --seconds 1 --size 100 --gif film.gif", "film.gif"),
    "train": (
        "train --steps 4096 --validations 1 --validation-episodes 20 --episodes 20 --out run",
        "run/policy.npz",
    ),
    "export": ("export pretrained/pursuit/ppo --to onnx --out policy.onnx", "policy.onnx"),
    "info": ("info environments", "."),
}
"""Lines for the installed command, and what they write."""


def run_command(line: str, written: str) -> str:
    program = Path(sys.executable).with_name("steer-env")
    subprocess.run([program, *line.split()], check=True, stdout=sys.stderr)
    assert Path(written).exists()
    return "ok"


if __name__ == "__main__":
    name = sys.argv[1]
    print(run_command(*COMMANDS[name]) if name in COMMANDS else globals()[name]())
