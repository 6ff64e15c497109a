"""The command line: ``python -m steer_env info | bench | watch | play | record``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from steer_env import information
from steer_env.command_line import telling_errors
from steer_env.play import command as play
from steer_env.record import command as record
from steer_env.watch import command as watch

_PROGRAM = "python -m steer_env"


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments (of the process, unless given) ask for.

    Raises:
        SystemExit: see `telling_errors`.
    """
    options = _parser().parse_args(arguments)
    with telling_errors(f"{_PROGRAM} {options.command}"):
        options.run(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(_PROGRAM, description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    info = commands.add_parser("info", help="environments, opponents, observation, keywords")
    info.add_argument("--json", action="store_true", help="print one JSON document")
    info.set_defaults(run=_inform)
    bench = commands.add_parser("bench", help="speed, beside Gymnasium's CartPole")
    bench.add_argument("--quick", action="store_true", help="fewer repeats")
    bench.add_argument(
        "--games", type=int, nargs="+", default=(64, 1024, 4096, 65536), metavar="N"
    )
    bench.add_argument("--json", action="store_true", help="print one JSON document")
    bench.set_defaults(run=_measure)
    for name, command in (("watch", watch), ("play", play), ("record", record)):
        parser_of_command = commands.add_parser(
            name, help=command.SUMMARY, description=command.DESCRIPTION
        )
        command.add_options(parser_of_command)
        parser_of_command.set_defaults(run=command.run)
    return parser


def _inform(options: argparse.Namespace) -> None:
    print(information.as_json() if options.json else information.as_text())


def _measure(options: argparse.Namespace) -> None:
    from steer_env import bench

    report = bench.measure(options.games, 3 if options.quick else 15)
    print(bench.as_json(report) if options.json else bench.table(report))


if __name__ == "__main__":
    main()
