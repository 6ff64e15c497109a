"""The command line of this package alone: ``steer-env``; see `steer_env.cli`."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.cli import run


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments name; None for those of the process.

    Raises:
        SystemExit: as `run`.
    """
    run("steer-env", ["steer_env"], arguments)


if __name__ == "__main__":
    main()
