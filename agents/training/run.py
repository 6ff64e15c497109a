"""A training run: its task, its settings, and the folder that holds what comes of them."""

from __future__ import annotations

import os
import pickle
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from steer_env.baselines.tasks import ALL_TASKS, HELD_OUT_SEED, Task
from steer_env.errors import (
    InvalidValue,
    UsageError,
    check_choice,
    check_integer,
    check_number,
    check_path,
    check_sequence,
    check_text,
    check_texts,
    coerce,
    needing,
)
from steer_env.files import read_json, write_bytes, write_json
from steer_env.information import processor, versions
from steer_env.options import choice, file_of, scenario_of
from steer_env.scenarios.registry import DEFAULT_GAME, ENVIRONMENTS, environment_id
from steer_env.sides import EVADER, PURSUER, Side

from .hyperparameters import ALGORITHMS, Preset, parse_overrides, read_preset

METHODS = ("rewards", "search")
PACKAGES = ("gymnasium", "numpy", "numba", "stable-baselines3", "torch")  # for results

VALIDATION_SEED = 900_000
"""The first seed of validation starts: training uses those below, results from 1,000,000 on."""


def game_in_file(task: str) -> str | None:
    """The FILE.py:NAME in the name of a task, or None if its game is in no file."""
    if file_of(task) is None:
        return None
    side, _, game = task.partition("/")
    if side not in [one.name for one in Side]:
        raise InvalidValue(
            f"which side learns in {task}? Its task is pursuer/{task} or evader/{task}"
        )
    return game


def task_of(name: str, opponents: tuple[str, ...] = ()) -> Task:
    """The task of a name in `ALL_TASKS`, an environment's id, or SIDE/FILE.py:NAME.

    The last is a Scenario in a Python file, which is run. The opponents are for training,
    instead of the environment's own; a task in `ALL_TASKS` has fixed ones.
    """
    game, keywords = game_in_file(check_text("task", name)), {}
    if game is not None:
        scenario = scenario_of(game)
        environment = scenario.environment(Side.named(name.partition("/")[0]))
        keywords = {"game": scenario}
    elif "/" in name:
        check_choice("task", name, ALL_TASKS)
        if opponents:
            raise InvalidValue(f"{name} has fixed opponents: omit them, or give its game")
        return ALL_TASKS[name]
    else:
        environment = environment_id("task", name)
    entry = ENVIRONMENTS[environment]
    usual = _usual_task(environment)
    opponents = opponents or (entry.game.opponents[entry.side],)
    others = (*usual.opponents, *usual.held_out)
    return replace(
        usual,
        name=f"{environment} against {', '.join(opponents)}",
        environment=environment,
        keywords=keywords,
        opponents=opponents,
        held_out=tuple(one for one in others if one not in opponents),
    )


def _usual_task(environment: str) -> Task:
    """The task that lends an environment its references and held-out opponents.

    A solved game has perfect play. A game that is not in `ALL_TASKS` has the scripts of one
    with as many players on each side, one or several, and its own script for that side.
    """
    game, side, _ = ENVIRONMENTS[environment]
    if game.is_solved:
        from steer_env.baselines.solved_games import solved_task

        return solved_task(environment)
    if (known := ALL_TASKS.get(f"{side.name}/{game.name}")) is not None:
        return known
    name = "obstacles" if game.keywords.get("obstacles") else DEFAULT_GAME
    if game.is_team(PURSUER) or game.is_team(EVADER):
        name = "team" if game.is_team(EVADER) else "pack_obstacles"
    similar = ALL_TASKS[f"{side.name}/{name}"]
    references = _general(dict.fromkeys((*similar.references, game.opponents[side.other])))
    return replace(similar, held_out=_general(similar.held_out), references=references)


def _general(names: Iterable[str]) -> tuple[str, ...]:
    """Leaves out the scripts and networks that are made for one game."""
    return tuple(name for name in names if not name.startswith(("tuned/", "pretrained/")))


_CHECKS: dict[Any, Callable[[str, Any], Any]] = {
    "tuple[str, ...]": check_texts,
    "tuple[float, ...]": check_sequence,
    "Path | None": check_path,
}
"""Functions that make settings of these types from JSON."""


