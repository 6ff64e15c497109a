"""Runs the commands of a program, and ends it with one line instead of a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gymnasium.error import DependencyNotInstalled

from steer_env.errors import UsageError, to_install
from steer_env.interrupts import raise_interrupts

_ONE_LINE = (UsageError, OSError, DependencyNotInstalled)
_OWN_PACKAGES = ("steer_env", "baselines", "agents")


def run_commands(
    commands: Mapping[str, Callable[..., Any]],
    program: str,
    description: str,
    arguments: Sequence[str] | None = None,
) -> None:
    """Runs the command that the arguments name.

    Args:
        commands: functions by name; their parameters become options, their docstrings help.
        program: its name in messages.
        description: the first line of its help.
        arguments: the command and its options; None for those of the process.

    Raises:
        KeyboardInterrupt: after Ctrl-C, at the latest when the modules that are just being
            imported are complete.
        SystemExit: with code 2 if the arguments cannot be parsed.
    """
    import tyro

    raise_interrupts()
    tyro.extras.subcommand_cli_from_dict(
        dict(commands), prog=program, description=description, args=arguments
    )


@contextmanager
def one_line_errors(program: str, extra: str) -> Iterator[None]:
    """Prints errors that a user can cause as one line, "program: message".

    Other exceptions are bugs, and keep their traceback.

    Args:
        program: its name in messages.
        extra: of `EXTRAS`: to install if an optional package is missing.

    Raises:
        SystemExit: with code 2 after such an error, 1 if the reader of the output has left,
            and 130 after Ctrl-C.
    """
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()  # so that a closed pipe is noticed here
    except BrokenPipeError as error:  # a reader such as `head` has seen enough
        if error.filename is not None or sys.stdout is None:
            raise  # it is about another pipe
        with open(os.devnull, "w") as nowhere:  # for what Python still writes when it exits
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise SystemExit(1) from error
    except KeyboardInterrupt as error:
        raise SystemExit(130) from error
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in _OWN_PACKAGES:
            raise
        print(f"{program}: {error}; {to_install(extra)}", file=sys.stderr)
        raise SystemExit(2) from error
    except _ONE_LINE as error:
        message = str(error) or type(error).__name__
        one_line = "\\n".join(message.splitlines())  # a name of a file may have several
        print(f"{program}: {one_line}", file=sys.stderr)
        raise SystemExit(2) from error


class StatusLine:
    """A line at the bottom of a terminal that shows progress. Redirected output has none."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._width = 0  # of the text on the line now

    def show(self, text: str) -> None:
        """Replaces the text."""
        if self._is_terminal:
            text = text[:79]
            # Spaces over the old text: not every terminal knows the code to clear a line.
            print(f"\r{text:{self._width}}", end="", file=sys.stderr, flush=True)
            self._width = len(text)

    def clear(self) -> None:
        """Empties the line."""
        self.show("")
        if self._is_terminal:
            print("\r", end="", file=sys.stderr, flush=True)

    def print(self, text: str) -> None:
        """Prints a line that stays, above the status."""
        self.clear()
        print(text, flush=True)
