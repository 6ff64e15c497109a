"""Algorithms of RLlib between two rollouts: snapshots, divergence, and how they stop."""

from __future__ import annotations

import io
import math
import pickle
import random
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console

from agents.training.divergence import LARGEST_WEIGHT
from baselines.ray_cluster import describe, joined

COMPONENT_LEARNER, COMPONENT_RL_MODULE = "learner", "rl_module"
"""RLlib's names of parts of its state; its own constants cannot be imported without Ray."""


@contextmanager
def cluster(address: str | None, processors: int) -> Iterator[None]:
    """Joins a Ray cluster, and says so if it is too small yet.

    Raises:
        ClusterError, DependencyNotInstalled, ValueError: as `baselines.ray_cluster.joined`.
    """
    with joined(address, processors=processors) as ray:
        free = ray.cluster_resources().get("CPU", 0)
        if free < processors:
            Console(stderr=True).print(
                f"Ray: {describe(ray)}; waiting for a cluster with {processors}, one for each "
                "env runner and learner"
            )
        yield


def env_runners_of(algorithm: Any) -> tuple[Any, bool]:
    """All env runners, and whether those that play are processes of their own."""
    group = algorithm.env_runner_group
    return group, group.num_remote_env_runners() > 0


def send_weights(algorithm: Any) -> None:
    """Gives the learner's weights to all env runners, and waits until they have them.

    RLlib's `sync_weights` does not wait, and drops the weights for an env runner that is
    still at work on the last ones, as all are that have just been made.
    """
    part = f"{COMPONENT_LEARNER}/{COMPONENT_RL_MODULE}"
    state = algorithm.learner_group.get_state([part], inference_only=True)
    weights = {COMPONENT_RL_MODULE: state[COMPONENT_LEARNER][COMPONENT_RL_MODULE]}
    algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.set_state(weights))


def set_rate(algorithm: Any, modules: Sequence[str], rate: float | None = None) -> None:
    """Sets the learning rate of modules; without one, and up to rounding, it stays what it is.

    It becomes a float. The first of a schedule is a tensor in RLlib, but a float after a
    checkpoint, with which the optimizer rounds in another way.
    """

    def set_own(learner: Any) -> None:
        for module in modules:
            for _, optimizer in learner.get_optimizers_for_module(module):
                for group in optimizer.param_groups:
                    now = float(group["lr"])
                    is_same = rate is None or math.isclose(now, rate, rel_tol=1e-6)
                    group["lr"] = now if is_same else rate

    algorithm.learner_group.foreach_learner(set_own)


def packed_checkpoint(algorithm: Any) -> bytes:
    """RLlib's own checkpoint, the files of its folder in a zip."""
    content = io.BytesIO()
    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(content, "w") as packed:
        folder = Path(name)
        algorithm.save_to_path(folder)
        for path in sorted(folder.rglob("*")):
            packed.write(path, path.relative_to(folder))
    return content.getvalue()


def take_snapshot(algorithm: Any, **more: Any) -> bytes:
    """Returns everything that an algorithm goes on from, and what is given with it.

    Its env runners must be this package's: their games are part of the snapshot.
    """
    group, is_remote = env_runners_of(algorithm)
    get_states, _ = _generators()
    games = dict(
        group.foreach_env_runner(
            lambda runner: (runner.worker_index, runner.get_games()),
            local_env_runner=not is_remote,
        )
    )
    return pickle.dumps(
        {
            "checkpoint": packed_checkpoint(algorithm),
            "games": games,
            "generators": of_a_learner(algorithm, lambda _: get_states()),
            **more,
        },
        protocol=pickle.HIGHEST_PROTOCOL,
    )


def read_snapshot(content: bytes) -> dict[str, Any]:
    """Returns what `take_snapshot` packed. It is unpickled, which can run any code."""
    saved: dict[str, Any] = pickle.loads(content)
    return saved


def restore_checkpoint(algorithm: Any, saved: Mapping[str, Any]) -> None:
    """Goes back to the networks and optimizers of a snapshot."""
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(io.BytesIO(saved["checkpoint"])).extractall(folder)
        algorithm.restore_from_path(folder)
    send_weights(algorithm)


def restore_games(algorithm: Any, saved: Mapping[str, Any]) -> None:
    """Goes back to the games and the chance of a snapshot: the last thing to do."""
    group, is_remote = env_runners_of(algorithm)
    for number, games in saved["games"].items():
        # Sent by value, since other machines do not have this package. An env runner that was
        # dead when the snapshot was taken begins its games anew.
        group.foreach_env_runner(
            lambda runner, games=games: runner.set_games(games),
            local_env_runner=not is_remote,
            remote_worker_ids=[number] if is_remote else None,
        )
    _, set_states = _generators()
    states = saved["generators"]
    algorithm.learner_group.foreach_learner(lambda _: set_states(states))


def of_a_learner(algorithm: Any, function: Callable[[Any], Any]) -> Any:
    """What a function returns of one of RLlib's learners, which all have the same state."""
    return next(iter(algorithm.learner_group.foreach_learner(function))).get()


def _generators() -> tuple[Callable[[], Any], Callable[[Any], None]]:
    """Functions that get and set the states of a process's random generators.

    They are made here, and not at the top, so that they are sent by value: other machines do
    not have this package.
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


def losses_of(result: Mapping[str, Any], module: str) -> dict[str, float]:
    """The losses of a module in a result of `Algorithm.train`, by RLlib's names."""
    found = result.get("learners", {}).get(module, {})
    return {name: float(value) for name, value in found.items() if name.endswith("loss")}


def find_trouble(weights: Mapping[str, Any], losses: Mapping[str, float]) -> str | None:
    """Returns how a module has diverged, or None if it is sound."""
    for value in weights.values():
        if not (np.abs(value) < LARGEST_WEIGHT).all():
            return f"its weights are not finite, or above {LARGEST_WEIGHT:,.0f}"
    for name, value in losses.items():
        if not math.isfinite(value):
            return f"{name} is {value}"
    return None


def close(algorithm: Any) -> None:
    """Ends the processes."""
    algorithm.stop()
    with suppress(OSError):  # RLlib has made this folder in the user's home, for nothing
        Path(algorithm.logdir).rmdir()