_Settings = TypeVar("_Settings", bound="Settings")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The base of all settings of runs."""

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if field.type in _CHECKS and (value, field.default) != (None, None):
                object.__setattr__(self, name, _CHECKS[field.type](name, value))

    def to_dict(self) -> dict[str, Any]:
        """The settings for JSON."""
        return {k: str(v) if isinstance(v, Path) else v for k, v in asdict(self).items()}


@dataclass(frozen=True, kw_only=True)
class Training(Settings):
    """The settings of a training: its game, its opponents, its algorithm and its length.

    Attributes:
        task: What to learn: an environment's id, such as "Pursuit-v0" or "EvadeDiscrete-v0"; a
            task of the benchmark, such as "pursuer/agile_torus", or of teams, such as
            "pursuer/team"; or SIDE/FILE.py:NAME, a Scenario in a Python file, which is run.
        algo: The algorithm.
        method: "rewards", or "search": the network first learns what a search finds in the
            states that it gets into, and then goes on by rewards, with PPO.
        steps: Steps of training, all games together; by default the preset's. Each player of a
            team that learns counts.
        seed: Seed of the games, the network and the exploration.
        opponent: Names or files of policies, one of which is drawn for every episode; by
            default the task's own.
        opponent_weights: The relative chances of the opponents; by default equal.
        hardness: Draw opponents more often the worse the policy did against them at the last
            validation: 0 for equal chances, 2 for a strong preference.
        num_envs: Games played at once; by default the preset's.
        params: Replacements of the preset's hyperparameters, such as batch_size=1024.
        start_from: A model.zip to begin with, instead of a new network; without imitation or
            search.
        validations: How often the policy is measured during the training, evenly spread.
        validation_episodes: Episodes against each opponent, each time.
        checkpoint_seconds: Time between two checkpoints: a crash loses that much training, and
            the current rollout or validation.
        threads: Threads of torch. One is fastest for networks this small, and repeatable.
    """

    task: str = "Pursuit-v0"
    algo: Annotated[str, choice(ALGORITHMS)] = "ppo"
    method: Annotated[str, choice(METHODS)] = "rewards"
    steps: int | None = None
    seed: int = 0
    opponent: tuple[str, ...] = ()
    opponent_weights: tuple[float, ...] = ()
    hardness: float = 0.0
    num_envs: int | None = None
    params: tuple[str, ...] = ()
    start_from: Path | None = None
    validations: int = 20
    validation_episodes: int = 200
    checkpoint_seconds: float = 30.0
    threads: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("algo", self.algo, ALGORITHMS)
        check_choice("method", self.method, METHODS)
        if self.method == "search" and self.algo != "ppo":
            raise InvalidValue(f"method search goes on with ppo, and algo is {self.algo}")
        if self.study.name in ALL_TASKS and self.opponent_weights:
            raise InvalidValue(f"{self.task} has fixed opponents, with equal chances")
        if len(set(self.opponent)) < len(self.opponent):
            raise InvalidValue(f"an opponent is given twice: {', '.join(self.opponent)}")
        check_integer("seed", self.seed, 0, VALIDATION_SEED - 1)
        for name in ("steps", "num_envs", "validations", "threads"):
            if getattr(self, name) is not None or getattr(Training, name) is not None:
                check_integer(name, getattr(self, name), 1)
        most = HELD_OUT_SEED - VALIDATION_SEED
        check_integer("validation_episodes", self.validation_episodes, 2, most)
        for name in ("checkpoint_seconds", "hardness"):
            check_number(name, getattr(self, name), 0.0)
        if self.hardness and (self.opponent_weights or len(self.study.opponents) < 2):
            raise InvalidValue(
                "hardness changes the chances of several opponents: give several, and no "
                "opponent_weights"
            )

    @property
    def side(self) -> Side:
        """The side that learns."""
        return ENVIRONMENTS[self.study.environment].side

    @property
    def study(self) -> Task:
        """The task: its game, its opponents, and the policies to compare with."""
        return task_of(self.task, self.opponent)

    @property
    def game_keywords(self) -> dict[str, Any]:
        """The keywords of `gym.make_vec` for training, besides the environment's id."""
        own, weights = self.read_preset().env_kwargs, self.opponent_weights or None
        return {**self.study.make_keywords, "opponent_weights": weights, **own}

    @property
    def folder(self) -> Path:
        """The default folder of the run."""
        is_benchmark = self.task in ALL_TASKS
        name = self.task.replace("/", "-") if is_benchmark else self.study.environment
        return Path("runs", name, self._presets, f"seed_{self.seed}")

    @property
    def _presets(self) -> str:
        return self.algo if self.method == "rewards" else self.method

    def absolute(self) -> Training:
        """Returns the same training with absolute paths."""
        from steer_env.players.pretrained import is_file

        game = game_in_file(self.task)
        files = {name: str(Path(name).absolute()) for name in self.opponent if is_file(name)}
        return replace(
            self,
            task=self.task if game is None else f"{self.side.name}/{Path(game).absolute()}",
            opponent=tuple(files.get(name, name) for name in self.opponent),
            start_from=self.start_from and self.start_from.absolute(),
        )

    def read_preset(self) -> Preset:
        """Returns the hyperparameters, with their replacements."""
        given = {"n_envs": self.num_envs, "n_timesteps": self.steps}
        overrides: dict[str, Any] = {**parse_overrides(self.params)}
        overrides |= {name: number for name, number in given.items() if number is not None}
        return read_preset(self._presets, self.study.environment, overrides)

    @property
    def command(self) -> str:
        """The command line that trains this, without the folder."""
        parts = ["steer-env", "train"]
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                values = value if isinstance(value, tuple) else (value,)
                parts += [f"--{field.name.replace('_', '-')}", *map(str, values)]
        return shlex.join(parts)


