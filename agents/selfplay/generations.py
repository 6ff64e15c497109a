"""The plan and the folder of self-play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents.training.hyperparameters import ALGORITHMS, environment_with_preset, parse_overrides
from agents.training.training import ConfiguredFolder, RunFolder, Training
from steer_env.errors import (
    InvalidValue,
    check_choice,
    check_integer,
    check_number,
    check_texts,
)
from steer_env.scenarios.registry import DEFAULT_GAME, GAMES
from steer_env.sides import PURSUER, Side

METHOD_NAMES = ("prioritized", "fictitious", "independent", "psro")
"""The keys of `agents.selfplay.methods.METHODS`."""

EPISODES = 1000  # the default number of episodes for each pair of policies
TARGETS = {
    "last": "the last generation",
    "sampled": "the last generation, which samples its actions",
    "mixture": "the mixture of all generations",
}
"""The policies of a run for which exploiters are trained."""


@dataclass(frozen=True, kw_only=True)
class SelfPlay:
    """The settings of self-play, and of the search for best answers to its policies.

    Attributes:
        game: The game to play: "walls", "agile_torus" or "obstacles"; one of teams, whose
            players share a network: "pack", "team", "pack_obstacles", "herd" or "tag"; or one
            where perfect play is known: "simple_plane", "homicidal_chauffeur", "two_cars" or
            "drag".
        method: What a generation trains against: "prioritized" or "fictitious" for all earlier
            policies, "independent" for the latest, "psro" for the equilibrium of all; see
            `agents.selfplay.methods`.
        generations: How often each side is trained.
        steps: Steps of training, of each side in each generation. Each player of a team counts,
            so a side of three plays a third of them in the game.
        exploiters: Trainings for the best answer to a policy; every other one starts from the
            best known answer of the run instead of a new network.
        exploiter_steps: Steps of each exploiter before it is first measured; 0 for no
            exploiters.
        most_exploiter_steps: The budget of an exploiter doubles up to this.
        tolerance: Exploiters stop when a doubling of the budget has moved the mean capture time
            of none by more than this, in seconds; in two_cars and drag, the mean distance in
            meters.
        hardness: How much more often hard opponents are drawn by "prioritized", see `Training`.
        algo: The algorithm, "ppo", "sac", "td3" or "dqn". A side trains with discrete actions
            if only those have a preset for it.
        params: Replacements of the preset's hyperparameters wherever a training goes on from
            another one.
        seed: Seed of everything.
        num_envs: Games played at once; by default the preset's.
    """

    game: str = DEFAULT_GAME
    method: str = "prioritized"
    generations: int = 6
    steps: int = 3_000_000
    exploiters: int = 4
    exploiter_steps: int = 2_500_000
    most_exploiter_steps: int = 20_000_000
    tolerance: float = 0.1
    hardness: float = 1.0
    algo: str = "ppo"
    params: tuple[str, ...] = ("learning_rate=lin_5e-4",)
    seed: int = 0
    num_envs: int | None = None

    def __post_init__(self) -> None:
        check_choice("game", self.game, GAMES)
        check_choice("method", self.method, METHOD_NAMES)
        check_choice("algo", self.algo, ALGORITHMS)
        for name in ("generations", "steps", "most_exploiter_steps"):
            check_integer(name, getattr(self, name), 1)
        check_integer("exploiters", self.exploiters, 1, 49)
        check_integer("exploiter_steps", self.exploiter_steps, 0)
        if self.most_exploiter_steps < self.exploiter_steps:
            raise InvalidValue(
                f"most_exploiter_steps must be at least exploiter_steps, "
                f"{self.exploiter_steps:,}, got {self.most_exploiter_steps:,}"
            )
        check_number("tolerance", self.tolerance, 0.0)
        check_number("hardness", self.hardness, 0.0)
        if parse_overrides(self.params).get("imitate"):
            raise InvalidValue(
                "params are for what goes on from a trained network, which imitates no script: "
                "leave imitate out"
            )
        self.training(PURSUER, ("evade",))  # checks the rest

    @property
    def budgets(self) -> tuple[int, ...]:
        """The steps of an exploiter at each of its measurements, each twice the last."""
        found = [self.exploiter_steps] if self.exploiter_steps else []
        while found and 2 * found[-1] <= self.most_exploiter_steps:
            found.append(2 * found[-1])
        return tuple(found)

    @property
    def folder_name(self) -> str:
        """The default name of the folder, a different one for each game."""
        return "selfplay" if self.game == DEFAULT_GAME else f"selfplay_{self.game}"

    def environment(self, side: Side) -> str:
        """The id of the environment in which a side trains."""
        return environment_with_preset(self.algo, GAMES[self.game], side)

    def training(self, side: Side, opponents: Sequence[str], **changes: Any) -> Training:
        """A training of one side."""
        settings: dict[str, Any] = {
            "env": self.environment(side),
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
        """The settings in which a generation differs from the first, with other starts."""
        if number == 1:
            return {}
        return {"params": self.params, "seed": self.seed + 100 * (number - 1)}

    def exploiter(
        self, side: Side, target: str, number: int, part: int, start: Path | None = None
    ) -> Training:
        """A training for the best answer to a policy of a side: a file, or a script's name.

        Args:
            side: of the policy to answer.
            target: the policy.
            number: of the exploiter, from 0; each has its own starts and network.
            part: of its training, from 0: it goes on where the last budget ended.
            start: the model that it goes on from; None for a new network.
        """
        budgets = (0, *self.budgets)
        return self.training(
            side.other,
            (target,),
            steps=budgets[part + 1] - budgets[part],
            seed=self.seed + 50 + number + 100 * part,
            start_from=start,
            params=() if start is None else self.params,
        )


class SelfPlayFolder(ConfiguredFolder):
    """The files of self-play: a run's folder for each generation and side."""

    kind = "self-play"
    keys = ("plan", "episodes")

    @property
    def settings(self) -> SelfPlay:
        """The plan in config.json."""
        return self.settings_made_by(_plan_of)

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.gaps = path / "gaps.npz"  # the best answers' gains from each start, by target

    def generation(self, number: int, side: Side) -> RunFolder:
        """The folder of one side's training in one generation, counted from 1."""
        return RunFolder(self.path / f"generation_{number:02}" / side.name)

    def policy(self, target: str, side: Side) -> Path:
        """The file of one of the `TARGETS` of a side."""
        name = side.name if target == "last" else f"{side.name}_{target}"
        return self.path / f"{name}.npz"

    def exploiter(self, target: str, side: Side, number: int, part: int) -> RunFolder:
        """The folder of a part of the training for the best answer to a side's target."""
        answers = self.path / "exploiters" / f"of_{self.policy(target, side).stem}"
        return RunFolder(answers / f"exploiter_{number}" / f"part_{part}")


def _plan_of(given: Mapping[str, Any]) -> SelfPlay:
    """The plan of which a config.json holds the settings."""
    if given.get("method") == "league":
        raise InvalidValue(
            "this is a league, which only older versions can go on with; "
            "examples/rllib_both_sides.py trains both sides at once"
        )
    plan = {**asdict(SelfPlay()), **given}
    plan.pop("env_runners", None)  # of a league, in folders of older versions
    for name in plan:
        check_choice("setting of self-play", name, asdict(SelfPlay()))
    return SelfPlay(**{**plan, "params": check_texts("params", plan["params"])})
