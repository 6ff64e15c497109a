"""The command line: ``steer-env info | bench | watch | play | record``."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.command_line import run_commands
from steer_env.commands import COMMANDS


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments name; None for those of the process.

    Raises:
        SystemExit: as `run_commands`.
    """
    description = "Pursuit and evasion as Gymnasium environments."
    run_commands(COMMANDS, "steer-env", description, arguments)


if __name__ == "__main__":
    main()
