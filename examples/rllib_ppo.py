# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines,multi]", "ray[rllib]>=2.60", "torch"]
#
# [tool.clients]
# tool = "RLlib (PPO, new API stack)"
# versions = ["ray", "gymnasium", "torch"]
# runs = "native vector"
# ///
"""RLlib trains PPO on Pursuit-v0, on its native vector environment.

    python examples/rllib_ppo.py
    python examples/rllib_ppo.py --num-env-runners 16 --num-learners 2 --address auto

The prefix "steer_env:" makes every env runner register the environments, also on another
machine. BatchedEnvRunner samples whole batches from the native vector environment. RLlib's own
runner works as well, and takes several times as long: leave out env_runner_cls, and give
gym_env_vectorize_mode=gym.VectorizeMode.VECTOR_ENTRY_POINT instead.
"""

import argparse

import ray
import rllib_batches
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core import DEFAULT_MODULE_ID
from result import print_result

from steer_env.baselines import FunctionPolicy

STEPS = 8192  # of all games together, in an iteration


def make_parser(iterations):
    """The options of the examples of RLlib."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--num-env-runners", type=int, default=2, help="processes that play")
    parser.add_argument(
        "--num-learners", type=int, default=0, help="processes that learn together"
    )
    parser.add_argument(
        "--address", help="a Ray cluster's; by default Ray runs on this machine"
    )
    parser.add_argument("--iterations", type=int, default=iterations)
    return parser


def train(config, options, steps, name=DEFAULT_MODULE_ID):
    """Trains by PPO, some steps of all games an iteration; returns the policy of a name."""
    config = (
        config.env_runners(
            num_env_runners=options.num_env_runners,
            sample_timeout_s=600.0,  # the first samples wait for the workers
        )
        .learners(num_learners=options.num_learners)
        .training(
            train_batch_size_per_learner=steps // max(1, options.num_learners),
            minibatch_size=1024,
            num_epochs=10,
            lr=1e-3,
            gamma=0.99,
            lambda_=0.95,
            grad_clip=0.5,
            use_kl_loss=False,
        )
        .rl_module(model_config={"fcnet_hiddens": [64, 64], "vf_share_layers": False})
    )
    ray.cloudpickle.register_pickle_by_value(rllib_batches)  # other machines lack the file
    processors = 1 + options.num_env_runners + options.num_learners
    ray.init(options.address or "local", num_cpus=None if options.address else processors)
    algorithm = config.build_algo()
    for _ in range(options.iterations):
        found = algorithm.train()["env_runners"]
        returns = found.get("module_episode_returns_mean", found.get("episode_return_mean"))
        print(found["num_env_steps_sampled_lifetime"], returns, flush=True)
    module = algorithm.get_module(name)
    algorithm.stop()

    @FunctionPolicy
    def learned(observations):
        """The mean of the policy's distribution."""
        with torch.no_grad():
            outputs = module.forward_inference({"obs": torch.as_tensor(observations)})
        return outputs["action_dist_inputs"][:, :2].clamp(-1.0, 1.0).numpy()

    return learned


if __name__ == "__main__":
    config = (
        PPOConfig()
        .environment("steer_env:Pursuit-v0", env_config={"opponent": "evade"})
        .env_runners(env_runner_cls=rllib_batches.BatchedEnvRunner, num_envs_per_env_runner=32)
    )
    print_result(train(config, make_parser(30).parse_args(), STEPS))
