"""Pretrained policies go by names that their files give them, and each plays its own side."""

from __future__ import annotations

from functools import partial

import gymnasium as gym
import pytest

from steer_env.baselines import evaluate
from steer_env.policies import pretrained
from steer_env.policies.players import named_players
from steer_env.policies.pretrained import load_network
from steer_env.scenarios.registry import DEFAULT_GAME, SUITE
from steer_env.sides import EVADER, PURSUER, Side

from .networks import make_network

NAMES = (
    "pretrained/evade/selfplay",
    "pretrained/evade/selfplay/1",
    "pretrained/pursuit/ppo",
    "pretrained/pursuit/ppo/2",
    "pretrained/pursuit/ppo/10",
    "pretrained/pursuit/sac",
    "pretrained/pursuit/sac/0",
)


def test_names_are_those_of_the_files(pretrained_folder):
    assert pretrained.names() == NAMES
    ppo = pretrained_folder / "Pursuit-v0" / "ppo"
    assert pretrained.path_of("pretrained/pursuit/ppo/10") == ppo / "seed_10.npz"
    assert pretrained.path_of("pretrained/pursuit/ppo") == ppo / "seed_2.npz"
    assert {name: pretrained.side_of(name) for name in NAMES} == {
        name: EVADER if "evade" in name else PURSUER for name in NAMES
    }


def test_policies_of_other_games_have_the_game_in_their_names(pretrained_folder):
    path = pretrained_folder / "AgileTorusEvade-v0" / "ppo" / "seed_4.npz"
    path.parent.mkdir(parents=True)
    make_network(features=21).save(path)
    name = pretrained.name_of(SUITE["agile_torus"], EVADER, "ppo")
    assert name == "pretrained/agile_torus/evade/ppo"
    assert pretrained.path_of(name) == pretrained.path_of(f"{name}/4") == path
    assert pretrained.side_of(name) == EVADER
    assert pretrained.names() == (*NAMES, name, f"{name}/4")
    assert pretrained.runs_of(SUITE["agile_torus"], EVADER) == (name,)
    assert pretrained.runs_of(SUITE[DEFAULT_GAME], PURSUER) == (
        "pretrained/pursuit/ppo",
        "pretrained/pursuit/ppo/10",
        "pretrained/pursuit/sac",
    )
    assert gym.make("AgileTorusPursuit-v0", opponent=name).reset(seed=0)


@pytest.mark.parametrize("ask", [pretrained.path_of, pretrained.side_of, load_network])
def test_unknown_names_are_refused_with_the_nearest(ask, pretrained_folder):
    message = "policy 'pretrained/pursit/ppo'.*mean 'pretrained/pursuit/ppo'.*Valid.*selfplay/1"
    with pytest.raises(ValueError, match=message):
        ask("pretrained/pursit/ppo")
    with pytest.raises(ValueError, match="mean 'pretrained/pursuit/ppo/2'"):
        ask("pretrained/pursuit/ppo/3")


@pytest.mark.parametrize(
    "ask", [pretrained.path_of, load_network, partial(named_players, side=PURSUER)]
)
def test_a_run_that_only_a_checkout_has_is_refused_with_its_place(ask, pretrained_folder):
    ppo = pretrained_folder / "Pursuit-v0" / "ppo"
    (ppo / "config.json").write_text('{"seeds": [2, 3, 10]}')
    message = r"ppo/3' is not installed.*'pretrained/pursuit/ppo'.*Pursuit-v0/ppo/seed_3\.npz"
    with pytest.raises(ValueError, match=message):
        ask("pretrained/pursuit/ppo/3")
    with pytest.raises(ValueError, match="mean 'pretrained/pursuit/ppo/2'"):
        load_network("pretrained/pursuit/ppo/4")


def test_the_settings_of_an_algorithm_name_the_seeds_of_its_runs():
    folders = {path.parent for path in pretrained.folder().glob("*/*/seed_*.npz")}
    for folder in folders:
        found = sorted(pretrained._runs(folder))
        assert found == pretrained._trained_seeds(folder) or found == [0], folder


@pytest.mark.parametrize("environment", ["Evade-v0", "EvadeDiscrete-v0"])
def test_a_file_of_the_other_side_is_refused(tmp_path, environment):
    path = tmp_path / "mine.npz"
    make_network(features=21, metadata={"environment": environment}).save(path)
    assert load_network(path, side=EVADER)
    gym.make("Pursuit-v0", opponent=path).close()
    with pytest.raises(ValueError, match=r"made for the evader, and would play the pursuer"):
        gym.make("Evade-v0", opponent=str(path))
    with pytest.raises(ValueError, match=r"made for the evader, and would play the pursuer"):
        evaluate(path, "evade", episodes=2)


def test_every_published_file_is_a_network_of_its_game():
    for game in SUITE.values():
        for side in Side:
            space = gym.make(game.environment(side)).observation_space
            for name in pretrained.runs_of(game, side):
                # A team has a row for each player, and its network plays one.
                assert load_network(name).observation_space.shape == space.shape[-1:], name
