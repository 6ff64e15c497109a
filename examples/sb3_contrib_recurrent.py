# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "sb3-contrib>=2.7", "torch"]
#
# [tool.clients]
# tool = "sb3-contrib (RecurrentPPO)"
# versions = ["sb3-contrib", "gymnasium", "torch"]
# runs = "native vector"
# ///
"""sb3-contrib trains a recurrent policy with PPO on the native vector environment.

    python examples/sb3_contrib_recurrent.py

TQC, CrossQ and TRPO take the same `make_vec_env`.
"""

from result import print_result
from sb3_contrib import RecurrentPPO

from steer_env.envs.sb3 import make_vec_env

STEPS = 100_000

model = RecurrentPPO(
    "MlpLstmPolicy",
    make_vec_env("Pursuit-v0", num_envs=64, seed=0),
    n_steps=128,
    batch_size=1024,
    n_epochs=5,
    learning_rate=1e-3,
    policy_kwargs={"lstm_hidden_size": 64},
    seed=0,
)
model.learn(STEPS)
print_result(model)
