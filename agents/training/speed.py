"""How fast an algorithm trains, beside the same on DummyVecEnv, and where the time goes."""

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
from agents.training.hyperparameters import Preset
from agents.training.loop import game_keywords, make_training_env, new_model
from agents.training.training import Training
from baselines.tables import Table, markdown, plain_text
from steer_env.envs.sb3 import StableBaselinesVecEnv
from steer_env.errors import check_integer, check_number

PARTS = ("environment", "policy", "learning", "rest")
"""What the time of training is divided into; see `Speed`."""


@dataclass(frozen=True)
class Speed:
    """How fast an algorithm trains with one kind of environments.

    Attributes:
        steps_per_second: in each turn: game steps, all games together.
        shares: of the time of training, by `PARTS`; they sum to 1. ``environment`` is all
            inside stable-baselines3's vec_env.step, ``policy`` the network that acts while
            experience is collected, ``learning`` the updates, ``rest`` all else.
        games: of the environment's share, what Gymnasium's vector step takes, opponents
            included; the others are the adapter's. None if the games have no such step.
    """

    steps_per_second: tuple[float, ...]
    shares: dict[str, float]
    games: float | None


@dataclass(frozen=True)
class SpeedComparison:
    """One algorithm, trained with the native environment and with DummyVecEnv in turns.

    Attributes:
        algorithm: such as "ppo".
        opponent: whom it trained against.
        num_envs: games at once, the same for both.
        native: one compiled call for all games, and the adapter around it.
        dummy: stable-baselines3's DummyVecEnv of as many copies from gym.make.
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

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "ratios": self.ratios}


def measure_speed(training: Training, seconds: float, repeats: int) -> SpeedComparison:
    """Trains with the native environment and with DummyVecEnv, in turns, without results.

    Both have the same algorithm, hyperparameters, network, number of games and VecMonitor. A
    turn is made of whole rollouts with their updates. SAC and its like learn from the first
    step on, since their warm-up trains nothing.

    Args:
        training: what to train; how long, and what is measured and saved, does not matter.
        seconds: that a turn lasts at least.
        repeats: turns of each.

    Raises:
        FileNotFoundError, TypeError, ValueError: if that cannot be trained.
    """
    check_number("seconds", seconds, 0.0)
    check_integer("repeats", repeats, 1)
    preset = training.read_preset()
    torch.set_num_threads(training.threads)
    with threadpool_limits(training.threads):  # numpy's too, which opponents compute with
        native = _TimedTraining(training, preset, make_training_env(training, preset))
        dummy = _TimedTraining(training, preset, _make_dummy_env(training, preset))
        for _ in range(repeats):
            native.take_turn(seconds)
            dummy.take_turn(seconds)
    return SpeedComparison(
        algorithm=training.algo,
        opponent=", ".join(training.study.opponents),
        num_envs=preset.num_envs,
        native=native.finish(),
        dummy=dummy.finish(),
    )


def _make_dummy_env(training: Training, preset: Preset) -> VecEnv:
    """The games of `make_training_env`, each an environment of its own."""
    make = partial(gym.make, training.environment, **game_keywords(training))
    venv = VecMonitor(DummyVecEnv([make] * preset.num_envs))
    return VecNormalize(venv, **preset.normalize) if preset.normalize else venv


class _TimedTraining:
    """A training that goes on turn by turn while a clock runs for each of its parts."""

    def __init__(self, training: Training, preset: Preset, venv: VecEnv) -> None:
        self._model = new_model(training, preset, venv)
        self._model.set_logger(Logger(folder=None, output_formats=[]))
        if isinstance(self._model, OffPolicyAlgorithm):
            self._model.learning_starts = 0
        self._steps = preset.steps
        self._clock = _Clock()
        self._watch_parts()
        self._speeds: list[float] = []
        self._seconds: dict[str, float] = defaultdict(float)  # of all turns
        self._learn(0.0)  # one rollout, so that caches are full and memory is there

    def _watch_parts(self) -> None:
        model, watch = self._model, self._clock.watch
        assert model.env is not None
        watch("environment", model.env, "step")
        adapter: Any = model.env.unwrapped
        self._is_native = isinstance(adapter, StableBaselinesVecEnv)
        if self._is_native:  # a clock for each of many copies would slow them
            watch("games", adapter.envs, "step")
        # PPO collects with the first two, the others with the last; updates use none of them.
        for name in ("forward", "predict_values", "predict"):
            if hasattr(model.policy, name):
                watch("policy", model.policy, name)
        watch("learning", model, "train")

    def take_turn(self, seconds: float) -> None:
        """Trains for so long."""
        turn = self._learn(seconds)
        self._speeds.append(turn.steps / turn.seconds["total"])
        for part, spent in turn.seconds.items():
            self._seconds[part] += spent

    def _learn(self, seconds: float) -> _Turn:
        turn = _Turn(self._clock, seconds)
        # As many steps as the preset has, so that schedules stand where training begins.
        self._model.learn(self._steps, turn, reset_num_timesteps=False)
        return turn

    def finish(self) -> Speed:
        """What all turns came to."""
        assert self._model.env is not None
        self._model.env.close()
        total, spent = self._seconds["total"], self._seconds
        shares = {part: spent[part] / total for part in PARTS if part != "rest"}
        shares["rest"] = 1.0 - sum(shares.values())
        games = spent["games"] / total if self._is_native else None
        return Speed(tuple(self._speeds), shares, games)


class _Clock:
    """Adds up the seconds that watched methods take."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def watch(self, part: str, owner: Any, name: str) -> None:
        """Replaces a method of one object by the same with a clock."""
        method: Callable[..., Any] = getattr(owner, name)
        seconds, now = self.seconds, time.perf_counter

        def timed(*arguments: Any, **keywords: Any) -> Any:
            start = now()
            result = method(*arguments, **keywords)
            seconds[part] += now() - start
            return result

        setattr(owner, name, timed)


