"""Examples of libraries that are installed train for a moment, and print their result."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import warnings

import clients
import numpy as np
import pytest

pytestmark = [
    pytest.mark.weekly,
    pytest.mark.filterwarnings("default"),
]  # those of the libraries

ROOT = clients.EXAMPLES.parent
TEAMS = {"pursuers": 3, "evaders": 2, "capture_radius": 2.0, "arena_size": 12.0, "horizon": 50}
RUNS = {
    "rllib_ppo": ("ray", "--iterations 1 --num-env-runners 0"),
    "rllib_ppo with 2 learners": ("ray", "--iterations 1 --num-env-runners 1 --num-learners 2"),
    "rllib_both_sides": ("ray", "--iterations 1 --num-env-runners 0"),
    "rllib_both_sides with a script": (
        "ray",
        "--iterations 1 --num-env-runners 0 --opponent evade",
    ),
    "ray_tune_search": ("ray", "--samples 2 --steps 70000"),
    "optuna_search": ("optuna", "2 10000"),
}


@pytest.fixture(autouse=True)
def examples(monkeypatch):
    monkeypatch.syspath_prepend(clients.EXAMPLES)


@pytest.mark.parametrize("name", RUNS)
def test_an_example_prints_its_result(name, tmp_path):
    package, words = RUNS[name]
    pytest.importorskip(package)
    # A process each, as users have: Ray does not always start twice in one.
    command = [sys.executable, str(clients.EXAMPLES / f"{name.split()[0]}.py"), *words.split()]
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    found = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert "result: captured" in found.stdout, found.stderr


@pytest.mark.skipif(not importlib.util.find_spec("benchmarl"), reason="needs BenchMARL")
@pytest.mark.parametrize("algorithm", ["Mappo", "Qmix"])
@pytest.mark.parametrize("opponent", ["evade", None])
def test_benchmarl_trains_on_a_game(algorithm, opponent):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import benchmarl.algorithms
        import team_benchmarl_mappo as example

    settings = {
        **{"max_n_frames": 256, "evaluation": True, "evaluation_interval": 256},
        **dict.fromkeys(("on_policy_n_envs_per_worker", "off_policy_n_envs_per_worker"), 8),
        "on_policy_collected_frames_per_batch": 128,
        "off_policy_collected_frames_per_batch": 128,
        **dict.fromkeys(("on_policy_n_minibatch_iters", "off_policy_n_optimizer_steps"), 1),
    }
    config = getattr(benchmarl.algorithms, f"{algorithm}Config").get_from_yaml()
    policy = example.train(config, {**TEAMS, "opponent": opponent}, **settings)
    if opponent is None:
        return  # the policy of both sides takes the observations of both
    env = example.TorchRLEnv(4, **TEAMS, opponent="evade")
    observations = env.reset()["pursuer", "observation"].flatten(0, 1).numpy()
    actions, _ = policy.predict(observations)
    assert np.isfinite(actions).all()
    assert len(actions) == len(observations)


@pytest.mark.skipif(not importlib.util.find_spec("benchmarl"), reason="needs BenchMARL")
def test_the_capture_rate_of_a_batch_for_benchmarl():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from team_benchmarl_mappo import PursuitTask

    env = PursuitTask("teams", TEAMS).get_env_fun(16, True, 0, "cpu")()
    batch = env.rollout(300, break_when_any_done=False)
    assert 0.0 < PursuitTask.log_info(batch)["capture_rate"] < 1.0
    assert PursuitTask.log_info(batch[:, :1]) == {}
