# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "minari[hdf5]>=0.5"]
# ///
"""Writes collected episodes as a Minari data set.

    steer-env collect --pursuer navigation --epsilon 0.3 --out noisy.npz
    python examples/minari_dataset.py noisy.npz pursuit/noisy-v0

`minari.load_dataset("pursuit/noisy-v0")` reads it, and its `recover_environment` makes the
environment that the episodes were played in.
"""

import argparse
import json
from contextlib import closing

import minari
import numpy as np

from steer_env.baselines import Dataset


def to_minari(data, dataset_id, **metadata):
    """Writes a `Dataset`, with further arguments of minari.create_dataset_from_buffers."""
    names = ("actions", "rewards", "terminations", "truncations")
    episodes = []
    for index, final in enumerate(data.final_observations):
        rows = data.episode(index)
        steps = {name: getattr(data, name)[rows] for name in names}
        steps["observations"] = np.concatenate([data.observations[rows], [final]])
        about = {"id": index, "seed": int(data.seeds[index]), "infos": {}}
        episodes.append(minari.data_collector.EpisodeBuffer(**steps, **about))
    with closing(data.make_env()) as env:  # whose opponent must be known by a name or a file
        return minari.create_dataset_from_buffers(
            dataset_id,
            episodes,
            env=env,
            eval_env=env.spec,
            algorithm_name=data.about[data.about["side"]],
            description=json.dumps(data.about),
            requirements=[f"steer-env=={data.about['version']}"],
            **metadata,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="of steer-env collect, .npz")
    parser.add_argument("dataset_id", help="such as pursuit/noisy-v0")
    options = parser.parse_args()
    found = to_minari(Dataset.load(options.file), options.dataset_id)
    print(f"wrote {options.dataset_id}: {found.total_episodes:,} episodes")
