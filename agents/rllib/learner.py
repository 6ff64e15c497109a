"""Trains with RLlib, on this machine or on many."""

from __future__ import annotations

import io
import math
import pickle
import random
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from stable_baselines3.common.logger import Logger

from agents.rllib.actor import actor_of_state, first_weights
from agents.rllib.configuration import configuration, networks_of
from agents.training.divergence import LARGEST_WEIGHT
from agents.training.run_folder import RunFolder
from agents.training.training import Training
from baselines import NetworkPolicy
from baselines.ray_cluster import describe, joined
from steer_env.files import write_bytes

MODULE = "default_policy"
"""RLlib's name of the only policy."""

COMPONENT_LEARNER, COMPONENT_RL_MODULE = "learner", "rl_module"
"""RLlib's names of parts of its state; its own constants cannot be imported without Ray."""

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
    needed = training.env_runners + training.learners
    with joined(address, processors=needed) as ray:
        free = ray.cluster_resources().get("CPU", 0)
        if free < needed:
            Console(stderr=True).print(
                f"Ray: {describe(ray)}; waiting for a cluster with {needed}, one for each env "
                "runner and learner"
            )
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

    def begin(self, console: Console) -> float:
        """Gives a new network stable-baselines3's first weights."""
        buffer = self.algorithm.local_replay_buffer
        if buffer is not None:  # RLlib seeds everything else
            buffer.rng = np.random.default_rng(self._training.seed)
        self._set_rate(None)
        if self._training.algo == "ppo":
            state = self.algorithm.learner_group.get_weights()
            weights = first_weights(state[MODULE], self._networks, self._training.seed)
            self.algorithm.learner_group.set_weights({MODULE: weights})
            self._send_weights()
        return 0.0

    def _set_rate(self, rate: Any) -> None:
        """Sets a constant learning rate; one of a schedule stays what it is.

        Either becomes a float. The first of a schedule is a tensor in RLlib, but a float after
        a checkpoint, with which the optimizer rounds in another way.
        """
        constant = rate if isinstance(rate, float) else None

        def set_rate(learner: Any) -> None:
            for _, optimizer in learner.get_optimizers_for_module(MODULE):
                for group in optimizer.param_groups:
                    group["lr"] = float(group["lr"]) if constant is None else constant

        self.algorithm.learner_group.foreach_learner(set_rate)

    def _send_weights(self) -> None:
        """Gives the learner's weights to all env runners, and waits until they have them.

        RLlib's `sync_weights` waits for nobody, and drops the weights for an env runner that is
        still at work on the last ones, as all are that have just been made.
        """
        part = f"{COMPONENT_LEARNER}/{COMPONENT_RL_MODULE}"
        state = self.algorithm.learner_group.get_state([part], inference_only=True)
        weights = {COMPONENT_RL_MODULE: state[COMPONENT_LEARNER][COMPONENT_RL_MODULE]}
        self.algorithm.env_runner_group.foreach_env_runner(
            lambda runner: runner.set_state(weights)
        )

    def restore(self, content: bytes, **changes: Any) -> Any:
        """Goes back to a state that `snapshot` returned."""
        saved = pickle.loads(content)
        with tempfile.TemporaryDirectory() as folder:
            zipfile.ZipFile(io.BytesIO(saved["checkpoint"])).extractall(folder)
            self.algorithm.restore_from_path(folder)
        self._send_weights()
        self.steps = saved["steps"]
        self._set_rate(changes.get("learning_rate"))
        # The functions are sent by value: other machines do not have this package.
        restored = [
            lambda runner, games=games: runner.set_games(games) for games in saved["games"]
        ]
        group, is_remote = self._env_runners()
        if is_remote:
            group.foreach_env_runner(restored, local_env_runner=False)
        else:
            group.foreach_env_runner(restored[0])
        if saved["entropy"] is not None:
            value = saved["entropy"]
            self.algorithm.learner_group.foreach_learner(
                lambda learner: learner.curr_log_alpha[MODULE].data.fill_(value)
            )
        if saved["replay_buffer"] is not None:
            buffer = self.algorithm.local_replay_buffer
            stored, buffer.rng = saved["replay_buffer"]
            buffer.set_state(stored)
        _, set_states = _generators()
        states = saved["generators"]
        self.algorithm.learner_group.foreach_learner(lambda _: set_states(states))
        return saved["progress"]

    def snapshot(self, progress: Any) -> bytes:
        """Returns everything that the training goes on from."""
        group, is_remote = self._env_runners()
        buffer = self.algorithm.local_replay_buffer
        get_states, _ = _generators()
        games = group.foreach_env_runner(
            lambda runner: runner.get_games(), local_env_runner=not is_remote
        )
        return pickle.dumps(
            {
                "checkpoint": self._checkpoint(),
                "steps": self.steps,
                "games": games,
                # RLlib's own checkpoints lack these two of SAC.
                "entropy": None if buffer is None else self._entropy(),
                "replay_buffer": None if buffer is None else (buffer.get_state(), buffer.rng),
                "generators": self._of_a_learner(lambda _: get_states()),
                "progress": progress,
            },
            protocol=pickle.HIGHEST_PROTOCOL,
        )

    def _of_a_learner(self, function: Callable[[Any], Any]) -> Any:
        """What a function returns of one of RLlib's learners; all have the same state."""
        return next(iter(self.algorithm.learner_group.foreach_learner(function))).get()

    def _entropy(self) -> float:
        """The logarithm of the weight of SAC's entropy."""
        return self._of_a_learner(lambda one: float(one.curr_log_alpha[MODULE].detach()))

    def _env_runners(self) -> tuple[Any, bool]:
        """All env runners, and whether those that play are processes of their own."""
        group = self.algorithm.env_runner_group
        return group, group.num_remote_env_runners() > 0

    def _checkpoint(self) -> bytes:
        """RLlib's own checkpoint, the files of its folder in a zip."""
        content = io.BytesIO()
        with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(content, "w") as packed:
            folder = Path(name)
            self.algorithm.save_to_path(folder)
            for path in sorted(folder.rglob("*")):
                packed.write(path, path.relative_to(folder))
        return content.getvalue()

    def learn(self, steps: int, between: Callable[[], None], logger: Logger) -> None:
        """Trains for so many steps more, at least."""
        end = self.steps + steps
        while self.steps < end:
            between()
            self.result = self.algorithm.train()
            self.steps = int(self.result["num_env_steps_sampled_lifetime"])
            for name, (part, key) in LOGGED.items():
                value = self.result.get(part, {}).get(key)
                if value is not None:
                    logger.record(name, float(value))
            for name, value in self._losses().items():
                logger.record(f"train/{name}", value)
            logger.dump(self.steps)

    def _losses(self) -> dict[str, float]:
        found = self.result.get("learners", {}).get(MODULE, {})
        return {name: float(value) for name, value in found.items() if name.endswith("loss")}

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
        write_bytes(folder.model, self._checkpoint())

    def save_last(self, folder: RunFolder) -> None:
        """Writes last_model.zip: RLlib's own checkpoint, packed."""
        write_bytes(folder.last_model, self._checkpoint())

    def trouble(self, *, thorough: bool = True) -> str | None:
        """Returns how the training has diverged, or None if it is sound."""
        weights = self.algorithm.learner_group.get_weights()[MODULE]
        for value in weights.values():
            if not (np.abs(value) < LARGEST_WEIGHT).all():
                return f"its weights are not finite, or above {LARGEST_WEIGHT:,.0f}"
        for name, value in self._losses().items():
            if not math.isfinite(value):
                return f"{name} is {value}"
        return None

    def weigh_opponents(self, weights: Sequence[float]) -> None:
        """Changes the chances of the opponents."""
        chances = tuple(weights)
        group, is_remote = self._env_runners()
        group.foreach_env_runner(
            lambda runner: runner.weigh_opponents(chances), local_env_runner=not is_remote
        )

    def close(self) -> None:
        """Ends the processes."""
        self.algorithm.stop()
        with suppress(OSError):  # RLlib has made this folder in the user's home, for nothing
            Path(self.algorithm.logdir).rmdir()


def _generators() -> tuple[Callable[[], Any], Callable[[Any], None]]:
    """Functions that get and set the states of a process's random generators.

    They are made here, and not at the top, so that they are sent by value.
    """

    def get_states() -> Any:
        states = np.random.get_state()  # noqa: NPY002  (RLlib draws from it)
        return random.getstate(), states, torch.get_rng_state()

    def set_states(states: Any) -> None:
        python, numpy, of_torch = states
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002
        torch.set_rng_state(of_torch)

    return get_states, set_states
