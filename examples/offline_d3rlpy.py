# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "d3rlpy>=2.8", "torch>=2.5"]
#
# [tool.uv]
# override-dependencies = ["gymnasium>=1.1"]  # d3rlpy asks for 1.0.0, and runs with later ones
# ///
"""Learns pursuit offline with d3rlpy, from episodes of a hand-written pursuer with noise.

    python examples/offline_d3rlpy.py --episodes 500 --steps 8000

Behavior cloning (BC) imitates the data, in which a third of the actions are random. Implicit
Q-learning (IQL) also learns from the rewards which actions were good. Both are measured on the
same starts.
"""

from __future__ import annotations

import argparse

import d3rlpy
import numpy as np
import torch

from baselines import FunctionPolicy, collect, evaluate

ALGORITHMS = {
    "BC": d3rlpy.algos.BCConfig,
    "IQL": d3rlpy.algos.IQLConfig,
}


def main() -> None:
    """Collects, trains and measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--behavior", default="navigation", help="who plays in the data")
    parser.add_argument("--epsilon", type=float, default=0.3, help="share of random actions")
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--steps", type=int, default=8_000, help="of each training")
    parser.add_argument("--algorithms", nargs="+", default=list(ALGORITHMS))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)  # the networks are small
    d3rlpy.seed(options.seed)

    # Training starts from other seeds than the measurements below.
    data = collect(
        options.behavior,
        "evade",
        episodes=options.episodes,
        seed=10_000,
        epsilon=options.epsilon,
    )
    captured = data.terminations.sum() / len(data)
    print(f"data: {data}, {captured:.1%} captured")
    buffer = d3rlpy.dataset.MDPDataset(
        data.observations,
        data.actions,
        data.rewards[:, None].astype(np.float32),
        data.terminations.astype(np.float32),
        data.truncations.astype(np.float32),
    )
    measured = evaluate(options.behavior, "evade", episodes=1000)
    print(f"{options.behavior} without noise: {measured.capture_rate:.1%} captured")
    for name in options.algorithms:
        algorithm = ALGORITHMS[name](
            observation_scaler=d3rlpy.preprocessing.StandardObservationScaler()
        ).create(device="cpu")
        algorithm.fit(
            buffer,
            n_steps=options.steps,
            n_steps_per_epoch=options.steps,
            show_progress=False,
            logger_adapter=d3rlpy.logging.NoopAdapterFactory(),
        )
        policy = FunctionPolicy(algorithm.predict)
        measured = evaluate(policy, "evade", episodes=1000)
        print(
            f"{name}: {measured.capture_rate:.1%} captured, "
            f"mean time {measured.mean_capture_time:.2f} s"
        )


if __name__ == "__main__":
    main()
