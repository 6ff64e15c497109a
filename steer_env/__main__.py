"""The command line: ``steer-env info | bench | watch | play | record``."""

from __future__ import annotations

from functools import partial

from steer_env.command_line import run_commands
from steer_env.commands import COMMANDS

_ABOUT = "Pursuit and evasion as Gymnasium environments."

main = partial(run_commands, COMMANDS, "steer-env", _ABOUT)
"""Runs the command that the arguments name; by default, those of the process."""

if __name__ == "__main__":
    main()
