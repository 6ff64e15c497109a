# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines,multi]", "ray[rllib]>=2.52", "torch"]
#
# [tool.clients]
# tool = "RLlib (multi-agent PPO)"
# versions = ["ray", "pettingzoo", "gymnasium", "torch"]
# runs = "single"
# ///
"""RLlib trains three pursuers that share one policy, or both sides at once.

    python examples/team_rllib_ppo.py [both]

With "both" there are two evaders, which learn, too, and a policy for each side. The evaluation
is then against the scripted evaders of the other game, and measures how well the pursuers do
against an opponent they have never met.
"""

import sys

import torch
from ray.rllib.algorithms.ppo import PPOConfig
from result import TEAM_GAME, TEAM_TRAINING, print_result

from baselines import FunctionPolicy
from steer_env.envs.rllib import RLlibEnv

ITERATIONS = 20
STEPS = 4096  # of all games together, in an iteration

game, training, sides = dict(TEAM_GAME), dict(TEAM_TRAINING), {"pursuer"}
if sys.argv[1:] == ["both"]:
    del training["opponent"]
    sides.add("evader")
    for keywords in (game, training):
        keywords["evaders"] = 2


def side_of(agent, episode, **_):
    """The name of the policy of "pursuer_0", for example."""
    return agent.partition("_")[0]


config = (
    PPOConfig()
    .environment(RLlibEnv, env_config=training)
    .multi_agent(policies=sides, policy_mapping_fn=side_of)
    .env_runners(
        num_env_runners=2,
        num_envs_per_env_runner=16,
        sample_timeout_s=600.0,  # the first samples wait for the compiler
    )
    .training(
        train_batch_size_per_learner=STEPS,
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
algorithm = config.build_algo()
for _ in range(ITERATIONS):
    found = algorithm.train()["env_runners"]
    returns = found.get("module_episode_returns_mean")
    print(found["num_env_steps_sampled_lifetime"], returns, flush=True)

module = algorithm.get_module("pursuer")


@FunctionPolicy
def learned(observations):
    """The mean of the policy's distribution."""
    with torch.no_grad():
        outputs = module.forward_inference({"obs": torch.as_tensor(observations)})
    return outputs["action_dist_inputs"][:, :2].clamp(-1.0, 1.0).numpy()


print_result(learned, game)
algorithm.stop()
