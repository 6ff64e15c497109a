"""The command line: ``python -m steer_env info | bench``."""

from __future__ import annotations

import argparse
import inspect
import json
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

import steer_env


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments (of the process, unless given) ask for."""
    options = _parser().parse_args(arguments)
    if options.command == "bench":
        from steer_env.bench import measure, table

        repeats = 3 if options.quick else 15
        report = measure(options.games, repeats, options.ppo)
        text = table(report)
    else:
        report = information()
        text = _information_text(report)
    print(json.dumps(report, indent=2) if options.json else text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m steer_env", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    info = commands.add_parser("info", help="environments, opponents, observation, keywords")
    bench = commands.add_parser("bench", help="speed, beside Gymnasium's CartPole")
    bench.add_argument("--quick", action="store_true", help="fewer repeats")
    bench.add_argument("--ppo", action="store_true", help="PPO's steps a second as well")
    bench.add_argument(
        "--games", type=int, nargs="+", default=(64, 1024, 4096, 65536), metavar="N"
    )
    for command in (info, bench):
        command.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def information() -> dict[str, Any]:
    """What there is: environments, opponents, features of an observation, keywords."""
    from steer_env.envs.chase import ChaseEnv
    from steer_env.game.observation import FEATURES
    from steer_env.game.roster import ROSTER

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
    }


def _information_text(report: dict[str, Any]) -> str:
    lines = [f"steer_env {report['version']}", "", "Environments"]
    lines += [f"  {name}" for name in report["environments"]]
    lines += ["", "Opponents"]
    lines += [f"  {name:24} {text}" for name, text in report["opponents"].items()]
    lines += ["", "Features of an observation"]
    for feature in report["observation"]:
        bounds = f"[{feature['low']}, {feature['high']}]"
        lines.append(
            f"  {feature['block']:9}{feature['name']:22}{bounds:9}{feature['meaning']}"
        )
    lines += ["", "Keywords", "  " + ", ".join(report["keywords"])]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
