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

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from result import TEAM_GAME, TEAM_TRAINING, print_result
from rllib_ppo import make_parser, train

import steer_env

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
    parser = make_parser(60)
    parser.add_argument("--opponent", help="a script for the evader, which then does not learn")
    options = parser.parse_args()
    game = {**TEAM_TRAINING, "opponent": options.opponent}
    sides = {"pursuer"} if options.opponent else {"pursuer", "evader"}
    config = (
        PPOConfig()
        .environment(RLlibEnv, env_config=game)
        .multi_agent(policies=sides, policy_mapping_fn=side_of)
        .env_runners(num_envs_per_env_runner=16)
    )
    print_result(train(config, options, STEPS, "pursuer"), TEAM_GAME)


if __name__ == "__main__":
    main()
