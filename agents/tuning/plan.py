"""The settings of a search, and the folder that holds all about it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from agents.training.hyperparameters import parse_overrides
from agents.training.run_folder import ConfiguredFolder
from agents.training.start import check_start, first_seed
from agents.training.training import RLLIB, Training
from agents.training.validation import VALIDATION_SEED
from agents.tuning.space import space_of
from agents.tuning.trial import FRESH_SEED
from baselines.evaluation import FEWEST
from baselines.scenarios import HELD_OUT_SEED
from steer_env.errors import InvalidValue, check_choice, check_integer
from steer_env.files import read_json, write_json

ASHA, PBT = SCHEDULERS = ("asha", "pbt")
"""How the trials of a search share the time, see `Tuning`."""

TRIAL = Training(validations=9)
"""The training of a trial by default: its validations are where trials can be stopped."""


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """What to search, and for how long.

    Attributes:
        training: of a trial: the game, the opponents, the algorithm, the most steps, the values
            that are not varied (`params`), and the preset to search around.
        samples: settings to try; the first is the preset itself.
        scheduler: "asha" stops the worse two thirds of the trials at a ninth and at a third of
            the steps (asynchronous successive halving: Li et al. 2020, A system for massively
            parallel hyperparameter tuning). "pbt" trains all to the end, and lets the worse
            quarter go on from the better ones, with values moved a little, at each validation
            (Jaderberg et al. 2017, Population based training of neural networks); its result
            is the last values of a schedule.
        finalists: the best settings of the search, which are trained again beside the preset.
        seeds: trainings of each finalist, with other seeds than the search's.
        final_episodes: to measure a finalist's trainings with, against each opponent.

    Raises:
        ValueError: for values out of range, or a training that cannot be a trial.
    """

    training: Training = TRIAL
    samples: int = 64
    scheduler: str = ASHA
    finalists: int = 3
    seeds: int = 2
    final_episodes: int = 500

    def __post_init__(self) -> None:
        check_integer("samples", self.samples, 2)
        check_choice("scheduler", self.scheduler, SCHEDULERS)
        check_integer("finalists", self.finalists, 1)
        check_integer("seeds", self.seeds, 1)
        check_integer("final_episodes", self.final_episodes, FEWEST, HELD_OUT_SEED - FRESH_SEED)
        training = self.training
        most = FRESH_SEED - VALIDATION_SEED
        check_integer("validation_episodes", training.validation_episodes, FEWEST, most)
        if training.engine == RLLIB:
            raise InvalidValue(
                f"a trial is one process, and --engine {RLLIB} has processes of its own: leave "
                "it out; --address spreads the trials over a cluster"
            )
        if training.start_from is not None:
            raise InvalidValue("a trial begins with a new network: leave start_from out")

    @property
    def folder(self) -> Path:
        """The default folder of the search."""
        run = self.training.folder
        return Path(run.parts[0], "tune", *run.parts[1:-1], f"{self.scheduler}_{run.name}")

    @property
    def final_seeds(self) -> range:
        """The seeds of the finalists' trainings."""
        first = self.training.seed + 1
        return range(first, first + self.seeds)

    @property
    def command(self) -> str:
        """The command line of the search, without the folder."""
        words = shlex.split(self.training.command)
        words[words.index("train")] = "tune"
        if "--validations" in words:  # it has another default here
            place = words.index("--validations")
            del words[place : place + 2]
        if self.training.validations != TRIAL.validations:
            words += ["--validations", str(self.training.validations)]
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name != "training" and value != one.default:
                words += [f"--{one.name.replace('_', '-')}", str(value)]
        return shlex.join(words)

    def to_dict(self) -> dict[str, Any]:
        """The settings for JSON."""
        return {**asdict(self), "training": self.training.to_dict()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Tuning:
        """The search of which `to_dict` returned the settings.

        Raises:
            TypeError: if values have another type.
            ValueError: if there are unknown settings, or values that are not valid.
        """
        for name in given:
            check_choice("setting of a search", name, [one.name for one in fields(cls)])
        training = Training.from_dict(given.get("training", {}))
        return cls(**{**given, "training": training})

    def check(self) -> None:
        """Checks that the trials can begin.

        Raises:
            FileNotFoundError, TypeError, ValueError: as `check_start`; also if nothing is left
                to vary, or the seeds are too large.
        """
        check_start(self.training)
        last = replace(self.training, seed=self.final_seeds[-1])
        first_seed(last, last.read_preset())
        if not space_of(self.training):
            fixed = ", ".join(parse_overrides(self.training.params))
            raise InvalidValue(f"nothing is left to vary: the params fix {fixed}")


WAITING, RUNNING, STOPPED, FINISHED, FAILED = STATUSES = (
    *("waiting", "running", "stopped", "finished", "failed"),
)
"""Of a trial: stopped by the scheduler, finished with all its steps, or failed."""


@dataclass
class Record:
    """What is known of one trial; a file in the search's folder.

    Attributes:
        number: of the trial, in the search or in the final.
        setting: the values that replace the preset's, see `agents.tuning.space`; of population
            based training, those at the last validation.
        seed: of its training.
        status: one of `STATUSES`.
        reason: why it failed.
        curve: its validations, oldest first, with the setting where that may change.
        busy: seconds of its work.
        payoffs: of a finalist: from each of the fresh validation starts.
        of_sample: of a finalist: the number of the setting in the search; None for the preset.
        places: the folders of its checkpoints, newest first.
    """

    number: int
    setting: dict[str, Any]
    seed: int
    status: str = WAITING
    reason: str | None = None
    curve: list[dict[str, Any]] = field(default_factory=list)
    busy: float = 0.0
    payoffs: list[float] = field(default_factory=list)
    of_sample: int | None = None
    places: list[str] = field(default_factory=list)

    @property
    def has_ended(self) -> bool:
        """Whether there is nothing left to do."""
        return self.status in (STOPPED, FINISHED, FAILED)

    @property
    def last_payoff(self) -> float | None:
        """The mean payoff at its last validation; None before the first."""
        return self.curve[-1]["payoff"] if self.curve else None


class SearchFolder(ConfiguredFolder):
    """The files of a search; its page names them.

    Attributes:
        preset: the best setting, in rl-baselines3-zoo's format.
        checkpoints: folders of the trials' checkpoints, until the search ends.
        storage: what Ray Tune writes, until the search ends.
    """

    kind = "a search of hyperparameters"
    keys = ("tuning", "command", "hyperparameters")

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.preset = path / "preset.yml"
        self.checkpoints = path / "checkpoints"
        self.storage = path / "ray_tune"

    @property
    def settings(self) -> Tuning:
        """The settings in config.json.

        Raises:
            FileNotFoundError, ValueError: as `read_config` and `Tuning.from_dict`.
        """
        return self.settings_made_by(Tuning.from_dict)

    def read_records(self, stage: str) -> dict[int, Record]:
        """The trials of a stage, "search" or "final", that have begun, by number.

        Raises:
            ValueError: if one is damaged.
        """
        found = {}
        for path in sorted((self.path / stage).glob(f"trial_{'[0-9]' * 4}.json")):
            try:
                record = Record(**read_json(path))
            except TypeError as error:
                raise InvalidValue(f"{path} is damaged: {error}") from error
            found[record.number] = record
        return found

    def write_record(self, stage: str, record: Record) -> None:
        """Writes what is known of a trial."""
        folder = self.path / stage
        folder.mkdir(exist_ok=True)
        write_json(folder / f"trial_{record.number:04}.json", asdict(record))
