"""The command line: ``steer-env info | bench | watch | play | record``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steer_env.command_line import Program, one_line_errors


def _commands() -> Mapping[str, Callable[..., Any]]:
    from steer_env.commands import COMMANDS

    return COMMANDS


PROGRAM = Program(
    name="steer-env",
    about="Pursuit and evasion as Gymnasium environments: see them, play them, record them.",
    groups={
        "See and play": {
            "watch": "Shows players against each other in a window.",
            "play": "Opens a game for a person: catch the evader, or stay free.",
            "record": "Writes games as a GIF, video, picture or page.",
        },
        "Look up and measure": {
            "info": "Lists environments, games, players and keywords.",
            "bench": "Measures the speed beside Gymnasium's CartPole.",
        },
    },
    examples={
        "steer-env watch": "a pursuer and an evader, without any option",
        "steer-env record --gif chase.gif": "the same in a file, where there is no display",
    },
    others={
        "python -m baselines": "measures policies, and compares them",
        "python -m agents": "trains policies; in a checkout only",
    },
    load=_commands,
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments name; None for those of the process.

    Raises:
        SystemExit: as `one_line_errors`.
    """
    with one_line_errors(PROGRAM.name, "render"):
        PROGRAM.run(arguments)


if __name__ == "__main__":
    main()
