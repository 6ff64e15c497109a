"""Measures training speed against DummyVecEnv's, and the share of each part of training."""

from __future__ import annotations

import json as json_format
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor, VecNormalize
from threadpoolctl import threadpool_limits

from agents.export.actor import actor_of
from agents.training.start import game_keywords, make_training_env, new_model
from agents.training.training import Training
from baselines.tables import Table, markdown, plain_text
from steer_env.envs.sb3 import StableBaselinesVecEnv
from steer_env.errors import check_integer, check_number
from steer_env.option_types import Count, Flag, Id, Number

PARTS = ("environment", "policy", "learning", "rest")
"""The parts of training whose time is measured; see `Speed`."""


@dataclass(frozen=True)
class Speed:
    """The speed of an algorithm with one kind of environments.

    Attributes:
        steps_per_second: in each turn: game steps, all games together.
        shares: of the training time, by `PARTS`; they sum to 1. ``environment`` is everything
            inside stable-baselines3's vec_env.step, ``policy`` the network that acts during
            rollouts, ``learning`` the updates, ``rest`` everything else.
        games: the share of Gymnasium's vector step, with the opponents; the rest of the
            environment's share is the adapter's. None if the games have no such step.
    """

    steps_per_second: tuple[float, ...]
    shares: dict[str, float]
    games: float | None


@dataclass(frozen=True)
class SpeedComparison:
    """One algorithm, trained with the native environment and with DummyVecEnv in turns.

    Attributes:
        algorithm: such as "ppo".
        opponent: against which it trained.
        num_envs: games at once, the same for both.
        native: one compiled call for all games, and the adapter around it.
        dummy: stable-baselines3's DummyVecEnv with one environment from gym.make per game.
    """

    algorithm: str
    opponent: str
    num_envs: int
    native: Speed
    dummy: Speed

    @property
    def ratios(self) -> tuple[float, ...]:
        """Native steps a second over DummyVecEnv's, for each turn."""
        pairs = zip(self.native.steps_per_second, self.dummy.steps_per_second, strict=True)
        return tuple(native / dummy for native, dummy in pairs)


def measure_speed(training: Training, seconds: float, repeats: int) -> SpeedComparison:
    """Trains with the native environment and with DummyVecEnv in turns, and drops the result.

    Both have the same algorithm, hyperparameters, network, number of games and VecMonitor. A
    turn consists of whole rollouts with their updates. Off-policy algorithms learn from the
    first step on, since their warm-up trains nothing.

    Args:
        training: what to train; its length, validations and checkpoints are ignored.
        seconds: the least length of a turn.
        repeats: turns of each.

    Raises:
        FileNotFoundError, TypeError, ValueError: if that cannot be trained.
    """
    check_number("seconds", seconds, 0.0)
    check_integer("repeats", repeats, 1)
    torch.set_num_threads(training.threads)
    with threadpool_limits(training.threads):  # numpy's too, with which opponents compute
        native = _TimedTraining(training, make_training_env(training))
        dummy = _TimedTraining(training, _make_dummy_env(training))
        for _ in range(repeats):
            native.take_turn(seconds)
            dummy.take_turn(seconds)
    return SpeedComparison(
        algorithm=training.algo,
        opponent=", ".join(training.study.opponents),
        num_envs=training.read_preset().num_envs,
        native=native.finish(),
        dummy=dummy.finish(),
    )


def _make_dummy_env(training: Training) -> VecEnv:
    """The games of `make_training_env`, each in its own environment."""
    preset = training.read_preset()
    make = partial(gym.make, training.environment, **game_keywords(training))
    venv = VecMonitor(DummyVecEnv([make] * preset.num_envs))
    return VecNormalize(venv, **preset.normalize) if preset.normalize else venv