def save_checkpoint(path: Path, content: Any) -> None:
    """Writes a checkpoint whole, in place of the one before."""
    write_bytes(path, pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL))


def load_checkpoint(path: Path) -> Any | None:
    """Returns what was saved last, or None. Unpickling it can run any code."""
    if not path.exists():
        return None
    try:
        with path.open("rb") as file:
            return pickle.load(file)
    except Exception as error:  # a damaged pickle fails in many ways
        raise InvalidValue(
            f"{path} is damaged ({type(error).__name__}): start a new run"
        ) from error


class Run(Generic[_Settings]):
    """A folder of a training or self-play: how it was made, its results and its page.

    They are config.json, results.json and README.md.
    """

    made_of: type[_Settings]
    kind: ClassVar[str]  # for messages
    keys: ClassVar[tuple[str, ...]]  # of config.json, the first one that of this kind alone

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.json"
        self.results = path / "results.json"
        self.readme = path / "README.md"

    def begin(self, about: dict[str, Any]) -> None:
        """Makes the folder and writes its config.json, or raises a FileExistsError."""
        if self.config.exists():
            raise FileExistsError(
                f"{self.path} already holds {self.kind}: go on with it by "
                f"--resume {self.path}, or choose another --out"
            )
        self.path.mkdir(parents=True, exist_ok=True)
        machine = f"{processor()}, {os.cpu_count()} cores"
        write_json(self.config, {**about, "versions": versions(*PACKAGES), "machine": machine})

    def read_config(self) -> dict[str, Any]:
        """Returns the content of config.json if it is that of this kind of folder."""
        if not self.config.exists():
            raise FileNotFoundError(
                f"{self.path} does not hold {self.kind}: there is no config.json in it"
            )
        content = read_json(self.config)
        if not isinstance(content, dict):
            raise InvalidValue(f"{self.config} is damaged: it is not a JSON object")
        if self.keys[0] not in content:
            raise InvalidValue(
                f"{self.path} does not hold {self.kind} but something else: see config.json"
            )
        if missing := {*self.keys, "versions", "machine"} - content.keys():
            raise InvalidValue(f"{self.config} is damaged: it lacks {sorted(missing)}")
        return content

    @property
    def settings(self) -> _Settings:
        """The settings in config.json."""
        name = self.keys[0]
        try:
            return coerce(self.made_of, name, self.read_config()[name], self.made_of())
        except UsageError as error:
            raise InvalidValue(f"{self.config} cannot be used: {error}") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other processes out of the folder. A killed one leaves no lock behind."""
        with needing("agents"):
            from filelock import FileLock, Timeout

        try:
            with FileLock(self.path / ".lock", timeout=0):
                yield
        except Timeout as error:
            raise InvalidValue(f"another process is at work in {self.path}") from error


class TrainingRun(Run[Training]):
    """The run of one training."""

    made_of = Training
    kind = "a training run"
    keys = ("training", "command", "hyperparameters", "episodes")

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.checkpoint = path / "checkpoint.pkl"  # to go on from after a crash
        self.model = path / "model.zip"  # the best one, in stable-baselines3's format
        self.last_model = path / "last_model.zip"  # at the end of the training
        self.policy = path / "policy.npz"  # the best model's actor, readable without torch
        self.last_policy = path / "last_policy.npz"

    @property
    def is_trained(self) -> bool:
        """True once the training is finished."""
        return self.last_model.exists()
