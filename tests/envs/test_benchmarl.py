"""BenchMARL trains on a game with continuous and with discrete actions."""

from __future__ import annotations

import warnings

import pytest

from steer_env.errors import InvalidType

pytestmark = pytest.mark.filterwarnings("default")  # BenchMARL's own
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("benchmarl")
    from benchmarl.algorithms import IppoConfig, MappoConfig, QmixConfig
    from benchmarl.experiment import Experiment, ExperimentConfig
    from benchmarl.models.mlp import MlpConfig

    from steer_env.envs.benchmarl import PursuitTask

TEAMS = {"pursuers": 3, "evaders": 2, "capture_radius": 2.0, "arena_size": 12.0}


@pytest.mark.parametrize("algorithm", [MappoConfig, IppoConfig, QmixConfig])
@pytest.mark.parametrize("game", [{**TEAMS, "opponent": "evade"}, TEAMS], ids=["one", "both"])
def test_an_experiment(tmp_path, algorithm, game):
    config = ExperimentConfig.get_from_yaml()
    config.save_folder, config.loggers, config.create_json = tmp_path, [], False
    config.evaluation, config.render, config.evaluation_episodes = True, False, 4
    config.evaluation_interval = config.max_n_frames = 256
    config.on_policy_n_envs_per_worker = config.off_policy_n_envs_per_worker = 8
    config.on_policy_collected_frames_per_batch = 128
    config.off_policy_collected_frames_per_batch = 128
    config.on_policy_n_minibatch_iters = config.off_policy_n_optimizer_steps = 1
    task = PursuitTask("teams", {**game, "horizon": 50})
    experiment = Experiment(
        task=task,
        algorithm_config=algorithm.get_from_yaml(),
        model_config=MlpConfig.get_from_yaml(),
        seed=0,
        config=config,
    )
    assert experiment.max_steps == 50
    sides = {"pursuer"} if "opponent" in game else {"pursuer", "evader"}
    assert set(experiment.group_map) == sides
    assert experiment.continuous_actions is (algorithm is not QmixConfig)
    assert set(experiment.state_spec.keys()) == {"state"}
    experiment.run()
    assert experiment.total_frames == 256


def test_the_capture_rate_of_a_batch():
    env = PursuitTask("teams", {**TEAMS, "horizon": 60}).get_env_fun(16, True, 0, "cpu")()
    batch = env.rollout(300, break_when_any_done=False)
    rate = PursuitTask.log_info(batch)["capture_rate"]
    assert 0.0 < rate < 1.0
    assert PursuitTask.log_info(batch[:, :1]) == {}


def test_what_the_experiment_sets_is_refused():
    with pytest.raises(InvalidType, match="action_type is the experiment's"):
        PursuitTask("teams", {"action_type": "discrete"})
