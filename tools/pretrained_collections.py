"""Everything that is pretrained, and how to train all of it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from train_folders import train_folders

from steer_env.agents.selfplay.generations import SelfPlay, SelfPlayRun
from steer_env.agents.selfplay.selfplay import first_scripts
from steer_env.agents.training.hyperparameters import environment_with_preset
from steer_env.agents.training.run import Training, TrainingRun
from steer_env.baselines.tasks import ALL_TASKS, TASKS, WORLD_TASKS, Task
from steer_env.players import pretrained
from steer_env.scenarios.registry import DEFAULT_GAME, ENVIRONMENTS, SOLVED, SUITE
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import EVADER, PURSUER, Side


@dataclass(frozen=True, kw_only=True)
class Collection:
    """Runs that differ only in their seeds.

    Attributes:
        name: of their folder in pretrained/<environment>/.
        game: that they play.
        about: the opponents that they were trained against, for people.
        training: of the first run; or the plan of self-play, which trains both sides.
        side: that is trained, in the environment of this side.
        seeds: one for each run.
    """

    name: str
    about: str
    training: Training | SelfPlay
    side: Side
    seeds: tuple[int, ...] = (0,)
    game: Scenario = SUITE[DEFAULT_GAME]

    @property
    def path(self) -> Path:
        """The folder, inside pretrained/."""
        return Path(self.game.environment(self.side), self.name)

    @property
    def title(self) -> str:
        """The name by which `steer_env.baselines.load` loads the first of its policies."""
        return pretrained.name_of(self.game, self.side, self.name)

    @property
    def study(self) -> Task:
        """The game, the opponents to measure against, and the policies to compare with."""
        if isinstance(self.training, Training):
            return self.training.study
        # The first generation's study: what is not in the population at first is held out.
        scripts = first_scripts(self.training.game, self.side.other)
        study = self.training.training(self.side, scripts).study
        return replace(study, name=f"{study.environment} after self-play")

    @property
    def is_beside_scripts(self) -> bool:
        """Tests if it is a team to compare with the best script, as no perfect one is known."""
        has_other_page = self.game.is_solved or bool(self.game.unseen_maps)
        return self.game.is_team(self.side) and not has_other_page

    @property
    def has_curve(self) -> bool:
        """Tests if its validations show how it learns; by search it has learned before them."""
        return isinstance(self.training, Training) and self.training.method == "rewards"

    def folder(self, work: Path, seed: int) -> TrainingRun | SelfPlayRun:
        """The folder of a run or of self-play, inside the folder of all the runs."""
        if isinstance(self.training, SelfPlay):
            return SelfPlayRun(work / self.training.folder.name)
        return TrainingRun(work / self.path / f"seed_{seed}")

    def policy(self, work: Path, seed: int) -> Path:
        """The file of a trained policy, in the folder of all the runs."""
        folder = self.folder(work, seed)
        if isinstance(folder, TrainingRun):
            return folder.policy
        return folder.path / f"{self.side.name}.npz"


BENCHMARKS = BENCHMARK, BENCHMARK_BY_SEARCH = "benchmark", "benchmark_search"
"""The names of the collections that are trained and measured by the benchmark protocol."""

# Stated, so that a new name in the roster does not change what was trained.
_SCRIPTS = {
    PURSUER: (
        "seek arrive pursuit pursuit/constant pursuit/target_speed pursuit/own_speed "
        "pursuit/reynolds pursuit/intercept pursuit/turning pursuit/braking "
        "pursuit/accelerating pursuit/contained pursuit/full_force pursuit/among_obstacles "
        "pursuit/pack offset_pursuit navigation navigation/pure navigation/augmented "
        "constant_bearing deviated_pursuit"
    ),
    EVADER: (
        "idle wander flee evade evade/intercept evade/threatened evade/among_obstacles "
        "evade/prioritized evade/dithered evade/chaotic evade/herd hide"
    ),
}
"""The opponents of the mixtures, by their side."""

_TRAINED_TEAMS = ("pursuer/team", "pursuer/pack_obstacles", "pursuer/tag", "evader/team")
"""The tasks of teams, beside the protocol's, in which a team is trained."""

