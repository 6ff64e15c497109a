# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "gymnasium==0.29.1", "torch", "tensorboard", "tyro"]
#
# [tool.clients]
# tool = "CleanRL (ppo_continuous_action.py)"
# versions = ["gymnasium", "torch"]
# runs = "single"
# ///
"""CleanRL's published ppo_continuous_action.py trains on Pursuit-v0, without an edit.

    git clone https://github.com/vwxyzjn/cleanrl
    python examples/cleanrl_ppo_continuous.py

The script needs Gymnasium 0.29: newer ones ask its TransformObservation for a space. It runs as
the printed command line does. The variable CLEANRL names a clone in another place.

Tried with CleanRL's commit fe8d8a0 of April 2026.
"""

import os
import runpy
import sys

import numpy as np
import torch
from result import print_result

from steer_env.baselines import FunctionPolicy

NAME = "ppo_continuous_action.py"
SCRIPT = os.path.join(os.environ.get("CLEANRL", "cleanrl"), "cleanrl", NAME)
OPTIONS = [
    *("--env-id", "steer_env:Pursuit-v0"),
    *("--total-timesteps", "160000", "--num-envs", "32", "--num-steps", "128"),
    *("--num-minibatches", "8", "--learning-rate", "1e-3", "--no-cuda"),
]

sys.argv = [SCRIPT, *OPTIONS]
print("python", *sys.argv, flush=True)
left = runpy.run_path(SCRIPT, run_name="__main__")
agent = left["agent"]
# Each game has normalized its own observations; the statistics differ little after so many.
moments = [env.get_wrapper_attr("obs_rms") for env in left["envs"].envs]
mean = np.mean([moment.mean for moment in moments], axis=0)
spread = np.sqrt(np.mean([moment.var for moment in moments], axis=0) + 1e-8)


@FunctionPolicy
def learned(observations):
    """The mean of the policy's distribution, for an observation normalized as in training."""
    normalized = np.clip((observations - mean) / spread, -10.0, 10.0).astype(np.float32)
    with torch.no_grad():
        return agent.actor_mean(torch.as_tensor(normalized)).clamp(-1.0, 1.0).numpy()


print_result(learned)
