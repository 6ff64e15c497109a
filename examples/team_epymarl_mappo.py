# /// script
# requires-python = ">=3.10"
# dependencies = [
#     "steer-env[baselines,multi]", "sacred", "setuptools<81", "pyyaml", "cloudpickle", "torch"
# ]
#
# [tool.clients]
# tool = "EPyMARL (MAPPO)"
# versions = ["sacred", "pettingzoo", "gymnasium", "torch"]
# runs = "single"
# ///
"""EPyMARL trains three pursuers by MAPPO, without an edit.

    git clone https://github.com/uoe-agents/epymarl
    python examples/team_epymarl_mappo.py

Writes the game's keywords into a file of ``env_args``, runs EPyMARL's main.py with it as the
printed command line does, and measures the agent that it saves. The variable EPYMARL names a
clone in another place. EPyMARL imports smaclite, a game of its own, when it starts; an empty
module does instead.

Tried with EPyMARL's commit cbc38c0 of September 2024.
"""

import json
import logging
import os
import runpy
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import torch
from result import TEAM_GAME, TEAM_TRAINING, print_result

from baselines import FunctionPolicy

SOURCE = Path(os.environ.get("EPYMARL", "epymarl")).resolve() / "src"
OPTIONS = [
    *("t_max=200000", "lr=0.001", "epochs=10", "hidden_dim=64", "use_rnn=False"),
    *("obs_agent_id=False", "use_cuda=False", "seed=0", "test_interval=1000000"),
    *("save_model=True", "save_model_interval=50000"),
]
ENV_ARGS = {
    "key": "steer_env.envs.epymarl:Players-v0",
    "time_limit": TEAM_TRAINING["horizon"],
    "pretrained_wrapper": None,
    **TEAM_TRAINING,
}

with tempfile.TemporaryDirectory() as folder:
    game = Path(folder, "team")  # EPyMARL adds ".yaml"
    game.with_suffix(".yaml").write_text(json.dumps({"env": "gymma", "env_args": ENV_ARGS}))
    script = str(SOURCE / "main.py")
    sys.argv = [script, "--config=mappo", f"--env-config={game}", "with", *OPTIONS]
    sys.argv.append(f"local_results_path={folder}")
    print("python", *sys.argv, flush=True)
    sys.path.insert(0, str(SOURCE))
    sys.modules["smaclite"] = ModuleType("smaclite")
    # EPyMARL logs all there is, and numba notes every step of its compiler.
    logging.getLogger("numba").setLevel(logging.WARNING)
    runpy.run_path(script, run_name="__main__")
    saved = Path(folder).glob("models/*/*/agent.th")
    agent = torch.load(max(saved, key=lambda path: int(path.parent.name)))


@FunctionPolicy
def learned(observations):
    """The most probable of the nine actions: EPyMARL's network of three layers."""
    values = torch.as_tensor(observations)
    for layer in ("fc1", "rnn", "fc2"):
        values = values @ agent[f"{layer}.weight"].T + agent[f"{layer}.bias"]
        if layer != "fc2":
            values = values.relu()
    return values.argmax(dim=1).numpy()


print_result(learned, TEAM_GAME)
