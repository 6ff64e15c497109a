"""RLlib's multi-agent samples from many games at once are what the games were."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("ray.rllib")

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec

from baselines.ray_cluster import joined
from steer_env.envs.rllib import RLlibEnv
from steer_env.envs.rllib_learning import Discount, HereOnly, connectors_of
from steer_env.envs.rllib_multi_runner import (
    MATCHUPS,
    BatchedMultiAgentEnvRunner,
    Matchup,
)
from steer_env.envs.rllib_rows import choose
from steer_env.policies.loading import load_network

pytestmark = pytest.mark.filterwarnings("default")  # RLlib's own

GAMES = 6
SIDES = ("pursuer", "evader")
BOTH = {side: side for side in SIDES}


def config_of(matchups=None, games=GAMES, modules=SIDES, **env):
    keywords = {"max_episode_steps": 40, **env}
    if matchups:
        keywords[MATCHUPS] = matchups
        games = sum(one.games for one in matchups)
    return (
        PPOConfig()
        .environment(RLlibEnv, env_config=keywords)
        .multi_agent(
            policies=list(modules),
            policy_mapping_fn=lambda agent, *_, **__: agent.removesuffix("_0"),
        )
        .env_runners(
            env_runner_cls=BatchedMultiAgentEnvRunner,
            num_env_runners=0,
            num_envs_per_env_runner=games,
            rollout_fragment_length=16,
        )
        .training(
            train_batch_size_per_learner=16 * games,
            minibatch_size=32,
            num_epochs=1,
            lr=1e-3,
        )
        .debugging(seed=3)
    )


@pytest.fixture(scope="module", autouse=True)
def _ray():
    with joined():
        yield


def first_episodes(parts, agent):
    """The parts of the first episode of each game, by game."""
    found = {}
    for episode in parts:
        if episode.agent_id == agent:
            found.setdefault(episode.id_, []).append(episode)
    return [one for one in found.values() if one[0].t_started == 0]


def column(parts, name):
    return np.concatenate([getattr(part, f"get_{name}")() for part in parts])


def clipped(actions):
    return np.clip(actions, -1.0, 1.0)


@pytest.mark.parametrize("explore", [True, False])
def test_episodes_hold_what_the_games_were(explore):
    """The same actions in RLlib's own environment of one game lead to the same numbers."""
    runner = BatchedMultiAgentEnvRunner(config=config_of())
    parts = [
        part
        for count in (GAMES * 30, 31, GAMES * 30)
        for part in runner.sample(num_timesteps=count, explore=explore)
    ]
    games = [first_episodes(parts, f"{side}_0")[:GAMES] for side in SIDES]
    env, ended = RLlibEnv({"max_episode_steps": 40}), 0
    for number, sides in enumerate(zip(*games, strict=True)):
        actions = {part[0].agent_id: clipped(column(part, "actions")) for part in sides}
        rewards = {part[0].agent_id: column(part, "rewards") for part in sides}
        observations, _ = env.reset(seed=3 + number)
        for part in sides:
            assert part[0].module_id == part[0].agent_id.removesuffix("_0")
            seen = np.concatenate([one.get_observations(slice(0, len(one))) for one in part])
            starts = [one.t_started for one in part]
            assert starts == [0, *np.cumsum([len(one) for one in part])[:-1]]
            observations, _ = env.reset(seed=3 + number)
            agent = part[0].agent_id
            for step in range(len(seen)):
                np.testing.assert_array_equal(seen[step], observations[agent])
                given = {name: values[step] for name, values in actions.items()}
                observations, gained, terminated, truncated, _ = env.step(given)
                assert gained[agent] == rewards[agent][step]
            last = part[-1]
            np.testing.assert_array_equal(last.get_observations(-1), observations[agent])
            assert last.is_terminated == terminated["__all__"]
            assert last.is_truncated == truncated["__all__"]
            ended += last.is_done
    assert len(games[0]) == GAMES
    assert ended == 2 * GAMES
    metrics = runner.get_metrics()
    assert metrics["num_env_steps_sampled_lifetime"].peek() == GAMES * (30 + 6 + 30)
    assert metrics["num_module_steps_sampled"]["evader"].peek() == GAMES * 66


