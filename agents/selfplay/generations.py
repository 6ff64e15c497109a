"""The plan and the folder of self-play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from steer_env.errors import InvalidValue, check_choice, check_integer, check_number
from steer_env.options import choice
from steer_env.scenarios.registry import DEFAULT_GAME, GAMES
from steer_env.sides import PURSUER, Side

from ..training.hyperparameters import ALGORITHMS, environment_with_preset, parse_overrides
from ..training.run import Run, Settings, Training, TrainingRun

METHODS = ("prioritized", "fictitious", "independent", "psro")
EPISODES = 1000  # the default number of episodes for each pair of policies


@dataclass(frozen=True, kw_only=True)
class SelfPlay(Settings):
    """The settings of self-play.

    Attributes:
        game: The game to play: "walls", "agile_torus" or "obstacles"; one of teams, whose
            players share a network: "pack", "team", "pack_obstacles", "herd" or "tag"; or one
            where perfect play is known: "simple_plane", "homicidal_chauffeur", "two_cars" or
            "drag".
        method: What a generation trains against: "prioritized" or "fictitious" for all earlier
            policies, "independent" for the latest, "psro" for the equilibrium of all; see
            `steer_env.agents.selfplay.selfplay`.
        generations: How often each side is trained.
        steps: Steps of training, of each side in each generation. Each player of a team counts,
            so a side of three plays a third of them in the game.
        hardness: How much more often hard opponents are drawn by "prioritized", see `Training`.
        algo: The algorithm. A side trains with discrete actions if only those have a preset.
        params: Replacements of the preset's hyperparameters wherever a training goes on from
            another one.
        seed: Seed of everything.
        num_envs: Games played at once; by default the preset's.
    """

    game: str = DEFAULT_GAME
    method: Annotated[str, choice(METHODS)] = "prioritized"
    generations: int = 6
    steps: int = 3_000_000
    hardness: float = 1.0
    algo: Annotated[str, choice(ALGORITHMS)] = "ppo"
    params: tuple[str, ...] = ("learning_rate=lin_5e-4",)
    seed: int = 0
    num_envs: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("game", self.game, GAMES)
        check_choice("method", self.method, METHODS)
        check_choice("algo", self.algo, ALGORITHMS)
        for name in ("generations", "steps"):
            check_integer(name, getattr(self, name), 1)
        check_number("hardness", self.hardness, 0.0)
        if parse_overrides(self.params).get("imitate"):
            raise InvalidValue(
                "params are for what goes on from a trained network, which imitates no script: "
                "leave imitate out"
            )
        self.training(PURSUER, ("evade",))  # checks the rest

    @property
    def folder(self) -> Path:
        """The default folder, a different one for each game."""
        return Path("runs", "selfplay" + f"_{self.game}" * (self.game != DEFAULT_GAME))

    def training(self, side: Side, opponents: Sequence[str], **changes: Any) -> Training:
        """A training of one side."""
        own = {name: getattr(self, name) for name in ("algo", "steps", "seed", "num_envs")}
        own["task"] = environment_with_preset(self.algo, GAMES[self.game], side)
        measured = {"validations": 5, "validation_episodes": 100}
        return Training(**{**own, "opponent": tuple(opponents), **measured, **changes})

    def later(self, number: int) -> dict[str, Any]:
        """The settings in which a generation differs from the first, with other starts."""
        if number == 1:
            return {}
        return {"params": self.params, "seed": self.seed + 100 * (number - 1)}


class SelfPlayRun(Run[SelfPlay]):
    """The run of self-play, with a training's run for each generation and side."""

    made_of = SelfPlay
    kind = "self-play"
    keys = ("plan", "episodes")

    def generation(self, number: int, side: Side) -> TrainingRun:
        """The folder of one side's training in one generation, counted from 1."""
        return TrainingRun(self.path / f"generation_{number:02}" / side.name)

    def policy(self, side: Side) -> Path:
        """The file of a side's last generation."""
        return self.path / f"{side.name}.npz"

    def mixture(self, side: Side) -> Path:
        """The file of a side's mixture of generations."""
        return self.path / f"{side.name}_mixture.npz"
