"""Runs that RLlib trains: their folders, what they go on from, and on how many processes."""

import io
import json
import os
import pickle
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest
from short_trainings import QUIET, CrashError, short_training, trained, without_gif

pytest.importorskip("ray.rllib")

from ray.rllib.algorithms.algorithm import Algorithm
from stable_baselines3.common.logger import Logger

from agents.__main__ import main
from agents.durable import checkpoints, newest_checkpoint
from agents.rllib.learner import MODULE, RLlibLearner
from agents.training.divergence import Diverged
from agents.training.preset_values import LinearSchedule
from agents.training.run_folder import RunFolder
from agents.training.runs import begin_run, train
from baselines import NetworkPolicy
from baselines.ray_cluster import joined

pytestmark = pytest.mark.filterwarnings("default")  # RLlib's own

PARAMS = {
    "ppo": ("n_steps=32", "batch_size=64"),
    "sac": (
        *("learning_starts=200", "batch_size=32", "buffer_size=20000"),
        *("train_freq=16", "gradient_steps=4"),
    ),
}
NO_LOG = Logger(None, [])


def short(algo="ppo", **changes):
    settings = {"engine": "rllib", "steps": 3000, "params": PARAMS[algo], **changes}
    return short_training(algo, **settings)


@pytest.fixture(autouse=True, scope="module")
def ray():
    with joined(processors=4) as connected, without_gif():
        yield connected


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run by the command line, on two env runners."""
    folder = RunFolder(tmp_path_factory.mktemp("runs") / "run")
    words = short(env_runners=2).command.split()
    arguments = words[words.index("train") :]
    main([*arguments, "--episodes", "20", "--out", str(folder.path)])
    return folder


def test_a_run_has_the_folder_of_every_run(run):
    names = {path.name for path in run.path.iterdir() if not path.name.startswith(".")}
    assert names == {
        *("README.md", "config.json", "results.json", "policy.npz", "last_policy.npz"),
        *("model.zip", "last_model.zip", "learning_curve.png", "survival.png", "episode.gif"),
        *("checkpoints", "tensorboard"),
    }
    results = json.loads(run.results.read_text())
    assert results["training"]["steps"] >= 3000
    assert [one["steps"] for one in results["validations"]] == [0, 2048, 3072]
    policy = NetworkPolicy.load(run.policy)
    assert policy.metadata["environment"] == "Pursuit-v0"
    assert policy.metadata["algorithm"] == "PPO"
    page = run.readme.read_text()
    assert "--engine rllib --env-runners 2" in page
    assert "Algorithm.from_checkpoint" in page
    assert "for stable-baselines3" not in page
    assert "ray" in json.loads(run.config.read_text())["versions"]


def test_the_model_is_a_checkpoint_of_rllib(run, tmp_path):
    zipfile.ZipFile(run.last_model).extractall(tmp_path)
    algorithm = Algorithm.from_checkpoint(tmp_path)
    weights = algorithm.learner_group.get_weights()[MODULE]
    np.testing.assert_array_equal(
        weights["pi.log_std"], NetworkPolicy.load(run.last_policy).log_std
    )
    algorithm.stop()


@pytest.mark.parametrize(
    ("algo", "changes"),
    [("ppo", {}), ("ppo", {"env_runners": 2}), ("ppo", {"learners": 1}), ("sac", {})],
)
def test_a_run_goes_on_bit_for_bit(algo, changes, tmp_path, monkeypatch):
    training = short(algo, **changes)
    undisturbed = trained(training, tmp_path / "undisturbed")
    folder = begin_run(training, tmp_path / "crashed")
    is_sound = RLlibLearner.trouble

    def crash(learner, **thorough):
        if learner.steps >= 2048:
            raise CrashError
        return is_sound(learner, **thorough)

    with monkeypatch.context() as patch:
        patch.setattr(RLlibLearner, "trouble", crash)
        with pytest.raises(CrashError):
            train(folder, QUIET)
    assert not folder.is_trained
    progress = train(folder, QUIET)
    assert progress.resumed_at == [1024]
    assert folder.last_policy.read_bytes() == undisturbed.last_policy.read_bytes()
    assert folder.policy.read_bytes() == undisturbed.policy.read_bytes()


def rates(learner):
    (found,) = learner.algorithm.learner_group.foreach_learner(
        lambda one: [
            group["lr"]
            for _, optimizer in one.get_optimizers_for_module(MODULE)
            for group in optimizer.param_groups
        ]
    )
    return found.get()


def test_a_new_learning_rate_holds_from_the_checkpoint_on(tmp_path):
    learner = RLlibLearner(short())
    learner.begin(QUIET)
    learner.learn(1, lambda: None, NO_LOG)
    saved = learner.snapshot("so far")
    learner.close()
    falling = RLlibLearner(short(params=(*PARAMS["ppo"], "learning_rate=lin_0.0006")))
    falling.restore(saved, learning_rate=LinearSchedule(6e-4))
    assert rates(falling) == pytest.approx([6e-4 * (1 - 1024 / 3000)])
    falling.learn(1, lambda: None, NO_LOG)
    assert rates(falling) == pytest.approx([6e-4 * (1 - 2048 / 3000)])
    falling.close()
    other = RLlibLearner(short(params=(*PARAMS["ppo"], "learning_rate=0.0001")))
    assert other.restore(saved, learning_rate=0.0001) == "so far"
    other.learn(1, lambda: None, NO_LOG)
    assert rates(other) == [0.0001]
    other.close()


def runners_weights(learner):
    return learner.algorithm.env_runner_group.foreach_env_runner(
        lambda runner: runner.module.state_dict()["pi.log_std"].numpy(),
        local_env_runner=False,
    )


def test_rllib_still_lacks_what_we_save_beside_its_checkpoints(tmp_path):
    """Fails once RLlib saves SAC's entropy or replay buffer itself: then our part can go."""
    learner = RLlibLearner(short("sac"))
    learner.begin(QUIET)
    learner.learn(1, lambda: None, NO_LOG)
    saved = pickle.loads(learner.snapshot(None))
    assert saved["entropy"] != 0.0
    zipfile.ZipFile(io.BytesIO(saved["checkpoint"])).extractall(tmp_path)
    algorithm = learner.algorithm
    algorithm.local_replay_buffer.episodes.clear()
    algorithm.learner_group.foreach_learner(
        lambda one: one.curr_log_alpha[MODULE].data.fill_(0)
    )
    algorithm.restore_from_path(tmp_path)
    (entropy,) = algorithm.learner_group.foreach_learner(
        lambda one: float(one.curr_log_alpha[MODULE].detach())
    )
    assert entropy.get() == 0.0
    assert not algorithm.local_replay_buffer.episodes
    learner.close()