def test_an_opponent_of_a_matchup_plays_in_the_loop():
    opponents = ("evade", load_network("pretrained/evade/ppo"))
    matchup = Matchup(GAMES, {"pursuer": "pursuer"}, opponents)
    runner = BatchedMultiAgentEnvRunner(config=config_of([matchup]))
    parts = runner.sample(num_timesteps=GAMES * 30)
    games = gym.make_vec("Pursuit-v0", GAMES, opponent=opponents, max_episode_steps=40)
    observations, _ = games.reset(seed=3)
    assert {part.module_id for part in parts} == {"pursuer"}
    for number, (part,) in enumerate(first_episodes(parts, "pursuer_0")[:GAMES]):
        np.testing.assert_array_equal(part.get_observations(0), observations[number])
        game = gym.make_vec("Pursuit-v0", 1, opponent=opponents, max_episode_steps=40)
        now, _ = game.reset(seed=3 + number)
        for step, action in enumerate(clipped(column([part], "actions"))):
            np.testing.assert_array_equal(part.get_observations(step), now[0])
            now, *_ = game.step(action[None])


def test_an_exploiter_meets_the_main_agent_as_it_is_without_exploration():
    modules = {"pursuer": "exploiter", "evader": "evader"}
    matchup = Matchup(GAMES, modules, learning=("pursuer",))
    runner = BatchedMultiAgentEnvRunner(
        config=config_of([matchup], modules=("exploiter", "evader", "pursuer"))
    )
    parts = runner.sample(num_timesteps=GAMES * 30)
    assert {part.module_id for part in parts} == {"exploiter"}
    env = RLlibEnv({"max_episode_steps": 40})
    for number, (part, *_) in enumerate(first_episodes(parts, "pursuer_0")[:GAMES]):
        observations, _ = env.reset(seed=3 + number)
        for step, action in enumerate(clipped(column([part], "actions"))):
            seen = part.get_observations(step)
            np.testing.assert_allclose(seen, observations["pursuer_0"], atol=1e-3)
            own = observations["evader_0"][None]
            answer = choose(runner.module["evader"], own, explore=False)[Columns.ACTIONS][0]
            both = {"pursuer_0": action, "evader_0": clipped(answer)}
            observations, *_ = env.step(both)


def test_opponents_are_drawn_with_their_chances_and_keep_their_numbers():
    matchup = Matchup(64, {"evader": "evader"}, ("seek", "pursuit"))
    runner = BatchedMultiAgentEnvRunner(config=config_of([matchup], max_episode_steps=5))
    runner.weigh_opponents(0, (0.8, 0.2))
    runner.sample(num_timesteps=64 * 10)
    (outcomes,) = runner.take_outcomes()
    assert set(outcomes.steps) == {5}
    runner.sample(num_timesteps=64 * 200)
    (outcomes,) = runner.take_outcomes()
    share = np.mean(outcomes.opponents == 0)
    assert abs(share - 0.8) < 4 * np.sqrt(0.8 * 0.2 / len(outcomes.opponents))
    runner.add_opponents(0, [load_network("pretrained/pursuit/ppo")], (0.1, 0.2, 0.7))
    runner.sample(num_timesteps=64 * 10)
    runner.take_outcomes()
    runner.sample(num_timesteps=64 * 200)
    (outcomes,) = runner.take_outcomes()
    chances = np.array([0.1, 0.2, 0.7])
    found = np.bincount(outcomes.opponents, minlength=3) / len(outcomes.opponents)
    tolerance = 4 * np.sqrt(chances * (1 - chances) / len(outcomes.opponents))
    assert (np.abs(found - chances) < tolerance).all()


def test_games_go_on_bit_for_bit():
    matchups = [
        Matchup(4, BOTH),
        Matchup(4, {"pursuer": "pursuer"}, ("evade", load_network("pretrained/evade/ppo"))),
    ]
    one, other = (BatchedMultiAgentEnvRunner(config=config_of(matchups)) for _ in range(2))
    one.sample(num_timesteps=8 * 30)
    games = pickle.loads(pickle.dumps(one.get_games()))
    other.module.set_state(one.module.get_state())
    expected = one.sample(num_timesteps=8 * 30)
    outcomes = one.take_outcomes()
    other.set_games(games)
    found = other.sample(num_timesteps=8 * 30)
    assert len(found) == len(expected)
    for each, its_twin in zip(found, expected):
        assert each.t_started == its_twin.t_started
        for name in ("observations", "actions", "rewards"):
            np.testing.assert_array_equal(column([each], name), column([its_twin], name))
    for each, its_twin in zip(other.take_outcomes(), outcomes):
        np.testing.assert_array_equal(np.stack(each), np.stack(its_twin))


