"""The command line: ``steer-env info | bench | watch | play | record``."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.command_line import one_line_errors, run_commands


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments name; None for those of the process.

    Raises:
        SystemExit: as `one_line_errors`.
    """
    with one_line_errors("steer-env", "render"):
        from steer_env.commands import COMMANDS

        about = (
            "Pursuit and evasion as Gymnasium environments. Also: python -m baselines measures "
            "policies; python -m agents, in a checkout only, trains them."
        )
        run_commands(COMMANDS, "steer-env", about, arguments)


if __name__ == "__main__":
    main()
