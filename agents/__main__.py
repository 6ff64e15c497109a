"""The command line: ``python -m agents train --help``."""

from __future__ import annotations

import tyro

from agents.train import Training, run


def main() -> None:
    """Parses the command line and runs what it asks for."""
    training = tyro.extras.subcommand_cli_from_dict(
        {"train": Training}, prog="python -m agents"
    )
    run(training)


if __name__ == "__main__":
    main()
