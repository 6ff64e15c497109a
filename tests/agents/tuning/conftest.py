"""A Ray for all tests here, whose processes note what they play, and fail where they should."""

from pathlib import Path

import pytest

import agents
from baselines.ray_cluster import joined


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """The file that names the seed and the opponent of each match of a trial."""
    pytest.importorskip("ray.tune")
    path = tmp_path_factory.mktemp("played") / "matches.txt"

    def prepare(path=str(path), root=str(Path(agents.__file__).parents[1])):
        import os
        import sys

        sys.path.insert(0, root)  # Ray adds it only after this
        from agents.tuning.trial import TrialTraining
        from baselines.scenarios import Scenario

        match, advance = Scenario.match, TrialTraining.advance

        def noted(self, policy, opponent, episodes, seed):
            with open(path, "a") as file:
                file.write(f"{seed} {episodes} {opponent}\n")
            return match(self, policy, opponent, episodes, seed)

        def failing(self):
            params = " ".join(self._training.params)
            if "clip_range=0.15" in params:
                raise FloatingPointError("it diverged")
            if "clip_range=0.4" in params:
                os._exit(1)
            return advance(self)

        Scenario.match, TrialTraining.advance = noted, failing

    with joined(runtime_env={"worker_process_setup_hook": prepare}, processors=2):
        yield path
