"""The commands of ``steer-env`` that train: functions with the help as docstrings."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from tyro.conf import Positional

from steer_env.baselines.tasks import EPISODES
from steer_env.cli import StatusLine, print_written
from steer_env.errors import InvalidValue
from steer_env.files import read_json
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.sides import Side

from .selfplay.generations import EPISODES as SELFPLAY_EPISODES, SelfPlay
from .training.run import Training, game_in_file


def _on_one_thread(command: Callable[..., None]) -> Callable[..., None]:
    """A command that computes on one thread: more slow down networks this small."""

    @wraps(command)
    def limited(*arguments: Any, **options: Any) -> None:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):
            command(*arguments, **options)

    return limited


@_on_one_thread
def train(
    training: Training,
    out: Path | None = None,
    resume: Path | None = None,
    episodes: int = EPISODES,
) -> None:
    """Trains a policy, measures it, and writes a run's folder.

    It is measured beside the hand-written policies, from starts that were not trained on.

    Args:
        training: What to train.
        out: Folder of the run; by default runs/TASK/ALGORITHM/seed_SEED.
        resume: Folder of a run to continue after a crash, with its own settings. Its checkpoint
            can run code when it is loaded: only for runs that you trust.
        episodes: Episodes of the final measurement, against each opponent.
    """
    from rich.console import Console

    from steer_env.baselines.tables import plain_text

    from .training.run import TrainingRun
    from .training.run_report import comparison_tables
    from .training.train import begin_run, finish_run

    console = Console()
    if resume is None:
        with StatusLine("preparing the training ..."):
            folder = begin_run(training, out or training.folder, episodes)
    elif training != Training() or out is not None or episodes != EPISODES:
        raise InvalidValue(f"{resume} has settings of its own: give --resume and nothing else")
    else:
        folder = TrainingRun(resume)
        if folder.is_trained:
            console.print("training is complete; measuring again")
    with _resume_hint("train", folder.path):
        result = finish_run(folder, console)
    print(plain_text(*comparison_tables(result)), end="\n\n")
    if sentence := read_json(folder.results).get("verdict"):
        print(textwrap.fill(sentence, 80), end="\n\n")
    print_written(folder.path, about=f"see {folder.readme}")
    task = result.task
    learned = [str(folder.policy), task.references[0]]
    sides = Side.named(task.side).ordered(learned, task.opponents[:1])
    game = game_in_file(folder.settings.task) or ENVIRONMENTS[task.environment].game.name
    print(f"See it play: {_watch_line(*sides, game)}")


@_on_one_thread
def selfplay(
    plan: SelfPlay,
    out: Path | None = None,
    resume: Path | None = None,
    episodes: int = SELFPLAY_EPISODES,
) -> None:
    """Trains both sides in turn, each against the earlier policies of the other.

    Args:
        plan: How to train.
        out: Folder of the generations, the figures and the pictures; by default runs/selfplay,
            for another game than the default one runs/selfplay_GAME.
        resume: Folder to continue after a crash, with its own settings.
        episodes: Episodes to measure each pair of policies with.
    """
    from rich.console import Console

    from steer_env.baselines.tables import plain_text

    from .selfplay.generations import SelfPlayRun
    from .selfplay.selfplay import begin_selfplay, finish_selfplay

    console = Console()
    if resume is None:
        with StatusLine("preparing the training ..."):
            folder = begin_selfplay(plan, out or plan.folder, episodes)
    elif plan != SelfPlay() or out is not None or episodes != SELFPLAY_EPISODES:
        raise InvalidValue(f"{resume} has settings of its own: give --resume and nothing else")
    else:
        folder = SelfPlayRun(resume)
    with _resume_hint("selfplay", folder.path):
        tables = finish_selfplay(folder, console)
    print(plain_text(*tables), end="\n\n")
    print_written(folder.path, about=f"see {folder.path / 'README.md'}")
    last = [[str(folder.policy(side))] for side in Side]
    print(f"See them play: {_watch_line(*last, folder.settings.game)}")


@_on_one_thread
def export(
    run: Annotated[Positional[str], tyro.conf.arg(metavar="RUN|FILE.npz|PPO:FILE.zip|NAME")],
    to: Literal["npz", "onnx"],
    out: Path | None = None,
    trust: bool = False,
    normalization: Path | None = None,
) -> None:
    """Exports a trained network (ONNX or .npz) for use elsewhere.

    A .zip file of stable-baselines3 becomes an .npz file that is safe to open.

    Args:
        run: The folder of a run, an .npz file, PPO:FILE.zip for a model of stable-baselines3
            (any algorithm), or the name of a pretrained network.
        to: The format.
        out: The file to write; by default beside the network.
        trust: Load a .zip file and its normalization. These can run any code.
        normalization: File of the VecNormalize of a .zip file.
    """
    from .export.export import CHECKED_OBSERVATIONS, export as write_network

    with StatusLine("writing and comparing ..."):
        path, precision, difference = write_network(run, to, out, trust, normalization)
    about = f"{path.stat().st_size:,} bytes, computes in {precision}"
    if to == "onnx":
        about += f"; on {CHECKED_OBSERVATIONS:,} observations its actions differ from the "
        about += f"network's in double precision by at most {difference:.1e}"
    print_written(path, about=about)


def _watch_line(pursuers: Sequence[str], evaders: Sequence[str], game: str) -> str:
    words = ["--pursuer", *pursuers, "--evader", *evaders, "--game", game]
    return shlex.join(["steer-env", "watch", *words])


@contextmanager
def _resume_hint(command: str, folder: Path) -> Iterator[None]:
    """Says after Ctrl-C, and after an error of a file, how to continue."""
    hint = f"continue with: steer-env {command} --resume {shlex.quote(str(folder))}"
    try:
        yield
    except KeyboardInterrupt:
        print(f"stopped; {hint}")
        raise SystemExit(130) from None
    except OSError as error:
        raise OSError(f"{error}; if that is mended, {hint}") from error
