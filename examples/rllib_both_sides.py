# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines,multi]", "ray[rllib]>=2.60", "torch"]
#
# [tool.clients]
# tool = "RLlib (multi-agent PPO)"
# versions = ["ray", "pettingzoo", "gymnasium", "torch"]
# runs = "single"
# ///
"""RLlib trains both sides at once: three pursuers that share a policy, and an evader.

    python examples/rllib_both_sides.py
    python examples/rllib_both_sides.py --opponent evade
    python examples/rllib_both_sides.py --num-env-runners 16 --num-learners 2 --address auto

With --opponent, a script plays the evader, and the pursuers alone learn. They are measured
against a scripted evader in any case: one that they have never met if both sides learn.
"""

import argparse

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from result import TEAM_GAME, TEAM_TRAINING, print_result

import steer_env
from steer_env.baselines import FunctionPolicy

STEPS = 4096  # of all games together, in an iteration


class RLlibEnv(ParallelPettingZooEnv):
    """A game as a MultiAgentEnv, made from the `env_config` of an algorithm.

    An episode ends when no agent is left in play, also where some were caught in the very step
    in which the time was up for the others; RLlib's class waits for flags that are all alike.
    """

    def __init__(self, config):
        env = steer_env.parallel_env(**config)
        # In the order of the game, not of a set; RLlib's class leaves alone what is there.
        self.agents = self.possible_agents = list(env.possible_agents)
        super().__init__(env)
        self.observation_spaces, self.action_spaces = env.observation_spaces, env.action_spaces

    def step(self, action_dict):
        """Moves all players. "__all__" is the flag of the episode."""
        observations, rewards, terminated, truncated, infos = super().step(action_dict)
        truncated["__all__"] = not self.par_env.agents and not terminated["__all__"]
        return observations, rewards, terminated, truncated, infos


def side_of(agent, episode, **_):
    """The name of the policy of "pursuer_0", for example."""
    return agent.partition("_")[0]


def main():
    """Trains, and prints the result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--opponent", help="a script for the evader, which then does not learn")
    parser.add_argument("--num-env-runners", type=int, default=2, help="processes that play")
    parser.add_argument(
        "--num-learners", type=int, default=0, help="processes that learn together"
    )
    parser.add_argument(
        "--address", help="a Ray cluster's; by default Ray runs on this machine"
    )
    parser.add_argument("--iterations", type=int, default=60)
    options = parser.parse_args()

    game = {**TEAM_TRAINING, "opponent": options.opponent}
    sides = {"pursuer"} if options.opponent else {"pursuer", "evader"}

    config = (
        PPOConfig()
        .environment(RLlibEnv, env_config=game)
        .multi_agent(policies=sides, policy_mapping_fn=side_of)
        .env_runners(
            num_env_runners=options.num_env_runners,
            num_envs_per_env_runner=16,
            sample_timeout_s=600.0,  # the first samples wait for the workers
        )
        .learners(num_learners=options.num_learners)
        .training(
            train_batch_size_per_learner=STEPS // max(1, options.num_learners),
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
    processors = 1 + options.num_env_runners + options.num_learners
    ray.init(options.address or "local", num_cpus=None if options.address else processors)
    algorithm = config.build_algo()
    for _ in range(options.iterations):
        found = algorithm.train()["env_runners"]
        returns = found.get("module_episode_returns_mean")
        print(found["num_env_steps_sampled_lifetime"], returns, flush=True)
    module = algorithm.get_module("pursuer")
    algorithm.stop()

    @FunctionPolicy
    def learned(observations):
        """The mean of the policy's distribution."""
        with torch.no_grad():
            outputs = module.forward_inference({"obs": torch.as_tensor(observations)})
        return outputs["action_dist_inputs"][:, :2].clamp(-1.0, 1.0).numpy()

    print_result(learned, TEAM_GAME)


if __name__ == "__main__":
    main()
