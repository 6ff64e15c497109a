"""The command line: ``python -m steer_env info | bench | watch``."""

from __future__ import annotations

import argparse
import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
from gymnasium.error import DependencyNotInstalled

import steer_env


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments (of the process, unless given) ask for."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command == "watch":
        _watch(parser, options)
        return
    if options.command == "bench":
        from steer_env.bench import measure, table

        repeats = 3 if options.quick else 15
        report = measure(options.games, repeats)
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
    bench.add_argument(
        "--games", type=int, nargs="+", default=(64, 1024, 4096, 65536), metavar="N"
    )
    for command in (info, bench):
        command.add_argument("--json", action="store_true", help="print one JSON document")
    show = commands.add_parser("watch", help="two scripts play; in a window, or as a GIF")
    show.add_argument("--pursuer", default="pursuit", metavar="NAME")
    show.add_argument("--evader", default="evade", metavar="NAME")
    show.add_argument("--episodes", type=int, default=3, metavar="N")
    show.add_argument("--seed", type=int, default=0)
    show.add_argument("--gif", metavar="FILE", help="write this file; opens no window")
    show.add_argument("--size", type=int, default=600, metavar="PIXELS")
    for name in _GAME_OPTIONS:
        kind = type(inspect.signature(_game_config()).parameters[name].default)
        show.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar=kind.__name__)
    return parser


_GAME_OPTIONS = ("pursuers", "evaders", "arena", "arena_size", "obstacles", "horizon", "solid")


def _game_config() -> Callable[..., Any]:
    from steer_env.envs.keywords import game_config

    return game_config


def _watch(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    from steer_env.watch import watch

    given = {name: value for name, value in vars(options).items() if value is not None}
    del given["command"]
    try:
        lines = watch(**given)
    except (ValueError, DependencyNotInstalled) as error:
        parser.error(str(error))
    print("\n".join(lines))


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
