"""The PettingZoo environment passes PettingZoo's tests, and plays the vector one's game."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import steer_env
from steer_env.envs.parallel_vector import ParallelVectorEnv
from steer_env.errors import InvalidType, InvalidValue

from .same import assert_same

pytest.importorskip("pettingzoo")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what PettingZoo's tests import warns of itself
    from pettingzoo.test import (
        api_test,
        parallel_api_test,
        parallel_seed_test,
        render_test,
        seed_test,
    )
    from pettingzoo.utils import parallel_to_aec

TEAMS = {"pursuers": 3, "evaders": 2, "capture_radius": 2.0, "arena_size": 12.0}
GAMES = {
    "both": TEAMS,
    "discrete": {**TEAMS, "action_type": "discrete", "credit": "own"},
    "pursuers": {**TEAMS, "opponent": "evade", "credit": "own"},
    "evaders": {**TEAMS, "learner": "evader", "opponent": ["pursuit", "seek"]},
    "duel": {"arena": "torus"},
    "more evaders": {**TEAMS, "pursuers": 1},
    "several captors": {**TEAMS, "captors_needed": 2, "obstacles": 3},
}
IGNORED_OPTIONS = "ignore:.*unknown reset option:UserWarning"  # which PettingZoo's tests pass


def sampled(env):
    return {agent: env.action_space(agent).sample() for agent in env.agents}


@pytest.mark.filterwarnings(IGNORED_OPTIONS)
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_parallel_api(game):
    parallel_api_test(steer_env.parallel_env(**game), num_cycles=700)
    parallel_seed_test(lambda: steer_env.parallel_env(**game), num_cycles=50)


@pytest.mark.parametrize("credit", ["team", "own"])
def test_it_plays_the_vector_environments_game_bit_for_bit(credit):
    env = steer_env.parallel_env(credit=credit, horizon=120, **TEAMS)
    envs = ParallelVectorEnv(3, credit=credit, horizon=120, autoreset_mode="Disabled", **TEAMS)
    game, ends = 1, 0
    for seed in range(8):
        observations, _ = env.reset(seed=seed + game)
        rows, _ = envs.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while env.agents:
            for agent, observation in observations.items():
                side, place = agent.split("_")
                assert_same(observation, rows[side][game, int(place)].copy())
            actions = {
                side: rng.uniform(-1, 1, (3, n, 2)).astype(np.float32)
                for side, n in (("pursuer", 3), ("evader", 2))
            }
            given = {
                agent: actions[agent.split("_")[0]][game, int(agent.split("_")[1])]
                for agent in env.agents
            }
            before = list(env.agents)
            try:
                rows, rewards, terminations, truncations, info = envs.step(actions)
            except ResetNeeded:  # another of the three is over
                break
            observations, *results, infos = env.step(given)
            assert list(observations) == before
            for agent in before:
                side, place = agent.split("_")
                one = (game, int(place))
                wanted = rewards[side][one], terminations[side][one], truncations[side][one]
                assert tuple(result[agent] for result in results) == tuple(wanted)
            catches = info["captures"][game]
            for evader in range(2):
                if f"evader_{evader}" in before:
                    assert (infos[f"evader_{evader}"]["caught_by"] == catches[evader]).all()
            ends += any(results[1].values())
    assert ends > 0


def test_what_is_caught_leaves():
    start = {
        "pursuer": {"position": [(0.0, 0.0), (0.0, 0.4)], "speed": [0.0, 0.0]},
        "evader": {"position": [(0.1, 0.0), (9.0, 9.0)], "speed": [0.0, 0.0]},
    }
    env = steer_env.parallel_env(pursuers=2, evaders=2, start=start)
    env.reset(seed=0)
    rest = {agent: np.zeros(2) for agent in env.agents}
    observations, _, terminations, truncations, infos = env.step(rest)
    assert terminations == {a: a == "evader_0" for a in env.possible_agents}
    assert not any(truncations.values())
    assert infos["evader_0"]["caught_by"] == [True, True]
    assert infos["pursuer_1"]["caught"] == [True, False]
    assert infos["evader_1"]["caught_by"] == [False, False]
    json.dumps(infos)
    assert observations["evader_0"].any()
    assert env.agents == ["pursuer_0", "pursuer_1", "evader_1"]
    before = env.get_state()
    results = env.step({agent: rest[agent] for agent in env.agents})
    assert "evader_0" not in results[0]
    env.set_state(before)
    assert_same(env.step({**rest, "evader_0": np.ones(2)}), results)  # TorchRL acts for all
    env.reset()
    assert env.agents == env.possible_agents


def test_unknown_options_are_warned_of():
    env = steer_env.parallel_env()
    with pytest.warns(UserWarning, match="unknown reset option 'limit'.*ignored"):
        env.reset(seed=0, options={"limit": 1})
    env.reset(options={"start": {"evader": {"position": (3.0, 4.0)}}})
    place = env.get_state()["players"]["body"]["position"][0, 1]
    assert place == 3.0 + 4.0j


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda given: {}, InvalidValue, "missing"),
        (lambda given: [1, 2], InvalidType, "dict"),
        (lambda given: {**given, "evader_7": np.zeros(2)}, InvalidValue, "evader_"),
        (lambda given: {**given, "evader_0": np.zeros(3)}, InvalidValue, "evader_0"),
        (lambda given: {**given, "evader_0": "left"}, (InvalidType, InvalidValue), "evader_0"),
        (lambda given: {**given, "evader_0": np.full(2, np.inf)}, InvalidValue, "finite"),
    ],
)
def test_actions_are_checked(change, error, message):
    env = steer_env.parallel_env(**TEAMS)
    env.reset(seed=0)
    state = env.get_state()
    with pytest.raises(error, match=message):
        env.step(change(sampled(env)))
    assert_same(env.get_state(), state)


@pytest.mark.weekly
@pytest.mark.filterwarnings(IGNORED_OPTIONS)
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_interface_of_agents_in_turn(game):
    api_test(parallel_to_aec(steer_env.parallel_env(**game)), num_cycles=300)
    seed_test(lambda: parallel_to_aec(steer_env.parallel_env(**game)), num_cycles=50)


@pytest.mark.weekly
def test_rendering_of_agents_in_turn(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # there may be no display
    made = [
        steer_env.parallel_env(render_mode=mode, **TEAMS) for mode in ("human", "rgb_array")
    ]
    envs = {env.render_mode: parallel_to_aec(env) for env in made}
    render_test(lambda render_mode: envs[render_mode])
    for env in made:
        env.close()
    env = steer_env.parallel_env(render_mode="rgb_array", drawing={"size": (200, 160)}, **TEAMS)
    env.reset(seed=0)
    assert env.render().shape == (160, 200, 3)
