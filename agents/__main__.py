"""The command line: ``python -m agents train --help``."""

from __future__ import annotations

import tyro

from agents.train import Training, run


def main() -> None:
    """Parses the command line and runs what it asks for."""
    programs = {"train": Training}
    run(tyro.extras.subcommand_cli_from_dict(programs, prog="python -m agents"))


if __name__ == "__main__":
    main()