def test_whole_episodes_are_played_to_their_ends():
    runner = BatchedMultiAgentEnvRunner(config=config_of())
    found = {}
    for part in runner.sample(num_episodes=8):
        found.setdefault((part.agent_id, part.id_), []).append(part)
    assert len(found) >= 2 * 8
    for parts in found.values():
        assert parts[0].t_started == 0
        assert [one.is_done for one in parts] == [False] * (len(parts) - 1) + [True]


def test_what_it_would_ignore_is_refused():
    class Callbacks(RLlibCallback):
        pass

    with pytest.raises(ValueError, match="calls no callbacks"):
        BatchedMultiAgentEnvRunner(config=config_of().callbacks(Callbacks))
    with pytest.raises(TypeError, match="plays the games of RLlibEnv"):
        BatchedMultiAgentEnvRunner(config=config_of().environment("CartPole-v1"))
    with pytest.raises(ValueError, match="one on one, and this game has 3 pursuers"):
        BatchedMultiAgentEnvRunner(config=config_of(pursuers=3))
    config = config_of([Matchup(4, BOTH)]).env_runners(num_envs_per_env_runner=5)
    with pytest.raises(ValueError, match="it must be their sum"):
        BatchedMultiAgentEnvRunner(config=config)


def test_it_trains_and_only_what_learns():
    matchups = [Matchup(8, {"pursuer": "pursuer", "evader": "still"}, learning=("pursuer",))]
    algorithm = config_of(matchups, modules=("pursuer", "still", "evader")).build_algo()
    before = copy.deepcopy(algorithm.learner_group.get_weights())
    for _ in range(2):
        found = algorithm.train()
    after = algorithm.learner_group.get_weights()
    changed = {
        module: any((after[module][name] != before[module][name]).any() for name in weights)
        for module, weights in before.items()
    }
    assert changed == {"pursuer": True, "still": False, "evader": False}
    assert found["env_runners"]["num_env_steps_sampled_lifetime"] == 2 * 8 * 16
    algorithm.stop()


# the learner


def trained(config):
    """The weights of the modules after one update."""
    algorithm = config.build_algo()
    algorithm.train()
    weights = algorithm.learner_group.get_weights()
    algorithm.stop()
    return weights


def are_same(one, other):
    return all((one[name] == other[name]).all() for name in one)


def with_discounts(discounts):
    config = config_of()
    env = RLlibEnv()
    specs = {
        side: RLModuleSpec(
            observation_space=env.observation_spaces[f"{side}_0"],
            action_space=env.action_spaces[f"{side}_0"],
        )
        for side in SIDES
    }
    mapping = config.policy_mapping_fn
    return config.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=specs)).learners(
        learner_connector=lambda *_: connectors_of(specs, mapping, discounts),
        add_default_connectors_to_learner_pipeline=False,
    )


def test_each_module_has_its_own_discount():
    rllibs_own = trained(config_of().training(gamma=0.97, lambda_=0.9))
    same = Discount(0.97, 0.9)
    alike = trained(with_discounts(dict.fromkeys(SIDES, same)))
    assert all(are_same(rllibs_own[side], alike[side]) for side in SIDES)
    found = trained(with_discounts({"pursuer": same, "evader": Discount(0.5, 0.9)}))
    assert are_same(rllibs_own["pursuer"], found["pursuer"])
    assert not are_same(rllibs_own["evader"], found["evader"])


def test_rllib_has_one_discount_for_all_modules():
    """Once this fails, RLlib heeds a module's gamma, and `AdvantagesByModule` can go."""
    weights = [
        trained(
            config_of().rl_module(
                algorithm_config_overrides_per_module={"evader": {"gamma": gamma}}
            )
        )["evader"]
        for gamma in (0.99, 0.1)
    ]
    assert are_same(*weights)


def test_a_callback_stays_here():
    calls = []
    callback = HereOnly(lambda **keywords: calls.append(keywords))
    copy.deepcopy(callback)(one=1)
    pickle.loads(pickle.dumps(callback))(two=2)
    assert calls == [{"one": 1}]
