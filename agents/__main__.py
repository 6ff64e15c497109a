"""The command line: ``python -m agents train | evaluate | selfplay | export | ...``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steer_env.command_line import Program, one_line_errors


def _commands() -> Mapping[str, Callable[..., Any]]:
    from agents.commands import COMMANDS

    return COMMANDS


PROGRAM = Program(
    name="python -m agents",
    about="Trains policies, and measures them beside hand-written ones.",
    groups={
        "Train": {
            "train": "Trains a policy, measures it, and writes a run's folder.",
            "selfplay": "Trains both sides in turn, each against the earlier policies of the "
            "other.",
        },
        "Use what is trained": {
            "evaluate": "Measures the policy of a run again, beside the hand-written ones.",
            "export": "Writes a trained network into a file that runs without this project.",
        },
        "Studies": {
            "methods": "Compares methods of self-play at equal steps, over several seeds.",
            "pretrain": "Trains and measures everything under agents/pretrained/ again.",
        },
    },
    examples={
        "python -m agents train": "a pursuer with PPO, in some minutes",
    },
    others={
        "steer-env": "shows games, plays them with you, and records them",
        "python -m baselines": "measures policies, and compares them",
    },
    load=_commands,
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments name; None for those of the process.

    Raises:
        SystemExit: as `one_line_errors`.
    """
    with one_line_errors(PROGRAM.name, "agents"):
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):  # more threads slow down networks this small
            PROGRAM.run(arguments)


if __name__ == "__main__":
    main()
