"""Long evaluations are played in parts, so that Ctrl-C ends them soon; the bits stay."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.baselines import evaluate, gap, rollouts
from steer_env.baselines.policies import RandomPolicy
from steer_env.baselines.rollouts import play_to_the_end, start_games
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.policies import pretrained
from steer_env.policies.network import NetworkPolicy
from steer_env.scripts.script import Script

WANDERING = Script(behavior="pursuit", wander=1.0)
NETWORK = next(name for name in pretrained.names() if name.startswith("pretrained/pursuit/"))


@pytest.fixture
def calls(monkeypatch):
    """The games and the steps of each call of the loop that plays."""
    found, play = [], Engine.play

    def counted(self, measures, steps, *actions):
        found.append((self.num_games, steps))
        play(self, measures, steps, *actions)

    monkeypatch.setattr(Engine, "play", counted)
    return found


@pytest.mark.parametrize(
    ("pursuer", "keywords"),
    [("pursuit", {}), (WANDERING, {}), ("pursuit", {"pursuers": 3}), (NETWORK, {})],
)
def test_parts_have_the_bits_of_the_whole(pursuer, keywords, calls, monkeypatch):
    whole = evaluate(pursuer, "evade", keywords, 25, seed=7)
    players = 1 + keywords.get("pursuers", 1)
    monkeypatch.setattr(
        rollouts, "_AT_ONCE", dict.fromkeys((Script, NetworkPolicy), 8 * players)
    )
    calls.clear()
    done = []
    parts = evaluate(pursuer, "evade", keywords, 25, seed=7, progress=done.append)
    assert parts.episodes.tobytes() == whole.episodes.tobytes()
    assert {games for games, _ in calls} == {8, 1}
    assert done == sorted(done)
    assert done[-1] == 25


def test_gaps_have_the_bits_of_the_whole(calls, monkeypatch):
    whole = gap(WANDERING, "homicidal_chauffeur", starts=5)
    monkeypatch.setattr(rollouts, "_AT_ONCE", {Script: 8})
    calls.clear()
    assert (
        gap(WANDERING, "homicidal_chauffeur", starts=5).starts.tobytes()
        == whole.starts.tobytes()
    )
    assert max(games for games, _ in calls) == 4


@pytest.mark.parametrize("pursuer", [RandomPolicy(seed=0), "random"])
def test_policies_that_draw_are_asked_for_all_games(pursuer, calls, monkeypatch):
    monkeypatch.setattr(rollouts, "_AT_ONCE", dict.fromkeys((Script, NetworkPolicy), 8))
    evaluate(pursuer, "evade", {"horizon": 5}, 25)
    assert {games for games, _ in calls} == {25}


def test_parts_of_three_million_episodes_are_small():
    pair = (WANDERING, WANDERING)
    for keywords, most in (({}, 2**16), ({"pursuers": 1000, "evaders": 1000}, 65)):
        parts = list(rollouts.shares(game_config(**keywords), pair, 3_000_000))
        assert sum(size for _, size in parts) == 3_000_000
        assert max(size for _, size in parts) == most
        assert [first for first, _ in parts] == list(range(0, 3_000_000, most))


@pytest.mark.parametrize(
    ("seconds", "steps"), [(0.0, [1, 2, 4, 8, 16, 32, 50, 50]), (1.0, [1] * 8)]
)
def test_calls_of_the_loop_take_as_many_steps_as_they_have_time_for(
    seconds, steps, calls, monkeypatch
):
    ticks = iter(np.arange(1e6) * seconds)
    monkeypatch.setattr(rollouts.time, "perf_counter", lambda: next(ticks))
    games = start_games(game_config(), "idle", "idle", 0, 4)
    play_to_the_end(*games)
    assert [taken for _, taken in calls][:8] == steps
