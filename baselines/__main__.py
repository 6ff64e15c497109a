"""The command line: ``python -m baselines list | evaluate | compare | crossplay | ...``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import tyro
from gymnasium.error import DependencyNotInstalled

from baselines.commands import COMMANDS


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments (of the process, unless given) ask for.

    Raises:
        SystemExit: with code 2 for what cannot be done, after a line that says why; 1 if what
            reads the output has gone, and 130 if it is interrupted.
    """
    try:
        tyro.extras.subcommand_cli_from_dict(
            COMMANDS,
            prog="python -m baselines",
            description="Measures hand-written and learned policies against each other.",
            args=arguments,
        )
        sys.stdout.flush()  # so that a pipe that nobody reads is noticed here
    except BrokenPipeError as error:  # whoever read, such as `head`, has seen enough
        with open(os.devnull, "w") as nowhere:  # for what Python still writes at its end
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise SystemExit(1) from error
    except KeyboardInterrupt as error:
        raise SystemExit(130) from error
    except (ArithmeticError, ValueError, TypeError, OSError, DependencyNotInstalled) as error:
        print(f"python -m baselines: {error}", file=sys.stderr)
        raise SystemExit(2) from error


if __name__ == "__main__":
    main()
