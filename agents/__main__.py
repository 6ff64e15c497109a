"""The command line: ``python -m agents train | evaluate | selfplay | export | ...``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

try:
    from threadpoolctl import threadpool_limits

    from agents.commands import COMMANDS
    from baselines.command_line import run_commands
except ImportError as error:
    print(f'python -m agents: {error}; run: pip install -e ".[agents]"', file=sys.stderr)
    raise SystemExit(2) from error


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments (of the process, unless given) ask for.

    Raises:
        SystemExit: see `run_commands`.
    """
    description = "Trains policies, and measures them against hand-written ones."
    with threadpool_limits(1):  # networks so small are slowed down by more
        run_commands(COMMANDS, "python -m agents", description, arguments)


if __name__ == "__main__":
    main()
