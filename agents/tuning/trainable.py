"""A trial as Ray Tune runs it, in a process of its own on any machine; imports Ray."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ray import tune

from agents.durable import newest_checkpoint, write_checkpoint
from agents.training.training import Training
from agents.training.validation import Validation
from agents.tuning.space import with_setting
from agents.tuning.trial import TrialTraining
from steer_env.errors import InvalidValue
from steer_env.files import DISK_ERRORS, write_bytes

SNAPSHOT = "snapshot.bin"
"""The file of a trial's state in a checkpoint of Ray Tune."""


class Trial(tune.Trainable):
    """Trains from one validation to the next, and reports it.

    Its config has one entry, "trial", a mapping with:

    - training: what `Training.to_dict` returns, with the seed of this trial;
    - setting: the values that replace the preset's;
    - checkpoints: the folder of all trials' checkpoints;
    - places: folders there with a state to go on from, newest first;
    - replays: whether to report the validations of that state again;
    - final_episodes: to measure the best policy with in the end; 0 for a trial of the search.

    A process plays one trial after another. A trial that fails reports why, and leaves the
    process to the next.
    """

    def setup(self, config: dict[str, Any]) -> None:
        """Prepares for a trial; its games begin with the first step."""
        self._assignment: Mapping[str, Any] = config["trial"]
        self._trial: TrialTraining | None = None
        self._content: bytes | None = None
        self._replayed: list[Validation] = []

    def reset_config(self, new_config: dict[str, Any]) -> bool:
        """Ends a trial, and prepares for another one."""
        self.cleanup()
        self.setup(new_config)
        return True

    def step(self) -> dict[str, Any]:
        """Trains up to the next validation, and reports it, or why the trial failed."""
        try:
            return self._advanced()
        except Exception as error:  # a bad setting can fail in any library, in any way
            if isinstance(error, OSError) and error.errno in DISK_ERRORS:
                raise  # nothing is wrong with the setting
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
            failed = {"steps": 0, "validations": 0, "payoff": float("nan")}
            return {**failed, "failure": reason, "done": True}

    def _advanced(self) -> dict[str, Any]:
        if self._trial is None:
            self._trial = self._begun()
        trial, is_new = self._trial, not self._replayed
        found = trial.advance() if is_new else self._replayed.pop(0)
        if is_new:
            self._keep(found.steps)
        result = {
            "steps": found.steps,
            "validations": len(trial.progress.validations) - len(self._replayed),
            "payoff": found.payoff,
            "validation": found.to_dict(),
            "setting": dict(self._assignment["setting"]),
            "busy": trial.progress.busy,
            "done": trial.is_done and not self._replayed,
        }
        episodes = self._assignment["final_episodes"]
        if result["done"] and episodes:
            result["payoffs"] = trial.measured(episodes)
        return result

    def _begun(self) -> TrialTraining:
        given, content = self._assignment, self._content
        training = with_setting(Training.from_dict(given["training"]), given["setting"])
        if content is None:
            content = self._kept()
            if content is not None:
                trial = TrialTraining(training, content=content)
                if given["replays"] or trial.is_done:
                    self._replayed = list(trial.progress.validations)
                return trial
        return TrialTraining(training, content=content)

    def _kept(self) -> bytes | None:
        """The newest state of a trial that was interrupted."""
        for place in self._assignment["places"]:
            folder = Path(self._assignment["checkpoints"], place)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    content = newest_checkpoint(folder)
            except InvalidValue:  # all damaged; it begins again
                continue
            if content is not None:
                return content
        return None

    def _keep(self, steps: int) -> None:
        """Writes a checkpoint, if this machine has the search's folder."""
        folder = Path(self._assignment["checkpoints"])
        if self._trial is not None and folder.is_dir():
            write_checkpoint(folder / self.trial_id, steps, self._trial.snapshot())

    def save_checkpoint(self, checkpoint_dir: str) -> None:
        """Writes the state that another member of a population can go on from."""
        if self._trial is not None:
            write_bytes(Path(checkpoint_dir, SNAPSHOT), self._trial.snapshot())

    def load_checkpoint(self, checkpoint: str) -> None:
        """Has the next step go on from a state, which may be another trial's."""
        path = Path(checkpoint, SNAPSHOT)
        self._content = path.read_bytes() if path.exists() else None

    def cleanup(self) -> None:
        """Ends the games."""
        if self._trial is not None:
            self._trial.close()
            self._trial = None
