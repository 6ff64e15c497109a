"""Self-play: both sides learn in turn, each against all that the other has been so far.

Prioritized fictitious self-play (Vinyals et al. 2019, "Grandmaster level in StarCraft II using
multi-agent reinforcement learning"): every generation trains against a growing pool of frozen
policies, and meets those more often whom it does badly against. Training against the last
opponent alone would forget how to beat the earlier ones, and go around in circles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from agents.durable import read_json
from agents.sides import ENVIRONMENTS, SIDES, other_side
from agents.training.run_folder import RunFolder
from agents.training.runs import begin_run, train_run
from agents.training.training import Training
from baselines.protocol import SCENARIOS
from steer_env.errors import check_integer, check_number

SCRIPTS = {
    side: (*SCENARIOS[f"{other}/walls"].opponents, *SCENARIOS[f"{other}/walls"].held_out)
    for side, other in (("pursuer", "evader"), ("evader", "pursuer"))
}
"""The hand-written policies of each side that are in the pool from the beginning."""


@dataclass(frozen=True, kw_only=True)
class SelfPlay:
    """How both sides learn from each other.

    Attributes:
        generations: how often each side is trained.
        steps: game steps of training, of each side in each generation.
        exploiter_steps: of each fresh policy that is trained to beat a learned one; 0 for none.
        hardness: how much more often hard opponents are met, see `Training`.
        algo: "ppo", or another that both environments have presets for.
        params: what replaces the preset's hyperparameters after the first generation.
        seed: of everything.
        num_envs: games played at once; unless given, the preset's.
    """

    generations: int = 6
    steps: int = 3_000_000
    exploiter_steps: int = 5_000_000
    hardness: float = 1.0
    algo: str = "ppo"
    params: tuple[str, ...] = ("learning_rate=lin_5e-4",)
    seed: int = 0
    num_envs: int | None = None

    def __post_init__(self) -> None:
        check_integer("generations", self.generations, 1)
        check_integer("steps", self.steps, 1)
        check_integer("exploiter_steps", self.exploiter_steps, 0)
        check_number("hardness", self.hardness, 0.0)
        self.training("pursuer", ("evade",))  # checks the rest

    def seed_of(self, generation: int) -> int:
        """Of a generation, so that it does not begin with the starts of the one before."""
        return self.seed + 100 * (generation - 1)

    def training(self, side: str, opponents: Sequence[str], **changes: Any) -> Training:
        """A training of one side."""
        settings: dict[str, Any] = {
            "env": ENVIRONMENTS[side],
            "algo": self.algo,
            "steps": self.steps,
            "seed": self.seed,
            "num_envs": self.num_envs,
            "opponent": tuple(opponents),
            "validations": 5,
            "validation_episodes": 100,
        }
        return Training(**{**settings, **changes})

    def exploiter(self, side: str, target: str) -> Training:
        """A training that looks for the best answer to a policy.

        Args:
            side: of the policy that is answered.
            target: that policy's file, or the name of a script.
        """
        return self.training(
            other_side(side), (target,), steps=self.exploiter_steps, seed=self.seed + 50
        )


@dataclass(frozen=True)
class SelfPlayFolder:
    """Where the files of self-play are: a run's folder for each generation and side.

    Attributes:
        path: of the whole.
    """

    path: Path

    @property
    def config(self) -> Path:
        """How it is trained: JSON."""
        return self.path / "config.json"

    @property
    def readme(self) -> Path:
        """The page that is written when all is done."""
        return self.path / "README.md"

    @property
    def plan(self) -> SelfPlay:
        """What the config says.

        Raises:
            FileNotFoundError: if there is no self-play.
            ValueError: if its config.json is damaged.
        """
        plan = self.read_config()["plan"]
        return SelfPlay(**{**plan, "params": tuple(plan["params"])})

    def read_config(self) -> dict[str, Any]:
        """How it is trained; errors as `plan`."""
        return read_json(self.config, "self-play", "plan")

    def generation(self, number: int, side: str) -> RunFolder:
        """Of the training of one side in one generation, counted from 1."""
        return RunFolder(self.path / f"generation_{number:02}" / side)

    def exploiter(self, number: int, side: str) -> RunFolder:
        """Of the training that looks for the best answer to a generation's policy.

        Args:
            number: of the generation.
            side: of the policy that is answered, so not of the one that is trained.
        """
        return RunFolder(self.path / f"generation_{number:02}" / f"exploiter_of_{side}")


def play_generations(
    plan: SelfPlay, folder: SelfPlayFolder, console: Console
) -> dict[str, list[Path]]:
    """Trains all generations; what is trained already, before a crash, is not trained again.

    Args:
        plan: how.
        folder: of the whole.
        console: where the progress bars go.

    Returns:
        Each side's policies, the first generation first.
    """
    policies: dict[str, list[Path]] = {side: [] for side in SIDES}
    for number in range(1, plan.generations + 1):
        for side in SIDES:
            opponents = [
                *SCRIPTS[other_side(side)],
                *(str(path) for path in policies[other_side(side)]),
            ]
            run = folder.generation(number, side)
            console.print(
                f"generation {number} of {plan.generations}: {side} against a pool of "
                f"{len(opponents)}"
            )
            changes: dict[str, Any] = {"hardness": plan.hardness}
            if number > 1:
                changes["start_from"] = folder.generation(number - 1, side).last_model
                changes["params"] = plan.params
                changes["seed"] = plan.seed_of(number)
            train_once(plan.training(side, opponents, **changes), run, console)
            policies[side].append(run.last_policy)
    return policies


def train_exploiters(
    plan: SelfPlay,
    folder: SelfPlayFolder,
    policies: Mapping[str, Sequence[Path]],
    console: Console,
) -> dict[str, list[Path]]:
    """Trains a fresh policy against each learned one and nobody else, to find its weakness.

    Returns:
        The side that is answered to the answers, the first generation's first.
    """
    answers: dict[str, list[Path]] = {side: [] for side in SIDES}
    for number in range(1, plan.generations + 1):
        for side in SIDES:
            run = folder.exploiter(number, side)
            console.print(f"the best answer to the {side} of generation {number}")
            target = str(policies[side][number - 1])
            train_once(plan.exploiter(side, target), run, console)
            answers[side].append(run.policy)
    return answers


def train_once(training: Training, run: RunFolder, console: Console) -> None:
    """Trains what is not trained yet, from where a crash left it."""
    if is_trained(run):
        return
    if not run.config.exists():
        begin_run(training, run.path)
    train_run(run, console)


def is_trained(run: RunFolder) -> bool:
    """Whether a run's training came to its end."""
    return run.last_model.exists()
