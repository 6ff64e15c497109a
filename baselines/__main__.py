"""The command line: ``python -m baselines list | evaluate | compare | crossplay | ...``."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.command_line import one_line_errors, run_commands


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments name; None for those of the process.

    Raises:
        SystemExit: as `one_line_errors`.
    """
    with one_line_errors("python -m baselines", "baselines"):
        from baselines.commands import COMMANDS

        about = "Measures hand-written and learned policies against each other."
        run_commands(COMMANDS, "python -m baselines", about, arguments)


if __name__ == "__main__":
    main()
