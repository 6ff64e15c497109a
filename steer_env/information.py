"""What there is: environments, opponents, features of an observation, keywords, annotations."""

from __future__ import annotations

import inspect
import json
from typing import Any

import gymnasium as gym

import steer_env


def report() -> dict[str, Any]:
    """All of it, as ``python -m steer_env info --json`` prints it."""
    from steer_env.drawing import ANNOTATIONS
    from steer_env.envs.chase import ChaseEnv
    from steer_env.game.observation import FEATURES
    from steer_env.scripts.roster import ROSTER

    parameters = inspect.signature(ChaseEnv.__init__).parameters.values()
    return {
        "version": steer_env.__version__,
        "environments": sorted(
            name for name, spec in gym.registry.items() if "steer_env" in str(spec.entry_point)
        ),
        "opponents": {name: script.description for name, script in ROSTER.items()},
        "observation": [
            {
                "block": feature.block,
                "name": feature.name,
                "low": feature.low,
                "high": feature.high,
                "meaning": feature.meaning,
            }
            for feature in FEATURES
        ],
        "keywords": [p.name for p in parameters if p.kind is p.KEYWORD_ONLY],
        "annotations": dict(ANNOTATIONS),
    }


def as_json() -> str:
    """The report as one JSON document."""
    return json.dumps(report(), indent=2)


def as_text() -> str:
    """The report for people."""
    told = report()
    lines = [f"steer_env {told['version']}", "", "Environments"]
    lines += [f"  {name}" for name in told["environments"]]
    lines += ["", "Opponents"]
    lines += [f"  {name:24} {text}" for name, text in told["opponents"].items()]
    lines += ["", "Features of an observation"]
    for feature in told["observation"]:
        bounds = f"[{feature['low']}, {feature['high']}]"
        lines.append(
            f"  {feature['block']:9}{feature['name']:22}{bounds:9}{feature['meaning']}"
        )
    lines += ["", "Keywords", "  " + ", ".join(told["keywords"])]
    lines += ["", "Annotations of pictures"]
    lines += [f"  {name:24} {text}" for name, text in told["annotations"].items()]
    return "\n".join(lines)
