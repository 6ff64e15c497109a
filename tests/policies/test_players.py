"""Names and files become players, and what cannot play is told why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from policies.networks import make_network
from steer_env.errors import InvalidValue
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.players import controller_of, name_of
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER


def suits(name, side):
    try:
        return controller_of(name, side) == ROSTER[name]
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
        controller_of(name, side)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("persuit", "pursuit"),
        ("evade/intercpt", "evade/intercept"),
        ("randm", "random"),
        ("pretrained/pursuit/sacc", "pretrained/pursuit/sac"),
        ("pretraned/evade/selfplay", "pretrained/evade/selfplay"),
    ],
)
def test_an_unknown_name_is_told_the_nearest_in_few_words(name, near, pretrained_folder):
    with pytest.raises(ValueError, match=f"'{name}'.*'{near}'") as caught:
        controller_of(name, PURSUER)
    assert len(str(caught.value)) < 300


def test_networks_come_by_name_and_by_path(pretrained_folder, tmp_path):
    found = controller_of("pretrained/pursuit/ppo", PURSUER)
    assert isinstance(found, NetworkPolicy)
    assert found.name == "pretrained/pursuit/ppo"
    make_network(features=21).save(tmp_path / "mine.npz")
    for path in (tmp_path / "mine.npz", str(tmp_path / "mine.npz")):
        assert controller_of(path, EVADER).name == str(tmp_path / "mine.npz")
    for name in ("nowhere.npz", "PPO:nowhere.zip"):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            controller_of(name, EVADER, trust=True)


def test_random_players_of_one_seed_differ_by_side():
    rows = np.zeros((4, 21), np.float32)
    actions = [
        controller_of("random", side, seed=seed).predict(rows)[0]
        for side, seed in ((PURSUER, 3), (PURSUER, 3), (EVADER, 3), (PURSUER, 4))
    ]
    np.testing.assert_array_equal(actions[0], actions[1])
    assert not np.array_equal(actions[0], actions[2])
    assert not np.array_equal(actions[0], actions[3])
    assert controller_of("random", PURSUER).seed is None


def test_a_dict_is_the_script_of_its_fields():
    fields = {"behavior": "offset_pursuit", "offset": [1.0, -2.0], "walls": 3.0}
    script = controller_of(fields, PURSUER)
    assert script == Script(behavior="offset_pursuit", offset=1 - 2j, walls=3.0)
    assert script.changes == {"offset": 1 - 2j, "walls": 3.0}
    with pytest.raises(InvalidValue, match="pursuer: offset must be finite"):
        controller_of({"behavior": "seek", "offset": [0.0, float("nan")]}, PURSUER)


def test_a_file_that_runs_code_is_loaded_only_with_trust(tmp_path):
    path = tmp_path / "model.zip"
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="--trust"):
        controller_of(f"PPO:{path}", PURSUER)
    with pytest.raises(ValueError, match="is not a model"):
        controller_of(Path(f"PPO:{path}"), PURSUER, trust=True)
    assert name_of(f"PPO:{path}") == name_of(path)


@pytest.mark.parametrize("side", ["pursuer", 2, -1])
def test_a_side_is_one_of_two(side):
    with pytest.raises(ValueError, match="side"):
        controller_of("idle", side)