class _Turn(BaseCallback):
    """Ends a training after so many seconds, where a rollout would begin.

    Attributes:
        steps: of the games.
        seconds: that each watched part took, and the "total" of them and all else.
    """

    def __init__(self, clock: _Clock, seconds: float) -> None:
        super().__init__()
        self._clock, self._limit = clock, seconds
        self._start: float | None = None
        self._is_over = False
        self.steps = 0
        self.seconds: dict[str, float] = {}

    def _on_rollout_start(self) -> None:
        now = time.perf_counter()
        if self._start is None:
            self._start, self._first_step = now, self.num_timesteps
            self._clock.seconds.clear()
        elif now - self._start >= self._limit:
            self._is_over = True
            self.steps = self.num_timesteps - self._first_step
            self.seconds = {**self._clock.seconds, "total": now - self._start}

    def _on_step(self) -> bool:
        return not self._is_over


def save_untrained_network(training: Training, path: Path) -> None:
    """Writes the network that a training begins with, as an opponent costs when it is one."""
    preset = training.read_preset()
    venv = make_training_env(training, preset)
    actor_of(new_model(training, preset, venv)).save(path)
    venv.close()


def speed_table(comparisons: Sequence[SpeedComparison]) -> Table:
    """Two rows for each comparison: steps a second, and where the time went."""
    rows = []
    for found in comparisons:
        who = f"{found.algorithm.upper()} against {found.opponent}"
        ratio = f"{statistics.median(found.ratios):.1f}"
        ratio += f" [{min(found.ratios):.1f}, {max(found.ratios):.1f}]"
        kinds = (("native", found.native, ratio), ("DummyVecEnv", found.dummy, "1"))
        for kind, speed, times in kinds:
            median = statistics.median(speed.steps_per_second)
            cells = (who, str(found.num_envs), kind, f"{median:,.0f}", times)
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
        "Then shares of the time: everything inside vec_env.step; the policy while it "
        "collects; the updates; all else in stable-baselines3. The games alone are part of "
        "the environment's share, without the adapter between them and stable-baselines3.",
    )


def speed(
    env: str = "Pursuit-v0", seconds: float = 4.0, repeats: int = 5, json: bool = False
) -> None:
    """Measures how fast PPO and SAC train, beside DummyVecEnv, and where the time goes.

    PPO is measured against a network as well, as in self-play.

    Args:
        env: the environment's id, "Pursuit-v0" or "Evade-v0".
        seconds: that a turn lasts at least; the native environment and DummyVecEnv take turns.
        repeats: turns of each.
        json: print one JSON document, which has every turn, instead of tables.
    """
    ppo, sac = Training(env=env, algo="ppo"), Training(env=env, algo="sac")
    sac.read_preset()  # discrete environments have none; say so before measuring
    with tempfile.TemporaryDirectory() as folder:
        network = Path(folder, "network.npz")
        save_untrained_network(ppo, network)
        selfplay = replace(ppo, opponent=(str(network),))
        found = [measure_speed(training, seconds, repeats) for training in (ppo, selfplay, sac)]
    found[1] = replace(found[1], opponent="a network")
    if json:
        print(json_format.dumps([comparison.to_dict() for comparison in found], indent=2))
        return
    table = speed_table(found)
    print(f"{plain_text(table)}\n\n\n{markdown(table)}", end="")
