# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "minari[hdf5]>=0.5", "gymnasium>=1.1"]
# ///
"""Plays episodes, and writes them as a Minari data set for offline learning.

    python examples/minari_dataset.py pursuit/noisy-v0 --player navigation --epsilon 0.3

`minari.load_dataset("pursuit/noisy-v0")` reads it, and its `recover_environment` makes the
environment that the episodes were played in.
"""

import argparse
from contextlib import closing

import gymnasium as gym
from episodes import play

import steer_env


def write(dataset_id, environment, player, episodes, epsilon=0.0, seed=0, **keywords):
    """Writes the episodes of `episodes.play` as a data set, and returns it."""
    import minari

    played = play(environment, player, episodes, epsilon, seed, **keywords)
    buffers = [
        minari.data_collector.EpisodeBuffer(id=index, infos={}, **episode)
        for index, episode in enumerate(played)
    ]
    with closing(gym.make(environment, **keywords)) as env:
        return minari.create_dataset_from_buffers(
            dataset_id,
            buffers,
            env=env,
            eval_env=env.spec,
            algorithm_name=str(player),
            description=f"{player}, with random actions in a share of {epsilon:g} of the steps",
            requirements=[f"steer-env=={steer_env.__version__}"],
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset_id", help="such as pursuit/noisy-v0")
    parser.add_argument("--environment", default="Pursuit-v0")
    parser.add_argument("--player", default="navigation", help="a name, or a network's file")
    parser.add_argument("--opponent", help="by default the environment's own")
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--epsilon", type=float, default=0.0, help="share of random actions")
    chosen = {name: one for name, one in vars(parser.parse_args()).items() if one is not None}
    found = write(**chosen)
    print(f"wrote {chosen['dataset_id']}: {found.total_episodes:,} episodes")
