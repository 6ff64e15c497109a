"""Trains a policy with PPO, and measures it beside the analytic one on the same starts."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

from agents.report import comparison_table, save_comparison_plot, save_episode_gif
from baselines import Evaluation, evaluate, paired_difference
from baselines.protocol import HELD_OUT_SEED
from steer_env.envs.sb3 import make_vec_env
from steer_env.errors import check_choice

ANALYTIC = {"Pursuit-v0": "pursuit", "Evade-v0": "evade"}
"""The hand-written behavior of the learner's own side, which it is measured against."""

STRONGEST = {"Pursuit-v0": "pursuit/full_force", "Evade-v0": "evade/threatened"}
"""The hand-written behavior that does best against the default opponent."""

OPPONENTS = {"Pursuit-v0": "evade", "Evade-v0": "pursuit"}
"""Each environment's default opponent."""


@dataclass(frozen=True)
class Training:
    """What to train, for how long, and where to put it.

    Attributes:
        env: "Pursuit-v0" or "Evade-v0".
        steps: game steps of training, all games together.
        num_envs: games played at once.
        seed: of the games, the network and the exploration.
        episodes: to measure the result with, at least 2.
        out: folder for the model, the figures, the plot and the GIF.
    """

    env: str = "Pursuit-v0"
    steps: int = 10_000_000
    num_envs: int = 256
    seed: int = 0
    episodes: int = 2000
    out: Path = Path("runs/pursuit")


class TrainingProgress(BaseCallback):
    """A progress bar with the success rate of the last episodes, which it also records.

    `curve` holds (seconds of training, steps, success rate, mean length in steps).
    """

    def __init__(self, steps: int, console: Console) -> None:
        super().__init__()
        self.curve: list[tuple[float, int, float, float]] = []
        self._steps = steps
        self._bar = Progress(
            TextColumn("training"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
            console=console,
        )

    def _on_training_start(self) -> None:
        self._start = time.perf_counter()
        self._bar.start()
        self._task = self._bar.add_task("training", total=self._steps, note="")

    def _on_rollout_end(self) -> None:
        seconds = time.perf_counter() - self._start
        successes, episodes = self.model.ep_success_buffer, self.model.ep_info_buffer
        note = f"{self.num_timesteps / seconds:,.0f} steps/s"
        if successes and episodes:
            success = float(np.mean(successes))
            length = float(np.mean([episode["l"] for episode in episodes]))
            self.curve.append((seconds, self.num_timesteps, success, length))
            note += f", success {success:.0%}, {length:.0f} steps an episode"
        self._bar.update(self._task, completed=min(self.num_timesteps, self._steps), note=note)

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        self._bar.stop()


def train(training: Training, console: Console) -> tuple[PPO, TrainingProgress]:
    """Trains a policy with PPO over the native vector environment.

    Args:
        training: what to train.
        console: where the progress bar goes.

    Returns:
        The model, and the callback with the learning curve.
    """
    torch.set_num_threads(1)  # so small a network gains nothing from more
    vec_env = make_vec_env(training.env, training.num_envs, training.seed)
    model = PPO(
        "MlpPolicy",
        vec_env,
        n_steps=64,
        batch_size=4096,
        n_epochs=2,  # games are cheap here: rather new ones than the same ones again
        learning_rate=lambda left: 1e-3 * max(left, 0.05),
        gamma=0.99,
        policy_kwargs={
            "net_arch": [64, 64],
            "activation_fn": torch.nn.ReLU,
            "log_std_init": -0.5,
        },
        device="cpu",
        seed=training.seed,
    )
    progress = TrainingProgress(training.steps, console)
    model.learn(training.steps, callback=progress)
    vec_env.close()
    return model, progress


def measure(model: Any, training: Training) -> dict[str, Evaluation]:
    """Plays the learned policy, the analytic and the strongest from the same starts.

    Returns:
        Name to evaluation, the learned policy first.
    """
    analytic, opponent = ANALYTIC[training.env], OPPONENTS[training.env]
    strongest = STRONGEST[training.env]
    policies: dict[str, Any] = {
        "learned": model,
        f"analytic {analytic}": analytic,
        strongest: strongest,
    }
    found = {}
    for name, policy in policies.items():
        pair = (policy, opponent) if training.env == "Pursuit-v0" else (opponent, policy)
        found[name] = evaluate(*pair, episodes=training.episodes, seed=HELD_OUT_SEED)
    return found


def run(training: Training) -> None:
    """Trains a policy, prints how it compares, and writes model, figures, plot and GIF.

    Args:
        training: what to train, for how long, and where to put it.

    Raises:
        ValueError: for an environment that cannot be trained here.
    """
    check_choice("env", training.env, ANALYTIC)
    console = Console()
    training.out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    model, progress = train(training, console)
    seconds = time.perf_counter() - start
    model.save(training.out / "model.zip")
    console.print(
        f"{training.steps:,} steps in {seconds:.0f} s; now {training.episodes:,} episodes each "
        "from the same starts, none of them trained on"
    )
    episodes = measure(model, training)
    console.print(comparison_table(training.env, episodes))
    save_comparison_plot(training.out / "comparison.png", progress.curve, episodes)
    save_episode_gif(training.out / "episode.gif", training.env, model)
    ours, *others = episodes
    figures = {
        "training": {**asdict(training), "out": str(training.out), "seconds": seconds},
        "capture_rate": {k: v.capture_rate for k, v in episodes.items()},
        "capture_time": {k: v.mean_capture_time for k, v in episodes.items()},
        "capture_time_difference": {
            name: paired_difference(episodes[ours]["time"], episodes[name]["time"])
            for name in others
        },
    }
    (training.out / "results.json").write_text(json.dumps(figures, indent=2) + "\n")
    names = ("model.zip", "results.json", "comparison.png", "episode.gif")
    console.print("wrote " + ", ".join(str(training.out / name) for name in names))
