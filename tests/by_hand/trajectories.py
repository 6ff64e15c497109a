"""Games of every kind, each with a hash of its trajectories, to the bit.

    python tests/by_hand/trajectories.py --write

writes them into the column of `VERSION` in `tests/data/trajectories.json`. Without `--write`
they are printed, or compared with that column by `--compare`. A published column only grows, by
new games: a change that moves results makes a new version of the environments.

`--everywhere` compares them on what looks like other machines: in processes in which the C
library, numpy or the compiler takes the processor for another one. The exit status is 1 if one
differs. `tests/game/test_reproducibility.py` is a short form.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import steer_env  # noqa: F401  registers the environments
from steer_env.game.config import make_game
from steer_env.game.dynamics import MODELS
from steer_env.game.engine import Engine
from steer_env.game.region import ARENAS
from steer_env.machine_code.library import in_use
from steer_env.scenarios.registry import SOLVED
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES
from steer_env.sides import PURSUER, Side

VERSION = "v0"
"""Of the environments."""

TABLE = Path(__file__).parents[1] / "data" / "trajectories.json"

# The C library and numpy compute as on an old processor, with other last bits.
OLD_LIBRARY = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"}
OLD_NUMPY = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR AVX2 FMA3 AVX512F "
    "AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"
}
GENERIC = {"STEER_ENV_CODE": "jit", "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
MACHINES: dict[str, dict[str, str]] = {
    "this machine": {},
    "C library without AVX2 and FMA": OLD_LIBRARY,
    "numpy without AVX2 and FMA": OLD_NUMPY,
    "library, level v2": {"STEER_ENV_CODE": "v2"},
    "library, level v3": {"STEER_ENV_CODE": "v3"},
    "compiled here": {"STEER_ENV_CODE": "jit"},
    "compiled here for any x86-64 or ARM": GENERIC,
    "the same with old libraries": {**OLD_LIBRARY, **OLD_NUMPY, **GENERIC},
    "plain Python": {"NUMBA_DISABLE_JIT": "1", **OLD_LIBRARY, **OLD_NUMPY},
}
"""Variables of processes that take this machine for another one."""

NAMES = (*SHORTER_NAMES, "pursuit/full_force")
CHASERS = tuple(name for name in NAMES if ROSTER[name].chases)
OTHERS = tuple(name for name in NAMES if not ROSTER[name].chases)

RANDOM_LIMITS = {
    "pursuer": {"max_speed": (3.0, 6.0), "radius": (0.1, 0.4)},
    "evader": {"mass": (0.5, 2.0), "max_force": (4.0, 20.0)},
}
PLACES: dict[str, dict[str, Any]] = {
    **{arena: {"arena": arena} for arena in ARENAS},
    "obstacles": {
        "obstacles": 4,
        "capture_radius": 1.0,
        "randomize": RANDOM_LIMITS,
        "observation": {"scales": "game"},
    },
    "packs": {"pursuers": 3, "evaders": 2, "obstacles": 2, "solid": "teammates"},
    "rooms": {
        "map": "rooms/0-7",
        "obstacles": 2,
        "observation": {
            "range": 8.0,
            "lidar": {"vehicles": True},
            "features": ("own", "other", "path", "lidar"),
        },
    },
}
PARTIAL_VIEW = {
    "pursuers": 3,
    "evaders": 2,
    "obstacles": 3,
    "arena": "torus",
    "observation": {
        "range": 9.0,
        "field_of_view": 2.0,
        "occlusion": True,
        "noise": 0.01,
        "nearest": 1,
    },
}
CROWD = {"pursuers": 8, "evaders": 8, "solid": "everyone", "capture_radius": 1.0}


def learners_games() -> Iterator[tuple[str, dict[str, Any]]]:
    """Names, and keywords of `gym.make_vec`, of games with a learner that acts at random."""
    for environment in (f"Pursuit-{VERSION}", f"Evade-{VERSION}"):
        for name in NAMES:
            for place, keywords in PLACES.items():
                given = {"id": environment, "opponent": ROSTER[name], **keywords}
                yield f"{environment} {name} {place}", given
        for model in MODELS:
            both = {side.name: {"model": model} for side in Side}
            for arena, kind in product(ARENAS, ("continuous", "discrete")):
                given = {"id": environment, "arena": arena, "action_type": kind, **both}
                yield f"{environment} {model} {arena} {kind}", given
        for game in SOLVED.values():
            side = Side.PURSUER if environment.startswith("Pursuit") else Side.EVADER
            yield f"{game.environment(side)}", {"id": game.environment(side)}
        chaser = environment.startswith("Evade")
        opponent = replace(ROSTER["pursuit" if chaser else "evade"], sees="observed")
        partial = {"id": environment, "opponent": opponent, **PARTIAL_VIEW}
        yield f"{environment} in partial view", partial
        yield f"{environment} random", {"id": environment, "opponent": "random"}
        for threads in (1, 2):
            given = {"id": environment, "num_envs": 300, "num_threads": threads, **CROWD}
            yield f"{environment} crowd of {threads}", given


def scripts_games() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Names, both sides' scripts and keywords of `make_game`, of games without a learner."""
    pairs = [(name, "evade") for name in CHASERS]
    pairs += [("pursuit", name) for name in OTHERS if name != "evade"]
    for chaser, other in pairs:
        for number, (place, keywords) in enumerate(PLACES.items()):
            model = {side.name: {"model": MODELS[number % 3]} for side in Side}
            yield f"{chaser} against {other} {place}", chaser, other, {**model, **keywords}
    for name, game in SOLVED.items():
        perfect = game.opponents[PURSUER]
        yield f"{perfect} in {name}", perfect, perfect, {"game": name}


