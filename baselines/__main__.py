"""The command line: ``python -m baselines list | evaluate | compare | crossplay | ...``."""

from __future__ import annotations

from collections.abc import Sequence

from baselines.command_line import run_commands
from baselines.commands import COMMANDS


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments (of the process, unless given) ask for.

    Raises:
        SystemExit: see `run_commands`.
    """
    description = "Measures hand-written and learned policies against each other."
    run_commands(COMMANDS, "python -m baselines", description, arguments)


if __name__ == "__main__":
    main()
