"""What a training needs of the library that trains, whichever it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from rich.console import Console
from stable_baselines3.common.logger import Logger

from agents.training.run_folder import RunFolder
from baselines import NetworkPolicy


class Learner(Protocol):
    """A network in the middle of its training, with the games that it learns from.

    Between two rollouts its state is complete: the update is done, and the next rollout has not
    begun. Only there are the methods called, but `learn`.
    """

    @property
    def steps(self) -> int:
        """The steps of training so far, all games together."""

    def begin(self, console: Console) -> float:
        """Prepares a new network; returns the seconds that count as training."""

    def restore(self, content: bytes, **changes: Any) -> Any:
        """Goes back to a state that `snapshot` returned; returns the progress with it.

        The changes replace hyperparameters, such as the learning_rate. The content is
        unpickled, which can run any code.
        """

    def snapshot(self, progress: Any) -> bytes:
        """Returns everything that the training goes on from."""

    def learn(self, steps: int, between: Callable[[], None], logger: Logger) -> None:
        """Trains for so many steps more, at least; calls a function before each rollout.

        An error that the function raises ends the call, and another call goes on from there.
        """

    def actor(self) -> NetworkPolicy:
        """Returns a copy of the network that acts."""

    def save_best(self, folder: RunFolder) -> None:
        """Writes what is trained, in the library's own format, as the best so far."""

    def save_last(self, folder: RunFolder) -> None:
        """Writes what is trained, in the library's own format, at the end."""

    def trouble(self, *, thorough: bool = True) -> str | None:
        """Returns how the training has diverged, or None if it is sound.

        Args:
            thorough: look at everything that is saved, which takes longer.
        """

    def weigh_opponents(self, weights: Sequence[float]) -> None:
        """Changes the chances of the opponents, in episodes that begin from now on."""

    def close(self) -> None:
        """Ends the games and all processes."""
