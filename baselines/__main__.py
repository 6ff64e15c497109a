"""The command line: ``python -m baselines list | evaluate | compare | crossplay | ...``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steer_env.command_line import Program, one_line_errors


def _commands() -> Mapping[str, Callable[..., Any]]:
    from baselines.commands import COMMANDS

    return COMMANDS


PROGRAM = Program(
    name="python -m baselines",
    about="Measures hand-written and learned policies against each other.",
    groups={
        "One pair or several": {
            "evaluate": "Measures a pursuer against an evader.",
            "compare": "Compares two policies of one side, from the same starts.",
            "crossplay": "Plays every pursuer against every evader: table, ranking, and "
            "equilibrium.",
            "collect": "Collects episodes as data for offline reinforcement learning.",
        },
        "The benchmark": {
            "list": "Lists every policy that has a name, and the scenarios of the protocol.",
            "benchmark": "Measures a policy by the benchmark protocol, beside the hand-written "
            "references.",
            "suite": "Shows the leading players of each game of the suite.",
            "tune": "Searches for the strongest script, and measures it beside the known ones.",
            "report": "Makes the published tables and pictures, and the table in "
            "docs/opponents.md.",
        },
        "Games whose value is known": {
            "gap": "Measures how far a policy is from perfect play.",
            "optimality": "Measures all known players of the solved games against perfect "
            "play.",
            "solution": "Draws a game whose value is known, as the pursuer sees it.",
        },
    },
    examples={
        "python -m baselines evaluate": "pursuit against evade, without any option",
        "python -m baselines compare --pursuer navigation pursuit": "is one of them better?",
    },
    others={
        "steer-env": "shows games, plays them with you, and records them",
        "python -m agents": "trains policies; in a checkout only",
    },
    load=_commands,
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments name; None for those of the process.

    Raises:
        SystemExit: as `one_line_errors`.
    """
    with one_line_errors(PROGRAM.name, "baselines"):
        PROGRAM.run(arguments)


if __name__ == "__main__":
    main()