_SOLVED = ("simple_plane", "homicidal_chauffeur", "two_cars", "drag")
"""The solved games in which both sides are trained by every method."""

_TARGETS = ("reach_avoid", "two_on_one", "perimeter_defense")
"""The solved games in which both sides are trained by PPO alone."""

_SEEDS = (0, 1, 2, 3, 4)
_POOL = "PPO, earlier generations and scripts"


def _collections() -> Iterator[Collection]:
    for side in Side:
        env, opponent = side.environment, f"`{side.default_opponent}`"
        scripts = tuple(_SCRIPTS[side.other].split())
        sac = Training(task=env, algo="sac")
        mixture = Training(task=env, opponent=scripts, hardness=2.0, steps=20_000_000)
        about = f"PPO, {len(scripts)} scripts"
        ppo = Training(task=env)
        yield Collection(name="ppo", about=opponent, training=ppo, side=side, seeds=_SEEDS)
        yield Collection(name="sac", about=opponent, training=sac, side=side)
        if side is PURSUER:
            search, about_search = Training(task=env, method="search"), f"search, {opponent}"
            given: dict[str, Any] = {"training": search, "side": side, "seeds": _SEEDS}
            yield Collection(name="search", about=about_search, **given)
        yield Collection(name="mixture", about=about, training=mixture, side=side)
        yield Collection(name="selfplay", about=_POOL, training=SelfPlay(), side=side)
    for task in TASKS.values():
        game, side = ENVIRONMENTS[task.environment].game, Side.named(task.side)
        steps = None if game.is_team(side) else 12_000_000
        yield Collection(
            name=BENCHMARK,
            about="PPO, the task's opponents",
            training=Training(task=task.name, steps=steps),
            side=side,
            seeds=_SEEDS,
            game=game,
        )
    # Evaders gain by rounds in which the network itself is the base policy, as in their preset.
    for side, params in ((PURSUER, ("search=12",)), (EVADER, ())):
        task = f"{side.name}/walls"
        yield Collection(
            name=BENCHMARK_BY_SEARCH,
            about="search, the task's opponents",
            training=Training(task=task, method="search", params=params),
            side=side,
            seeds=_SEEDS,
        )
    for name in (*_TRAINED_TEAMS, *WORLD_TASKS):
        task = ALL_TASKS[name]
        game = ENVIRONMENTS[task.environment].game
        yield Collection(
            name="ppo",
            about="PPO, the task's opponents",
            training=Training(task=task.name),
            side=Side.named(task.side),
            seeds=_SEEDS if game.name == "rooms" else _SEEDS[:3],
            game=game,
        )
    for name in (*_SOLVED, *_TARGETS):
        yield from _of_solved_game(SOLVED[name])


def _of_solved_game(game: Scenario) -> Iterator[Collection]:
    """PPO and SAC against perfect play, and self-play that never meets it."""
    both = SelfPlay(game=game.name, generations=4, steps=1_000_000)
    for side in Side:
        shared: dict[str, Any] = {"side": side, "game": game}
        ppo = Training(task=environment_with_preset("ppo", game, side))
        about = "perfect play"
        yield Collection(name="ppo", about=about, training=ppo, seeds=_SEEDS, **shared)
        if game.name in _TARGETS:
            continue
        sac = Training(task=environment_with_preset("sac", game, side), algo="sac")
        yield Collection(name="sac", about=about, training=sac, **shared)
        yield Collection(name="selfplay", about=_POOL, training=both, **shared)


COLLECTIONS: tuple[Collection, ...] = tuple(_collections())
"""Everything that is pretrained."""


def train_all(collections: Sequence[Collection], work: Path, jobs: int) -> None:
    """Trains every run in the folder `work` that is not trained yet, several `jobs` at once."""
    wanted = {
        collection.folder(work, seed).path: replace(collection.training, seed=seed)
        for collection in collections
        for seed in collection.seeds
    }
    train_folders(wanted, jobs)
