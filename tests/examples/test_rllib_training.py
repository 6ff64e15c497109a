"""RLlib trains with the batched env runner, and evaluates whole episodes."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ray.rllib")
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.algorithms.sac import SACConfig
from ray.rllib.core.columns import Columns
from test_rllib_batches import GAMES, BatchedEnvRunner, config_of

from steer_env.baselines.ray_cluster import joined

pytestmark = [pytest.mark.weekly, pytest.mark.filterwarnings("default")]  # RLlib's own


@pytest.mark.parametrize(
    ("kind", "training"),
    [
        (
            PPOConfig,
            {"train_batch_size_per_learner": 256, "minibatch_size": 128, "num_epochs": 2},
        ),
        (SACConfig, {"num_steps_sampled_before_learning_starts": 100}),
    ],
)
def test_it_trains(kind, training):
    with joined():
        algorithm = config_of(kind=kind, **training).build_algo()
        before = {k: v.clone() for k, v in algorithm.get_module().state_dict().items()}
        for _ in range(3):
            found = algorithm.train()
        after = algorithm.get_module().state_dict()
        algorithm.stop()
    assert any((after[name] != before[name]).any() for name in after)
    assert all(np.isfinite(after[name].numpy()).all() for name in after)
    assert found["env_runners"]["num_env_steps_sampled_lifetime"] >= 3 * GAMES


def test_the_probabilities_of_actions_are_those_of_the_network():
    runner = BatchedEnvRunner(config=config_of())
    (episode, *_) = runner.sample(num_timesteps=80)
    outputs = runner.module.forward_exploration(
        {Columns.OBS: torch.from_numpy(episode.get_observations(slice(0, len(episode))))}
    )
    inputs = outputs[Columns.ACTION_DIST_INPUTS]
    kind = runner.module.get_exploration_action_dist_cls()
    actions = torch.from_numpy(np.asarray(episode.get_actions()))
    expected = kind.from_logits(inputs).logp(actions).detach().numpy()
    found = episode.get_extra_model_outputs(Columns.ACTION_LOGP)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_whole_episodes_are_played_to_their_ends():
    runner = BatchedEnvRunner(config=config_of())
    runner.sample(num_timesteps=40)
    for _ in range(2):
        parts = {}
        for episode in runner.sample(num_episodes=11, explore=False):
            parts.setdefault(episode.id_, []).append(episode)
        assert 11 <= len(parts) < 11 + GAMES
        for episodes in parts.values():
            assert [one.is_done for one in episodes] == [False] * (len(episodes) - 1) + [True]
            assert episodes[0].t_started == 0
    assert runner.get_metrics()["episode_len_mean"].peek() <= 50
