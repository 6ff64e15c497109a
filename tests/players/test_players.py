"""Names and files become players, and what cannot play is told why."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from players.networks import make_network
from steer_env.baselines import evaluate
from steer_env.errors import InvalidValue
from steer_env.players import pretrained
from steer_env.players.network import NetworkPolicy
from steer_env.players.pretrained import load_network
from steer_env.players.resolver import name_of, resolve, resolve_all
from steer_env.scenarios.registry import DEFAULT_GAME, SUITE
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side


def suits(name, side):
    try:
        return resolve(name, side).script == ROSTER[name]
    except ValueError:
        return False


def test_every_script_plays_a_side_and_few_play_both():
    both = {name for name in ROSTER if suits(name, PURSUER) and suits(name, EVADER)}
    neither = {name for name in ROSTER if not suits(name, PURSUER) and not suits(name, EVADER)}
    assert {"idle", "wander"} <= both
    assert neither == set()
    assert not both & {"pursuit", "seek", "navigation", "evade", "flee", "hide"}


@pytest.mark.parametrize(
    ("name", "side", "match"),
    [
        ("evade", PURSUER, "made for the evader"),
        ("pursuit", EVADER, "made for the pursuer"),
        ("pretrained/evade/selfplay", PURSUER, "made for the evader"),
    ],
)
def test_who_is_made_for_the_other_side_is_refused(name, side, match, pretrained_folder):
    with pytest.raises(ValueError, match=match):
        resolve(name, side)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("persuit", "pursuit"),
        ("evade/intercpt", "evade/intercept"),
        ("randm", "random"),
        ("pretrained/pursuit/sacc", "pretrained/pursuit/sac"),
        ("pretrained/pursuit/ppo/3", "pretrained/pursuit/ppo/2"),
        ("pretraned/evade/selfplay", "pretrained/evade/selfplay"),
    ],
)
def test_an_unknown_name_is_told_the_nearest_in_few_words(name, near, pretrained_folder):
    with pytest.raises(ValueError, match=f"'{name}'.*'{near}'") as caught:
        resolve(name, PURSUER)
    assert len(str(caught.value)) < 300


def test_networks_come_by_name_and_by_path(pretrained_folder, tmp_path):
    found = resolve("pretrained/pursuit/ppo", PURSUER).policy
    assert isinstance(found, NetworkPolicy)
    assert found.name == "pretrained/pursuit/ppo"
    make_network(features=21).save(tmp_path / "mine.npz")
    for path in (tmp_path / "mine.npz", str(tmp_path / "mine.npz")):
        player = resolve(path, EVADER)
        assert player.policy.name == str(tmp_path / "mine.npz")
        assert player.name == f"{tmp_path.name}/mine"
    for name in ("nowhere.npz", "PPO:nowhere.zip"):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            resolve(name, EVADER, trust=True)
    with pytest.raises(ValueError, match="--trust"):
        resolve("PPO:nowhere.zip", PURSUER)
    assert name_of("PPO:a/model.zip") == name_of(Path("a/model.zip"))


def test_random_players_of_one_seed_differ_by_side():
    rows = np.zeros((4, 21), np.float32)
    actions = [
        resolve("random", side, seed=seed).policy.predict(rows)[0]
        for side, seed in ((PURSUER, 3), (PURSUER, 3), (EVADER, 3), (PURSUER, 4))
    ]
    np.testing.assert_array_equal(actions[0], actions[1])
    assert not np.array_equal(actions[0], actions[2])
    assert not np.array_equal(actions[0], actions[3])
    assert resolve("random", PURSUER).follows_chance


def test_a_dict_is_the_script_of_its_fields():
    fields = {"behavior": "offset_pursuit", "offset": [1.0, -2.0], "walls": 3.0}
    script = resolve(fields, PURSUER).script
    assert script == Script(behavior="offset_pursuit", offset=1 - 2j, walls=3.0)
    assert script.changes == {"offset": 1 - 2j, "walls": 3.0}
    with pytest.raises(InvalidValue, match="pursuer: offset must be finite"):
        resolve({"behavior": "seek", "offset": [0.0, float("nan")]}, PURSUER)


@pytest.mark.parametrize("side", ["pursuer", 2, -1])
def test_a_side_is_one_of_two(side):
    with pytest.raises(ValueError, match="side"):
        resolve("idle", side)


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
    assert {name: found.side for name, found in pretrained.environments().items()} == {
        name: EVADER if "evade" in name else PURSUER for name in NAMES
    }


def test_policies_of_other_games_have_the_game_in_their_names(pretrained_folder):
    path = pretrained_folder / "AgileTorusEvade-v0" / "ppo" / "seed_4.npz"
    path.parent.mkdir(parents=True)
    make_network(features=21).save(path)
    name = pretrained.name_of(SUITE["agile_torus"], EVADER, "ppo")
    assert name == "pretrained/agile_torus/evade/ppo"
    assert pretrained.path_of(name) == pretrained.path_of(f"{name}/4") == path
    assert pretrained.environments()[name].side == EVADER
    assert pretrained.names() == (*NAMES, name, f"{name}/4")
    assert pretrained.runs_of(SUITE["agile_torus"], EVADER) == (name,)
    assert pretrained.runs_of(SUITE[DEFAULT_GAME], PURSUER) == (
        "pretrained/pursuit/ppo",
        "pretrained/pursuit/ppo/10",
        "pretrained/pursuit/sac",
    )
    assert gym.make("AgileTorusPursuit-v0", opponent=name).reset(seed=0)


@pytest.mark.parametrize(
    "ask", [pretrained.path_of, load_network, partial(resolve_all, side=PURSUER)]
)
def test_a_run_that_only_a_checkout_has_is_refused_with_its_place(ask, pretrained_folder):
    ppo = pretrained_folder / "Pursuit-v0" / "ppo"
    (ppo / "config.json").write_text('{"seeds": [2, 3, 10]}')
    message = r"ppo/3' is not installed.*'pretrained/pursuit/ppo'.*Pursuit-v0/ppo/seed_3\.npz"
    with pytest.raises(ValueError, match=message):
        ask("pretrained/pursuit/ppo/3")
    with pytest.raises(ValueError, match="mean 'pretrained/pursuit/ppo/2'"):
        load_network("pretrained/pursuit/ppo/4")


@pytest.mark.parametrize("environment", ["Evade-v0", "EvadeDiscrete-v0"])
def test_a_file_of_the_other_side_is_refused(tmp_path, environment):
    path = tmp_path / "mine.npz"
    make_network(features=21, metadata={"environment": environment}).save(path)
    assert resolve(path, EVADER)
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


def test_a_player_can_be_passed_on_and_plays_as_the_name_that_it_was_made_of():
    player = resolve("evade", EVADER, name="mine")
    assert resolve(player, EVADER) is player
    assert resolve(player, EVADER, name="other").name == "other"
    players = (player, "evade")
    found, expected = (evaluate("pursuit", one, {"horizon": 30}, 8) for one in players)
    assert found.evader == "mine"
    assert found.episodes.tobytes() == expected.episodes.tobytes()
    env = gym.make("Pursuit-v0", opponent=player)
    assert env.unwrapped.opponent == ("evade",)
    assert env.spec.kwargs["opponent"].name == "mine"
    with pytest.raises(TypeError, match="name must be a string"):
        resolve("evade", EVADER, name=0)


def test_a_player_in_games_is_a_copy_so_one_can_play_in_several():
    class Counting:
        def predict(self, observation, state=None, episode_start=None, deterministic=False):
            count = 0 if state is None else state
            return np.full((len(observation), 2), 0.1 * count, np.float32), count + 1

    player, start = resolve(Counting(), PURSUER), np.ones(1, np.bool_)
    rows = np.zeros((1, 1, 21), np.float32)
    first, second = (player.fit(PURSUER, 1, 21) for _ in range(2))
    steps = [one.choose(rows, start)[0, 0, 0] for one in (first, first, second)]
    assert steps == pytest.approx([0.0, 0.1, 0.0])