def learners_hash(
    steps: int = 60, num_envs: int = 5, num_threads: int = 1, **keywords: Any
) -> str:
    """The hash of all that a learner sees in games of 40 steps, and of their last state."""
    envs = gym.make_vec(
        num_envs=num_envs, num_threads=num_threads, max_episode_steps=40, **keywords
    )
    digest = hashlib.sha256()
    observations, _ = envs.reset(seed=7)
    digest.update(little_endian(observations))
    for action in drawn_actions(envs.action_space, steps):
        for seen in envs.step(action)[:4]:
            digest.update(little_endian(seen))
    digest.update(bytes_of(envs.unwrapped.get_state()))
    envs.close()
    return digest.hexdigest()[:16]


def drawn_actions(space: gym.Space, steps: int, key: str = "") -> Iterator[np.ndarray]:
    """Random actions from a hash: the same on every machine, with every version of numpy."""
    drawn = hashlib.shake_256(key.encode()).digest(steps * int(np.prod(space.shape)))
    for numbers in np.frombuffer(drawn, np.uint8).reshape(steps, *space.shape):
        is_discrete = space.dtype.kind == "i"
        yield (numbers % 9 if is_discrete else numbers / 127.5 - 1.0).astype(space.dtype)


def scripts_hash(chaser: str, other: str, keywords: dict[str, Any]) -> str:
    """The hash of six games of 200 steps between two scripts, with the seeds 0, 1, ..."""
    count, steps = 6, 200
    config = make_game(**keywords)
    nobody = [np.zeros((0, side, 2), np.float32) for side in (config.pursuers, config.evaders)]
    engine = Engine(config, [ROSTER[chaser]], [ROSTER[other]], count, 150)
    engine.seed(range(count))
    engine.start()
    rewards = np.empty((count, steps))
    for step in range(steps):
        rewards[:, step] = engine.step(*nobody, PURSUER, True).rewards
    state = bytes_of(engine.get_state())
    return hashlib.sha256(little_endian(rewards) + state).hexdigest()[:16]


def bytes_of(state: np.ndarray) -> bytes:
    """The fields of a state that make a trajectory."""
    players, game = state["players"], state["game"]
    body = [players["body"][name] for name in ("position", "velocity", "heading")]
    numbers = [game[name] for name in ("draws", "steps", "captured", "distance")]
    return b"".join(little_endian(part) for part in (*body, players["wander_point"], *numbers))


def little_endian(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes()


def all_hashes(beginning: str = "") -> dict[str, str]:
    """The hashes of this machine, by the names of the games, which begin so."""
    hashes = chain(
        ((name, partial(learners_hash, **given)) for name, given in learners_games()),
        ((name, partial(scripts_hash, *given)) for name, *given in scripts_games()),
    )
    return {name: found() for name, found in hashes if name.startswith(beginning)}


def read_table() -> dict[str, dict[str, str]]:
    """The published hashes: a column for each version of the environments, by games."""
    return json.loads(TABLE.read_text()) if TABLE.exists() else {}


def compare_everywhere() -> bool:
    """Returns True if no trajectory has moved on what looks like another machine."""
    here, same = Path(__file__), True
    for name, settings in MACHINES.items():
        print(name, end=": ", flush=True)
        # Plain Python is some hundred times slower.
        only = ["--only", "Pursuit-v0 seek"] if name == "plain Python" else []
        variables = {**os.environ, "PYTHONPATH": str(here.parents[2]), **settings}
        command = [sys.executable, str(here), "--compare", *only]
        same &= subprocess.run(command, env=variables).returncode == 0
    return same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"the column of {VERSION}")
    parser.add_argument("--compare", action="store_true", help="status 1 if one differs")
    parser.add_argument("--everywhere", action="store_true", help="as on many machines")
    parser.add_argument("--only", default="", help="games whose names begin so")
    options = parser.parse_args()
    if options.write:
        table, found = read_table(), all_hashes()
        published = table.get(VERSION, {})
        if not published.items() <= found.items():
            parser.error(f"games in the published column of {VERSION} moved; raise VERSION")
        table[VERSION] = found
        TABLE.write_text(json.dumps(table, indent=0) + "\n")
    elif options.everywhere:
        sys.exit(not compare_everywhere())
    elif options.compare:
        found, published = all_hashes(options.only), read_table()[VERSION]
        moved = [name for name in found if found[name] != published.get(name)]
        print(f"{in_use()}: {len(found)} games, {len(moved)} moved", *moved, sep="\n")
        sys.exit(bool(moved or not found))
    else:
        print(json.dumps(all_hashes(options.only)))


if __name__ == "__main__":
    main()
