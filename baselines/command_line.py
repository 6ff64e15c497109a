"""Runs the commands of a program, with one line instead of a traceback for what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tyro

from steer_env.command_line import telling_errors


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
        SystemExit: see `telling_errors`.
    """
    with telling_errors(program):
        tyro.extras.subcommand_cli_from_dict(
            dict(commands), prog=program, description=description, args=arguments
        )
