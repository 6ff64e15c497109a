# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "d3rlpy>=2.8", "torch"]
#
# [tool.clients]
# tool = "d3rlpy (IQL, offline)"
# versions = ["d3rlpy", "gymnasium", "torch"]
# runs = "single"
# ///
"""d3rlpy learns pursuit offline, from episodes in which half of the actions are random.

    python examples/offline_d3rlpy.py

Behavior cloning imitates the data, randomness and all, and plays worse than they do. Implicit
Q-learning (IQL) also learns from the rewards which actions were good, and plays better. Two
settings matter here:

- Steps of a tenth of a second. In a thirtieth, one action changes so little that the errors of
  the learned values hide it. The policy is then measured in the game's own shorter steps, in
  which the same state has the same observation.
- Larger rewards. IQL weights an action by the exponential of its advantage, and the rewards of
  single steps are about a hundredth, so without it learns more slowly.
"""

import d3rlpy
import numpy as np
import torch
from d3rlpy.algos import BCConfig, IQLConfig
from d3rlpy.models import VectorEncoderFactory
from d3rlpy.preprocessing import MultiplyRewardScaler, StandardObservationScaler
from episodes import play
from result import EPISODES, FIRST_SEED, print_result

from steer_env.baselines import FunctionPolicy, evaluate

STEPS = 4_000  # of each training
NETWORK = VectorEncoderFactory([128, 128])
BEHAVIOR = "navigation"

torch.set_num_threads(1)  # the networks are small
d3rlpy.seed(0)

game = {"opponent": "evade", "dt": 0.1, "horizon": 200, "mode": "sync"}
played = play("Pursuit-v0", BEHAVIOR, 1000, epsilon=0.5, **game)
captured = np.mean([one["terminations"][-1] for one in played])
observations = np.concatenate([one["observations"][:-1] for one in played])
names = "actions", "rewards", "terminations", "truncations"
actions, rewards, terminations, truncations = (
    np.concatenate([one[name] for one in played]) for name in names
)
print(f"data: {len(played):,} episodes, {len(rewards):,} steps, {captured:.0%} captured")
episodes = d3rlpy.dataset.MDPDataset(
    observations=observations,
    actions=actions,
    rewards=rewards[:, None].astype(np.float32),
    terminals=terminations.astype(np.float32),
    # A capture in the last step is a termination: here an end has one cause.
    timeouts=(truncations & ~terminations).astype(np.float32),
)
cloning = BCConfig(
    learning_rate=1e-3,
    encoder_factory=NETWORK,
    observation_scaler=StandardObservationScaler(),
).create(device="cpu")
learning = IQLConfig(
    actor_learning_rate=1e-3,
    critic_learning_rate=1e-3,
    actor_encoder_factory=NETWORK,
    critic_encoder_factory=NETWORK,
    value_encoder_factory=NETWORK,
    observation_scaler=StandardObservationScaler(),
    reward_scaler=MultiplyRewardScaler(100.0),
).create(device="cpu")
for algorithm in (cloning, learning):
    algorithm.fit(
        episodes,
        n_steps=STEPS,
        n_steps_per_epoch=STEPS,
        show_progress=False,
        logger_adapter=d3rlpy.logging.NoopAdapterFactory(),
    )

cloned = evaluate(FunctionPolicy(cloning.predict), "evade", episodes=EPISODES, seed=FIRST_SEED)
print(f"behavior cloning: {cloned.capture_rate:.0%} captured")
print_result(FunctionPolicy(learning.predict))