def test_rllib_still_loses_weights_that_it_sends():
    """Fails once RLlib's `sync_weights` delivers them: then our way of sending can go."""
    learner = RLlibLearner(short(env_runners=1))
    algorithm, group = learner.algorithm, learner.algorithm.env_runner_group

    def send():
        group.sync_weights(
            from_worker_or_learner_group=algorithm.learner_group, inference_only=True
        )

    runners_weights(learner)  # the env runner has come up
    group.foreach_env_runner_async(lambda _: time.sleep(2.0))
    send()  # it waits, since the env runner is busy
    weights = algorithm.learner_group.get_weights()
    weights[MODULE]["pi.log_std"] = np.float32([-0.5, -0.5])
    algorithm.learner_group.set_weights(weights)
    send()
    (found,) = runners_weights(learner)
    assert not np.array_equal(found, np.float32([-0.5, -0.5]))
    learner.close()


def test_env_runners_have_the_weights_opponents_and_games_that_they_should():
    training = short(opponent=("evade", "wander"), env_runners=2)
    learner = RLlibLearner(training)
    learner.begin(QUIET)
    for found in runners_weights(learner):  # RLlib's own way to send them drops these
        np.testing.assert_array_equal(found, np.float32([-0.5, -0.5]))
    learner.weigh_opponents((0.9, 0.1))
    learner.learn(1, lambda: None, NO_LOG)
    group = learner.algorithm.env_runner_group
    found = group.foreach_env_runner(
        lambda runner: (runner.env.opponent_weights, runner.get_games()["observations"]),
        local_env_runner=False,
    )
    for weights, _ in found:
        np.testing.assert_allclose(weights / weights.sum(), [0.9, 0.1])
    assert len(np.unique(np.concatenate([games for _, games in found]), axis=0)) == 8
    saved = learner.snapshot(None)
    expected = learner.algorithm.learner_group.get_weights()[MODULE]["pi.log_std"]
    learner.close()
    other = RLlibLearner(training)
    other.restore(saved)
    for found in runners_weights(other):
        np.testing.assert_array_equal(found, expected)
    other.close()


