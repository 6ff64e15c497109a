"""Games of other libraries, and ours beside them."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from steer_env.peers import PEERS, SETTINGS, start_ours

BY_NAME = {peer.name: peer for peer in PEERS}


def test_ours_counts_the_steps_that_move():
    game = {"pursuers": 2, "evaders": 2, "horizon": 3, "capture_radius": 1e-9}
    play = start_ours(game, 5, 1)
    assert [play() for _ in range(9)] == [5, 5, 5, 0, 5, 5, 5, 0, 5]


def test_ours_counts_the_same_on_several_threads():
    # Some of these games end in each step.
    game = {"arena_size": 2.0, "start_distance": 0.0, "horizon": 4, "capture_radius": 0.49}
    one, two = (start_ours(game, 300, threads) for threads in (1, 2))
    counts = [one() for _ in range(12)]
    assert counts == [two() for _ in range(12)]
    assert counts[0] == 300
    assert 0 < min(counts[1:]) < 300


@pytest.mark.parametrize("players", SETTINGS)
def test_every_setting_plays(players):
    play = start_ours(SETTINGS[players], 3, 1)
    assert play() == 3


def test_every_peer_has_a_setting_and_a_name_of_its_own():
    assert {peer.players for peer in PEERS} == set(SETTINGS)
    assert len(BY_NAME) == len(PEERS)


class ParallelEnv:
    """An environment of PettingZoo with two agents, over after two steps."""

    possible_agents = ("hare", "hound")

    def __init__(self):
        self.log = []

    def reset(self, seed=None):
        self.log.append("reset")
        self.agents = list(self.possible_agents)

    def action_space(self, agent):
        return SimpleNamespace(seed=lambda seed: None, sample=lambda: agent.upper())

    def step(self, actions):
        assert actions == {"hare": "HARE", "hound": "HOUND"}
        self.log.append("step")
        if self.log[-2:] == ["step", "step"]:
            self.agents = []


@pytest.mark.parametrize(
    ("name", "package", "module"),
    [
        ("mpe2 simple_tag_v3", "mpe2", "simple_tag_v3"),
        ("SISL pursuit_v5", "pettingzoo.sisl", "pursuit_v5"),
    ],
)
def test_one_game_is_stepped_and_reset(name, package, module, monkeypatch):
    env = ParallelEnv()
    game = SimpleNamespace(parallel_env=lambda: env)
    monkeypatch.setitem(sys.modules, package.split(".")[0], SimpleNamespace())
    monkeypatch.setitem(sys.modules, package, SimpleNamespace(**{module: game}))
    games, play = BY_NAME[name].start(1024)
    assert games == 1
    assert [play() for _ in range(4)] == [1, 1, 1, 1]
    assert env.log == ["reset", "step", "step", "reset", "step", "step", "reset"]


@pytest.mark.filterwarnings("ignore")  # theirs
@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.packages[0])
def test_a_peer_that_is_installed_plays(peer, capsys):
    try:
        games, play = peer.start(6)
    except ImportError:
        pytest.skip(f"{peer.name} is not installed")
    played = [play() for _ in range(3)]
    assert games in (1, 6)
    assert all(np.array(played) % games == 0)
    assert min(played) > 0
    assert capsys.readouterr().out == ""  # where a JSON document goes
    print("heard")
    assert capsys.readouterr().out == "heard\n"
