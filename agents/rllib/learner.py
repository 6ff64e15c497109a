"""Trains with RLlib, on this machine or on many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from rich.console import Console
from stable_baselines3.common.logger import Logger

from agents.rllib.actor import actor_of_state, first_weights
from agents.rllib.algorithms import (
    close,
    cluster,
    env_runners_of,
    find_trouble,
    losses_of,
    of_a_learner,
    packed_checkpoint,
    read_snapshot,
    restore_checkpoint,
    restore_games,
    send_weights,
    set_rate,
    take_snapshot,
)
from agents.rllib.configuration import configuration, networks_of
from agents.training.preset_values import LinearSchedule
from agents.training.run_folder import RunFolder
from agents.training.training import Training
from baselines import NetworkPolicy
from steer_env.files import write_bytes

MODULE = "default_policy"
"""RLlib's name of the only policy."""

LOGGED = {
    "rollout/ep_rew_mean": ("env_runners", "episode_return_mean"),
    "rollout/ep_len_mean": ("env_runners", "episode_len_mean"),
    "time/sampling": ("timers", "env_runner_sampling_timer"),
    "time/learning": ("timers", "learner_update_timer"),
}
"""What TensorBoard shows of RLlib's results, besides the losses."""


@contextmanager
def opened(training: Training, address: str | None = None) -> Iterator[RLlibLearner]:
    """Yields an algorithm of RLlib on a Ray cluster, and ends it in the end.

    Raises:
        ClusterError, DependencyNotInstalled, ValueError: as `baselines.ray_cluster.joined`.
    """
    with cluster(address, training.env_runners + training.learners):
        learner = RLlibLearner(training)
        try:
            yield learner
        finally:
            learner.close()


class RLlibLearner:
    """An algorithm of RLlib and its games: a `agents.training.learner.Learner`.

    Attributes:
        algorithm: RLlib's.
        steps: of training so far, all games together.
        result: RLlib's of the last rollout and update.
    """

    def __init__(self, training: Training) -> None:
        self._training, self.steps = training, 0
        self._networks = networks_of(training.algo, training.read_preset())
        self.algorithm = configuration(training).build_algo()
        self.result: dict[str, Any] = {}
        self._chances: tuple[float, ...] = ()
        self._restarts = 0

    def begin(self, console: Console) -> float:
        """Gives a new network stable-baselines3's first weights."""
        buffer = self.algorithm.local_replay_buffer
        if buffer is not None:  # RLlib seeds everything else
            buffer.rng = np.random.default_rng(self._training.seed)
        set_rate(self.algorithm, [MODULE])
        if self._training.algo == "ppo":
            state = self.algorithm.learner_group.get_weights()
            weights = first_weights(state[MODULE], self._networks, self._training.seed)
            self.algorithm.learner_group.set_weights({MODULE: weights})
            send_weights(self.algorithm)
        return 0.0

    def restore(self, content: bytes, **changes: Any) -> Any:
        """Goes back to a state that `snapshot` returned."""
        saved = read_snapshot(content)
        restore_checkpoint(self.algorithm, saved)
        self.steps = saved["steps"]
        rate = changes.get("learning_rate")
        if isinstance(rate, LinearSchedule):  # RLlib would go on with the former rate at first
            rate = rate(1.0 - self.steps / self._training.read_preset().steps)
        set_rate(self.algorithm, [MODULE], rate)
        if saved["entropy"] is not None:
            value = saved["entropy"]
            self.algorithm.learner_group.foreach_learner(
                lambda learner: learner.curr_log_alpha[MODULE].data.fill_(value)
            )
        if saved["replay_buffer"] is not None:
            buffer = self.algorithm.local_replay_buffer
            stored, buffer.rng = saved["replay_buffer"]
            buffer.set_state(stored)
        restore_games(self.algorithm, saved)
        return saved["progress"]

    def snapshot(self, progress: Any) -> bytes:
        """Returns everything that the training goes on from."""
        buffer = self.algorithm.local_replay_buffer
        return take_snapshot(
            self.algorithm,
            steps=self.steps,
            progress=progress,
            # RLlib's own checkpoints lack these two of SAC.
            entropy=None if buffer is None else self._entropy(),
            replay_buffer=None if buffer is None else (buffer.get_state(), buffer.rng),
        )

    def _entropy(self) -> float:
        """The logarithm of the weight of SAC's entropy."""
        return of_a_learner(
            self.algorithm, lambda one: float(one.curr_log_alpha[MODULE].detach())
        )

    def learn(self, steps: int, between: Callable[[], None], logger: Logger) -> None:
        """Trains for so many steps more, at least."""
        end = self.steps + steps
        while self.steps < end:
            between()
            self.result = self.algorithm.train()
            self.steps = int(self.result["num_env_steps_sampled_lifetime"])
            restarts = self.result["fault_tolerance"]["num_remote_worker_restarts"]
            if restarts != self._restarts and self._chances:
                self.weigh_opponents(self._chances)  # a new env runner does not know them
            self._restarts = restarts
            for name, (part, key) in LOGGED.items():
                value = self.result.get(part, {}).get(key)
                if value is not None:
                    logger.record(name, float(value))
            for name, value in losses_of(self.result, MODULE).items():
                logger.record(f"train/{name}", value)
            logger.dump(self.steps)

    def actor(self) -> NetworkPolicy:
        """Returns a copy of the network that acts."""
        about = {
            "environment": self._training.environment,
            "algorithm": self._training.algo.upper(),
            "steps": self.steps,
        }
        state = self.algorithm.learner_group.get_weights()[MODULE]
        return actor_of_state(state, self._training.algo, self._networks, about)

    def save_best(self, folder: RunFolder) -> None:
        """Writes model.zip: RLlib's own checkpoint, packed."""
        write_bytes(folder.model, packed_checkpoint(self.algorithm))

    def save_last(self, folder: RunFolder) -> None:
        """Writes last_model.zip: RLlib's own checkpoint, packed."""
        write_bytes(folder.last_model, packed_checkpoint(self.algorithm))

    def trouble(self, *, thorough: bool = True) -> str | None:
        """Returns how the training has diverged, or None if it is sound."""
        weights = self.algorithm.learner_group.get_weights()[MODULE]
        return find_trouble(weights, losses_of(self.result, MODULE))

    def weigh_opponents(self, weights: Sequence[float]) -> None:
        """Changes the chances of the opponents."""
        chances = self._chances = tuple(weights)
        group, is_remote = env_runners_of(self.algorithm)
        group.foreach_env_runner(
            lambda runner: runner.weigh_opponents(chances), local_env_runner=not is_remote
        )

    def close(self) -> None:
        """Ends the processes."""
        close(self.algorithm)
