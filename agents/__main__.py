"""The command line of this package alone: ``python -m agents``."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.cli import run


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command: the given arguments, or those of the process."""
    run("python -m agents", ["steer_env.agents"], arguments)


if __name__ == "__main__":
    main()
