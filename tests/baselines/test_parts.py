"""Long evaluations are cut into parts: the bits stay."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from steer_env.baselines import MixturePolicy, RandomPolicy, evaluate, gap, load, rollouts
from steer_env.baselines.rollouts import play_all, play_to_the_end, start_games
from steer_env.game.config import make_game
from steer_env.game.engine import Engine
from steer_env.players.resolver import resolve_pair
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script

WANDERING = Script(behavior="pursuit", wander=1.0)
NETWORK = "pretrained/pursuit/ppo"


@pytest.fixture
def calls(monkeypatch):
    """The games and the steps of each call of the loop that plays."""
    found, play = [], Engine.play

    def counted(self, measures, steps, *actions):
        found.append((self.num_games, steps))
        play(self, measures, steps, *actions)

    monkeypatch.setattr(Engine, "play", counted)
    return found


AT_ONCE = ("_SCRIPTS_AT_ONCE", "_NETWORKS_AT_ONCE")


@pytest.mark.parametrize(
    ("pursuer", "keywords"),
    [("pursuit", {}), (WANDERING, {}), ("pursuit", {"pursuers": 3}), (NETWORK, {})],
)
def test_parts_have_the_bits_of_the_whole(pursuer, keywords, calls, monkeypatch):
    whole = evaluate(pursuer, "evade", keywords, 25, seed=7)
    players = 1 + keywords.get("pursuers", 1)
    for name in AT_ONCE:
        monkeypatch.setattr(rollouts, name, 8 * players)
    calls.clear()
    done = []
    parts = evaluate(pursuer, "evade", keywords, 25, seed=7, progress=done.append)
    assert parts.episodes.tobytes() == whole.episodes.tobytes()
    assert {games for games, _ in calls} == {8, 1}
    assert done == sorted(done)
    assert done[-1] == 25


def test_gaps_have_the_bits_of_the_whole(calls, monkeypatch):
    whole = gap(WANDERING, "homicidal_chauffeur", starts=5)
    monkeypatch.setattr(rollouts, "_SCRIPTS_AT_ONCE", 8)
    calls.clear()
    assert (
        gap(WANDERING, "homicidal_chauffeur", starts=5).episodes.tobytes()
        == whole.episodes.tobytes()
    )
    assert max(games for games, _ in calls) == 4


@pytest.mark.parametrize("pursuer", [RandomPolicy(seed=0), "random"])
def test_policies_that_draw_are_asked_for_all_games(pursuer, calls, monkeypatch):
    for name in AT_ONCE:
        monkeypatch.setattr(rollouts, name, 8)
    evaluate(pursuer, "evade", {"horizon": 5}, 25)
    assert {games for games, _ in calls} == {25}


@pytest.mark.parametrize(
    ("seconds", "steps"), [(0.0, [1, 2, 4, 8, 16, 32, 50, 50]), (1.0, [1] * 8)]
)
def test_calls_of_the_loop_take_as_many_steps_as_they_have_time_for(
    seconds, steps, calls, monkeypatch
):
    ticks = iter(np.arange(1e6) * seconds)
    monkeypatch.setattr(rollouts.time, "perf_counter", lambda: next(ticks))
    players = resolve_pair("idle", "idle")
    play_to_the_end(start_games(make_game(), players, 0, 4), players)
    assert [taken for _, taken in calls][:8] == steps


PURSUERS = {
    "pursuit": "pursuit",
    "network": NETWORK,
    "random": "random",
    "mixture": MixturePolicy([load(f"pretrained/pursuit/ppo/{seed}") for seed in (0, 1)]),
}
EVADERS = [ROSTER["evade"], ROSTER["wander"]]


def played(pursuers):
    """The names and the bits of each pair."""
    found = play_all([*product(pursuers.values(), EVADERS)], None, 30, 50)
    return [(one.labels, one.episodes.tobytes()) for one in found]


def test_a_policy_that_draws_is_left_as_it_was():
    assert played(PURSUERS) == played(PURSUERS)
    drawing = {"random": RandomPolicy(seed=3)}
    assert played(drawing) == played(drawing)
