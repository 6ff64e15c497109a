"""Runs the trials of a search with Ray Tune, and keeps what they report; imports Ray."""

from __future__ import annotations

import logging
import os
import random
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from ray import tune
from ray.tune.schedulers import ASHAScheduler, FIFOScheduler, PopulationBasedTraining
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from agents.training.training import Training
from agents.tuning.plan import (
    ASHA,
    FAILED,
    FINISHED,
    PBT,
    RUNNING,
    STOPPED,
    WAITING,
    Record,
    SearchFolder,
    Tuning,
)
from agents.tuning.space import (
    MAY_CHANGE,
    Choice,
    LogUniform,
    Range,
    setting_of_preset,
    space_of,
    within,
)
from agents.tuning.trainable import Trial
from baselines.payoffs import payoff_of
from steer_env.files import DISK_ERRORS
from steer_env.sides import PURSUER

REDUCTION = 3
"""The share of trials that go on at a rung of ASHA is one in so many."""

RUNGS = 2
"""Of ASHA, below the full steps: at a ninth and at a third of them."""

POPULATION_CHECKPOINTS = 4
"""Of a member, on disk: the others may still want to go on from one that is not the newest."""

LIVES = 3
"""A trial begins anew when its process or its machine dies, until it has done so this often."""

QUIET = {
    "RAY_AIR_NEW_OUTPUT": "0",  # tables on the terminal
    "TUNE_PRINT_ALL_TRIAL_ERRORS": "0",  # they are in the results
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",  # the records have the results
    "TUNE_DISABLE_SIGINT_HANDLER": "1",  # Ctrl-C is ours
    "TUNE_WARN_THRESHOLD_S": "60",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
}
"""Variables of the environment by which Ray Tune leaves the terminal and the folders alone."""


class Keeper(tune.Callback):
    """Keeps what the trials report in the search's folder, and shows how far they are.

    Results that a trial reports again, after it was interrupted, are not kept twice.

    Attributes:
        disk_error: that has interrupted trials, which wait until it is mended.
    """

    def __init__(
        self,
        folder: SearchFolder,
        stage: str,
        training: Training,
        records: Sequence[Record],
        bar: Progress,
    ) -> None:
        self._folder, self._stage, self._training = folder, stage, training
        self._steps = training.read_preset().steps
        self._all, self._bar = records, bar
        self._of_trial: dict[str, Record] = {}
        self._by_number = {one.number: one for one in records}
        self._payoff = payoff_of(training.study.config.payoff)
        self.disk_error: OSError | None = None
        self._task = bar.add_task(stage, total=len(records), note="")
        self._show()

    def __reduce__(self) -> Any:
        return object, ()  # Ray Tune keeps a copy of its settings, which nobody reads

    def on_trial_start(
        self, iteration: int, trials: list[Any], trial: Any, **info: Any
    ) -> None:
        """Notes where the trial keeps its checkpoints."""
        if trial.trial_id in self._of_trial:
            return  # a member of a population, which was paused
        record = self._by_number[trial.config["trial"]["number"]]
        self._of_trial[trial.trial_id] = record
        record.places.insert(0, trial.trial_id)
        record.status = RUNNING
        self._folder.write_record(self._stage, record)

    def on_trial_result(
        self,
        iteration: int,
        trials: list[Any],
        trial: Any,
        result: dict[str, Any],
        **info: Any,
    ) -> None:
        """Keeps a validation, or why a trial failed."""
        record = self._of_trial[trial.trial_id]
        if result.get("failure"):
            record.status, record.reason = FAILED, result["failure"]
        else:
            record.busy, record.setting = result["busy"], dict(result["setting"])
            record.payoffs = list(result.get("payoffs", ()))
            if not record.curve or result["steps"] > record.curve[-1]["steps"]:
                kept = {"payoff": result["payoff"], **result["validation"]}
                record.curve.append({**kept, "setting": record.setting})
        self._folder.write_record(self._stage, record)
        self._show()

    def on_trial_complete(
        self, iteration: int, trials: list[Any], trial: Any, **info: Any
    ) -> None:
        """Notes how a trial ended."""
        record = self._of_trial[trial.trial_id]
        if record.status != FAILED:
            is_whole = bool(record.curve) and record.curve[-1]["steps"] >= self._steps
            record.status = FINISHED if is_whole else STOPPED
        self._folder.write_record(self._stage, record)
        self._show()

    def on_trial_error(
        self, iteration: int, trials: list[Any], trial: Any, **info: Any
    ) -> None:
        """Notes that the process of a trial died."""
        record = self._of_trial.get(trial.trial_id)
        if record is None:  # before it began
            record = self._by_number[trial.config["trial"]["number"]]
        error = trial.get_error()
        cause = getattr(error, "cause", error)
        if isinstance(cause, OSError) and cause.errno in DISK_ERRORS:
            self.disk_error, record.status = cause, WAITING
            return  # nothing is wrong with the setting
        lines = str(error).strip().splitlines() if error is not None else []
        record.status = FAILED
        record.reason = lines[-1] if lines else "its process died"
        self._folder.write_record(self._stage, record)
        self._show()

    def _show(self) -> None:
        ended = [one for one in self._all if one.has_ended]
        payoffs = [one["payoff"] for record in self._all for one in record.curve]
        note = f"{len(ended)} of {len(self._all)} trials"
        if payoffs:
            best = min(payoffs) if self._training.side is PURSUER else max(payoffs)
            note += f", best {self._payoff.words} {best:.2f} {self._payoff.unit}"
        failed = sum(one.status == FAILED for one in ended)
        note += f", {failed} failed" if failed else ""
        self._bar.update(self._task, completed=len(ended), note=note)


