# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "gymnasium", "torch", "tensorboard", "tyro"]
#
# [tool.clients]
# tool = "CleanRL (ppo.py)"
# versions = ["gymnasium", "torch"]
# runs = "single"
# ///
"""CleanRL's published ppo.py trains on PursuitDiscrete-v0, without an edit.

    git clone https://github.com/vwxyzjn/cleanrl
    python examples/cleanrl_ppo.py

Runs the script as the printed command line does, and then measures the agent that it leaves
behind. The variable CLEANRL names a clone in another place.

With Gymnasium 1.0 or newer the script trains, but logs no episodic returns: it reads them where
Gymnasium 0.29 has them.

Tried with CleanRL's commit fe8d8a0 of April 2026.
"""

import os
import runpy
import sys

import torch
from result import print_result

from steer_env.baselines import FunctionPolicy

SCRIPT = os.path.join(os.environ.get("CLEANRL", "cleanrl"), "cleanrl", "ppo.py")
OPTIONS = [
    *("--env-id", "steer_env:PursuitDiscrete-v0"),
    *("--total-timesteps", "300000", "--num-envs", "32", "--num-steps", "256"),
    *("--num-minibatches", "8", "--update-epochs", "10", "--learning-rate", "1e-3"),
    *("--ent-coef", "0.001", "--no-cuda"),
]

sys.argv = [SCRIPT, *OPTIONS]
print("python", *sys.argv, flush=True)
agent = runpy.run_path(SCRIPT, run_name="__main__")["agent"]


@FunctionPolicy
def learned(observations):
    """The most probable of the nine actions."""
    with torch.no_grad():
        return agent.actor(torch.as_tensor(observations)).argmax(dim=1).numpy()


print_result(learned)
