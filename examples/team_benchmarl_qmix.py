# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "benchmarl>=1.5", "torch"]
#
# [tool.clients]
# tool = "BenchMARL (QMIX)"
# versions = ["benchmarl", "torchrl", "tensordict", "gymnasium", "torch"]
# runs = "native vector"
# ///
"""BenchMARL trains three pursuers by QMIX, with discrete actions.

    python examples/team_benchmarl_qmix.py

QMIX mixes the values of the pursuers' actions by a network that sees the game's global state.
It learns values of single actions, so the steps are longer than those of the other examples:
in a tenth of a second, one action changes so little that the errors of the values hide it.
"""

from benchmarl.algorithms import QmixConfig
from result import TEAM_GAME, TEAM_TRAINING, print_result
from team_benchmarl_mappo import train

QMIX = {
    "max_n_frames": 200_000,
    "gamma": 0.95,
    "lr": 5e-4,
    "exploration_anneal_frames": 60_000,
    "off_policy_n_envs_per_worker": 64,
    "off_policy_collected_frames_per_batch": 1024,
    "off_policy_n_optimizer_steps": 30,
    "off_policy_train_batch_size": 256,
    "off_policy_memory_size": 200_000,
    "off_policy_init_random_frames": 4096,
}

if __name__ == "__main__":
    game = {**TEAM_TRAINING, "dt": 0.2, "horizon": 100}
    print_result(train(QmixConfig.get_from_yaml(), game, **QMIX), TEAM_GAME)