def run_trials(
    folder: SearchFolder,
    stage: str,
    plan: Tuning,
    records: Sequence[Record],
    console: Console,
    ray: Any,
    jobs: int | None,
) -> float:
    """Runs the trials that have not ended yet, and returns the seconds that it took.

    Args:
        folder: of the search.
        stage: "search", with the plan's scheduler, or "final", without one.
        plan: of the search.
        records: of all trials of the stage; those that have ended stay, and all are up to date
            afterwards.
        console: for the progress.
        ray: as `baselines.ray_cluster.joined` yields it.
        jobs: trials at once; None for one on each processor.
    """
    waiting = [one for one in records if not one.has_ended]
    if not waiting:
        return 0.0
    began, is_search = time.perf_counter(), stage == "search"
    training = plan.training
    folder.checkpoints.mkdir(exist_ok=True)
    bar = Progress(
        TextColumn(stage),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        console=console,
    )
    keeper = Keeper(folder, stage, training, records, bar)
    is_population = is_search and plan.scheduler == PBT
    scheduler = _scheduler(plan, records) if is_search else FIFOScheduler()
    assignments = [
        {
            "number": one.number,
            "training": replace(training, seed=one.seed).to_dict(),
            "setting": one.setting,
            "checkpoints": str(folder.checkpoints.absolute()),
            "places": one.places,
            "replays": not is_population,
            "final_episodes": 0 if is_search else plan.final_episodes,
        }
        for one in waiting
    ]
    # Ray's mutations draw from these two.
    states = random.getstate(), np.random.get_state()  # noqa: NPY002
    random.seed(training.seed)
    np.random.seed(training.seed)  # noqa: NPY002
    try:
        with bar, _quiet():
            tune.Tuner(
                tune.with_resources(Trial, {"cpu": _share(ray, jobs)}),
                param_space={"trial": tune.grid_search(assignments)},
                tune_config=tune.TuneConfig(
                    scheduler=scheduler,
                    reuse_actors=True,
                    trial_name_creator=_name,
                    trial_dirname_creator=_name,
                ),
                run_config=tune.RunConfig(
                    name=f"{stage}_{time.time_ns()}",
                    storage_path=str(folder.storage.absolute()),
                    verbose=0,
                    callbacks=[keeper],
                    failure_config=tune.FailureConfig(max_failures=LIVES - 1),
                    checkpoint_config=tune.CheckpointConfig(
                        num_to_keep=POPULATION_CHECKPOINTS if is_population else None
                    ),
                ),
            ).fit()
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002
    if keeper.disk_error is not None:
        raise keeper.disk_error
    return time.perf_counter() - began


