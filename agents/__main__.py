"""The command line: ``python -m agents train | evaluate | selfplay | export | ...``."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.command_line import one_line_errors, run_commands


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments name; None for those of the process.

    Raises:
        SystemExit: as `one_line_errors`.
    """
    with one_line_errors("python -m agents", "agents"):
        from threadpoolctl import threadpool_limits

        from agents.commands import COMMANDS

        about = "Trains policies, and measures them beside hand-written ones."
        with threadpool_limits(1):  # more threads slow down networks this small
            run_commands(COMMANDS, "python -m agents", about, arguments)


if __name__ == "__main__":
    main()
