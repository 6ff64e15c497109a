"""What is pretrained, and how all of it is trained and measured anew."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from agents.selfplay.generations import SCRIPTS, SelfPlay, SelfPlayFolder
from agents.selfplay.runs import begin_selfplay
from agents.sides import DEFAULT_OPPONENTS, ENVIRONMENTS, LEARNERS, other_side
from agents.training.run_folder import RunFolder
from agents.training.runs import begin_run
from agents.training.training import Training
from baselines.protocol import SCENARIOS, Scenario
from steer_env.errors import InvalidValue
from steer_env.scripts.roster import ROSTER
from steer_env.policies import pretrained

EVADERS = tuple(name for name, script in ROSTER.items() if not script.chases)
PURSUERS = tuple(name for name, script in ROSTER.items() if script.chases)
"""Every script of the roster, by side."""


@dataclass(frozen=True, kw_only=True)
class Collection:
    """Runs of one kind, which differ in nothing but their seeds.

    Attributes:
        name: of their folder in pretrained/<environment>/.
        about: whom they were trained against, for people.
        training: of the first; or the plan of self-play, which trains both sides.
        environment: id.
        seeds: one a run.
    """

    name: str
    about: str
    training: Training | SelfPlay
    environment: str
    seeds: tuple[int, ...] = (0,)

    @property
    def path(self) -> Path:
        """Of the folder, inside pretrained/."""
        return Path(self.environment, self.name)

    @property
    def title(self) -> str:
        """What `baselines.load` calls the first of its policies."""
        words = {environment: word for word, environment in pretrained.ENVIRONMENTS.items()}
        return f"{pretrained.PREFIX}{words[self.environment]}/{self.name}"

    @property
    def study(self) -> Scenario:
        """Whom its policies are measured against, and beside whom."""
        if isinstance(self.training, Training):
            return self.training.study
        side = LEARNERS[self.environment]
        return replace(
            SCENARIOS[f"{side}/walls"],
            name=f"{self.environment} after self-play",
            opponents=SCRIPTS[other_side(side)],
            held_out=(),
        )

    def policy(self, work: Path, seed: int) -> Path:
        """The file of a trained policy.

        Args:
            work: folder of all the runs.
            seed: of the run.
        """
        if isinstance(self.training, Training):
            return self.run(work, seed).policy
        return SelfPlayFolder(work / "selfplay").path / f"{LEARNERS[self.environment]}.npz"

    def run(self, work: Path, seed: int) -> RunFolder:
        """The folder of a training run."""
        return RunFolder(work / self.path / f"seed_{seed}")


def _collections() -> Iterator[Collection]:
    for side, environment in ENVIRONMENTS.items():
        opponent = DEFAULT_OPPONENTS[side]
        roster = EVADERS if side == "pursuer" else PURSUERS
        yield Collection(
            name="ppo",
            about=f"`{opponent}`",
            training=Training(env=environment),
            environment=environment,
            seeds=(0, 1, 2, 3, 4),
        )
        yield Collection(
            name="sac",
            about=f"`{opponent}`",
            training=Training(env=environment, algo="sac"),
            environment=environment,
        )
        yield Collection(
            name="mixture",
            about=f"PPO, all {len(roster)} scripts",
            training=Training(env=environment, opponent=roster, hardness=2.0, steps=20_000_000),
            environment=environment,
        )
        yield Collection(
            name="selfplay",
            about="PPO, earlier generations and scripts",
            training=SelfPlay(),
            environment=environment,
        )


COLLECTIONS: tuple[Collection, ...] = tuple(_collections())
"""Everything that is pretrained."""


def train_all(collections: Sequence[Collection], work: Path, jobs: int) -> None:
    """Trains every run that is not trained yet, from where a crash left it.

    Args:
        collections: what to train.
        work: folder of all the runs.
        jobs: how many to train at once, each in a process of its own on one core.

    Raises:
        ChildProcessError: if a run fails.
    """
    commands = list(dict.fromkeys(_commands(collections, work)))
    with ThreadPoolExecutor(jobs) as pool:
        for command, failure in zip(commands, pool.map(_failure_of, commands)):
            if failure is not None:
                raise ChildProcessError(f"{' '.join(command)} failed:\n{failure}")
            print("trained", command[-1], flush=True)


def _commands(collections: Iterable[Collection], work: Path) -> Iterator[tuple[str, ...]]:
    """The command that trains each run; its folder is made, but nothing is trained yet."""
    for collection in collections:
        if isinstance(collection.training, SelfPlay):
            folder = SelfPlayFolder(work / "selfplay")
            if not folder.config.exists():
                begin_selfplay(collection.training, folder.path, episodes=1000)
            _check_same(folder.path, folder.plan, collection.training)
            if not folder.readme.exists():
                yield "selfplay", "--resume", str(folder.path)
            continue
        for seed in collection.seeds:
            run, training = collection.run(work, seed), replace(collection.training, seed=seed)
            if not run.config.exists():
                begin_run(training, run.path)
            _check_same(run.path, Training.from_dict(run.read_config()["training"]), training)
            if not run.readme.exists():
                yield "train", "--resume", str(run.path)


def _check_same(path: Path, found: object, wanted: object) -> None:
    if found != wanted:
        raise InvalidValue(f"{path} holds another training: {found}; remove it to train anew")


def _failure_of(command: tuple[str, ...]) -> str | None:
    done = subprocess.run(
        [sys.executable, "-m", "agents", *command],
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stderr if done.returncode else None
