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
from benchmarl.environments.common import TaskClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from result import TEAM_GAME, TEAM_TRAINING, print_result
from tensordict import TensorDict
from torch import nn
from torchrl.data import Composite
from torchrl.envs import ExplorationType, set_exploration_type
from torchrl_env import TorchRLEnv

from steer_env.baselines import FunctionPolicy

MAPPO = {
    "max_n_frames": 200_000,
    "lr": 1e-3,
    "on_policy_n_envs_per_worker": 128,
    "on_policy_collected_frames_per_batch": 8192,
    "on_policy_n_minibatch_iters": 10,
    "on_policy_minibatch_size": 1024,
}


class PursuitTask(TaskClass):
    """A game as a task of BenchMARL, over `TorchRLEnv`, which steps many games together.

    Each side that learns is a group. Its actions are continuous or discrete, as the experiment
    prefers and its algorithm can. Critics and mixers that see everything get the global state.

    Args:
        name: of the task in the logs.
        config: keywords of `TorchRLEnv`: {"pursuers": 3, "opponent": "evade"} and so on, but
            those that the experiment sets.
    """

    def get_env_fun(self, num_envs, continuous_actions, seed, device):
        """A function that makes N games."""
        action_type = "continuous" if continuous_actions else "discrete"
        keywords = {**self.config, "action_type": action_type, "seed": seed, "device": device}
        return lambda: TorchRLEnv(num_envs, **keywords)

    def supports_continuous_actions(self):
        """True: a force."""
        return True

    def supports_discrete_actions(self):
        """True: eight directions and none."""
        return True

    def has_render(self, env):
        """True if the task's keywords have a render mode with pixels."""
        return self.config.get("render_mode") in ("rgb_array", "mosaic")

    @staticmethod
    def render_callback(experiment, env, data):
        """The pixels of the first game, (height, width, 3)."""
        frames = env.base_env.games.render()
        return frames[0] if isinstance(frames, tuple) else frames

    def max_steps(self, env):
        """The longest episode, in steps."""
        return self.config.get("max_episode_steps") or env.base_env.games.config.horizon

    def group_map(self, env):
        """The names of each side's agents."""
        return dict(env.group_map)

    def observation_spec(self, env):
        """The observation spaces of each group of agents."""
        spec = env.full_observation_spec_unbatched
        return Composite(
            {
                group: Composite(
                    {"observation": spec[group, "observation"].clone()}, shape=spec[group].shape
                )
                for group in env.group_map
            }
        )

    def info_spec(self, env):
        """None: the environments have no infos."""

    def state_spec(self, env):
        """The global state."""
        return Composite(state=env.full_observation_spec_unbatched["state"].clone())

    def action_spec(self, env):
        """The action spaces of each group of agents."""
        return env.full_action_spec_unbatched

    def action_mask_spec(self, env):
        """None: every action is possible at any time."""

    @staticmethod
    def env_name():
        """The name of the environment in the logs."""
        return "steer_env"

    @staticmethod
    def log_info(batch):
        """The share of the episodes that ended with the capture of all evaders."""
        ends = int(batch["next", "done"].sum())
        captures = int(batch["next", "terminated"].sum())
        return {"capture_rate": captures / ends} if ends else {}


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
