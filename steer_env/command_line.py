"""How programs end: with one line instead of a traceback for what went wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from gymnasium.error import DependencyNotInstalled

_TOLD = (
    *(ArithmeticError, ValueError, TypeError, OSError, MemoryError),
    DependencyNotInstalled,
)


@contextmanager
def telling_errors(program: str) -> Iterator[None]:
    """Runs a command.

    Args:
        program: what messages call it.

    Raises:
        SystemExit: with code 2 for what cannot be done, after a line that says why; 1 if what
            reads the output has gone, and 130 if it is interrupted.
    """
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()  # so that a pipe that nobody reads is noticed here
    except BrokenPipeError as error:  # whoever read, such as `head`, has seen enough
        with open(os.devnull, "w") as nowhere:  # for what Python still writes at its end
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise SystemExit(1) from error
    except KeyboardInterrupt as error:
        raise SystemExit(130) from error
    except _TOLD as error:
        print(f"{program}: {error or type(error).__name__}", file=sys.stderr)
        raise SystemExit(2) from error