def test_an_env_runner_that_is_killed_is_started_again():
    learner = RLlibLearner(short(env_runners=1, opponent=("evade", "wander")))
    learner.begin(QUIET)

    def process():
        (found,) = learner.algorithm.env_runner_group.foreach_env_runner(
            lambda _: os.getpid(), local_env_runner=False
        )
        return found

    first = process()
    learner.weigh_opponents((0.9, 0.1))
    learner.learn(1, lambda: None, NO_LOG)
    os.kill(first, signal.SIGKILL)
    learner.learn(6000, lambda: None, NO_LOG)
    assert learner.steps >= 7000
    assert process() != first
    (weights,) = learner.algorithm.env_runner_group.foreach_env_runner(
        lambda runner: runner.env.opponent_weights, local_env_runner=False
    )
    np.testing.assert_allclose(weights / weights.sum(), [0.9, 0.1])
    saved = pickle.loads(learner.snapshot(None))
    saved["games"].clear()  # as if it were dead at this moment
    learner.restore(pickle.dumps(saved))
    learner.learn(1, lambda: None, NO_LOG)
    learner.close()


def test_a_training_that_diverges_says_how_to_go_on(tmp_path, monkeypatch):
    folder = begin_run(short(params=(*PARAMS["ppo"], "learning_rate=1.0")), tmp_path / "run")
    actual = RLlibLearner.trouble

    def poisoned(learner, **thorough):
        if learner.steps >= 2048:
            weights = learner.algorithm.learner_group.get_weights()
            weights[MODULE]["pi.log_std"] = np.float32([np.nan, 0.0])
            learner.algorithm.learner_group.set_weights(weights)
        return actual(learner, **thorough)

    monkeypatch.setattr(RLlibLearner, "trouble", poisoned)
    with pytest.raises(Diverged, match=r"weights are not finite.*learning_rate=0\.1"):
        train(folder, QUIET)
    assert checkpoints(folder.checkpoints)
    assert newest_checkpoint(folder.checkpoints) is not None
    assert not folder.is_trained


def test_an_address_is_for_rllib_alone(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["train", "--address", "127.0.0.1:6379", "--out", str(tmp_path / "run")])
    assert "--engine rllib" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_an_address_where_nobody_answers_is_one_line(tmp_path):
    command = [sys.executable, "-m", "agents", "train", "--engine", "rllib", "--steps", "2000"]
    command += ["--address", "127.0.0.1:9", "--out", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert (
        done.stderr.strip().splitlines()[-1].startswith("python -m agents: nobody answers at")
    )
    assert "Traceback" not in done.stderr


CLUSTER = """
import subprocess, sys
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args=dict(num_cpus=1))
cluster.add_node(num_cpus=1)
command = [sys.executable, "-m", "agents", *sys.argv[1:], "--address", cluster.address]
status = subprocess.run(command).returncode
cluster.shutdown()
sys.exit(status)
"""


def test_a_cluster_trains(tmp_path):
    """Of two nodes: an env runner on one of them, a learner on the other."""
    words = short(env_runners=1, learners=1, steps=2000).command.split()
    arguments = [
        *words[words.index("train") :],
        "--episodes",
        "5",
        "--out",
        str(tmp_path / "run"),
    ]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    done = subprocess.run(
        [sys.executable, "-c", CLUSTER, *arguments],
        capture_output=True,
        text=True,
        env=clean,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert RunFolder(tmp_path / "run").policy.is_file()
