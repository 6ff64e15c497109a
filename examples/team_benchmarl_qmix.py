# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "benchmarl>=1.5", "torch"]
#
# [tool.clients]
# tool = "BenchMARL (QMIX)"
# versions = ["benchmarl", "torchrl", "gymnasium", "torch"]
# runs = "native vector"
# ///
"""BenchMARL trains three pursuers by QMIX, with discrete actions.

    python examples/team_benchmarl_qmix.py

QMIX adds up the pursuers' values by a network that sees the game's global state. It learns
this game more slowly than MAPPO does.
"""

from benchmarl.algorithms import QmixConfig
from result import TEAM_GAME, print_result
from team_benchmarl_mappo import train

QMIX = {
    "max_n_frames": 300_000,
    "gamma": 0.98,
    "lr": 1e-3,
    "exploration_anneal_frames": 100_000,
    "off_policy_n_envs_per_worker": 64,
    "off_policy_collected_frames_per_batch": 1024,
    "off_policy_n_optimizer_steps": 40,
    "off_policy_train_batch_size": 512,
    "off_policy_memory_size": 200_000,
    "off_policy_init_random_frames": 4096,
}

if __name__ == "__main__":
    print_result(train(QmixConfig.get_from_yaml(), **QMIX), TEAM_GAME)
