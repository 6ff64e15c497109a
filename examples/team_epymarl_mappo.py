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

`PlayersEnv` is an environment as EPyMARL takes it, whose id names this file. Writes the game's
keywords into a file of ``env_args``, runs EPyMARL's main.py with it as the printed command line
does if PYTHONPATH names this folder, and measures the agent that it saves. The variable EPYMARL
names a clone in another place. EPyMARL imports smaclite, a game of its own, when it starts; an
empty module does instead.

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

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from result import TEAM_GAME, TEAM_TRAINING, print_result

from steer_env.baselines import FunctionPolicy
from steer_env.envs.parallel_vector import ParallelVectorEnv, ends_of_games

SOURCE = Path(os.environ.get("EPYMARL", "epymarl")).resolve() / "src"
OPTIONS = [
    *("t_max=200000", "lr=0.001", "epochs=10", "hidden_dim=64", "use_rnn=False"),
    *("obs_agent_id=False", "use_cuda=False", "seed=0", "test_interval=1000000"),
    *("save_model=True", "save_model_interval=50000"),
]
ENV_ARGS = {
    "key": "team_epymarl_mappo:Players-v0",
    "time_limit": TEAM_TRAINING["horizon"],
    "pretrained_wrapper": None,
    **TEAM_TRAINING,
}


class PlayersEnv(gym.Env):
    """A game with an entry for each player of the sides that learn, in tuples.

    EPyMARL's "gymma", and other programs for level-based foraging or the robotic warehouse,
    train on environments of this form: spaces are ``Tuple``, observations, actions and rewards
    have an entry for each player, the pursuers first, and the flags are those of the episode.
    A player that is caught stays in the tuples: its observations and rewards are 0 from then
    on, and its actions are ignored.

    Args:
        action_type: "discrete", which EPyMARL takes, or "continuous".
        **keywords: of `ParallelVectorEnv`.
    """

    def __init__(self, action_type="discrete", **keywords):
        self.games = ParallelVectorEnv(
            1, action_type=action_type, autoreset_mode="Disabled", num_threads=1, **keywords
        )
        self.counts = {name: self.games.config.count(name) for name in self.games.sides}
        self.n_agents = sum(self.counts.values())
        self.observation_space = self._for_each(self.games.observation_spaces)
        self.action_space = self._for_each(self.games.action_spaces)

    def _for_each(self, of_sides):
        return spaces.Tuple(
            [of_sides[name] for name, count in self.counts.items() for _ in range(count)]
        )

    def reset(self, *, seed=None, options=None):
        """Begins a new episode."""
        observations, info = self.games.reset(seed=seed, options=options)
        return self._rows(observations), self._numbers(info)

    def step(self, actions):
        """Moves everyone by one action of each player, the pursuers first."""
        given, first = {}, 0
        for name, count in self.counts.items():
            given[name] = np.asarray(actions[first : first + count])[None]
            first += count
        observations, rewards, terminations, truncations, info = self.games.step(given)
        gained = [float(reward) for reward in self._rows(rewards)]
        terminated, truncated = ends_of_games(terminations, truncations, info)
        flags = bool(terminated[0]), bool(truncated[0])
        return self._rows(observations), gained, *flags, self._numbers(info)

    def _rows(self, of_sides):
        return tuple(row for name in self.counts for row in of_sides[name][0])

    def _numbers(self, info):
        """The statistics that EPyMARL adds up over episodes."""
        return {name: float(info[name][0]) for name in ("captured", "distance")}


if "Players-v0" not in gym.registry:
    gym.register("Players-v0", entry_point=PlayersEnv, disable_env_checker=True)


def train():
    """Runs EPyMARL; returns the weights of the agent that it saves last."""
    with tempfile.TemporaryDirectory() as folder:
        game = Path(folder, "team")  # EPyMARL adds ".yaml"
        about = {"env": "gymma", "env_args": ENV_ARGS}
        game.with_suffix(".yaml").write_text(json.dumps(about))
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
        return torch.load(max(saved, key=lambda path: int(path.parent.name)))


def main():
    """Trains, and measures what is trained."""
    agent = train()

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


if __name__ == "__main__":
    main()
