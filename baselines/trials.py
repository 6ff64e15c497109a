"""Plays a player of a file in a process of its own that ends at a limit of time.

Such a file can run for ever, or end its process. A process does not protect from one that
means harm: it can do whatever its user can.
"""

from __future__ import annotations

import faulthandler
import io
import multiprocessing
import os
import re
import signal
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing.connection import Connection
from typing import Any

from steer_env.baselines.command_options import SampleOptions
from steer_env.baselines.episodes import Episodes
from steer_env.baselines.rollouts import checked_sample
from steer_env.errors import FaultyBehavior, UsageError, check_number, printable
from steer_env.options import SideOptions, TeamGameOptions

_ERROR = re.compile(r"^[A-Za-z_.]*(?:Error|Exception)\b.*", re.MULTILINE)  # a traceback's end


class Fault(str):
    """A reason for which a player cannot play, in one line."""


def check(
    players: SideOptions, game: TeamGameOptions, sample: SampleOptions, limit: float = 60.0
) -> Episodes | Fault:
    """Plays a pursuer and an evader, for `limit` seconds at most, or returns what is wrong.

    Raises:
        ValueError: for what is not a player's fault, such as the limit or the game.
    """
    check_number("--limit", limit, 0.0, 1e6, above=True)
    config = checked_sample(game.config(), sample.episodes, sample.seed)[0].as_evaluated()
    context = multiprocessing.get_context("spawn")
    answers, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, players, game, sample, limit))
    process.start()
    theirs.close()  # so that the end of the process is the end of the pipe
    try:
        answers.recv()  # it has imported what is ours
        if not answers.poll(limit):
            return Fault(f"takes longer than {limit:g} s")
        found = answers.recv()
    except (EOFError, OSError):
        process.join()
        return Fault(f"its process ended with {process.exitcode}")
    finally:
        process.kill()
    if isinstance(found, Fault):
        return found
    pursuers, evaders = (tuple(names.values()) for names in players.labels())
    return Episodes(pursuers, evaders, config, found)


def _answer(
    answers: Connection,
    players: SideOptions,
    game: TeamGameOptions,
    sample: SampleOptions,
    limit: float,
) -> None:
    """Sends the rows of the episodes, or a `Fault`, in a process that prints nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    with open(os.devnull, "w") as nowhere:
        for descriptor in (1, 2):  # compiled code prints there, too
            os.dup2(nowhere.fileno(), descriptor)
        # If the parent process is gone, nothing else ends an endless loop.
        faulthandler.dump_traceback_later(limit + 1.0, exit=True, file=nowhere)
        found: Any
        answers.send(None)
        with redirect_stdout(nowhere), redirect_stderr(io.StringIO()) as printed:
            try:
                (pair,) = players.pairs((1, 1), wanted="")
                found = sample.play(pair, game.config()).episodes  # no game can be sent
            except BaseException as error:
                found = Fault(_reason(error, printed.getvalue()))
        answers.send(found)


def _reason(error: BaseException, printed: str) -> str:
    text = str(error).partition("; ")[0]  # of ours, without advice
    text = re.sub("^the behavior .* cannot be compiled", "does not compile", text)
    errors = _ERROR.findall(printed)
    if isinstance(error, FaultyBehavior) and errors:  # of compiled code
        text = f"raises {errors[-1]}"
    elif not isinstance(error, UsageError | OSError):
        text = f"raises {type(error).__name__}: {error}"
    return printable(" ".join(text.split()))