class _TimedTraining(BaseCallback):
    """A training in turns of whole rollouts, with a clock for each of its parts.

    It is a callback of its own model: it ends a turn before the first rollout that would begin
    after the time limit.

    Attributes:
        steps: of the games, in the last turn.
    """

    def __init__(self, training: Training, venv: VecEnv) -> None:
        super().__init__()
        self.model = new_model(training, venv)
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        if isinstance(self.model, OffPolicyAlgorithm):
            self.model.learning_starts = 0
        self._total_steps = training.read_preset().steps
        self._clock: dict[str, float] = defaultdict(float)  # seconds in this turn
        self._seconds: dict[str, float] = defaultdict(float)  # in all turns
        self._speeds: list[float] = []
        self._watch("environment", venv, "step")
        adapter: Any = venv.unwrapped
        self._is_native = isinstance(adapter, StableBaselinesVecEnv)
        if self._is_native:  # a clock for each of many copies would slow them
            self._watch("games", adapter.envs, "step")
        # PPO's rollouts use the first two, the others' the last; updates use none of them.
        for name in ("forward", "predict_values", "predict"):
            if hasattr(self.model.policy, name):
                self._watch("policy", self.model.policy, name)
        self._watch("learning", self.model, "train")
        self.take_turn(0.0)  # one rollout, to fill caches and allocate memory
        self._seconds.clear()
        self._speeds.clear()

    def _watch(self, part: str, owner: Any, name: str) -> None:
        """Adds the time in a method of one object to that of a part."""
        method: Callable[..., Any] = getattr(owner, name)
        clock, now = self._clock, time.perf_counter

        def timed(*arguments: Any, **keywords: Any) -> Any:
            start = now()
            result = method(*arguments, **keywords)
            clock[part] += now() - start
            return result

        setattr(owner, name, timed)

    def take_turn(self, seconds: float) -> None:
        """Trains for at least this long."""
        self._limit, self._is_over = seconds, False
        self._start: float | None = None
        # With the preset's number of steps, schedules stay near their beginning.
        self.model.learn(self._total_steps, self, reset_num_timesteps=False)

    def _on_rollout_start(self) -> None:
        now = time.perf_counter()
        if self._start is None:
            self._start, self._first_step = now, self.num_timesteps
            self._clock.clear()
        elif now - self._start >= self._limit:
            self._is_over = True
            self._clock["total"] = now - self._start
            self.steps = self.num_timesteps - self._first_step
            self._speeds.append(self.steps / self._clock["total"])
            for part, spent in self._clock.items():
                self._seconds[part] += spent

    def _on_step(self) -> bool:
        return not self._is_over

    def finish(self) -> Speed:
        """Closes the games, and returns the speed in all turns."""
        self.training_env.close()
        total, spent = self._seconds["total"], self._seconds
        shares = {part: spent[part] / total for part in PARTS if part != "rest"}
        shares["rest"] = 1.0 - sum(shares.values())
        games = spent["games"] / total if self._is_native else None
        return Speed(tuple(self._speeds), shares, games)


def save_untrained_network(training: Training, path: Path) -> None:
    """Writes the network with which a training begins, to measure it as an opponent."""
    venv = make_training_env(training)
    actor_of(new_model(training, venv)).save(path)
    venv.close()


def speed_table(comparisons: Sequence[SpeedComparison]) -> Table:
    """Two rows for each comparison: steps per second, and the share of each part."""
    rows = []
    for found in comparisons:
        training = f"{found.algorithm.upper()} against {found.opponent}"
        ratio = f"{statistics.median(found.ratios):.1f}"
        ratio += f" [{min(found.ratios):.1f}, {max(found.ratios):.1f}]"
        kinds = (("native", found.native, ratio), ("DummyVecEnv", found.dummy, "1"))
        for kind, speed, times in kinds:
            median = statistics.median(speed.steps_per_second)
            cells = (training, str(found.num_envs), kind, f"{median:,.0f}", times)
            shares = (f"{speed.shares[part]:.1%}" for part in PARTS)
            games = "" if speed.games is None else f"{speed.games:.1%}"
            rows.append((*cells, *shares, games))
    return Table(
        "Training speed",
        (
            *("training", "games at once", "environments", "steps/s", "ratio"),
            *(*PARTS, "games alone"),
        ),
        rows,
        "Medians over turns; the ratio of each turn's pair, with the smallest and the largest. "
        "Then shares of the time: everything inside vec_env.step; the policy during rollouts; "
        "the updates; the rest of stable-baselines3. The games alone are part of the "
        "environment's share, without the adapter between them and stable-baselines3.",
    )


def speed(
    env: Id = "Pursuit-v0", seconds: Number = 4.0, repeats: Count = 5, json: Flag = False
) -> None:
    """Measures how fast PPO and SAC train, and what takes the time.

    The native environments are compared with DummyVecEnv.

    PPO is also measured against a network, as in self-play.

    Args:
        env: The environment's id, "Pursuit-v0" or "Evade-v0".
        seconds: The least length of a turn of the native environment or of DummyVecEnv.
        repeats: Turns of each.
        json: Print one JSON document with every turn, instead of tables.
    """
    ppo, sac = Training(env=env, algo="ppo"), Training(env=env, algo="sac")
    sac.read_preset()  # fails for discrete environments, which have none
    with tempfile.TemporaryDirectory() as folder:
        network = Path(folder, "network.npz")
        save_untrained_network(ppo, network)
        selfplay = replace(ppo, opponent=(str(network),))
        found = [measure_speed(training, seconds, repeats) for training in (ppo, selfplay, sac)]
    found[1] = replace(found[1], opponent="a network")
    if json:
        turns = [{**asdict(comparison), "ratios": comparison.ratios} for comparison in found]
        print(json_format.dumps(turns, indent=2))
        return
    table = speed_table(found)
    print(f"{plain_text(table)}\n\n\n{markdown(table)}", end="")
