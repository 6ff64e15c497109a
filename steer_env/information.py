"""What there is: environments, opponents, features, keywords; and what a result depends on."""

from __future__ import annotations

import dataclasses
import inspect
import platform
from importlib.metadata import version
from typing import Any

import gymnasium as gym

import steer_env
from steer_env.suite import GAMES


def report() -> dict[str, Any]:
    """Returns the lists, as ``steer-env info --json`` prints them."""
    from steer_env.drawing import ANNOTATIONS
    from steer_env.envs.single import PursuitEnv
    from steer_env.game.config import game_config
    from steer_env.game.features import DERIVED
    from steer_env.game.scales import observed_features, scaled
    from steer_env.scripts.roster import ROSTER
    from steer_env.steering import compile_cache

    config = game_config(obstacles=1)
    features, derived = observed_features(config), scaled(DERIVED, config)
    parameters = inspect.signature(PursuitEnv.__init__).parameters.values()
    return {
        "version": steer_env.__version__,
        "environments": sorted(
            name for name, spec in gym.registry.items() if "steer_env" in str(spec.entry_point)
        ),
        "games": {name: game.challenge for name, game in GAMES.items()},
        "opponents": {name: script.description for name, script in ROSTER.items()},
        "observation": [dataclasses.asdict(feature) for feature in features],
        "derived": [dataclasses.asdict(feature) for feature in derived],
        "keywords": [p.name for p in parameters if p.kind is p.KEYWORD_ONLY],
        "annotations": dict(ANNOTATIONS),
        "compiled_code": compile_cache.report()._asdict(),
    }


def as_text(found: dict[str, Any]) -> str:
    """Formats a report for people."""
    from steer_env.scripts.roster import AT_FULL_FORCE

    lines = [f"steer_env {found['version']}", "", "Environments"]
    lines += [f"  {name}" for name in found["environments"]]
    lines += ["", "Games (the game keyword)"]
    lines += [f"  {name:26} {text}" for name, text in found["games"].items()]
    lines += ["", "Opponents"]
    for name, text in found["opponents"].items():
        if not name.endswith(AT_FULL_FORCE):
            lines.append(f"  {name:26} {text}")
    lines.append(
        f"  ...{AT_FULL_FORCE:23} most of these at full force, such as seek{AT_FULL_FORCE}"
    )
    for title, kind in (
        ("Observation features", "observation"),
        ("Further features, for observation={'features': [...]}", "derived"),
    ):
        lines += ["", title]
        for feature in found[kind]:
            bounds = f"[{feature['low']:g}, {feature['high']:g}]"
            lines.append(
                f"  {feature['block']:9}{feature['name']:22}{bounds:9}{feature['meaning']}"
            )
    lines += ["", "Keywords", "  " + ", ".join(found["keywords"])]
    lines += ["", "Annotations of pictures"]
    lines += [f"  {name:26} {text}" for name, text in found["annotations"].items()]
    cache = found["compiled_code"]
    lines += ["", "Compiled code (remove it with --clear-cache)", f"  {cache['folder']}"]
    size = f"the whole cache has {cache['kilobytes'] / 1000:.1f} MB"
    lines += [f"  {cache['functions']} functions of this version; {size}"]
    return "\n".join(lines)


def versions(*packages: str) -> dict[str, str]:
    """Returns the versions of steer_env (also if it is not installed), Python, and packages."""
    found = {name: version(name) for name in packages}
    return {"steer_env": steer_env.__version__, "python": platform.python_version(), **found}


def processor() -> str:
    """Returns the processor's name, if it is known."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