def _name(trial: Any) -> str:
    return f"trial_{trial.trial_id}"


def _share(ray: Any, jobs: int | None) -> float:
    """The processors that a trial claims, so that so many run at once."""
    if jobs is None:
        return 1.0
    processors = float(ray.cluster_resources()["CPU"])
    return int(1000 * processors / jobs) / 1000


@contextmanager
def _quiet() -> Iterator[None]:
    """Sets what keeps Ray Tune from printing, and restores the environment."""
    before = {name: os.environ.get(name) for name in QUIET}
    os.environ.update(QUIET)
    logger = logging.getLogger("ray.tune")  # of failed trials, say, which the records have
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _scheduler(plan: Tuning, records: Sequence[Record]) -> Any:
    """The scheduler of the search; ASHA's knows the trials that have ended."""
    training = plan.training
    steps, mode = training.read_preset().steps, "min" if training.side is PURSUER else "max"
    if plan.scheduler == ASHA:
        return informed_asha(steps, mode, [one for one in records if one.has_ended])
    space = space_of(training)
    mutable = {name: one for name, one in space.items() if name in MAY_CHANGE[training.algo]}

    def explored(config: dict[str, Any]) -> dict[str, Any]:
        trial = config["trial"]
        return {**config, "trial": {**trial, "setting": within(space, trial["setting"])}}

    return PopulationBasedTraining(
        # Not steps: rollouts of several lengths overshoot by several numbers of them.
        time_attr="validations",
        metric="payoff",
        mode=mode,
        perturbation_interval=1,
        hyperparam_mutations={"trial": {"setting": _mutations(mutable)}},
        custom_explore_fn=explored,
        log_config=False,
        # Not synchronous: it would wait forever for a member that has failed. The member with
        # the fewest validations goes on first, so they stay close to each other.
    )


def _mutations(space: Mapping[str, Range]) -> dict[str, Any]:
    """The ranges in Ray Tune's terms."""
    return {
        name: [*one.values]
        if isinstance(one, Choice)
        else (tune.loguniform if isinstance(one, LogUniform) else tune.uniform)(*one)
        for name, one in space.items()
    }


def informed_asha(steps: int, mode: str, ended: Sequence[Record]) -> ASHAScheduler:
    """An ASHA that compares with the trials of an interrupted search, too.

    Args:
        steps: of a whole trial.
        mode: "min" if smaller payoffs are better, or "max".
        ended: the trials that are not run again.
    """
    scheduler = ASHAScheduler(
        time_attr="steps",
        metric="payoff",
        mode=mode,
        max_t=steps,
        grace_period=max(1, steps // REDUCTION**RUNGS),
        reduction_factor=REDUCTION,
    )
    for record in ended:
        stand_in: Any = SimpleNamespace(trial_id=f"kept_{record.number}")
        controller: Any = None
        scheduler.on_trial_add(controller, stand_in)
        for one in record.curve:
            scheduler.on_trial_result(controller, stand_in, one)
    return scheduler


def first_records(plan: Tuning, settings: Sequence[Mapping[str, Any]]) -> list[Record]:
    """The trials of the search, none of which has begun.

    A member of a population needs a value of its own for all that may change.
    """
    own: dict[str, Any] = {}
    if plan.scheduler == PBT:
        own = setting_of_preset(plan.training, MAY_CHANGE[plan.training.algo])
    seed = plan.training.seed
    return [Record(i, {**own, **one}, seed) for i, one in enumerate(settings)]
