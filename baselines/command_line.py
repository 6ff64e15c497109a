"""Runs the commands of a program, with one line instead of a traceback for what went wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tyro
from gymnasium.error import DependencyNotInstalled


def run_commands(
    commands: Mapping[str, Callable[..., Any]],
    program: str,
    description: str,
    arguments: Sequence[str] | None = None,
) -> None:
    """Runs the command that the arguments ask for.

    Args:
        commands: name to function, whose parameters become options.
        program: what messages call it.
        description: what its help begins with.
        arguments: of the process, unless given.

    Raises:
        SystemExit: with code 2 for what cannot be done, after a line that says why; 1 if what
            reads the output has gone, and 130 if it is interrupted.
    """
    try:
        tyro.extras.subcommand_cli_from_dict(
            dict(commands), prog=program, description=description, args=arguments
        )
        sys.stdout.flush()  # so that a pipe that nobody reads is noticed here
    except BrokenPipeError as error:  # whoever read, such as `head`, has seen enough
        with open(os.devnull, "w") as nowhere:  # for what Python still writes at its end
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise SystemExit(1) from error
    except KeyboardInterrupt as error:
        raise SystemExit(130) from error
    except (ArithmeticError, ValueError, TypeError, OSError, DependencyNotInstalled) as error:
        print(f"{program}: {error}", file=sys.stderr)
        raise SystemExit(2) from error
