"""The command line: ``python -m baselines list | evaluate | compare | crossplay | ...``."""

from __future__ import annotations

from functools import partial

from baselines.commands import COMMANDS
from steer_env.command_line import run_commands

_ABOUT = "Measures hand-written and learned policies against each other."

main = partial(run_commands, COMMANDS, "python -m baselines", _ABOUT)
"""Runs the command that the arguments name; by default, those of the process."""

if __name__ == "__main__":
    main()
