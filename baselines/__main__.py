"""The command line: ``python -m baselines list | evaluate | compare | crossplay | ...``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import tyro
from gymnasium.error import DependencyNotInstalled

from baselines.commands import COMMANDS


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments (of the process, unless given) ask for.

    Raises:
        SystemExit: with code 2 for what cannot be done, after a line that says why.
    """
    try:
        tyro.extras.subcommand_cli_from_dict(
            COMMANDS,
            prog="python -m baselines",
            description="Measures hand-written and learned policies against each other.",
            args=arguments,
        )
    except (ValueError, TypeError, OSError, DependencyNotInstalled) as error:
        print(f"python -m baselines: {error}", file=sys.stderr)
        raise SystemExit(2) from error


if __name__ == "__main__":
    main()
