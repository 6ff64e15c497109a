"""The commands of ``python -m agents``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console

from agents.export.export import export_command
from agents.pretraining.collections import COLLECTIONS, train_all
from agents.pretraining.results import PRETRAINED, collect, write_page
from agents.selfplay.generations import SelfPlay, SelfPlayFolder
from agents.selfplay.runs import begin_selfplay, finish_selfplay
from agents.training.results import printed, remeasure
from agents.training.run_folder import RunFolder
from agents.training.runs import begin_run, finish_run
from agents.training.speed import speed
from agents.training.training import Training
from baselines.protocol import EPISODES
from baselines.tables import plain_text
from steer_env.errors import InvalidValue, check_choice, check_integer

Run = Annotated[Path, tyro.conf.Positional]


def train(
    training: Annotated[Training, tyro.conf.arg(name="")] = Training(),  # noqa: B008  (frozen)
    out: Path | None = None,
    resume: Path | None = None,
    episodes: int = EPISODES,
) -> None:
    """Trains a policy, measures it beside the hand-written ones, and writes a run's folder.

    Args:
        training: what to train.
        out: folder of the run; unless given, runs/ENVIRONMENT/ALGORITHM/seed_SEED, or the
            scenario's name for the environment's.
        resume: folder of a run to go on with after a crash; its own settings hold. That loads
            its checkpoint, which can run code: only for runs that you trust.
        episodes: to measure the policy with, against each opponent.
    """
    console = Console()
    if resume is None:
        folder = begin_run(training, out or training.folder, episodes)
    elif training != Training() or out is not None or episodes != EPISODES:
        raise InvalidValue(f"{resume} has settings of its own: give --resume and nothing else")
    else:
        folder = RunFolder(resume)
        if folder.last_model.exists():
            console.print("it is trained; measuring it again")
    with _told_how_to_resume("train", folder.path):
        result = finish_run(folder, console)
    print(f"{printed(result)}\n\nwrote {folder.path}: see {folder.readme}")


def evaluate(run: Run, episodes: int = EPISODES) -> None:
    """Measures the policy of a run again, beside the hand-written ones.

    Args:
        run: its folder.
        episodes: to play against each opponent.
    """
    print(printed(remeasure(run, episodes)))


def selfplay(
    plan: Annotated[SelfPlay, tyro.conf.arg(name="")] = SelfPlay(),  # noqa: B008  (frozen)
    out: Path = Path("runs/selfplay"),
    resume: Path | None = None,
    episodes: int = 1000,
) -> None:
    """Trains both sides in turn, each against all that the other has been so far.

    Args:
        plan: how.
        out: folder of the generations, the figures and the pictures.
        resume: folder to go on with after a crash; its own settings hold.
        episodes: to measure each pair of policies with.
    """
    console = Console()
    if resume is None:
        folder = begin_selfplay(plan, out, episodes)
    elif plan != SelfPlay() or out != Path("runs/selfplay") or episodes != 1000:
        raise InvalidValue(f"{resume} has settings of its own: give --resume and nothing else")
    else:
        folder = SelfPlayFolder(resume)
    with _told_how_to_resume("selfplay", folder.path):
        tables = finish_selfplay(folder, console)
    print(f"{plain_text(*tables)}\n\nwrote {folder.path}: see {folder.path / 'README.md'}")


def pretrain(
    only: tuple[str, ...] = (),
    jobs: int = 2,
    work: Path = Path("runs/pretrained"),
    out: Path = PRETRAINED,
    episodes: int = EPISODES,
) -> None:
    """Trains and measures everything under agents/pretrained/ anew.

    Args:
        only: some of it, such as Pursuit-v0/ppo.
        jobs: how many runs to train at once, each on one core.
        work: folder of the training runs; what is trained there already is not trained again.
        out: folder of the policies, their figures and the page.
        episodes: to measure with, against each opponent.
    """
    by_path = {str(collection.path): collection for collection in COLLECTIONS}
    for name in only:
        check_choice("only", name, by_path)
    check_integer("jobs", jobs, 1)
    chosen = [by_path[name] for name in only or by_path]
    train_all(chosen, work, jobs)
    for collection in chosen:
        collect(collection, work, out, episodes)
    write_page(out)
    print(f"wrote {out}: see {out / 'README.md'}")


@contextmanager
def _told_how_to_resume(command: str, folder: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        print(f"stopped; go on with: python -m agents {command} --resume {folder}")
        raise SystemExit(130) from None


COMMANDS: dict[str, Callable[..., Any]] = {
    "train": train,
    "evaluate": evaluate,
    "selfplay": selfplay,
    "export": export_command,
    "pretrain": pretrain,
    "speed": speed,
}
