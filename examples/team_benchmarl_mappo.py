# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "benchmarl>=1.5", "torch"]
#
# [tool.clients]
# tool = "BenchMARL (MAPPO)"
# versions = ["benchmarl", "torchrl", "tensordict", "gymnasium", "torch"]
# runs = "native vector"
# ///
"""BenchMARL trains three pursuers by MAPPO.

    python examples/team_benchmarl_mappo.py

`PursuitTask` makes a game a task of BenchMARL, so that each of its algorithms and models
trains on it: `team_benchmarl_qmix.py` does the same by QMIX. A game without an opponent has two
groups, and BenchMARL then trains both sides.
"""

import tempfile

import torch
from benchmarl.algorithms import MappoConfig
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from result import TEAM_GAME, TEAM_TRAINING, print_result
from tensordict import TensorDict
from torch import nn
from torchrl.envs import ExplorationType, set_exploration_type

from baselines import FunctionPolicy
from steer_env.envs.benchmarl import PursuitTask

MAPPO = {
    "max_n_frames": 200_000,
    "lr": 1e-3,
    "on_policy_n_envs_per_worker": 128,
    "on_policy_collected_frames_per_batch": 8192,
    "on_policy_n_minibatch_iters": 10,
    "on_policy_minibatch_size": 1024,
}


def train(algorithm, game, **settings):
    """Trains the three pursuers of a game.

    Args:
        algorithm: one of BenchMARL's configurations.
        game: keywords of the game.
        **settings: those of BenchMARL's ExperimentConfig that are not its defaults.

    Returns:
        The pursuers' policy.
    """
    torch.set_num_threads(1)  # the fastest for small networks
    config = ExperimentConfig.get_from_yaml()
    quiet = {"loggers": [], "create_json": False, "evaluation": False, "render": False}
    with tempfile.TemporaryDirectory() as folder:
        for name, value in {**quiet, "save_folder": folder, **settings}.items():
            setattr(config, name, value)
        network = MlpConfig([128, 128], nn.Linear, activation_class=nn.ReLU)
        experiment = Experiment(
            task=PursuitTask("3_vs_1", game),
            algorithm_config=algorithm,
            model_config=network,  # that of critics, too
            seed=0,
            config=config,
        )
        experiment.run()

    @FunctionPolicy
    def learned(observations):
        """The most probable actions, or those of the highest value."""
        teams = torch.as_tensor(observations).unflatten(0, (-1, TEAM_GAME["pursuers"]))
        group = TensorDict({"observation": teams}, batch_size=teams.shape[:2])
        entries = TensorDict({"pursuer": group}, batch_size=teams.shape[:1])
        with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
            return experiment.policy(entries)["pursuer", "action"].flatten(0, 1).numpy()

    return learned


if __name__ == "__main__":
    print_result(train(MappoConfig.get_from_yaml(), TEAM_TRAINING, **MAPPO), TEAM_GAME)
