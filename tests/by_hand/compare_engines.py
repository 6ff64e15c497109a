"""Trains with stable-baselines3 and with RLlib in turns, and compares speed and policies.

    PYTHONPATH=. python tests/by_hand/compare_engines.py --seeds 3 --out runs/engines

Prints, for stable-baselines3 and for RLlib with no, one and two env runners, the steps a second
of each training, where RLlib's time goes, and the policies of RLlib minus those of
stable-baselines3, with intervals over trainings and starts. A folder that holds some of the
trainings already is gone on with.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from rich.console import Console
from stable_baselines3.common.logger import Logger

from agents.rllib.learner import opened
from agents.training.run_folder import RunFolder
from agents.training.runs import begin_run, train
from agents.training.training import RLLIB, STABLE_BASELINES3, Training
from baselines import NetworkPolicy, compare
from baselines.comparison import Comparison
from baselines.scenarios import EPISODES
from baselines.tables import Table, plain_text

KINDS = {
    "stable-baselines3": {"engine": STABLE_BASELINES3},
    "RLlib": {"engine": RLLIB},
    "RLlib, 1 env runner": {"engine": RLLIB, "env_runners": 1},
    "RLlib, 2 env runners": {"engine": RLLIB, "env_runners": 2},
}
PARTS = ("playing", "learning", "weights")
ROLLOUTS = 60  # in which the parts are timed


def trained(training: Training, path: Path) -> float:
    """Trains a run, unless it is trained; returns its steps a second."""
    folder = RunFolder(path)
    if not folder.config.exists():
        begin_run(training, path)
    progress = train(folder, Console(quiet=True))
    return progress.validations[-1].steps / progress.seconds


def shares(training: Training) -> list[str]:
    """The shares of RLlib's time: playing, learning, sending weights, the rest."""
    preset, logger = training.read_preset(), Logger(None, [])
    rollout = preset.num_envs * preset.arguments["n_steps"]
    spent: dict[str, float] = defaultdict(float)

    def watch(part: str, owner: Any, name: str) -> None:
        method = getattr(owner, name)

        def timed(*arguments: Any, **keywords: Any) -> Any:
            began = time.perf_counter()
            result = method(*arguments, **keywords)
            spent[part] += time.perf_counter() - began
            return result

        setattr(owner, name, timed)

    with opened(training) as learner:
        learner.begin(Console(quiet=True))
        learner.learn(5 * rollout, lambda: None, logger)  # compiles, and fills caches
        group = learner.algorithm.env_runner_group
        if training.env_runners:
            watch("playing", group, "foreach_env_runner")
        else:
            watch("playing", group.local_env_runner, "sample")
        watch("learning", learner.algorithm.learner_group, "update")
        watch("weights", group, "sync_weights")
        began = time.perf_counter()
        learner.learn(ROLLOUTS * rollout, lambda: None, logger)
        total = time.perf_counter() - began
    found = [spent[part] / total for part in PARTS]
    return [f"{share:.0%}" for share in (*found, 1.0 - sum(found))]


def compared(study: Training, folders: dict[str, list[Path]], kind: str) -> Comparison:
    """A kind's policies minus those of stable-baselines3, on starts that nobody trained on."""
    found = []
    for name in (kind, "stable-baselines3"):
        policies = [NetworkPolicy.load(RunFolder(path).policy) for path in folders[name]]
        for policy in policies:
            policy.name = name
        found.append([study.study.evaluate(one, "evade", EPISODES) for one in policies])
    ours, theirs = found
    return compare(ours, theirs, side=study.side.name)


def main(arguments: list[str] | None = None) -> None:
    """Trains, and prints three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--out", type=Path, default=Path("runs/engines"))
    options = parser.parse_args(arguments)
    speeds: dict[str, list[float]] = {kind: [] for kind in options.kinds}
    folders: dict[str, list[Path]] = {kind: [] for kind in options.kinds}
    study = Training(steps=options.steps)
    for seed in range(options.seeds):
        for kind in options.kinds:
            training = Training(steps=options.steps, seed=seed, **KINDS[kind])
            path = options.out / kind.replace(" ", "_").replace(",", "") / f"seed_{seed}"
            speeds[kind].append(trained(training, path))
            folders[kind].append(path)
            print(f"{kind}, seed {seed}: {speeds[kind][-1]:,.0f} steps/s", flush=True)
    base = statistics.median(speeds["stable-baselines3"])
    rows = []
    for kind, found in speeds.items():
        median = statistics.median(found)
        parts = [""] * 4
        if kind != "stable-baselines3":
            parts = shares(Training(steps=options.steps, **KINDS[kind]))
        rows.append((kind, f"{median:,.0f}", f"{median / base:.2f}", *parts))
    columns = ("trained with", "steps/s", "ratio", *PARTS, "rest")
    caption = (
        "Medians over seeds, trained in turns; then shares of RLlib's time: playing (with the "
        "way of the episodes to the learner), learning, sending weights."
    )
    print(plain_text(Table("Training speed, PPO on Pursuit-v0", columns, rows, caption)))
    for kind in options.kinds:
        if kind != "stable-baselines3":
            print(f"\n{kind} minus stable-baselines3, {options.seeds} seeds")
            print(compared(study, folders, kind))


if __name__ == "__main__":
    main()
