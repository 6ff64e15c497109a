"""The public surface that must not move by accident, in one file: `tests/data/frozen.json`.

    PYTHONPATH=. python tests/by_hand/frozen.py --write

writes the file anew after a deliberate change, which gets a line in the CHANGELOG. `PARTS` says
what it holds; besides, `protocol` has digests of the protocol's scenarios and scripts, which
never change: `--write` leaves them, and tests/baselines/test_protocol.py compares them.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import re
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import trajectories

from steer_env import cli
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.usage import options_of

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests/data/frozen.json"
PACKAGES = ("steer_env", "baselines", "agents")

_PUBLIC_MODULE = re.compile(r"^__all__\b", re.MULTILINE)
_EXPLAINED = re.compile(r"auto(?:function|class|data|module|method):: *([\w.]+)")


def trajectory_hashes() -> dict[str, str]:
    """Hashes of the table's newest column, and of an episode in each environment."""
    table = trajectories.read_table()[trajectories.VERSION]
    content = json.dumps(table, sort_keys=True).encode()
    found = {name: environment_hash(name) for name in sorted(ENVIRONMENTS)}
    return {"all scripts": hashlib.sha256(content).hexdigest()[:16], **found}


def environment_hash(name: str, steps: int = 40) -> str:
    """A hash of what an environment returns in a short episode of random actions."""
    env = gym.make(name)
    digest = hashlib.sha256()
    observation, _ = env.reset(seed=11)
    digest.update(observation.astype("<f4").tobytes())
    for action in trajectories.drawn_actions(env.action_space, steps, name):
        observation, reward, terminated, truncated, _ = env.step(action)
        digest.update(observation.astype("<f4").tobytes())
        digest.update(np.array([reward, terminated, truncated], "<f8").tobytes())
        if terminated or truncated:
            break
    env.close()
    return digest.hexdigest()[:16]


def public_names() -> dict[str, list[str]]:
    """By module, the names in `__all__`; and what the reference of the docs explains."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if _PUBLIC_MODULE.search(path.read_text(encoding="utf-8")):
                module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                module = module.removesuffix(".__init__")
                found[module] = sorted(importlib.import_module(module).__all__)
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs/api").rglob("*.md")]
    found["docs/api"] = sorted({name for page in pages for name in _EXPLAINED.findall(page)})
    return found


def commands() -> dict[str, list[str]]:
    """By command, the options that the help lists."""
    found = {}
    for name, command in chain(*(one.items() for one in cli.commands().values())):
        names = [one.name for one in chain(*options_of(command).values())]
        found[name] = sorted(one for one in names if one.startswith("--"))
    return found


PARTS: dict[str, Callable[[], Any]] = {
    "trajectories": trajectory_hashes,
    "public": public_names,
    "commands": commands,
}
"""What computes each part of the file."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    held = json.loads(FILE.read_text(encoding="utf-8"))
    text = json.dumps(held | {name: part() for name, part in PARTS.items()}, indent=1) + "\n"
    if parser.parse_args().write:
        FILE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
