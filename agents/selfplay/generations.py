"""The plan and the folder of self-play: both sides learn in turn, against all earlier policies.

Prioritized fictitious self-play (Vinyals et al. 2019, "Grandmaster level in StarCraft II using
multi-agent reinforcement learning"): every generation trains against a growing pool of frozen
policies, and meets those more often that it plays badly against. A policy trained against the
last opponent only would forget how to beat the earlier ones, and learning would cycle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agents.training.run_folder import ConfiguredFolder, RunFolder
from agents.training.training import Training
from baselines.protocol import SCENARIOS
from steer_env.errors import check_choice, check_integer, check_number, check_texts
from steer_env.sides import PURSUER, Side

SCRIPTS = {
    side: (*scenario.opponents, *scenario.held_out)
    for side in Side
    for scenario in [SCENARIOS[f"{side.other.name}/walls"]]
}
"""The scripts of each side that are in the pool from the beginning."""


@dataclass(frozen=True, kw_only=True)
class SelfPlay:
    """How both sides learn from each other.

    Attributes:
        generations: how often each side is trained.
        steps: game steps of training, of each side in each generation.
        exploiter_steps: of each new policy that is trained to beat a learned one; 0 for none.
        hardness: how much more often hard opponents are drawn, see `Training`.
        algo: "ppo", or another that both environments have presets for.
        params: replacements of the preset's hyperparameters after the first generation.
        seed: of everything.
        num_envs: games played at once; by default the preset's.
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
        self.training(PURSUER, ("evade",))  # checks the rest

    def training(self, side: Side, opponents: Sequence[str], **changes: Any) -> Training:
        """A training of one side."""
        settings: dict[str, Any] = {
            "env": side.environment,
            "algo": self.algo,
            "steps": self.steps,
            "seed": self.seed,
            "num_envs": self.num_envs,
            "opponent": tuple(opponents),
            "validations": 5,
            "validation_episodes": 100,
        }
        return Training(**{**settings, **changes})

    def later(self, number: int) -> dict[str, Any]:
        """The settings in which a generation differs from the first: starts of its own, too."""
        if number == 1:
            return {}
        return {"params": self.params, "seed": self.seed + 100 * (number - 1)}

    def exploiter(self, side: Side, target: str) -> Training:
        """A training for the best answer to a policy of a side: a file, or a script's name."""
        return self.training(
            side.other, (target,), steps=self.exploiter_steps, seed=self.seed + 50
        )


class SelfPlayFolder(ConfiguredFolder):
    """The files of self-play: a run's folder for each generation and side."""

    kind = "self-play"
    keys = ("plan", "episodes")

    @property
    def settings(self) -> SelfPlay:
        """The plan in config.json.

        Raises:
            FileNotFoundError: if there is no self-play.
            ValueError: if its config.json is damaged.
        """
        return self.settings_made_by(_plan_of)

    def generation(self, number: int, side: Side) -> RunFolder:
        """The folder of one side's training in one generation, counted from 1."""
        return RunFolder(self.path / f"generation_{number:02}" / side.name)

    def exploiter(self, number: int, side: Side) -> RunFolder:
        """The folder of the training for the best answer to a generation's policy of a side."""
        return RunFolder(self.path / f"generation_{number:02}" / f"exploiter_of_{side.name}")


def _plan_of(given: Mapping[str, Any]) -> SelfPlay:
    """The plan of which a config.json holds the settings."""
    for name in given:
        check_choice("setting of self-play", name, asdict(SelfPlay()))
    plan = {**asdict(SelfPlay()), **given}
    return SelfPlay(**{**plan, "params": check_texts("params", plan["params"])})
