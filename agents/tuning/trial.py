"""One trial of a search: a training that stops at each of its validations.

It knows the training's opponents and the validation starts, and nothing that is held out.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rich.console import Console
from stable_baselines3.common.logger import Logger
from threadpoolctl import threadpool_limits

from agents.training.learner import Learner
from agents.training.runs import opened_learner
from agents.training.training import Training
from agents.training.validation import (
    VALIDATION_SEED,
    Validation,
    is_better,
    validate,
    weigh_by_losses,
)
from baselines import NetworkPolicy

FRESH_SEED = VALIDATION_SEED + 50_000
"""The first seed of the validation starts that no trial of the search is compared on. The
finalists are measured there, since the best of many looks better than it is where it was
chosen."""


class _ValidationDue(Exception):
    """Ends the training for a moment, where nothing is half done."""


@dataclass
class TrialProgress:
    """The history of a trial so far; a snapshot holds it.

    Attributes:
        validations: oldest first.
        seconds: of training.
        busy: seconds of all its work, with measuring.
        best: the best validation, and the policy that it is about.
    """

    validations: list[Validation] = field(default_factory=list)
    seconds: float = 0.0
    busy: float = 0.0
    best: tuple[Validation, NetworkPolicy] | None = None


class TrialTraining:
    """A training in steps from one validation to the next.

    Attributes:
        progress: its history.
        total: the steps at which it ends.

    Raises:
        FileNotFoundError, TypeError, ValueError: if it cannot begin.
    """

    def __init__(self, training: Training, *, content: bytes | None = None) -> None:
        self._training, self._study = training, training.study
        preset = training.read_preset()
        self.total = preset.steps
        count = training.validations
        self._due = [round(self.total * number / count) for number in range(1, count + 1)]
        self.progress = TrialProgress()
        with ExitStack() as stack:
            stack.enter_context(threadpool_limits(training.threads))
            self._learner: Learner = stack.enter_context(opened_learner(training))
            if content is None:
                self.progress.seconds = self._learner.begin(Console(quiet=True))
            else:
                # The snapshot may be another trial's, with other hyperparameters.
                self.progress = self._learner.restore(content, **_changeable(preset.arguments))
            self._stack = stack.pop_all()

    @property
    def steps(self) -> int:
        """Of training so far, all games together."""
        return self._learner.steps

    @property
    def is_done(self) -> bool:
        """Whether it is trained to its end."""
        return self.steps >= self.total

    def advance(self) -> Validation:
        """Trains up to the next validation, and returns it.

        Raises:
            FloatingPointError: if the training has diverged.
        """
        began = time.perf_counter()
        learner, progress = self._learner, self.progress
        weigh_by_losses(learner, self._training, progress.validations)
        due = next(at for at in self._due if at > learner.steps)
        logger = Logger(folder=None, output_formats=[])
        with suppress(_ValidationDue):
            learner.learn(self.total - learner.steps, self._stop_at(due), logger)
        progress.seconds += time.perf_counter() - began
        self._check(thorough=True)
        actor, training = learner.actor(), self._training
        found = validate(
            actor,
            self._study,
            training.validation_episodes,
            learner.steps,
            progress.seconds,
            training.opponent_weights,
        )
        progress.validations.append(found)
        if progress.best is None or is_better(found, progress.best[0], training.side):
            progress.best = found, actor
        progress.busy += time.perf_counter() - began
        return found

    def _stop_at(self, due: int) -> Callable[[], None]:
        def between_rollouts() -> None:
            self._check(thorough=False)
            if self._learner.steps >= due:
                raise _ValidationDue

        return between_rollouts

    def _check(self, *, thorough: bool) -> None:
        if (trouble := self._learner.trouble(thorough=thorough)) is not None:
            raise FloatingPointError(f"it diverged: {trouble}")

    def measured(self, episodes: int) -> list[float]:
        """Plays the best policy from fresh validation starts, see `FRESH_SEED`.

        Returns:
            (episodes,) the payoff from each start, mean over the training's opponents with
            their weights.
        """
        assert self.progress.best is not None
        _, policy = self.progress.best
        weights = self._training.opponent_weights or None
        found = [
            self._study.evaluate(policy, opponent, episodes, FRESH_SEED).payoffs
            for opponent in self._study.opponents
        ]
        payoffs: list[float] = np.average(found, axis=0, weights=weights).tolist()
        return payoffs

    def snapshot(self) -> bytes:
        """Returns everything that the trial goes on from."""
        return self._learner.snapshot(self.progress)

    def close(self) -> None:
        """Ends the games."""
        self._stack.close()


def _changeable(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a model that replace those in a snapshot."""
    kept = {"policy_kwargs", "action_noise", "n_steps", "buffer_size", "learning_starts"}
    return {name: value for name, value in arguments.items() if name not in kept}
