"""The command line: ``python -m agents train | evaluate | selfplay | export | ...``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from steer_env.command_line import run_commands

try:
    from threadpoolctl import threadpool_limits

    from agents.commands import COMMANDS
except ImportError as error:
    print(f'python -m agents: {error}; run: pip install -e ".[agents]"', file=sys.stderr)
    raise SystemExit(2) from error


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments name; None for those of the process.

    Raises:
        SystemExit: as `run_commands`.
    """
    description = "Trains policies, and measures them beside hand-written ones."
    with threadpool_limits(1):  # more threads slow down networks this small
        run_commands(COMMANDS, "python -m agents", description, arguments)


if __name__ == "__main__":
    main()
