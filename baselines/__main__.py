"""The command line: ``python -m baselines list | evaluate | compare | crossplay | ...``."""

from __future__ import annotations

from collections.abc import Sequence

from baselines.commands import COMMANDS
from steer_env.command_line import run_commands


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments name; None for those of the process.

    Raises:
        SystemExit: as `run_commands`.
    """
    description = "Measures hand-written and learned policies against each other."
    run_commands(COMMANDS, "python -m baselines", description, arguments)


if __name__ == "__main__":
    main()
