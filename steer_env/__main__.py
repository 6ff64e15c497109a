"""The command line of this package alone: ``python -m steer_env``."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.cli import run


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments, or those of the process, name."""
    run("steer-env", ["steer_env"], arguments)


if __name__ == "__main__":
    main()
